#pragma once

#include "core/puzzles/puzzle_board.h"
#include "views/rooms.h"

#include <QRectF>

#include <vector>

namespace stagecraft::views::puzzles {

/// A pass that can be asked for in a device's tray: the next of its kind and stage.
struct TrayPass {
    Task task;
    int device = 0;
    bool ready = false;  ///< it can be placed now; else asking for it says why not
    QRectF box;
};

/// Where everything is on a puzzle's board: a lane for each device with its time to the right, and beside it
/// the device's tray.
struct PuzzleLayout {
    std::vector<QRectF> names, lanes;  ///< by device; lanes from time 0 to `shownTime`
    std::vector<TrayPass> tray;        ///< by device
    QRectF axis;
    double unit = 1;  ///< pixels of a unit of time
    int shownTime = 1;

    double xOf(int time) const { return lanes.empty() ? 0 : lanes.front().left() + time * unit; }
    QRectF boxOf(int device, int start, int end) const;
    int deviceAt(QPointF at) const;  ///< whose lane is there; -1: none
    int timeAt(QPointF at) const;    ///< the whole unit in which it is
    const TrayPass* trayAt(QPointF at) const;
    const PlacedPass* passAt(QPointF at, const PuzzleBoard& board) const;
};

/// @param leastTime that the axis shows in any case
PuzzleLayout layOutPuzzle(const PuzzleBoard& board, QSizeF size, int leastTime);

}  // namespace stagecraft::views::puzzles
