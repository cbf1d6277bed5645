// Puzzles beside the main window, with real clicks and keys.
#include "app/puzzles/puzzle_library.h"
#include "app/puzzles/puzzle_progress.h"
#include "app/puzzles/puzzle_window.h"
#include "core/puzzles/continuation.h"
#include "core/puzzles/family_orders.h"
#include "tests/app/window_fixture.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/puzzles/puzzle_canvas.h"

#include <QLabel>
#include <QListWidget>
#include <QSettings>
#include <QSpinBox>

using namespace stagecraft;

namespace {

constexpr int patienceMs = 60'000;

struct OpenPuzzles {
    PuzzleWindow window;

    OpenPuzzles() {
        window.show();
        [this] { QVERIFY(QTest::qWaitForWindowActive(&window)); }();
    }
    PuzzleCanvas& canvas() { return window.canvas(); }
    QString text(const char* name) const { return window.findChild<QLabel*>(QLatin1String(name))->text(); }
    QString message() const { return text("puzzleMessage"); }
    const PuzzleBoard& board() { return *window.game().board(); }
    int placed() { return board().score().placed; }
    void key(Qt::Key key) { QTest::keyClick(&canvas(), key); }
    void clickTray(TaskKind kind, int device) {
        for (const TrayPass& pass : canvas().parts().tray)
            if (pass.task.kind == kind && pass.device == device) {
                QTest::mouseClick(&canvas(), Qt::LeftButton, {}, pass.box.center().toPoint());
                return;
            }
        QFAIL("no such pass in the tray");
    }
    void think() { QTRY_VERIFY_WITH_TIMEOUT(!window.game().isThinking(), patienceMs); }
    void solve() {
        for (const PlacedPass& pass : bestContinuation(board()).passes)
            window.game().place(pass.task, board().puzzle().deviceOf(pass.task.stage), pass.start);
    }
};

}  // namespace

class PuzzleWindowTest : public QObject {
    Q_OBJECT

    PrivateHome home_;

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }
    void init() { QSettings().remove(QStringLiteral("puzzles")); }

    void clicksInTheTrayPlacePassesAndSayWhyNot() {
        OpenPuzzles it;
        it.clickTray(TaskKind::backward, 0);
        QCOMPARE(it.message(),
                 QStringLiteral("B0 on GPU 0 must wait for B0 on GPU 1, which is not placed yet"));
        QCOMPARE(it.placed(), 0);
        it.clickTray(TaskKind::forward, 0);
        QCOMPARE(it.placed(), 1);
        QCOMPARE(it.message(), QString());
        it.clickTray(TaskKind::forward, 1);
        QCOMPARE(it.board().find({TaskKind::forward, 1, 0})->start, 1);
        QVERIFY(it.text("puzzleScore").startsWith(QStringLiteral("2 of 8 passes · time 2, par 6 ·")));
    }

    void aClickIntoTheLanePlacesTheChosenPassThere() {
        OpenPuzzles it;
        it.clickTray(TaskKind::forward, 0);
        const QRectF box = it.canvas().parts().boxOf(0, 3, 4);
        QTest::mouseClick(&it.canvas(), Qt::LeftButton, {}, box.center().toPoint());
        QCOMPARE(it.placed(), 2);
        QCOMPARE(it.board().find({TaskKind::forward, 0, 1})->start, 3);
    }

    void aClickOnAPlacedPassTakesItBack() {
        OpenPuzzles it;
        it.clickTray(TaskKind::forward, 0);
        it.clickTray(TaskKind::forward, 1);
        it.clickTray(TaskKind::backward, 1);
        QCOMPARE(it.placed(), 3);
        QTest::mouseClick(&it.canvas(), Qt::LeftButton, {},
                          it.canvas().parts().boxOf(0, 0, 1).center().toPoint());
        QCOMPARE(it.placed(), 0);
        QCOMPARE(it.message(), QStringLiteral("F0 is taken back, and 2 passes that cannot be without it."));
        QTest::keySequence(&it.window, QKeySequence::Undo);
        QCOMPARE(it.placed(), 3);
        it.canvas().setFocus();
        it.key(Qt::Key_Backspace);  // the last of GPU 0, which was clicked
        QCOMPARE(it.placed(), 0);
    }

    void theCoursesHintIsShownOnceAskedFor() {
        OpenPuzzles it;
        auto* hint = it.window.findChild<QLabel*>(QStringLiteral("puzzleCourseHint"));
        QVERIFY(!hint->isVisible());
        click(it.window, QStringLiteral("puzzleHint"));
        it.think();
        QVERIFY(hint->isVisible());
        QCOMPARE(hint->text(), QString::fromStdString(coursePuzzles().front().hint));
        it.window.take(1);
        QVERIFY(!hint->isVisible());
    }

    void aSolvedPuzzleNamesItsSchedule() {
        OpenPuzzles it;
        it.window.take(3);  // memory for three: 1F1B
        for (const FamilyOrders& family : ordersOfFamilies(it.board().puzzle()))
            if (family.title == "1F1B") {
                PuzzleBoard solved(it.board().puzzle());
                QCOMPARE(placeOrders(solved, family.orders), std::string());
                for (const std::vector<PlacedPass>& lane : solved.lanes()) QVERIFY(!lane.empty());
                std::vector<PlacedPass> all;
                for (const auto& lane : solved.lanes()) all.insert(all.end(), lane.begin(), lane.end());
                std::stable_sort(all.begin(), all.end(),
                                 [](const PlacedPass& a, const PlacedPass& b) { return a.start < b.start; });
                for (const PlacedPass& pass : all)
                    it.window.game().place(pass.task, it.board().puzzle().deviceOf(pass.task.stage),
                                           pass.start);
            }
        QVERIFY(it.board().score().complete());
        QVERIFY2(it.message().contains(QStringLiteral("This is 1F1B.")), qPrintable(it.message()));
    }

    void keysAloneReachPar() {
        OpenPuzzles it;
        it.canvas().setFocus();
        for (const Qt::Key key : {Qt::Key_F, Qt::Key_F, Qt::Key_Down, Qt::Key_F, Qt::Key_B, Qt::Key_F,
                                  Qt::Key_B, Qt::Key_Up, Qt::Key_Right, Qt::Key_Return, Qt::Key_B})
            it.key(key);
        QVERIFY(it.board().score().complete());
        QCOMPARE(it.board().score().makespan, 6);
        QCOMPARE(it.message(),
                 QStringLiteral("Par: nothing is shorter. This is 1F1B; Eager 1F1B and PE have the "
                                "same order here."));
        QVERIFY(it.window.findChild<QListWidget*>()->item(0)->text().contains(QChar(0x2713)));
        QCOMPARE(PuzzleProgress::load(QStringLiteral("first-steps")).time, 6);
    }

    void undoAndRedoByKeysAndButtons() {
        OpenPuzzles it;
        it.key(Qt::Key_F);
        it.key(Qt::Key_F);
        QTest::keySequence(&it.window, QKeySequence::Undo);
        QCOMPARE(it.placed(), 1);
        QTest::keySequence(&it.window, QKeySequence::Redo);
        QCOMPARE(it.placed(), 2);
        click(it.window, QStringLiteral("puzzleUndo"));
        click(it.window, QStringLiteral("puzzleUndo"));
        QCOMPARE(it.placed(), 0);
        QVERIFY(!it.window.findChild<QPushButton*>(QStringLiteral("puzzleUndo"))->isEnabled());
    }

    void aHintNamesAPassAndOutlinesIt() {
        OpenPuzzles it;
        click(it.window, QStringLiteral("puzzleHint"));
        it.think();
        QVERIFY2(it.message().contains(
                     QStringLiteral("F0 on GPU 0 at 0: it is the only pass that GPU 0 can run.")),
                 qPrintable(it.message()));
        QVERIFY(it.message().contains(QStringLiteral("Follows an optimal order, which ends at 6")));
        QVERIFY(it.window.game().hint());
        it.key(Qt::Key_F);
        QVERIFY(!it.window.game().hint());
    }

    void playingOnStopsAtAChoice() {
        OpenPuzzles it;
        click(it.window, QStringLiteral("puzzlePlayOn"));
        it.think();
        QVERIFY(it.placed() > 1);
        QVERIFY2(it.message().contains(QStringLiteral("can run")), qPrintable(it.message()));
        click(it.window, QStringLiteral("puzzleUndo"));
        QCOMPARE(it.placed(), 0);
    }

    void whatIsPlayedOnToTheEndDoesNotCount() {
        OpenPuzzles it;
        const QString id = it.window.game().id();
        const int before = PuzzleProgress::load(id).time;
        PuzzleProgress{}.save(id);
        for (int i = 0; i < 20 && !it.board().score().complete(); ++i) {
            click(it.window, QStringLiteral("puzzlePlayOn"));
            it.think();
        }
        QVERIFY(it.board().score().complete());
        QVERIFY(!PuzzleProgress::load(id).isSolved());
        QVERIFY2(it.message().endsWith(QStringLiteral("place them yourself for it to count.")),
                 qPrintable(it.message()));
        PuzzleProgress{before, 0}.save(id);
    }

    void microbatchZeroIsStampedOverAll() {
        OpenPuzzles it;
        click(it.window, QStringLiteral("puzzleStamp"));
        QVERIFY(it.message().contains(QStringLiteral("is missing: a building block is all passes")));
        for (const Qt::Key key : {Qt::Key_F, Qt::Key_Down, Qt::Key_F, Qt::Key_B, Qt::Key_Up, Qt::Key_B})
            it.key(key);
        it.window.findChild<QSpinBox*>(QStringLiteral("puzzleShift"))->setValue(1);
        click(it.window, QStringLiteral("puzzleStamp"));
        QVERIFY2(it.message().startsWith(QStringLiteral("with a shift of 1, F1 (2–3) collides with B0")),
                 qPrintable(it.message()));
        it.window.findChild<QSpinBox*>(QStringLiteral("puzzleShift"))->setValue(0);
        click(it.window, QStringLiteral("puzzleStamp"));
        QVERIFY(it.board().score().complete());
    }

    void everyPuzzleOfTheCourseCanBeSolvedAtPar() {
        OpenPuzzles it;
        for (int place = 0; place < 15; ++place) {
            it.window.take(place);
            it.solve();
            QVERIFY2(it.message().startsWith(QStringLiteral("Par")), qPrintable(it.message()));
        }
    }

    void aPuzzleGoesOnWhereItWasLeft() {
        OpenPuzzles it;
        it.key(Qt::Key_F);
        it.window.take(1);
        QCOMPARE(it.placed(), 0);
        it.window.take(0);
        QCOMPARE(it.placed(), 1);
        click(it.window, QStringLiteral("puzzleClear"));
        QCOMPARE(it.placed(), 0);
    }

    void theSandboxTakesItsFieldsAndSaysWhatIsWrong() {
        OpenPuzzles it;
        it.window.take(15);
        QCOMPARE(it.board().puzzle().devices, 4);
        it.window.findChild<QSpinBox*>(QStringLiteral("sandboxDevices"))->setValue(2);
        QCOMPARE(it.board().puzzle().devices, 2);
        it.window.findChild<QSpinBox*>(QStringLiteral("sandboxTransfer"))->setValue(3);
        QVERIFY(it.text("puzzleAim").contains(QStringLiteral("expected at most 1")));
        QVERIFY(!it.canvas().isEnabled());
        it.window.findChild<QSpinBox*>(QStringLiteral("sandboxTransfer"))->setValue(1);
        QVERIFY(it.canvas().isEnabled());
        QTRY_VERIFY_WITH_TIMEOUT(!it.window.game().isFindingPar(), patienceMs);
        QVERIFY(it.text("puzzleScore").contains(QStringLiteral("par ")));
    }

    void anOrderBecomesAPlanOfARealNetwork() {
        MainWindow window;
        window.show();
        window.actionRegister().action(QStringLiteral("lesson.puzzles"))->trigger();
        auto* puzzles = window.findChild<PuzzleWindow*>();
        QVERIFY(puzzles && puzzles->isVisible());
        auto* button = puzzles->findChild<QPushButton*>(QStringLiteral("puzzleReal"));
        QVERIFY(!button->isEnabled());
        for (const PlacedPass& pass : bestContinuation(*puzzles->game().board()).passes)
            puzzles->game().place(pass.task, pass.task.stage, pass.start);
        QVERIFY(button->isEnabled());
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(window.workspace().plans().size(), std::size_t(1));
        const PlanItem& plan = window.workspace().plans().front();
        QCOMPARE(plan.plan.name, std::string("Two GPUs, two microbatches"));
        QCOMPARE(window.workspace().problem().setup.microbatches, 2);
        QCOMPARE(window.workspace().problem().cluster.deviceCount(), 2);
        QTRY_VERIFY_WITH_TIMEOUT(window.workspace().plans().front().run, patienceMs);
        const auto run = window.workspace().plans().front().run;
        QVERIFY2(run->ok() && run->evaluation->valid(), run->result.reason.c_str());
        // The project that is open suits the puzzle now: its order is one more plan of it.
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(window.workspace().plans().size(), std::size_t(2));
        window.workspace().undoStack()->setClean();
    }

    void whatARealNetworkIsTooShallowForIsSaid() {
        MainWindow window;
        window.show();
        window.actionRegister().action(QStringLiteral("lesson.puzzles"))->trigger();
        auto* puzzles = window.findChild<PuzzleWindow*>();
        puzzles->take(15);
        for (const auto& [name, value] :
             {std::pair("sandboxMicrobatches", 1), {"sandboxDevices", 8}, {"sandboxChunks", 4}})
            puzzles->findChild<QSpinBox*>(QLatin1String(name))->setValue(value);
        for (const PlacedPass& pass : ruleContinuation(*puzzles->game().board()).passes)
            puzzles->game().place(pass.task, pass.task.stage % 8, pass.start);
        click(*puzzles, QStringLiteral("puzzleReal"));
        QCOMPARE(puzzles->findChild<QLabel*>(QStringLiteral("puzzleMessage"))->text(),
                 QStringLiteral("the network has 27 layers and the puzzle has 32 stages"));
        QVERIFY(!window.workspace().isOpen());
    }

    void fitsLowScreens() {
        OpenPuzzles it;
        it.window.take(15);
        QVERIFY2(it.window.minimumSizeHint().width() <= 1024 && it.window.minimumSizeHint().height() <= 700,
                 qPrintable(QStringLiteral("%1x%2")
                                .arg(it.window.minimumSizeHint().width())
                                .arg(it.window.minimumSizeHint().height())));
    }
};

STAGECRAFT_TEST(PuzzleWindowTest)
#include "puzzle_window_test.moc"
