#pragma once

#include "views/vpipe/utilisation_figure.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QToolButton;

namespace stagecraft::views::vpipe {

class DrawingCanvas;

/// Effective against total utilisation and the distance to the ideal throughput, of vPipe with more and less
/// of it at work or of the project's plans.
class UtilisationView : public QWidget {
    Q_OBJECT
public:
    enum class Subject { parts, plans };

    explicit UtilisationView(QWidget* parent = nullptr);
    void setRows(std::vector<UtilisationRow> rows, const QString& hint = {});
    const std::vector<UtilisationRow>& rows() const { return rows_; }
    Subject subject() const;
    void setStatus(const QString& text);
    DrawingCanvas& canvas() { return *canvas_; }

signals:
    void subjectChanged();
    void exportRequested();

protected:
    void changeEvent(QEvent* event) override;

private:
    std::vector<UtilisationRow> rows_;
    QComboBox* subject_;
    QLabel* status_;
    QToolButton* export_;
    DrawingCanvas* canvas_;
};

}  // namespace stagecraft::views::vpipe
