#pragma once

#include "app/actions/action_register.h"
#include "app/shell/workbench.h"
#include "core/puzzles/board.h"

namespace stagecraft::app {

class FileController;
class PuzzleWindow;

/// Puzzles in the menu Lesson, and how an order of one becomes a plan of the main window.
class PuzzleActions : public QObject {
    Q_OBJECT

public:
    PuzzleActions(ActionRegister& actions, Workspace& workspace, Workbench& workbench, FileController& files,
                  QWidget* parent);

    PuzzleWindow& open();

private:
    void openReal(const PuzzleBoard& board, const QString& title);
    bool suitsOpenProject(const Puzzle& puzzle) const;

    Workspace& workspace_;
    Workbench& workbench_;
    FileController& files_;
    QWidget* parent_;
    PuzzleWindow* window_ = nullptr;
};

}  // namespace stagecraft::app
