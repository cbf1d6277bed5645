#pragma once

#include "views/vpipe/round_figure.h"

#include <QWidget>

class QLabel;
class QTableWidget;
class QToolButton;

namespace stagecraft::views::vpipe {

class DrawingCanvas;

/// Algorithm 1 step by step: a table of its rounds and the one that is looked at as a picture. N and Shift+N
/// step on and back, as do the buttons and the table's own keys.
class RoundsView : public QWidget {
    Q_OBJECT
public:
    explicit RoundsView(QWidget* parent = nullptr);

    /// Shows the chosen round; null: nothing but `hint`.
    void setStudy(std::shared_ptr<const RoundsStudy> study, const QString& hint = {});
    const std::shared_ptr<const RoundsStudy>& study() const { return study_; }
    int round() const;  ///< the one that is shown; -1: none
    void showRound(int round);
    DrawingCanvas& canvas() { return *canvas_; }

signals:
    void exportRequested();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void fillTable();
    void showCurrent();
    void refreshIcons();

    std::shared_ptr<const RoundsStudy> study_;
    QTableWidget* table_;
    DrawingCanvas* canvas_;
    QToolButton *previous_, *next_, *export_;
    QLabel *where_, *reason_;
};

}  // namespace stagecraft::views::vpipe
