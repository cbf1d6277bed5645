#include "app/shell/puzzle_actions.h"

#include "app/puzzles/puzzle_library.h"
#include "app/puzzles/puzzle_window.h"
#include "app/shell/file_controller.h"
#include "app/shell/menus.h"
#include "core/puzzles/real_plan.h"

namespace stagecraft::app {

PuzzleActions::PuzzleActions(ActionRegister& actions, Workspace& workspace, Workbench& workbench,
                             FileController& files, QWidget* parent)
    : QObject(parent), workspace_(workspace), workbench_(workbench), files_(files), parent_(parent) {
    actions.add({"lesson.puzzles", lessonMenu, tr("&Puzzles"), {}, "lanes"}, [this] { open(); });
}

PuzzleWindow& PuzzleActions::open() {
    if (!window_) {
        window_ = new PuzzleWindow(parent_);
        connect(window_, &PuzzleWindow::realRequested, this, &PuzzleActions::openReal);
    }
    window_->show();
    window_->raise();
    window_->activateWindow();
    return *window_;
}

/// One that has as many GPUs and microbatches, and layers enough.
bool PuzzleActions::suitsOpenProject(const Puzzle& puzzle) const {
    if (!workspace_.isOpen() || whyUnplannable(workspace_.problem())) return false;
    const Problem& problem = workspace_.problem();
    return problem.cluster.deviceCount() == puzzle.devices &&
           problem.setup.microbatches == puzzle.microbatches && whyNotReal(puzzle, problem).empty();
}

void PuzzleActions::openReal(const PuzzleBoard& board, const QString& title) {
    const std::string name = title.toStdString();
    const Project sample = realSample(board.puzzle().devices);
    const bool here = suitsOpenProject(board.puzzle());
    if (const std::string why = whyNotReal(board.puzzle(), sample.problem); !here && !why.empty())
        return window_->say(QString::fromStdString(why), true);
    if (here) {
        workbench_.showPlan(workspace_.addPlan(realPlan(board, CostModel(workspace_.problem()), name)));
    } else {
        if (!files_.openInstead(realProject(board, sample, name), {})) return;
        workbench_.showPlan(workspace_.plans().front().id);
    }
    parent_->raise();
    parent_->activateWindow();
}

}  // namespace stagecraft::app
