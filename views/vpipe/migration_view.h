#pragma once

#include "views/vpipe/migration_figure.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QSpinBox;
class QTableWidget;
class QToolButton;

namespace stagecraft::views::vpipe {

class DrawingCanvas;

/// A plan that changes into another while it runs: what is chosen, a table of the ways to do it with what
/// each costs, and the timeline of one of them. The wheel, W and S zoom, a drag, A and D pan, F fits.
class MigrationView : public QWidget {
    Q_OBJECT
public:
    explicit MigrationView(QWidget* parent = nullptr);

    /// What there is to choose from. Keeps the choice where the names stay.
    void setPlans(const QStringList& names, int from, int to);
    int from() const;
    int to() const;
    int afterMicrobatch() const;  ///< -1: as usual
    void setCases(std::vector<MigrationCase> cases);
    const std::vector<MigrationCase>& cases() const { return cases_; }
    int shownCase() const;
    void setStatus(const QString& text, bool isError = false);
    std::pair<double, double> range() const { return range_; }
    DrawingCanvas& canvas() { return *canvas_; }

signals:
    void choiceChanged();
    void exportRequested();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void describeFields();
    QLayout* makeBar();
    void connectParts();
    void showCase();
    void fit();
    void zoom(double factor, double aboutS);
    void pan(double byS);
    void redraw();

    std::vector<MigrationCase> cases_;
    std::pair<double, double> range_{0, 1};
    QComboBox *from_, *to_;
    QSpinBox* after_;
    QTableWidget* table_;
    DrawingCanvas* canvas_;
    QLabel* status_;
    QToolButton* export_;
};

}  // namespace stagecraft::views::vpipe
