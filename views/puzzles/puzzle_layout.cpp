#include "views/puzzles/puzzle_layout.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::views::puzzles {

namespace {

constexpr double puzzleMargin = 12, nameWidth = 92, axisHeight = 24;
constexpr double chipWidth = 44, chipHeight = 24, chipGap = 6;
constexpr double tallestLane = 72, laneShare = 0.62;  // of a row; the rest parts it from the next

/// The next pass of the kind and stage, ready or not; nothing if all are placed.
std::optional<TrayPass> nextPass(const PuzzleBoard& board, const std::vector<ReadyPass>& ready, TaskKind kind,
                                 int stage) {
    const int device = board.puzzle().deviceOf(stage);
    for (const ReadyPass& pass : ready)
        if (pass.task.kind == kind && pass.task.stage == stage)
            return TrayPass{pass.task, device, pass.fits, {}};
    for (int microbatch = 0; microbatch < board.puzzle().microbatches; ++microbatch)
        if (const Task task{kind, stage, microbatch}; !board.find(task))
            return TrayPass{task, device, false, {}};
    return std::nullopt;
}

std::vector<TrayPass> trayOf(const PuzzleBoard& board) {
    std::vector<TrayPass> tray;
    const std::vector<ReadyPass> ready = board.ready();
    for (int device = 0; device < board.puzzle().devices; ++device)
        for (int stage = 0; stage < board.puzzle().stages(); ++stage) {
            if (board.puzzle().deviceOf(stage) != device) continue;
            for (const TaskKind kind : passKindsOf(board.puzzle()))
                if (const auto next = nextPass(board, ready, kind, stage)) tray.push_back(*next);
        }
    return tray;
}

}  // namespace

PuzzleLayout layOutPuzzle(const PuzzleBoard& board, QSizeF size, int leastTime) {
    PuzzleLayout layout;
    const Puzzle& puzzle = board.puzzle();
    const int kinds = static_cast<int>(passKindsOf(puzzle).size());
    // Chips of a device are in rows of one stage where there are several.
    const double trayWidth = kinds * (chipWidth + chipGap);
    const double left = puzzleMargin + nameWidth;
    const double right = std::max(left + 60, size.width() - puzzleMargin - trayWidth - puzzleMargin);
    const double row = std::max(8.0, (size.height() - puzzleMargin - axisHeight) / puzzle.devices);
    const double height = std::min(row * laneShare, tallestLane);
    layout.shownTime = std::max(leastTime, board.score().makespan + 1);
    layout.unit = (right - left) / layout.shownTime;
    for (int device = 0; device < puzzle.devices; ++device) {
        const double top = puzzleMargin + device * row + (row - height) / 2;
        layout.lanes.emplace_back(left, top, right - left, height);
        layout.names.emplace_back(puzzleMargin, top, nameWidth - 8, height);
    }
    layout.axis = QRectF(left, size.height() - axisHeight, right - left, axisHeight);
    layout.tray = trayOf(board);
    for (TrayPass& pass : layout.tray) {
        const int stage = pass.task.stage, device = pass.device;
        int chunk = 0;
        for (int before = 0; before < stage; ++before) chunk += puzzle.deviceOf(before) == device ? 1 : 0;
        const auto& order = passKindsOf(puzzle);
        const auto column = std::find(order.begin(), order.end(), pass.task.kind) - order.begin();
        const double line = std::min(chipHeight + chipGap, (row - 2) / puzzle.chunks);
        const double middle = puzzleMargin + (device + 0.5) * row;
        const double top =
            middle + (chunk - puzzle.chunks / 2.0) * line + (line - std::min(chipHeight, line - 2)) / 2;
        pass.box = QRectF(right + puzzleMargin + static_cast<double>(column) * (chipWidth + chipGap), top,
                          chipWidth, std::min(chipHeight, line - 2));
    }
    return layout;
}

QRectF PuzzleLayout::boxOf(int device, int start, int end) const {
    const QRectF& lane = lanes[static_cast<std::size_t>(device)];
    return {xOf(start), lane.top(), (end - start) * unit, lane.height()};
}

int PuzzleLayout::deviceAt(QPointF at) const {
    for (std::size_t device = 0; device < lanes.size(); ++device)
        if (lanes[device].united(names[device]).contains(at)) return static_cast<int>(device);
    return -1;
}

int PuzzleLayout::timeAt(QPointF at) const {
    return lanes.empty() ? 0 : static_cast<int>(std::floor((at.x() - lanes.front().left()) / unit));
}

const TrayPass* PuzzleLayout::trayAt(QPointF at) const {
    const auto found = std::find_if(tray.begin(), tray.end(), [&](const TrayPass& pass) {
        return pass.box.adjusted(-2, -1, 2, 1).contains(at);
    });
    return found == tray.end() ? nullptr : &*found;
}

const PlacedPass* PuzzleLayout::passAt(QPointF at, const PuzzleBoard& board) const {
    const int device = deviceAt(at);
    if (device < 0) return nullptr;
    for (const PlacedPass& pass : board.lane(device))
        if (boxOf(device, pass.start, pass.end).contains(at)) return &pass;
    return nullptr;
}

}  // namespace stagecraft::views::puzzles
