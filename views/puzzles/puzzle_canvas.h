#pragma once

#include "core/model/timeline.h"
#include "views/common/canvas.h"
#include "views/puzzles/puzzle_layout.h"

#include <QString>

#include <memory>
#include <optional>

namespace stagecraft::views::puzzles {

/// A puzzle's board: lanes with what is placed, and beside each the passes that can be asked for. A click on
/// one of them, or its letter, asks to place it as early as it can run; a click into the lane asks for the
/// chosen one at that time, and a click on a pass that is placed, or Backspace for the last of the chosen
/// lane, to take it back. It changes nothing itself.
class PuzzleCanvas : public Canvas {
    Q_OBJECT
public:
    explicit PuzzleCanvas(QWidget* parent = nullptr);

    /// @param par is marked on the axis; 0: it is not known
    void setBoard(std::shared_ptr<const PuzzleBoard> board, int par);
    /// Outlines a pass that the coach would place.
    void setHint(std::optional<PlacedPass> hint);
    const PuzzleLayout& parts() const { return layout_; }
    int chosenDevice() const { return device_; }
    /// The pass of the tray that Enter and clicks into a lane place.
    const TrayPass* chosen() const;

    QSize sizeHint() const override { return {640, 320}; }
    QSize minimumSizeHint() const override { return {320, 160}; }

signals:
    /// @param start -1: as early as it can run
    void placeRequested(const stagecraft::model::Task& task, int device, int start);
    void takeBackRequested(const stagecraft::model::Task& task);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void lookChanged() override { layOut(); }
    void click(QPointF at, Qt::KeyboardModifiers modifiers) override;
    void hoverAt(QPointF at, QPoint onScreen) override;
    void hoverEnded() override { showTip({}, {}); }
    bool step(QPoint by) override;
    bool pick(Qt::KeyboardModifiers modifiers) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void layOut();
    void choose(int device, int place);
    std::vector<const TrayPass*> trayOf(int device) const;
    bool takeLetter(int key);
    QString tipAt(QPointF at) const;
    void paintLane(QPainter& painter, int device) const;
    void paintTray(QPainter& painter) const;
    void paintAxis(QPainter& painter) const;
    void paintName(QPainter& painter, int device) const;
    void paintPass(QPainter& painter, const QRectF& box, const Task& task, bool ready) const;

    std::shared_ptr<const PuzzleBoard> board_;
    PuzzleLayout layout_;
    std::optional<PlacedPass> hint_;
    int par_ = 0;
    int device_ = 0, place_ = 0;  ///< what keys choose: a device, and which pass of its tray
};

}  // namespace stagecraft::views::puzzles
