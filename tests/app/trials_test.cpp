// What is tried in the window and is not the document's: sliders, a schedule that is looked at, plans that
// are compared without being kept; and what stays selected while plans change.

#include "app/compare/compare_page.h"
#include "app/panels/setup_panel.h"
#include "app/plan/schedule_panel.h"
#include "app/plan/what_if_panel.h"
#include "tests/app/edit_fixture.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/plan/plan_search.h"
#include "views/plan/questions.h"
#include "views/plan/search_bar.h"
#include "views/timeline/order_drag.h"
#include "views/timeline/time_plot.h"

#include <QClipboard>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QSlider>
#include <QTableView>
#include <QToolButton>

using namespace stagecraft;

namespace {

struct OpenTrials : OpenWindow {
    OpenTrials() {
        window.activateWindow();
        [this] { QVERIFY(QTest::qWaitForWindowActive(&window)); }();
    }
    WhatIfPanel& sliders() {
        if (!editor().bar().whatIfButton().isChecked())
            QTest::mouseClick(&editor().bar().whatIfButton(), Qt::LeftButton);
        return editor().whatIf();
    }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
        QWidget* at = QApplication::focusWidget();
        QTest::keyClick(at ? at : static_cast<QWidget*>(&window), key, modifiers);
    }
    QAction& action(const char* id) { return *window.actionRegister().action(QLatin1String(id)); }
    QString summary() { return window.findChild<QLabel*>(QStringLiteral("summary"))->text(); }
    QWidget& mark() { return *view().findChild<QWidget*>(QStringLiteral("trialMark")); }
    ComparePage& compare() { return *window.workbench().compare(); }
    QTableView& table() { return *window.findChild<QTableView*>(QStringLiteral("compareTable")); }
    QString rowName(int row) { return table().model()->index(row, 0).data().toString(); }
    QString currentName() { return rowName(table().currentIndex().row()); }
    void selectRow(int row) {
        QTest::mouseClick(table().viewport(), Qt::LeftButton, {},
                          table().visualRect(table().model()->index(row, 0)).center());
    }
    int rowOf(const QString& name) {
        for (int row = 0; row < table().model()->rowCount(); ++row)
            if (rowName(row) == name) return row;
        return -1;
    }
    /// The menu of a right click, which is open then.
    QMenu* menuAt(QPointF place) {
        QContextMenuEvent event(QContextMenuEvent::Mouse, place.toPoint(),
                                plot().mapToGlobal(place.toPoint()));
        QApplication::sendEvent(&plot(), &event);
        return qobject_cast<QMenu*>(QApplication::activePopupWidget());
    }
    QAction* entry(QMenu& menu, const QString& text) {
        for (QAction* each : menu.actions())
            if (each->text().startsWith(text)) return each;
        return nullptr;
    }
};

}  // namespace

class TrialsTest : public QObject {
    Q_OBJECT
private slots:
    void undoTakesBackTheSliderBeforeTheDocument();
    void aTrialIsMarkedInTheChartAndInTheStatusBar();
    void undoPutsBackAScheduleThatIsOnlyLookedAt();
    void schedulesAreComparedWithoutBecomingPlans();
    void comparedPlansAreKeptOneByOne();
    void comparedPlansGoWithTheirProblem();
    void theSelectionOfTheComparisonFollowsItsPlan();
    void aBlockThatMovesStaysSelected();
    void aSelectedBlockStaysSelectedInAnotherRun();
    void aBlockHasAMenu();
    void theOrderModeSaysWhatToDo();
    void theColouringIsOfferedFromTheStart();
    void sharesOfLanesAreOfWhatTheBubblesAreOf();
    void runStaysWhereItIsWhenTheModeChanges();
    void picturesOfSchedulesFollowTheTheme();

private:
    PrivateHome home_;
};

void TrialsTest::undoTakesBackTheSliderBeforeTheDocument() {
    OpenTrials open;
    open.dragBoundary(0, -1);
    QTRY_COMPARE(open.undo().count(), 1);
    using Kind = WhatIf::Kind;
    WhatIfPanel& panel = open.sliders();
    const int microbatches = panel.slider(Kind::microbatches)->value();
    panel.slider(Kind::microbatches)->setFocus();
    open.press(Qt::Key_PageUp);
    open.press(Qt::Key_PageUp);
    const int tried = panel.slider(Kind::microbatches)->value();
    panel.slider(Kind::bandwidth)->setFocus();
    open.press(Qt::Key_PageUp);
    QCOMPARE(panel.tries().size(), std::size_t(2));
    QTRY_VERIFY(open.page().showsTrial());
    open.press(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(panel.slider(Kind::bandwidth)->value(), 0);
    QCOMPARE(panel.slider(Kind::microbatches)->value(), tried);
    QCOMPARE(open.undo().index(), 1);
    open.press(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(panel.slider(Kind::microbatches)->value(), microbatches);
    QVERIFY(panel.tries().empty());
    QTRY_VERIFY(!open.page().showsTrial());
    QCOMPARE(open.undo().index(), 1);
    // What was taken back comes again, likewise.
    open.press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    open.press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(panel.slider(Kind::microbatches)->value(), tried);
    QVERIFY(panel.slider(Kind::bandwidth)->value() > 0);
    open.press(Qt::Key_Z, Qt::ControlModifier);
    open.press(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(open.undo().index(), 1);
    open.press(Qt::Key_Z, Qt::ControlModifier);
    QTRY_COMPARE(open.undo().index(), 0);
    QVERIFY(!open.editor().canUndoTrial());
}

void TrialsTest::aTrialIsMarkedInTheChartAndInTheStatusBar() {
    OpenTrials open;
    QVERIFY(!open.mark().isVisible());
    const QString applied = open.summary();
    const QImage before = open.view().grab().toImage();
    open.sliders().slider(WhatIf::Kind::microbatches)->setFocus();
    open.press(Qt::Key_PageUp);
    QTRY_VERIFY(open.page().showsTrial());
    QVERIFY(open.mark().isVisible());
    QVERIFY2(open.summary().contains(QStringLiteral("not applied")), qPrintable(open.summary()));
    QVERIFY(open.view().caption().startsWith(QStringLiteral("What if, not applied: ")));
    open.press(Qt::Key_Escape);
    QTRY_VERIFY(!open.page().showsTrial());
    QVERIFY(!open.mark().isVisible());
    QCOMPARE(open.summary(), applied);
    // A boundary that is dragged is not applied either until it is let go.
    const QPoint from = open.boundary(0), to = open.edge(open.plan().stages[0].lastLayer);
    QTest::mousePress(&open.strip(), Qt::LeftButton, {}, from);
    open.move(open.strip(), to);
    QTRY_VERIFY(open.page().showsTrial());
    QVERIFY(open.mark().isVisible());
    QTest::mouseRelease(&open.strip(), Qt::LeftButton, {}, to);
    QTRY_COMPARE(open.undo().count(), 1);
    QVERIFY(!open.mark().isVisible());
}

void TrialsTest::undoPutsBackAScheduleThatIsOnlyLookedAt() {
    OpenTrials open;
    open.dragBoundary(0, -1);
    QTRY_COMPARE(open.undo().count(), 1);
    QTest::mouseClick(&open.editor().bar().scheduleButton(), Qt::LeftButton);
    SchedulePanel& panel = open.editor().schedule();
    QTRY_VERIFY(!panel.isWorking() && panel.list().count() > 0);
    const int own = panel.list().currentRow();
    panel.list().setFocus();
    for (int row = 0; row < panel.list().count() && !open.page().showsTrial(); ++row) {
        open.press(row < own ? Qt::Key_Up : Qt::Key_Down);
        QTest::qWait(100);
    }
    QVERIFY(open.page().showsTrial() && open.mark().isVisible());
    open.press(Qt::Key_Z, Qt::ControlModifier);
    QTRY_VERIFY(!open.page().showsTrial());
    QCOMPARE(open.undo().index(), 1);
    QCOMPARE(panel.list().currentRow(), own);
}

void TrialsTest::schedulesAreComparedWithoutBecomingPlans() {
    OpenTrials open;
    const auto plans = open.window.workspace().plans().size();
    QTest::mouseClick(&open.editor().bar().scheduleButton(), Qt::LeftButton);
    SchedulePanel& panel = open.editor().schedule();
    QTRY_VERIFY(!panel.isWorking() && panel.list().count() > 0);
    click(panel, QStringLiteral("compareSchedules"));
    QVERIFY(open.compare().isVisible());
    QTRY_VERIFY(!open.compare().trials().isWorking());
    const int trials = static_cast<int>(open.compare().trials().items().size());
    QVERIFY(trials > 5);
    QCOMPARE(open.table().model()->rowCount(), static_cast<int>(plans) + trials);
    QCOMPARE(open.window.workspace().plans().size(), plans);
    QCOMPARE(open.undo().count(), 0);
    QVERIFY(!open.window.workspace().isDirty());
    QVERIFY(open.compare().findChild<QWidget*>(QStringLiteral("trialBar"))->isVisible());
    int italic = 0;
    for (int row = 0; row < open.table().model()->rowCount(); ++row)
        italic += open.table().model()->index(row, 0).data(Qt::FontRole).value<QFont>().italic();
    QCOMPARE(italic, trials);
    // They can be seen one above the other, too.
    open.compare().showCharts(true);
    QVERIFY(open.compare().stack().chosen().size() > 1);
    open.compare().showCharts(false);
    click(open.compare(), QStringLiteral("discardTrials"));
    QCOMPARE(open.table().model()->rowCount(), static_cast<int>(plans));
    QVERIFY(!open.compare().findChild<QWidget*>(QStringLiteral("trialBar"))->isVisible());
}

void TrialsTest::comparedPlansAreKeptOneByOne() {
    OpenTrials open;
    const auto plans = open.window.workspace().plans().size();
    QTest::mouseClick(&open.editor().bar().scheduleButton(), Qt::LeftButton);
    QTRY_VERIFY(!open.editor().schedule().isWorking());
    click(open.editor().schedule(), QStringLiteral("compareSchedules"));
    QTRY_VERIFY(!open.compare().trials().isWorking());
    const auto trials = open.compare().trials().items().size();
    int row = 0;
    while (!open.table().model()->index(row, 0).data(Qt::FontRole).value<QFont>().italic()) ++row;
    const QString name = open.rowName(row);
    open.selectRow(row);
    click(open.compare(), QStringLiteral("keepSelected"));
    QCOMPARE(open.window.workspace().plans().size(), plans + 1);
    QCOMPARE(open.window.workspace().plans().back().title(), name);
    QVERIFY(open.window.workspace().plans().back().run);
    QCOMPARE(open.compare().trials().items().size(), trials - 1);
    QCOMPARE(open.undo().count(), 1);
    // The others all at once, and one step of Undo takes each keeping back.
    click(open.compare(), QStringLiteral("keepAll"));
    QCOMPARE(open.window.workspace().plans().size(), plans + trials);
    QCOMPARE(open.undo().count(), 2);
    open.undo().undo();
    open.undo().undo();
    QCOMPARE(open.window.workspace().plans().size(), plans);
    QVERIFY(!open.window.workspace().isDirty());
}

void TrialsTest::comparedPlansGoWithTheirProblem() {
    OpenTrials open;
    QTest::mouseClick(&open.editor().bar().scheduleButton(), Qt::LeftButton);
    QTRY_VERIFY(!open.editor().schedule().isWorking());
    click(open.editor().schedule(), QStringLiteral("compareSchedules"));
    QTRY_VERIFY(!open.compare().trials().isWorking());
    TrainingSetup setup = open.window.workspace().problem().setup;
    ++setup.microbatches;
    open.window.workspace().setSetup(setup);
    QVERIFY(open.compare().trials().items().empty());
    QVERIFY(!open.compare().findChild<QWidget*>(QStringLiteral("trialBar"))->isVisible());
}

void TrialsTest::theSelectionOfTheComparisonFollowsItsPlan() {
    MainWindow window;
    window.resize(1280, 800);
    window.show();
    window.openSample(QStringLiteral("schedules"));
    QTRY_VERIFY_WITH_TIMEOUT(!window.planning().isBusy(), 60'000);
    window.workbench().showCompare();
    auto* table = window.findChild<QTableView*>(QStringLiteral("compareTable"));
    const auto nameAt = [&](int row) { return table->model()->index(row, 0).data().toString(); };
    QTRY_VERIFY(table->model()->rowCount() > 5);
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                      table->visualRect(table->model()->index(3, 0)).center());
    QTest::mouseClick(table->viewport(), Qt::LeftButton, Qt::ControlModifier,
                      table->visualRect(table->model()->index(4, 0)).center());
    const QString name = nameAt(4), other = nameAt(3);
    const auto keeps = [&] {
        QTRY_VERIFY_WITH_TIMEOUT(!window.planning().isBusy(), 60'000);
        QCOMPARE(nameAt(table->currentIndex().row()), name);
        QStringList chosen;
        for (const QModelIndex& row : table->selectionModel()->selectedRows())
            chosen << row.data().toString();
        chosen.sort();
        QStringList wanted{name, other};
        wanted.sort();
        QCOMPARE(chosen, wanted);
    };
    // Another number of microbatches works all plans out again, and they come back one by one.
    TrainingSetup setup = window.workspace().problem().setup;
    setup.microbatches *= 4;
    window.workspace().setSetup(setup);
    keeps();
    window.workspace().undoStack()->undo();
    keeps();
    table->sortByColumn(0, Qt::DescendingOrder);
    keeps();
    window.workspace().undoStack()->setClean();
}

void TrialsTest::aBlockThatMovesStaysSelected() {
    OpenTrials open;
    const quint32 first = open.timeline().find(BlockKind::forward, 0, 0, 0);
    const BlockName name = nameOfBlock(open.timeline(), first);
    open.view().selectBlock(first);
    open.view().setFocus();
    const auto place = [&] {
        const Timeline& timeline = open.timeline();
        const quint32 block =
            timeline.find(name.kind, name.stage, name.microbatch, name.iteration, name.slice);
        int before = 0;
        const Lane& lane = timeline.lanes[static_cast<std::size_t>(timeline.laneOf(block))];
        for (quint32 other = lane.firstBlock; other < block; ++other)
            before += OrderDrag::isOrdered(timeline, other);
        return before;
    };
    for (int step = 1; step <= 3; ++step) {
        open.press(Qt::Key_Right, Qt::ControlModifier);
        QTRY_COMPARE(place(), step);
        QVERIFY(open.view().selectedBlock() != noBlock);
        QVERIFY(nameOfBlock(open.timeline(), open.view().selectedBlock()) == name);
        open.view().setFocus();
    }
    // As fast as keys can come: none is lost.
    for (int step = 0; step < 3; ++step) open.press(Qt::Key_Left, Qt::ControlModifier);
    QTRY_COMPARE(place(), 0);
}

void TrialsTest::aSelectedBlockStaysSelectedInAnotherRun() {
    OpenTrials open;
    const quint32 block = open.timeline().find(BlockKind::backward, 1, 2, 0);
    const BlockName name = nameOfBlock(open.timeline(), block);
    open.view().selectBlock(block);
    const auto keeps = [&] {
        QTRY_VERIFY(!open.window.planning().isBusy() && open.item().run &&
                    open.page().run() == open.item().run);
        QVERIFY(open.view().selectedBlock() != noBlock);
        QVERIFY(nameOfBlock(open.timeline(), open.view().selectedBlock()) == name);
    };
    TrainingSetup setup = open.window.workspace().problem().setup;
    setup.microbatches += 3;
    open.window.workspace().setSetup(setup);
    keeps();
    open.undo().undo();
    keeps();
    open.dragBoundary(0, -1);
    QTRY_COMPARE(open.undo().count(), 1);
    keeps();
}

void TrialsTest::aBlockHasAMenu() {
    OpenTrials open;
    const Timeline& timeline = open.timeline();
    const quint32 block = timeline.find(BlockKind::backward, 1, 0, 0);
    QMenu* menu = open.menuAt(open.view().gantt().blockRect(block).center());
    QVERIFY(menu);
    QCOMPARE(open.view().selectedBlock(), block);
    QVERIFY(open.entry(*menu, QStringLiteral("Move block earlier")) ||
            open.entry(*menu, QStringLiteral("Move block &earlier")));
    QVERIFY(open.entry(*menu, QStringLiteral("Critical path")));
    QAction* find = open.entry(*menu, QStringLiteral("Find microbatch 0"));
    QVERIFY(find);
    QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(find).center());
    QVERIFY(open.view().search().isOpen());
    QCOMPARE(open.view().search().bar().field().text(), QStringLiteral("mb:0"));
    QTRY_VERIFY(open.view().search().hits());
    // Again, by the key of the keyboard, and with what its lane waited for.
    open.view().search().close();
    quint32 late = timeline.find(BlockKind::forward, timeline.stage[block] + 1, 0, 0);
    open.view().selectBlock(late);
    QContextMenuEvent key(QContextMenuEvent::Keyboard, {}, {});
    QApplication::sendEvent(&open.view(), &key);
    menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    QVERIFY(menu);
    QAction* why = open.entry(*menu, QStringLiteral("Why the lane was idle"));
    QVERIFY(why);
    QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(why).center());
    QVERIFY(!open.view().questions().idleText().isEmpty());
    // What was copied says what the block is.
    menu = open.menuAt(open.view().gantt().blockRect(block).center());
    QVERIFY(menu);
    QAction* copy = open.entry(*menu, QStringLiteral("Copy description"));
    QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(copy).center());
    QVERIFY(!QApplication::clipboard()->text().isEmpty());
}

void TrialsTest::theOrderModeSaysWhatToDo() {
    OpenTrials open;
    QTest::mouseClick(open.editor().bar().findChild<QToolButton*>(QStringLiteral("editOrder")),
                      Qt::LeftButton);
    QVERIFY2(open.editor().bar().text().contains(QStringLiteral("Drag a block")),
             qPrintable(open.editor().bar().text()));
    QTest::mouseClick(open.editor().bar().findChild<QToolButton*>(QStringLiteral("editOrder")),
                      Qt::LeftButton);
    QVERIFY(!open.editor().bar().text().contains(QStringLiteral("Drag a block")));
}

void TrialsTest::theColouringIsOfferedFromTheStart() {
    OpenTrials open;
    auto* colouring = open.view().findChild<QComboBox*>(QStringLiteral("colouring"));
    QVERIFY(colouring && colouring->isVisible());
    QCOMPARE(colouring->currentIndex(), 0);
}

/// Without a barrier both are of the steady state, and the screen says so.
void TrialsTest::sharesOfLanesAreOfWhatTheBubblesAreOf() {
    MainWindow window;
    window.resize(1280, 800);
    window.show();
    window.openSample(QStringLiteral("xpipe-fig1"));
    QTRY_VERIFY_WITH_TIMEOUT(!window.planning().isBusy(), 60'000);
    int asynchronous = 0;
    for (const PlanItem& item : window.workspace().plans()) {
        if (!item.run || !item.run->ok()) continue;
        window.workbench().showPlan(item.id);
        PlanPage& page = *window.workbench().planPage(item.id);
        QTRY_VERIFY_WITH_TIMEOUT(page.isPrepared() && page.view().isReady(), 20'000);
        const GanttScene& scene = page.view().gantt().scene();
        // Where nothing repeats yet the stretch is an estimate.
        if (!scene.data->steady || !scene.data->steady->repeats) continue;
        ++asynchronous;
        double busy = 0;
        int lanes = 0;
        for (const LaneRow& row : scene.rows) {
            if (row.share.isEmpty()) continue;
            QVERIFY2(row.shareTip.endsWith(QStringLiteral("of the steady state")), qPrintable(row.shareTip));
            busy += row.share.chopped(2).toDouble() / 100;
            ++lanes;
        }
        QVERIFY(lanes > 1);
        const double idle = 1 - busy / lanes;
        QVERIFY2(std::abs(idle - item.run->evaluation->metrics.bubbleFraction) < 0.03,
                 qPrintable(QStringLiteral("%1: %2 against %3")
                                .arg(item.title())
                                .arg(idle)
                                .arg(item.run->evaluation->metrics.bubbleFraction)));
    }
    QVERIFY(asynchronous > 0);
    window.workspace().undoStack()->setClean();
}

void TrialsTest::runStaysWhereItIsWhenTheModeChanges() {
    OpenTrials open;
    auto* run = open.window.findChild<QPushButton*>(QStringLiteral("run"));
    auto* mode = open.window.findChild<SetupPanel*>()->findChild<QComboBox*>(QStringLiteral("mode"));
    for (const char* planner : {"madpipe", ""}) {
        auto* choice = open.window.findChild<QComboBox*>(QStringLiteral("plannerChoice"));
        choice->setCurrentIndex(choice->findData(QString::fromLatin1(planner)));
        for (const int to : {1, 0}) {
            QTest::qWait(20);
            const QPoint before = run->mapTo(&open.window, QPoint());
            mode->setCurrentIndex(to);
            QTest::qWait(20);
            QCOMPARE(run->mapTo(&open.window, QPoint()), before);
            QVERIFY(open.window.rect().contains(QRect(before, run->size())));
        }
    }
}

void TrialsTest::picturesOfSchedulesFollowTheTheme() {
    OpenTrials open;
    QTest::mouseClick(&open.editor().bar().scheduleButton(), Qt::LeftButton);
    SchedulePanel& panel = open.editor().schedule();
    QTRY_VERIFY(!panel.isWorking() && panel.list().count() > 0);
    // The first stage ends last, so that the lower right corner is empty.
    const auto background = [&] {
        for (int row = 0; row < panel.list().count(); ++row) {
            const QIcon icon = panel.list().item(row)->icon();
            if (icon.isNull()) continue;
            const QImage picture = icon.pixmap(panel.list().iconSize()).toImage();
            return picture.pixelColor(picture.width() - 1, picture.height() - 1);
        }
        return QColor();
    };
    for (const ThemeChoice theme : {ThemeChoice::dark, ThemeChoice::light}) {
        applyTheme(*qApp, theme);
        QTRY_VERIFY(!panel.isWorking());
        QTRY_COMPARE(background(), Theme::current().surface);
    }
}

STAGECRAFT_TEST(TrialsTest)
#include "trials_test.moc"
