#include "app/puzzles/puzzle_window.h"

#include "app/actions/window_keys.h"
#include "app/puzzles/puzzle_library.h"
#include "app/puzzles/puzzle_progress.h"
#include "app/puzzles/sandbox_fields.h"
#include "views/common/flow_layout.h"
#include "views/common/on_screen.h"
#include "views/common/widgets.h"
#include "views/puzzles/puzzle_canvas.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QShortcut>
#include <QSpinBox>
#include <QVBoxLayout>

#include <cmath>

namespace stagecraft::app::puzzles {

namespace {

constexpr QSize usualPuzzleSize{1120, 680};
constexpr int puzzleMargin = 12, puzzleSpacing = 8, puzzleListWidth = 250;

int placeOfSandbox() { return static_cast<int>(coursePuzzles().size()); }

QString progressOf(const CoursePuzzle& each) {
    const PuzzleProgress reached = PuzzleProgress::load(QString::fromStdString(each.id));
    const std::optional<Par> par = shippedPars().find(each.puzzle);
    const QString parText = par ? PuzzleWindow::tr("par %1").arg(par->time) : QString();
    if (!reached.isSolved()) return parText;
    if (par && reached.time <= par->time) return PuzzleWindow::tr("✓ %1").arg(parText);
    return PuzzleWindow::tr("best %1, %2").arg(reached.time).arg(parText);
}

}  // namespace

PuzzleWindow::PuzzleWindow(QWidget* parent) : QWidget(parent, Qt::Window) {
    setObjectName(QStringLiteral("puzzleWindow"));
    setWindowTitle(tr("Puzzles"));
    closeByKeys(*this);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(makeList());
    row->addWidget(makeBoard(), 1);
    makeKeys();
    connect(&game_, &PuzzleGame::boardChanged, this, &PuzzleWindow::showBoard);
    connect(&game_, &PuzzleGame::parFound, this, &PuzzleWindow::showBoard);
    connect(&game_, &PuzzleGame::statusChanged, this, &PuzzleWindow::say);
    connect(list_, &QListWidget::currentRowChanged, this, &PuzzleWindow::take);
    placeOnScreen(*this, usualPuzzleSize);
    int first = 0;
    while (first + 1 < placeOfSandbox() &&
           PuzzleProgress::load(QString::fromStdString(coursePuzzles()[static_cast<std::size_t>(first)].id))
               .isSolved())
        ++first;
    list_->setCurrentRow(first);
    canvas_->setFocus();
}

QWidget* PuzzleWindow::makeList() {
    list_ = new QListWidget;
    list_->setObjectName(QStringLiteral("puzzleList"));
    list_->setAccessibleName(tr("Puzzles"));
    list_->setFixedWidth(puzzleListWidth);
    list_->setWordWrap(true);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    for (std::size_t i = 0; i <= coursePuzzles().size(); ++i) list_->addItem(QString());
    showProgress();
    return list_;
}

void PuzzleWindow::showProgress() {
    for (int place = 0; place < placeOfSandbox(); ++place) {
        const CoursePuzzle& each = coursePuzzles()[static_cast<std::size_t>(place)];
        list_->item(place)->setText(
            tr("%1  %2\n%3").arg(place + 1).arg(QString::fromStdString(each.title), progressOf(each)));
        list_->item(place)->setToolTip(QString::fromStdString(each.aim));
    }
    list_->item(placeOfSandbox())->setText(tr("Sandbox\na puzzle of your own"));
}

QWidget* PuzzleWindow::makeBoard() {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(puzzleMargin, puzzleMargin, puzzleMargin, puzzleMargin);
    column->setSpacing(puzzleSpacing);
    title_ = newLine({}, "heading");
    aim_ = newParagraph({}, "muted");
    aim_->setObjectName(QStringLiteral("puzzleAim"));
    sandbox_ = new SandboxFields;
    connect(sandbox_, &SandboxFields::puzzleChanged, this, &PuzzleWindow::takeSandbox);
    canvas_ = new PuzzleCanvas;
    connect(canvas_, &PuzzleCanvas::placeRequested, &game_, &PuzzleGame::place);
    connect(canvas_, &PuzzleCanvas::takeBackRequested, &game_, &PuzzleGame::takeBack);
    score_ = newParagraph({}, "");
    score_->setObjectName(QStringLiteral("puzzleScore"));
    message_ = newParagraph({}, "");
    message_->setObjectName(QStringLiteral("puzzleMessage"));
    // Two lines always have room, so that the board does not jump when something is said.
    message_->setMinimumHeight(2 * fontMetrics().lineSpacing());
    message_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    column->addWidget(title_);
    courseHint_ = newParagraph({}, "");
    courseHint_->setObjectName(QStringLiteral("puzzleCourseHint"));
    courseHint_->hide();
    column->addWidget(aim_);
    column->addWidget(courseHint_);
    column->addWidget(sandbox_);
    column->addWidget(canvas_, 1);
    column->addWidget(score_);
    column->addWidget(message_);
    column->addWidget(makeButtons());
    return page;
}

QPushButton* PuzzleWindow::addButton(QWidget& bar, const char* name, const QString& text,
                                     const QString& tip) {
    auto* button = new QPushButton(text);
    button->setObjectName(QLatin1String(name));
    button->setToolTip(tip);
    bar.layout()->addWidget(button);
    return button;
}

QWidget* PuzzleWindow::makeButtons() {
    auto* bar = new QWidget;
    auto* row = new FlowLayout(puzzleSpacing, bar);
    row->setContentsMargins(0, 0, 0, 0);
    undo_ = addButton(*bar, "puzzleUndo", tr("Undo"), tr("Takes the last step back"));
    redo_ = addButton(*bar, "puzzleRedo", tr("Redo"), tr("Does it again"));
    clear_ = addButton(*bar, "puzzleClear", tr("Clear"), tr("Takes all passes off the board"));
    hint_ = addButton(*bar, "puzzleHint", tr("Hint"), tr("What a good player would do next, and why"));
    playOn_ = addButton(*bar, "puzzlePlayOn", tr("Play on"),
                        tr("Places passes until there is a choice, memory is full or a GPU has to wait"));
    // What belongs together stays together where rows break.
    auto* stamping = new QWidget;
    auto* pair = new QHBoxLayout(stamping);
    pair->setContentsMargins(0, 0, 0, 0);
    stamp_ = addButton(*stamping, "puzzleStamp", tr("Stamp"),
                       tr("Repeats the passes of microbatch 0 for all microbatches"));
    shift_ = new QSpinBox;
    shift_->setObjectName(QStringLiteral("puzzleShift"));
    shift_->setRange(0, 999);
    shift_->setPrefix(tr("every "));
    shift_->setSpecialValueText(tr("as often as it can"));
    shift_->setToolTip(tr("How much later each microbatch comes than the one before"));
    pair->addWidget(shift_);
    row->addWidget(stamping);
    real_ = addButton(*bar, "puzzleReal", tr("With real costs"),
                      tr("Runs this order with the times, transfers and memory of a real network"));
    connect(undo_, &QPushButton::clicked, &game_, &PuzzleGame::undo);
    connect(redo_, &QPushButton::clicked, &game_, &PuzzleGame::redo);
    connect(clear_, &QPushButton::clicked, &game_, &PuzzleGame::clear);
    connect(hint_, &QPushButton::clicked, this, [this] {
        courseHint_->setVisible(!courseHint_->text().isEmpty());
        game_.askCoach();
    });
    connect(playOn_, &QPushButton::clicked, &game_, &PuzzleGame::playOn);
    connect(stamp_, &QPushButton::clicked, this, [this] { game_.stamp(shift_->value()); });
    connect(real_, &QPushButton::clicked, this,
            [this] { emit realRequested(*game_.board(), title_->text()); });
    return bar;
}

void PuzzleWindow::makeKeys() {
    connect(new QShortcut(QKeySequence::Undo, this), &QShortcut::activated, &game_, &PuzzleGame::undo);
    connect(new QShortcut(QKeySequence::Redo, this), &QShortcut::activated, &game_, &PuzzleGame::redo);
}

bool PuzzleWindow::isSandbox() const { return list_->currentRow() == placeOfSandbox(); }

void PuzzleWindow::take(int place) {
    if (place < 0) return;
    if (list_->currentRow() != place) return list_->setCurrentRow(place);
    sandbox_->setVisible(isSandbox());
    courseHint_->hide();
    courseHint_->clear();
    if (isSandbox()) return takeSandbox();
    const CoursePuzzle& puzzle = coursePuzzles()[static_cast<std::size_t>(place)];
    title_->setText(QString::fromStdString(puzzle.title));
    aim_->setText(QString::fromStdString(puzzle.aim + "\n" + describePuzzle(puzzle.puzzle) + "."));
    courseHint_->setText(QString::fromStdString(puzzle.hint));
    game_.start(puzzle.puzzle, QString::fromStdString(puzzle.id));
}

void PuzzleWindow::takeSandbox() {
    const Puzzle puzzle = sandbox_->puzzle();
    title_->setText(tr("Sandbox"));
    const std::vector<PuzzleFault> faults = puzzleFaults(puzzle);
    aim_->setText(QString::fromStdString(faults.empty() ? describePuzzle(puzzle) + "."
                                                        : faults.front().problem + "; expected " +
                                                              faults.front().expected));
    setRole(*aim_, faults.empty() ? "muted" : "error");
    canvas_->setEnabled(faults.empty());
    if (faults.empty()) game_.start(puzzle, {});
}

void PuzzleWindow::showBoard() {
    const Puzzle& puzzle = game_.board()->puzzle();
    const bool marksPar = game_.par() && puzzle.goal == PuzzleGoal::makespan;
    canvas_->setBoard(game_.board(), marksPar ? game_.par()->time : 0);
    canvas_->setHint(game_.hint());
    undo_->setEnabled(game_.board()->canUndo());
    redo_->setEnabled(game_.board()->canRedo());
    clear_->setEnabled(game_.board()->score().placed > 0);
    real_->setEnabled(game_.board()->score().complete());
    showScore();
    showProgress();
}

void PuzzleWindow::showScore() {
    const Puzzle& puzzle = game_.board()->puzzle();
    const PuzzleScore score = game_.board()->score();
    QString time =
        (puzzle.goal == PuzzleGoal::makespan ? tr("time %1") : tr("span %1")).arg(score.time(puzzle.goal));
    if (game_.par())
        time += (game_.par()->proven ? tr(", par %1") : tr(", par %1 (best known)")).arg(game_.par()->time);
    else if (game_.isFindingPar())
        time += tr(", looking for par…");
    QString peak = tr("peak %1").arg(QString::fromStdString(heldText(puzzle, score.peakHalves)));
    if (puzzle.memoryLimit > 0) peak += tr(" of %1").arg(puzzle.memoryLimit);
    score_->setText(tr("%1 of %2 passes · %3 · bubbles %4 % · %5")
                        .arg(score.placed)
                        .arg(score.passes)
                        .arg(time)
                        .arg(std::lround(100 * score.bubbleShare))
                        .arg(peak));
}

void PuzzleWindow::say(const QString& text, bool refused) {
    message_->setText(text);
    setRole(*message_, refused ? "error" : "");
}

}  // namespace stagecraft::app::puzzles
