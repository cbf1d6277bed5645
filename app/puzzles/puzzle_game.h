#pragma once

#include "app/rooms.h"
#include "core/puzzles/par.h"
#include "core/puzzles/puzzle_board.h"
#include "views/common/job.h"

#include <QObject>
#include <QString>

#include <map>
#include <memory>
#include <optional>
#include <set>

namespace stagecraft::app::puzzles {

/// A puzzle while a person plays it: the board, what the coach says, and par. Searching is done on threads.
class PuzzleGame : public QObject {
    Q_OBJECT

public:
    explicit PuzzleGame(QObject* parent = nullptr);

    /// Goes on where it was left since the program began.
    /// @param id under which the best answer is kept; empty: nowhere
    void start(const Puzzle& puzzle, const QString& id);
    const std::shared_ptr<const PuzzleBoard>& board() const { return board_; }
    const QString& id() const { return id_; }
    /// Nothing as long as it is not known.
    const std::optional<Par>& par() const { return par_; }
    /// The pass that the coach would place next; nothing until it was asked for this board.
    const std::optional<PlacedPass>& hint() const { return hint_; }
    bool isThinking() const { return coach_.isRunning(); }
    bool isFindingPar() const { return parJob_.isRunning(); }

    /// @param start -1: as early as it can run
    void place(const Task& task, int device, int start);
    /// Off the board, with all that cannot be without it.
    void takeBack(const Task& task);
    void undo();
    void redo();
    void clear();
    /// Repeats the passes of microbatch 0; 0: by the least shift that will do.
    void stamp(int shift);
    void askCoach();
    /// Plays as the coach would, until there is something to decide. What is reached so is no answer of a
    /// person's and is not kept, until the board is empty again.
    void playOn();

signals:
    void boardChanged();
    void parFound();
    /// What is to be said; `refused`: a move that cannot be made.
    void statusChanged(QString text, bool refused);

private:
    void take(PuzzleBoard board, const QString& text);
    QString verdict() const;
    QString verdictOnTime() const;
    QString scheduleSentence() const;

    std::shared_ptr<const PuzzleBoard> board_;
    QString id_;
    std::map<QString, std::shared_ptr<const PuzzleBoard>> left_;  ///< by id
    std::set<QString> played_;  ///< ids of the boards on which the coach placed passes
    std::optional<Par> par_;
    std::optional<PlacedPass> hint_;
    Job coach_, parJob_;
};

}  // namespace stagecraft::app::puzzles
