// Finding one's way in a plan's chart, in the window: keys and palette, notes in the project, lanes in the
// session.

#include "app/compare/compare_page.h"
#include "tests/support/window_rooms.h"
#include "app/shell/workbench.h"
#include "tests/app/sample_files.h"
#include "tests/app/window_fixture.h"
#include "tests/support/qt_program.h"
#include "views/plan/plan_commands.h"
#include "views/plan/plan_notes.h"
#include "views/plan/plan_search.h"
#include "views/plan/search_bar.h"
#include "views/timeline/gantt_chart.h"
#include "views/timeline/plan_lanes.h"

#include <QAction>
#include <QComboBox>
#include <QLineEdit>
#include <QScrollArea>

using namespace stagecraft;
using testing::toyCard;

namespace {}

class ChartWaysTest : public QObject {
    Q_OBJECT
private slots:
    void theKeysOfTheChartAreTheWindowsActionsWhileItIsShown();
    void everyCommandOfTheChartIsInThePalette();
    void notesAreUndoneAndKeptInTheProject();
    void notesOutliveAPlanMadeAnew();
    void lanesAreAsTheyWereWhenTheProjectIsOpenedAgain();
    void theStackIsAsItWasWhenTheProjectIsOpenedAgain();
    void runStaysInViewWhateverThePlannerCanBeTold();

private:
    PlanView* shownChart(MainWindow& window) {
        window.resize(1280, 800);
        window.show();
        if (!QTest::qWaitForWindowActive(&window)) return nullptr;
        click(window, toyCard);
        PlanView* view = window.workbench().planView(window.workbench().currentPlan());
        return view && QTest::qWaitFor([view] { return view->isReady(); }) ? view : nullptr;
    }

    PrivateHome home_;
};

void ChartWaysTest::theKeysOfTheChartAreTheWindowsActionsWhileItIsShown() {
    MainWindow window;
    PlanView* view = shownChart(window);
    QVERIFY(view);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_F, Qt::ControlModifier);
    QVERIFY(view->search().isOpen());
    QTest::keyClicks(&view->search().bar().field(), "kind:backward mb:0");
    QTest::keyClick(&view->search().bar().field(), Qt::Key_Return);
    QVERIFY(view->selectedBlock() != noBlock);
    const quint32 first = view->selectedBlock();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_F3);
    QVERIFY(view->selectedBlock() != first);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    QVERIFY(!view->search().isOpen());
    const auto all = view->visibleRange();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_W);
    QVERIFY(view->visibleRange().second - view->visibleRange().first < all.second - all.first);
}

void ChartWaysTest::everyCommandOfTheChartIsInThePalette() {
    MainWindow window;
    PlanView* view = shownChart(window);
    QVERIFY(view);
    QSet<QString> keys, texts;
    for (const QAction* action : window.actionRegister().all()) {
        keys.insert(action->shortcut().toString());
        texts.insert(action->text());
    }
    for (const ViewCommand& command : PlanCommands::all())
        QVERIFY2(texts.contains(command.text) || keys.contains(command.key.toString()),
                 qPrintable(command.id));
    window.actionRegister().action(QStringLiteral("help.palette"))->trigger();
    QWidget* field = window.findChild<QWidget*>(QStringLiteral("commandSearch"));
    QVERIFY(field);
    QTest::keyClicks(field, QStringLiteral("sort busy"));
    QTest::keyClick(field, Qt::Key_Return);
    QTRY_COMPARE(view->lanes().arrangement().order, LaneOrder::busy);
    window.workbench().showCluster();
    QVERIFY(!window.actionRegister().action(QStringLiteral("chart.zoomIn"))->isEnabled());
}

void ChartWaysTest::notesAreUndoneAndKeptInTheProject() {
    const QString path = home_.file(QStringLiteral("noted.stagecraft.json"));
    MainWindow window;
    PlanView* view = shownChart(window);
    QVERIFY(view);
    Workspace& workspace = window.workspace();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_M);
    QCOMPARE(workspace.plans()[0].notes.size(), std::size_t(1));
    QVERIFY(workspace.isDirty());
    QCOMPARE(workspace.undoStack()->undoText(), QString("Add note"));
    QTRY_VERIFY(qobject_cast<QLineEdit*>(QApplication::focusWidget()));
    QTest::keyClicks(QApplication::focusWidget(), "why so late?");
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
    QTRY_COMPARE(workspace.plans()[0].notes[0].text, std::string("why so late?"));
    workspace.undoStack()->undo();
    QVERIFY(workspace.plans()[0].notes[0].text.empty());
    workspace.undoStack()->undo();
    QVERIFY(workspace.plans()[0].notes.empty());
    QVERIFY(view->notes().notes().empty());
    QVERIFY(!workspace.isDirty());
    workspace.undoStack()->redo();
    workspace.undoStack()->redo();
    QCOMPARE(view->notes().notes().size(), std::size_t(1));
    QVERIFY(window.saveTo(path));
    const Project saved = openProject(path.toStdString());
    QCOMPARE(saved.notes.size(), saved.plans.size());
    QVERIFY(saved.notes[0] == workspace.plans()[0].notes);
    openAndWait(window, path);
    view = window.workbench().planView(window.workbench().currentPlan());
    QTRY_VERIFY(view->isReady());
    QCOMPARE(view->notes().notes().size(), std::size_t(1));
}

void ChartWaysTest::notesOutliveAPlanMadeAnew() {
    MainWindow window;
    QVERIFY(shownChart(window));
    Workspace& workspace = window.workspace();
    const int id = workspace.plans()[0].id;
    workspace.renamePlan(id, {});  // a plan with a name of its own is never replaced
    workspace.setNotes(id, {{0.5, {}, "", "kept"}}, "Add note");
    workspace.addRun(workspace.plans()[0].run);  // of the same planner for the same cluster
    QCOMPARE(workspace.plans()[0].id, id);
    QCOMPARE(workspace.plans()[0].notes.size(), std::size_t(1));
    workspace.undoStack()->undo();
    workspace.undoStack()->undo();
    QVERIFY(workspace.plans()[0].notes.empty());
}

void ChartWaysTest::lanesAreAsTheyWereWhenTheProjectIsOpenedAgain() {
    const QString path = home_.file(QStringLiteral("arranged.stagecraft.json"));
    LaneArrangement arranged;
    {
        MainWindow window;
        PlanView* view = shownChart(window);
        QVERIFY(view);
        QVERIFY(window.saveTo(path));
        view->lanes().setPinned(1, true);
        view->lanes().setOrder(LaneOrder::device);
        view->lanes().collapseAll(true);
        arranged = view->lanes().arrangement();
        window.close();
    }
    MainWindow window;
    window.show();
    openAndWait(window, path);
    PlanView* view = window.workbench().planView(window.workbench().currentPlan());
    QTRY_VERIFY(view->isReady());
    QVERIFY(view->lanes().arrangement() == arranged);
    QVERIFY(view->gantt().scene().rows[0].pinned);
}

void ChartWaysTest::theStackIsAsItWasWhenTheProjectIsOpenedAgain() {
    const QString path = home_.file(QStringLiteral("stack.stagecraft.json"));
    QVERIFY(QFile::copy(QStringLiteral(STAGECRAFT_SOURCE_DIR "/samples/gpipe-1f1b.stagecraft.json"), path));
    const auto open = [&path](MainWindow& window) {
        window.resize(1280, 800);
        window.show();
        openAndWait(window, path);
        const auto& plans = window.workspace().plans();
        [&plans] { QTRY_VERIFY(plans.size() == 2 && plans[0].run && plans[1].run); }();
        return &window.workbench().compare()->stack();
    };
    {
        MainWindow window;
        StackView* stack = open(window);
        window.workbench().showStack();
        QTRY_COMPARE(stack->chosen().size(), std::size_t{2});
        window.workbench().compare()->setReference(window.workspace().plans()[1].id);
        window.close();
    }
    {
        MainWindow window;
        StackView* stack = open(window);
        QTRY_COMPARE(stack->chosen().size(), std::size_t{2});
        QVERIFY(window.workbench().compare()->chartsShown());
        QCOMPARE(stack->reference(), window.workspace().plans()[1].id);
        stack->choose({window.workspace().plans()[1].id});
        window.close();
    }
    MainWindow window;
    StackView* stack = open(window);
    QTRY_COMPARE(stack->chosen(), std::vector<int>{window.workspace().plans()[1].id});
}

void ChartWaysTest::runStaysInViewWhateverThePlannerCanBeTold() {
    MainWindow window;
    QVERIFY(shownChart(window));
    auto* choice = window.findChild<QComboBox*>(QStringLiteral("plannerChoice"));
    auto* run = window.findChild<QPushButton*>(QStringLiteral("run"));
    for (int planner = 0; planner < choice->count(); ++planner) {
        choice->setCurrentIndex(planner);
        QTest::qWait(20);
        QVERIFY2(run->visibleRegion().boundingRect().height() == run->height(),
                 qPrintable(choice->currentText()));
    }
}

STAGECRAFT_TEST(ChartWaysTest)
#include "chart_ways_test.moc"
