#pragma once

#include "app/puzzles/puzzle_game.h"

#include <QWidget>

class QLabel;
class QListWidget;
class QPushButton;
class QSpinBox;

namespace stagecraft::views::puzzles {
class PuzzleCanvas;
}

namespace stagecraft::app::puzzles {

class SandboxFields;

/// The puzzles, in a window beside the main one: a list of the course and the sandbox, and the board of the
/// one that is played.
class PuzzleWindow : public QWidget {
    Q_OBJECT

public:
    explicit PuzzleWindow(QWidget* parent = nullptr);

    PuzzleGame& game() { return game_; }
    PuzzleCanvas& canvas() { return *canvas_; }
    /// By its place in the list; the last is the sandbox.
    void take(int place);
    /// In the line under the board. @param refused it is why something cannot be done
    void say(const QString& text, bool refused);

signals:
    /// The order of a complete board is wanted with real times, transfers and memory.
    void realRequested(const stagecraft::puzzles::PuzzleBoard& board, QString title);

private:
    QWidget* makeList();
    QWidget* makeBoard();
    QWidget* makeButtons();
    QPushButton* addButton(QWidget& bar, const char* name, const QString& text, const QString& tip);
    void makeKeys();
    void takeSandbox();
    void showBoard();
    void showScore();
    void showProgress();
    bool isSandbox() const;

    PuzzleGame game_;
    QListWidget* list_;
    QLabel *title_, *aim_, *message_, *score_;
    QLabel* courseHint_;  ///< shown once a hint is asked for
    SandboxFields* sandbox_;
    PuzzleCanvas* canvas_;
    QSpinBox* shift_;
    QPushButton *undo_, *redo_, *clear_, *hint_, *playOn_, *stamp_, *real_;
};

}  // namespace stagecraft::app::puzzles
