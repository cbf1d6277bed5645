// Changing a plan by hand in the window: the partition, the order of blocks, and what the plan is for.

#include "core/runs/standing.h"
#include "tests/app/edit_fixture.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/timeline/order_drag.h"

#include <QContextMenuEvent>
#include <QMenu>
#include <QTimer>
#include <QToolButton>

#include <malloc.h>

using namespace stagecraft;

namespace {

/// What the allocator has given out, in bytes.
std::size_t allocated() { return mallinfo2().uordblks; }

}  // namespace

class EditTest : public QObject {
    Q_OBJECT
private slots:
    void aDraggedBoundaryIsShownWhileItMovesAndIsOneStepOnceLetGo();
    void aGpuThatIsDraggedChangesStages();
    void splitAndMergeAreSteps();
    void recomputationIsChosenInTheMenuOfAStage();
    void thePlanIsSavedAndOpensAsItWas();
    void draggingBoundariesToAndFroAThousandTimesLeavesNothing();
    void aBlockMovesInItsOrder();
    void anOrderThatCannotRunIsNotTaken();
    void aFoldedPartitionStaysFolded();
    void aSlowSimulationSaysThatItIsBehind();
    void keysMoveTheBlockThatIsSelected();
    void aKeyThatIsHeldIsOneStep();

private:
    PrivateHome home_;
};

void EditTest::aDraggedBoundaryIsShownWhileItMovesAndIsOneStepOnceLetGo() {
    OpenWindow open;
    const Plan before = open.plan();
    const double timeBefore = open.timeS();
    QVERIFY(before.stages[0].layerCount() > 1);
    const QPoint from = open.boundary(0), to = open.edge(before.stages[0].lastLayer);
    QTest::mousePress(&open.strip(), Qt::LeftButton, {}, from);
    open.move(open.strip(), to);
    QTRY_VERIFY(open.page().shownRun() != open.page().run());
    QCOMPARE(open.page().shownRun()->result.plan.stages[0].lastLayer, before.stages[0].lastLayer - 1);
    QVERIFY(open.plan() == before);
    QCOMPARE(open.undo().count(), 0);
    QTest::mouseRelease(&open.strip(), Qt::LeftButton, {}, to);
    QTRY_COMPARE(open.undo().count(), 1);
    QCOMPARE(open.undo().undoText(), QStringLiteral("Move the boundary of stages 0 and 1"));
    QCOMPARE(open.item().title(), QStringLiteral("SPP (edited)"));
    QCOMPARE(open.plan().stages[0].lastLayer, before.stages[0].lastLayer - 1);
    QVERIFY(open.window.workspace().ageOf(open.item()) == PlanAge::current);
    QVERIFY(isCompared(*open.item().run));
    QVERIFY(open.item().run->result.guarantees.size() <
            3);  // Lemma 1 holds for any plan; the others are SPP's
    QVERIFY(open.page().run() == open.item().run && open.page().shownRun() == open.page().run());
    QVERIFY(open.timeS() != timeBefore);
    const QString words = open.editor().bar().text();
    QVERIFY2(words.contains(open.timeS() > timeBefore ? "worse" : "better") && words.contains("time"),
             qPrintable(words));
    open.undo().undo();
    QVERIFY(open.plan() == before);
    QCOMPARE(open.item().title(), QStringLiteral("SPP"));
    QCOMPARE(open.timeS(), timeBefore);
    QVERIFY(open.strip().shownPlan() == before);
    open.undo().redo();
    QCOMPARE(open.item().title(), QStringLiteral("SPP (edited)"));
}

void EditTest::aGpuThatIsDraggedChangesStages() {
    OpenWindow open;
    const auto& stages = open.plan().stages;
    const auto roomy = std::find_if(stages.begin(), stages.end(),
                                    [](const Stage& stage) { return stage.devices.size() > 1; });
    QVERIFY(roomy != stages.end());
    const int from = static_cast<int>(roomy - stages.begin()), to = from > 0 ? 0 : 1;
    const int device = roomy->devices.front();
    const auto& chips = open.strip().parts().chips;
    const auto chip = std::find_if(chips.begin(), chips.end(),
                                   [&](const StripLayout::Chip& each) { return each.device == device; });
    const QPoint start = chip->box.center().toPoint(),
                 end = open.strip().parts().boxOf(to)->gpus.center().toPoint();
    QTest::mousePress(&open.strip(), Qt::LeftButton, {}, start);
    open.move(open.strip(), end);
    QTest::mouseRelease(&open.strip(), Qt::LeftButton, {}, end);
    QTRY_COMPARE(open.undo().count(), 1);
    const std::vector<int>& now = open.plan().stages[static_cast<std::size_t>(to)].devices;
    QVERIFY(std::find(now.begin(), now.end(), device) != now.end());
}

void EditTest::splitAndMergeAreSteps() {
    OpenWindow open;
    const std::vector<Stage> before = open.plan().stages;
    std::size_t wide = 0;
    while (before[wide].layerCount() < 2 || before[wide].devices.size() < 2) ++wide;
    open.strip().setFocus();
    for (std::size_t step = 0; step <= wide; ++step) QTest::keyClick(&open.strip(), Qt::Key_Right);
    QCOMPARE(open.strip().chosenStage(), static_cast<int>(wide));
    QTest::keyClick(&open.strip(), Qt::Key_S);
    QTRY_COMPARE(open.plan().stages.size(), before.size() + 1);
    QTest::keyClick(&open.strip(), Qt::Key_M);
    QTRY_COMPARE(open.plan().stages.size(), before.size());
    QVERIFY(open.plan().stages == before);
    QCOMPARE(open.undo().count(), 2);
}

void EditTest::recomputationIsChosenInTheMenuOfAStage() {
    OpenWindow open;
    const Plan before = open.plan();
    const double timeBefore = open.timeS();
    const auto device = static_cast<std::size_t>(before.stages[0].devices.front());
    const double peakBefore = open.item().run->evaluation->memory[device].peakBytes();
    const auto choose = [&](const QString& way) {
        const QPoint at = open.strip().parts().boxOf(0)->title.center().toPoint();
        // The menu has an event loop of its own.
        QTimer::singleShot(0, [way] {
            const auto click = [](const QString& text) {
                auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
                QVERIFY(menu);
                for (QAction* action : menu->actions())
                    if (action->text() == text)
                        return QTest::mouseClick(menu, Qt::LeftButton, {},
                                                 menu->actionGeometry(action).center());
                QFAIL(qPrintable("no entry " + text));
            };
            click(QStringLiteral("Recompute"));
            QTRY_VERIFY(
                qobject_cast<QMenu*>(QApplication::activePopupWidget())->actions().front()->isCheckable());
            click(way);
        });
        QContextMenuEvent event(QContextMenuEvent::Mouse, at, open.strip().mapToGlobal(at));
        QApplication::sendEvent(&open.strip(), &event);
    };
    choose(QStringLiteral("Full (layer by layer)"));
    QTRY_COMPARE(open.undo().count(), 1);
    QCOMPARE(open.undo().undoText(), QStringLiteral("Recompute stage 0 fully"));
    const std::size_t layers = open.plan().memory.layers.size();
    QCOMPARE(layers, std::size_t(before.stages[0].layerCount()));
    QVERIFY(open.plan().stages == before.stages);
    QVERIFY(open.timeS() > timeBefore);
    QVERIFY(open.item().run->evaluation->memory[device].peakBytes() < peakBefore);
    QVERIFY(open.item().run->evaluation->violations.empty());
    // BERT's profile is measured and does not say what it stores.
    choose(QStringLiteral("Selective (attention scores)"));
    QVERIFY2(open.editor().bar().text().contains("does not say what is stored"),
             qPrintable(open.editor().bar().text()));
    QCOMPARE(open.undo().count(), 1);
    choose(QStringLiteral("Nothing"));
    QTRY_COMPARE(open.undo().count(), 2);
    QCOMPARE(open.undo().undoText(), QStringLiteral("Recompute nothing of stage 0"));
    QVERIFY(open.plan().memory.layers.empty());
    QCOMPARE(open.timeS(), timeBefore);
}

void EditTest::thePlanIsSavedAndOpensAsItWas() {
    const QString path = home_.file(QStringLiteral("edited.stagecraft.json"));
    Plan saved;
    {
        OpenWindow open;
        open.dragBoundary(0, -1);
        QTRY_COMPARE(open.undo().count(), 1);
        saved = open.plan();
        open.window.workspace().saveAs(path);
    }
    const Project again = openProject(path.toStdString());
    QCOMPARE(again.plans.size(), std::size_t(2));
    QVERIFY(again.plans[0] == bertWithPlan().plans[0]);
    QVERIFY(again.plans[1] == saved);
    QCOMPARE(again.plans[1].name, std::string("SPP (edited)"));
}

void EditTest::draggingBoundariesToAndFroAThousandTimesLeavesNothing() {
    constexpr int times = 1000, warmUp = 50;  // drags, rounds over all boundaries
    OpenWindow open;
    const Plan before = open.plan();
    const auto runBefore = open.item().run;
    const auto toAndFro = [&](int stage, bool wait) {
        const int last = before.stages[static_cast<std::size_t>(stage)].lastLayer;
        const bool down = before.stages[static_cast<std::size_t>(stage)].layerCount() > 1;
        const QPoint from = open.boundary(stage), to = open.edge(down ? last : last + 2);
        QTest::mousePress(&open.strip(), Qt::LeftButton, {}, from);
        open.move(open.strip(), to);
        if (wait) QTRY_VERIFY(open.page().shownRun() != runBefore);  // simulated and drawn
        open.move(open.strip(), from);
        QTest::mouseRelease(&open.strip(), Qt::LeftButton, {}, from);
        QVERIFY(open.strip().shownPlan() == before);
        QVERIFY(open.page().shownRun() == runBefore);
    };
    const int boundaries = before.stageCount() - 1;
    for (int round = 0; round < warmUp; ++round)
        for (int stage = 0; stage < boundaries; ++stage) toAndFro(stage, round % 10 == 0);
    QTest::qWait(100);
    malloc_trim(0);
    const std::size_t atStart = allocated();
    for (int round = 0; round < times / boundaries; ++round)
        for (int stage = 0; stage < boundaries; ++stage) toAndFro(stage, round % 50 == 0);
    QTest::qWait(100);
    malloc_trim(0);
    const std::size_t atEnd = allocated();
    QVERIFY(open.plan() == before);
    QVERIFY(open.item().run == runBefore);
    QCOMPARE(open.undo().count(), 0);
    QVERIFY(!open.window.workspace().isDirty());
    // 256 bytes kept by each drag would be seen; what caches keep is not.
    const double grown = double(atEnd) - double(atStart);
    QVERIFY2(grown < 256 * 1024, qPrintable(QStringLiteral("%1 bytes more").arg(grown)));
}

void EditTest::aBlockMovesInItsOrder() {
    OpenWindow open;
    const auto orderOf = [&](const Plan& plan, int device) {
        return std::get<ExplicitSchedule>(plan.schedule.order).orders.at(device);
    };
    click(open.editor().bar(), QStringLiteral("editOrder"));
    const Timeline& timeline = open.timeline();
    const Lane& lane = timeline.lanes.front();
    const quint32 block = lane.firstBlock + 2, earlier = lane.firstBlock + 1;
    const int device = lane.devices.front();
    const double span = timeline.endS[lane.firstBlock + 6];
    open.view().setVisibleRange(0, span);
    const QPointF from = open.view().gantt().blockRect(block).center();
    const QRectF target = open.view().gantt().blockRect(earlier);
    const QPoint to(qRound(target.left()) + 1, qRound(target.center().y()));
    QTest::mousePress(&open.plot(), Qt::LeftButton, {}, from.toPoint());
    open.move(open.plot(), QPointF(to) + QPointF(8, 0));
    open.move(open.plot(), to);
    QVERIFY(!open.editor().order().dropMark().isEmpty());
    QVERIFY(open.page().shownRun() == open.page().run());  // the chart stays until it is let go
    const Task moved{TaskKind::forward, timeline.stage[block], timeline.microbatch[block]};
    QCOMPARE(timeline.kind[block], BlockKind::forward);
    QTest::mouseRelease(&open.plot(), Qt::LeftButton, {}, to);
    QTRY_COMPARE(open.undo().count(), 1);
    QVERIFY(orderOf(open.plan(), device)[1] == moved);
    QVERIFY(open.undo().undoText().startsWith(QStringLiteral("Change the order of")));
    open.undo().undo();
    QVERIFY(std::holds_alternative<FamilySchedule>(open.plan().schedule.order));
}

void EditTest::anOrderThatCannotRunIsNotTaken() {
    OpenWindow open;
    const Timeline& timeline = open.timeline();
    // On the last stage the backward of microbatch 0 before its forward.
    const int last = open.plan().stageCount() - 1;
    const quint32 backward = timeline.find(BlockKind::backward, last, 0, 0);
    open.view().selectBlock(backward);
    const Lane& lane = timeline.lanes[static_cast<std::size_t>(timeline.laneOf(backward))];
    QVERIFY(backward > lane.firstBlock);
    const Plan before = open.plan();
    open.editor().moveSelectedBlock(-static_cast<int>(backward - lane.firstBlock));
    QTRY_VERIFY2(open.editor().bar().text().contains(QStringLiteral("deadlock")),
                 qPrintable(open.editor().bar().text()));
    QVERIFY(open.plan() == before);
    QCOMPARE(open.undo().count(), 0);
    QVERIFY(open.page().shownRun() == open.page().run());
}

void EditTest::aFoldedPartitionStaysFolded() {
    {
        OpenWindow open;
        QVERIFY(open.strip().isVisible());
        click(open.editor().bar(), QStringLiteral("foldPartition"));
        QVERIFY(!open.strip().isVisible());
    }
    OpenWindow open;
    QVERIFY(!open.strip().isVisible());
    click(open.editor().bar(), QStringLiteral("foldPartition"));
    QVERIFY(open.strip().isVisible());
}

void EditTest::aSlowSimulationSaysThatItIsBehind() {
    EditSimulator simulator;
    QSignalSpy behind(&simulator, &EditSimulator::behindChanged);
    QSignalSpy answered(&simulator, &EditSimulator::answered);
    Problem problem = bertWithPlan().problem;
    problem.setup.microbatches = 20'000;
    const EditQuestion slow{std::make_shared<const Problem>(problem), nullptr, bertWithPlan().plans[0]};
    simulator.ask(slow);
    QTRY_VERIFY_WITH_TIMEOUT(simulator.isBehind(), 20'000);
    // What was asked last is answered, what was asked in between is not.
    EditQuestion next = slow;
    for (int microbatches = 8; microbatches < 16; ++microbatches) {
        problem.setup.microbatches = microbatches;
        next.problem = std::make_shared<const Problem>(problem);
        simulator.ask(next);
    }
    QTRY_VERIFY_WITH_TIMEOUT(!simulator.isBehind(), 60'000);
    QCOMPARE(behind.count(), 2);
    QVERIFY(answered.count() >= 1 && answered.count() <= 2);
    QVERIFY(answered.last()[0].value<EditQuestion>() == next);
}

void EditTest::keysMoveTheBlockThatIsSelected() {
    OpenWindow open;
    open.dragBoundary(0, -1);
    QTRY_COMPARE(open.undo().count(), 1);
    QVERIFY(!open.editor().bar().text().contains(QStringLiteral("unchanged")));
    // The first two forwards change places.
    const Timeline& timeline = open.timeline();
    const quint32 first = timeline.find(BlockKind::forward, 0, 0, 0);
    open.view().selectBlock(first);
    open.view().setFocus();
    QTest::keyClick(&open.view(), Qt::Key_Right, Qt::ControlModifier);
    QTRY_COMPARE(open.undo().count(), 2);
    QVERIFY2(open.editor().bar().text().contains(QStringLiteral("time")),
             qPrintable(open.editor().bar().text()));
    open.undo().undo();
    open.undo().undo();
    QVERIFY(std::holds_alternative<FamilySchedule>(open.plan().schedule.order));
}

void EditTest::aKeyThatIsHeldIsOneStep() {
    OpenWindow open;
    const Plan before = open.plan();
    const auto layers = [&] { return open.plan().stages[1].lastLayer - before.stages[1].lastLayer; };
    QVERIFY(before.stages[1].layerCount() > 2);
    open.strip().setFocus();
    QTest::keyClick(&open.strip(), Qt::Key_Right);
    QTest::keyClick(&open.strip(), Qt::Key_Right);
    QCOMPARE(open.strip().chosenStage(), 1);
    const auto press = [&](Qt::Key key) { QTest::keyClick(&open.strip(), key, Qt::ControlModifier); };
    press(Qt::Key_Left);
    press(Qt::Key_Left);
    QTRY_COMPARE(layers(), -2);
    QCOMPARE(open.undo().count(), 1);
    // Back where it began it is none, and the planner's plan is as it was.
    press(Qt::Key_Right);
    press(Qt::Key_Right);
    QTRY_COMPARE(layers(), 0);
    QCOMPARE(open.undo().count(), 0);
    QVERIFY(open.plan() == before);
    QCOMPARE(open.item().title(), QStringLiteral("SPP"));
    QVERIFY(open.item().run && open.item().run->ok());
    // After a while it is another step.
    press(Qt::Key_Left);
    QTRY_COMPARE(open.undo().count(), 1);
    QTest::qWait(900);
    press(Qt::Key_Left);
    QTRY_COMPARE(open.undo().count(), 2);
    open.undo().undo();
    QTRY_COMPARE(layers(), -1);
    open.undo().undo();
    QVERIFY(open.plan() == before);
}

STAGECRAFT_TEST(EditTest)
#include "edit_test.moc"
