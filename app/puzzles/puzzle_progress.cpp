#include "app/puzzles/puzzle_progress.h"

#include <QSettings>

#include <utility>

namespace stagecraft::app::puzzles {

PuzzleProgress PuzzleProgress::load(const QString& id) {
    QSettings settings;
    settings.beginGroup(QStringLiteral("puzzles/") + id);
    return {settings.value(QStringLiteral("time")).toInt(), settings.value(QStringLiteral("peak")).toInt()};
}

void PuzzleProgress::save(const QString& id) const {
    QSettings settings;
    settings.beginGroup(QStringLiteral("puzzles/") + id);
    settings.setValue(QStringLiteral("time"), time);
    settings.setValue(QStringLiteral("peak"), peakHalves);
}

void PuzzleProgress::keep(const QString& id, const PuzzleBoard& board) {
    const PuzzleScore score = board.score();
    if (id.isEmpty() || !score.complete()) return;
    const PuzzleProgress before = load(id), now{score.time(board.puzzle().goal), score.peakHalves};
    if (!before.isSolved() || std::pair(now.time, now.peakHalves) < std::pair(before.time, before.peakHalves))
        now.save(id);
}

}  // namespace stagecraft::app::puzzles
