#include "app/puzzles/puzzle_game.h"

#include "app/puzzles/puzzle_library.h"
#include "app/puzzles/puzzle_progress.h"
#include "core/base/counted.h"
#include "core/programs/recognised_schedule.h"
#include "core/puzzles/building_block.h"
#include "core/puzzles/coach.h"
#include "core/puzzles/family_orders.h"

namespace stagecraft::app::puzzles {

namespace {

/// What a person waits for.
SearchLimits quickSearch() {
    SearchLimits limits;
    limits.mostNodes = 300'000;
    return limits;
}

}  // namespace

PuzzleGame::PuzzleGame(QObject* parent) : QObject(parent) {}

void PuzzleGame::start(const Puzzle& puzzle, const QString& id) {
    coach_.abandon();
    parJob_.abandon();
    if (board_) left_[id_] = board_;
    const auto left = left_.find(id);
    board_ = left != left_.end() && left->second->puzzle() == puzzle
                 ? left->second
                 : std::make_shared<const PuzzleBoard>(puzzle);
    id_ = id;
    hint_.reset();
    par_ = shippedPars().find(puzzle);
    emit boardChanged();
    emit statusChanged({}, false);
    if (par_) return;
    parJob_.start([puzzle] { return workOutPar(puzzle, quickSearch()); },
                  [this](const std::optional<Par>& par) {
                      par_ = par;
                      if (!par) emit statusChanged(tr("No order completes within the memory limit."), true);
                      emit parFound();
                  });
}

void PuzzleGame::take(PuzzleBoard board, const QString& text) {
    coach_.abandon();
    board_ = std::make_shared<const PuzzleBoard>(std::move(board));
    hint_.reset();
    if (board_->score().placed == 0) played_.erase(id_);
    const bool own = !played_.contains(id_);
    if (own) PuzzleProgress::keep(id_, *board_);
    emit boardChanged();
    QString end = verdict();
    if (!own && !end.isEmpty()) end += tr(" Clear the board and place them yourself for it to count.");
    emit statusChanged(end.isEmpty() ? text : end, false);
}

QString PuzzleGame::verdict() const {
    const PuzzleScore score = board_->score();
    if (!score.complete()) return {};
    const QString schedule = scheduleSentence();
    return schedule.isEmpty() ? verdictOnTime() : verdictOnTime() + QLatin1Char(' ') + schedule;
}

QString PuzzleGame::scheduleSentence() const {
    const std::vector<std::string> families = familiesOf(*board_);
    if (families.empty()) return {};
    return QString::fromStdString(sameOrderText(families)) + QLatin1Char('.');
}

QString PuzzleGame::verdictOnTime() const {
    const PuzzleScore score = board_->score();
    if (!par_) return tr("All passes are placed.");
    const int over = score.time(board_->puzzle().goal) - par_->time;
    if (over > 0) return tr("All passes are placed, %1 above par. Take some back and try again.").arg(over);
    if (over < 0) return tr("Better than the best that was known.");
    if (score.peakHalves > par_->peakHalves)
        return tr("Par. It can also be reached with %1 on a GPU.")
            .arg(QString::fromStdString(heldText(board_->puzzle(), par_->peakHalves)));
    return par_->proven ? tr("Par: nothing is shorter.") : tr("Par: the best that is known.");
}

void PuzzleGame::place(const Task& task, int device, int start) {
    PuzzleBoard board = *board_;
    const std::optional<int> at = start < 0 ? std::nullopt : std::optional(start);
    std::string why = board.refusal(task, device, at);
    if (why.empty()) why = board.place(task, at);
    if (!why.empty()) {
        emit statusChanged(QString::fromStdString(why), true);
        return;
    }
    take(std::move(board), {});
}

void PuzzleGame::takeBack(const Task& task) {
    PuzzleBoard board = *board_;
    const int gone = board.takeBack(task);
    if (gone == 0) return;
    QString text = tr("%1 is taken back").arg(QString::fromStdString(passName(board.puzzle(), task)));
    if (gone > 1)
        text += tr(", and %1 that cannot be without it")
                    .arg(QString::fromStdString(counted(gone - 1, "pass", "passes")));
    take(std::move(board), text + QLatin1Char('.'));
}

void PuzzleGame::undo() {
    if (!board_->canUndo()) return;
    PuzzleBoard board = *board_;
    board.undo();
    take(std::move(board), {});
}

void PuzzleGame::redo() {
    if (!board_->canRedo()) return;
    PuzzleBoard board = *board_;
    board.redo();
    take(std::move(board), {});
}

void PuzzleGame::clear() {
    if (board_->score().placed == 0) return;
    PuzzleBoard board = *board_;
    board.replace(PuzzleBoard(board.puzzle()).lanes());
    take(std::move(board), {});
}

void PuzzleGame::stamp(int shift) {
    PuzzleBoard board = *board_;
    const int used = shift > 0 ? shift : std::max(1, leastShift(board));
    const std::string why = stampBlock(board, used);
    if (!why.empty()) {
        emit statusChanged(QString::fromStdString(why), true);
        return;
    }
    take(std::move(board), tr("Each microbatch comes %1 after the one before.").arg(used));
}

void PuzzleGame::askCoach() {
    emit statusChanged(tr("Thinking…"), false);
    coach_.start([board = board_] { return adviceFor(*board, quickSearch()); },
                 [this](const Advice& advice) {
                     hint_ = advice.next;
                     emit boardChanged();
                     QString text = QString::fromStdString(advice.reason);
                     if (!advice.source.empty())
                         text += QLatin1Char(' ') + QString::fromStdString(advice.source);
                     emit statusChanged(text, false);
                 });
}

void PuzzleGame::playOn() {
    emit statusChanged(tr("Thinking…"), false);
    coach_.start(
        [board = board_] {
            PuzzleBoard played = *board;
            std::string why = playUntilChoice(played, quickSearch());
            return std::pair(std::move(played), std::move(why));
        },
        [this](const std::pair<PuzzleBoard, std::string>& played) {
            played_.insert(id_);
            take(played.first, QString::fromStdString(played.second));
        });
}

}  // namespace stagecraft::app::puzzles
