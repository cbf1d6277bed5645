// The partition strip: what it shows, and what it asks for when something is dragged, typed or clicked.

#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/common/theme.h"
#include "views/strip/partition_strip.h"
#include "views/strip/strip_painter.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>
#include <QToolTip>
#include <QWheelEvent>

#include <cmath>

using namespace stagecraft;

namespace {

/// Six layers of equal time on three stages of two GPUs, and a GPU that is free.
std::shared_ptr<const Problem> sixLayers() {
    Problem problem;
    for (int layer = 0; layer < 6; ++layer)
        problem.profile.layers.push_back({"layer " + std::to_string(layer), 0.1, 0.2, 1024, 512, 512, 0, 0});
    for (int device = 0; device < 7; ++device)
        problem.cluster.devices.push_back({"g" + std::to_string(device), "s", "V100", 16e9, 1, 0});
    return std::make_shared<const Problem>(problem);
}

Plan threeStagePlan() {
    Plan plan;
    for (int stage = 0; stage < 3; ++stage)
        plan.stages.push_back({2 * stage, 2 * stage + 1, {2 * stage, 2 * stage + 1}});
    return plan;
}

struct ShownStrip {
    PartitionStrip strip;
    std::vector<PlanEdit> proposed, requested;
    QStringList refusals;
    int withdrawn = 0;

    ShownStrip() {
        applyTheme(*qApp, ThemeChoice::light);
        strip.resize(900, strip.sizeHint().height());
        strip.setPlan(sixLayers(), threeStagePlan());
        QObject::connect(&strip, &PartitionStrip::proposed,
                         [this](const PlanEdit& edit) { proposed.push_back(edit); });
        QObject::connect(&strip, &PartitionStrip::requested,
                         [this](const PlanEdit& edit) { requested.push_back(edit); });
        QObject::connect(&strip, &PartitionStrip::refused, [this](const QString& why) { refusals << why; });
        QObject::connect(&strip, &PartitionStrip::withdrawn, [this] { ++withdrawn; });
        strip.show();
    }
    QPoint boundary(int stage) {
        return {qRound(strip.parts().boxOf(stage)->layers.right()),
                qRound(strip.parts().boxOf(stage)->layers.center().y())};
    }
    QPoint chip(int device) {
        for (const StripLayout::Chip& each : strip.parts().chips)
            if (each.device == device) return each.box.center().toPoint();
        return {};
    }
    int layerEdge(int layer) { return qRound(strip.parts().edges[static_cast<std::size_t>(layer)]); }
    void press(QPoint at) { QTest::mousePress(&strip, Qt::LeftButton, {}, at); }
    void move(QPoint at, Qt::MouseButtons held = Qt::LeftButton) {
        QMouseEvent move(QEvent::MouseMove, at, strip.mapToGlobal(at), Qt::NoButton, held, {});
        QApplication::sendEvent(&strip, &move);
    }
    void release(QPoint at) { QTest::mouseRelease(&strip, Qt::LeftButton, {}, at); }
};

}  // namespace

class StripTest : public QObject {
    Q_OBJECT
private slots:
    void aLayerIsAsWideAsItTakesTime();
    void aStageWhoseNumbersHaveNoRoomShowsItsFirstAndLast();
    void aBoundaryFollowsThePointerAndAsksOnce();
    void aBoundaryThatIsBackAsksForNothing();
    void aBoundaryLeavesEachStageALayer();
    void whatCanBeGrabbedShowsItUnderThePointer();
    void aGpuIsDraggedToAnotherStage();
    void aGpuIsDraggedFromTheFreeOnesAndBackToThem();
    void theOnlyGpuOfAStageIsRefusedWithoutEndingTheDrag();
    void doubleClickSplits();
    void keysDoWhatTheMouseDoes();
    void escapeGivesADragUp();
    void ofBoundariesCloseTogetherTheNearestIsGrabbed();
    void theWheelZoomsToLayersThatAreTooNarrowToGrab();
    void theMenuOfAStageSaysAndChangesWhatIsRecomputed();
    void theMenuOfALayerRecomputesItAlone();
    void theMenuKeyIsOfTheSelectedStage();
    void theMenuOfAStageDividesItsLayersWhereItCan();
    void selectiveRecomputationWithoutScoresIsRefusedInWords();
    void whatIsRecomputedIsMarkedAndSaid();
};

void StripTest::aLayerIsAsWideAsItTakesTime() {
    Problem problem = *sixLayers();
    problem.profile.layers[1].forwardS *= 4;
    problem.profile.layers[1].backwardS *= 4;
    problem.profile.layers[2].forwardS = problem.profile.layers[2].backwardS = 0;
    const StripLayout layout =
        layOutStrip(problem, threeStagePlan(), 0, QRectF(0, 0, 900, stripHeight()), [](int) { return 20.0; });
    const auto width = [&](std::size_t layer) { return layout.edges[layer + 1] - layout.edges[layer]; };
    const double least = width(2);
    QVERIFY(least > 0);  // so that it can be pointed at
    QVERIFY(std::abs((width(1) - least) - 4 * (width(0) - least)) < 1e-6);
    QCOMPARE(layout.chips.size(), std::size_t(7));
    QVERIFY(layout.edges.back() < layout.freeTitle.left());
}

void StripTest::aStageWhoseNumbersHaveNoRoomShowsItsFirstAndLast() {
    Plan plan;
    plan.stages = {{0, 4, {0}}, {5, 5, {1}}};
    const QFontMetricsF metrics(chipFont(QFont()));
    const auto printed = [&](double width) {
        const StripLayout layout =
            layOutStrip(*sixLayers(), plan, 0, QRectF(0, 0, width, stripHeight()), [](int) { return 20.0; });
        QString all;
        for (const StripLayout::StageBox& box : layout.stages) {
            const Stage& stage = plan.stages[static_cast<std::size_t>(box.stage)];
            for (const auto& [place, number] : layerNumbers(layout, stage, box.layers, metrics)) {
                all += (all.isEmpty() ? "" : " ") + number;
                if (!box.layers.contains(place)) all += " outside";
            }
        }
        return all;
    };
    QCOMPARE(printed(900), QStringLiteral("0 1 2 3 4 5"));
    bool ranged = false;
    for (double width = 900; width > 60; width -= 1) {
        const QString now = printed(width);
        QVERIFY2(!now.contains(QStringLiteral("outside")), qPrintable(now));
        ranged = ranged || now.startsWith(QStringLiteral("0–4"));
        // Either all or most of the numbers, or the range, never a few of them.
        QVERIFY2(now.isEmpty() || now.startsWith(QStringLiteral("0–4")) || now.count(QChar(' ')) >= 2 ||
                     !now.startsWith(QChar('0')),
                 qPrintable(now));
    }
    QVERIFY(ranged);
}

void StripTest::aBoundaryFollowsThePointerAndAsksOnce() {
    ShownStrip shown;
    const QPoint from = shown.boundary(0);
    shown.press(from);
    shown.move({shown.layerEdge(3) - 3, from.y()});
    QCOMPARE(shown.strip.shownPlan().stages[0].lastLayer, 2);
    shown.move({shown.layerEdge(3) + 3, from.y()});  // the same layer
    QCOMPARE(shown.proposed.size(), std::size_t(1));
    QVERIFY(shown.proposed[0] == PlanEdit(MoveBoundary{0, 1}));
    QVERIFY(shown.requested.empty());
    shown.release({shown.layerEdge(3), from.y()});
    QCOMPARE(shown.requested.size(), std::size_t(1));
    QVERIFY(shown.requested[0] == PlanEdit(MoveBoundary{0, 1}));
    QCOMPARE(shown.strip.shownPlan().stages[0].lastLayer, 2);  // until the document says what holds
}

void StripTest::aBoundaryThatIsBackAsksForNothing() {
    ShownStrip shown;
    const QPoint from = shown.boundary(1);
    shown.press(from);
    shown.move({shown.layerEdge(3), from.y()});
    QVERIFY(shown.proposed.back() == PlanEdit(MoveBoundary{1, -1}));
    shown.move(from);
    shown.release(from);
    QVERIFY(shown.requested.empty());
    QVERIFY(shown.withdrawn >= 1);
    QVERIFY(shown.strip.shownPlan() == threeStagePlan());
}

void StripTest::aBoundaryLeavesEachStageALayer() {
    ShownStrip shown;
    const QPoint from = shown.boundary(0);
    shown.press(from);
    shown.move({890, from.y()});
    QVERIFY(shown.proposed.back() == PlanEdit(MoveBoundary{0, 1}));
    shown.move({-50, from.y()});
    QVERIFY(shown.proposed.back() == PlanEdit(MoveBoundary{0, -1}));
    QVERIFY(shown.refusals.isEmpty());
}

void StripTest::whatCanBeGrabbedShowsItUnderThePointer() {
    ShownStrip shown;
    shown.move(shown.boundary(0), Qt::NoButton);
    QCOMPARE(shown.strip.cursor().shape(), Qt::SplitHCursor);
    shown.move(shown.chip(4), Qt::NoButton);
    QCOMPARE(shown.strip.cursor().shape(), Qt::OpenHandCursor);
    shown.move({shown.layerEdge(0) + 20, shown.boundary(0).y()}, Qt::NoButton);
    QCOMPARE(shown.strip.cursor().shape(), Qt::ArrowCursor);
}

void StripTest::aGpuIsDraggedToAnotherStage() {
    ShownStrip shown;
    shown.press(shown.chip(1));
    shown.move(shown.chip(4));
    QVERIFY(shown.proposed.back() == PlanEdit(MoveDevice{1, 0, 2}));
    shown.release(shown.chip(4));
    QVERIFY(shown.requested.back() == PlanEdit(MoveDevice{1, 0, 2}));
    QCOMPARE(shown.strip.shownPlan().stages[2].devices, (std::vector<int>{1, 4, 5}));
}

void StripTest::aGpuIsDraggedFromTheFreeOnesAndBackToThem() {
    ShownStrip shown;
    const QPoint freePlace = shown.chip(6);
    shown.press(freePlace);
    shown.move(shown.chip(2));
    shown.release(shown.chip(2));
    QVERIFY(shown.requested.back() == PlanEdit(AddReplica{1, 6}));
    shown.strip.putBack();
    shown.press(shown.chip(2));
    shown.move(freePlace);
    shown.release(freePlace);
    QVERIFY(shown.requested.back() == PlanEdit(RemoveReplica{1, 2}));
}

void StripTest::theOnlyGpuOfAStageIsRefusedWithoutEndingTheDrag() {
    ShownStrip shown;
    Plan plan = threeStagePlan();
    plan.stages[0].devices = {0};
    shown.strip.setPlan(sixLayers(), plan);
    shown.press(shown.chip(0));
    shown.move(shown.chip(2));
    QCOMPARE(shown.refusals, QStringList{"stage 0 would have no GPU left"});
    QVERIFY(shown.strip.isDragging() && shown.proposed.empty());
    shown.release(shown.chip(2));
    QVERIFY(shown.requested.empty());
    QVERIFY(shown.strip.shownPlan() == plan);
}

void StripTest::doubleClickSplits() {
    ShownStrip shown;
    const QPoint at(shown.layerEdge(3) + 2, shown.boundary(0).y());
    QTest::mouseDClick(&shown.strip, Qt::LeftButton, {}, at);
    QCOMPARE(shown.requested.size(), std::size_t(1));
    QVERIFY(shown.requested[0] == PlanEdit(SplitStage{1, 3, {3}}));
}

void StripTest::keysDoWhatTheMouseDoes() {
    ShownStrip shown;
    shown.strip.setFocus();
    const auto key = [&](Qt::Key pressed, Qt::KeyboardModifiers with = {}) {
        shown.strip.putBack();
        QTest::keyClick(&shown.strip, pressed, with);
    };
    key(Qt::Key_Right);
    QCOMPARE(shown.strip.chosenStage(), 0);
    key(Qt::Key_Right);
    QCOMPARE(shown.strip.chosenStage(), 1);
    key(Qt::Key_Left, Qt::ControlModifier);
    QVERIFY(shown.requested.back() == PlanEdit(MoveBoundary{1, -1}));
    key(Qt::Key_Right, Qt::ShiftModifier);
    QVERIFY(shown.requested.back() == PlanEdit(MoveDevice{3, 1, 2}));
    key(Qt::Key_Plus);
    QVERIFY(shown.requested.back() == PlanEdit(AddReplica{1, 6}));
    key(Qt::Key_Minus);
    QVERIFY(shown.requested.back() == PlanEdit(RemoveReplica{1, 3}));
    key(Qt::Key_S);
    QVERIFY(shown.requested.back() == PlanEdit(SplitStage{1, 3, {3}}));
    key(Qt::Key_M);
    QVERIFY(shown.requested.back() == PlanEdit(MergeStages{1}));
    key(Qt::Key_Right);
    key(Qt::Key_M);
    QCOMPARE(shown.refusals.back(), QStringLiteral("no stage after stage 2"));
}

void StripTest::escapeGivesADragUp() {
    ShownStrip shown;
    shown.strip.setFocus();
    const QPoint from = shown.boundary(0);
    shown.press(from);
    shown.move({shown.layerEdge(3), from.y()});
    QTest::keyClick(&shown.strip, Qt::Key_Escape);
    QCOMPARE(shown.withdrawn, 1);
    QVERIFY(shown.strip.shownPlan() == threeStagePlan());
    shown.release({shown.layerEdge(3), from.y()});
    QVERIFY(shown.requested.empty());
}

namespace {

/// A stage of one layer that takes next to no time between two that take nearly all.
std::shared_ptr<const Problem> aTinyLayer() {
    Problem problem = *sixLayers();
    for (std::size_t layer = 2; layer < 4; ++layer)
        problem.profile.layers[layer].forwardS = problem.profile.layers[layer].backwardS = 1e-6;
    return std::make_shared<const Problem>(problem);
}

}  // namespace

void StripTest::ofBoundariesCloseTogetherTheNearestIsGrabbed() {
    ShownStrip shown;
    shown.strip.setPlan(aTinyLayer(), threeStagePlan());
    const QRectF tiny = shown.strip.parts().boxOf(1)->layers;
    QVERIFY(tiny.width() < 10);
    const double y = tiny.center().y();
    const StripLayout& parts = shown.strip.parts();
    QCOMPARE(parts.boundaryAt({tiny.left() - 5, y}).value_or(-1), 0);
    QCOMPARE(parts.boundaryAt({tiny.left() + 0.3 * tiny.width(), y}).value_or(-1), 0);
    QCOMPARE(parts.boundaryAt({tiny.right() - 0.3 * tiny.width(), y}).value_or(-1), 1);
    QCOMPARE(parts.boundaryAt({tiny.right() + 5, y}).value_or(-1), 1);
    QVERIFY(!parts.boundaryAt({tiny.right() + 8, y}));
}

void StripTest::theWheelZoomsToLayersThatAreTooNarrowToGrab() {
    ShownStrip shown;
    shown.strip.setPlan(aTinyLayer(), threeStagePlan());
    const QPointF at = shown.strip.parts().boxOf(1)->layers.center();
    const auto turn = [&](int notches, Qt::KeyboardModifiers held = Qt::NoModifier) {
        QWheelEvent wheel(at, shown.strip.mapToGlobal(at), {}, {0, 120 * notches}, Qt::NoButton, held,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(&shown.strip, &wheel);
    };
    turn(12);
    const QRectF tiny = shown.strip.parts().boxOf(1)->layers;
    QVERIFY(tiny.width() > 40 && tiny.contains(at));
    QVERIFY(shown.strip.parts().boxOf(2)->title.right() <= shown.strip.parts().ribbon.right() + 1e-9);
    // A boundary moves there by one of the tiny layers.
    shown.press(shown.boundary(1));
    shown.move({shown.layerEdge(3), shown.boundary(1).y()});
    shown.release({shown.layerEdge(3), shown.boundary(1).y()});
    QCOMPARE(shown.requested.size(), std::size_t{1});
    QVERIFY(shown.requested.back() == PlanEdit(MoveBoundary{1, -1}));
    // Free GPUs stay in sight, and what is beyond the ribbon is not under the pointer.
    QVERIFY(!shown.strip.parts().freeTitle.isEmpty());
    QVERIFY(!shown.strip.parts().stageAt(shown.strip.parts().freeTitle.center()));
    const double before = shown.strip.parts().edges[2];
    turn(-1, Qt::ShiftModifier);
    QVERIFY(shown.strip.parts().edges[2] < before);
    turn(-40);
    QCOMPARE(shown.strip.parts().edges.front(), shown.strip.parts().ribbon.left());
    QVERIFY(std::abs(shown.strip.parts().edges.back() - shown.strip.parts().ribbon.right()) < 1e-6);
}

namespace {

/// What a menu of ways to recompute offers, a star before what is checked.
QStringList waysIn(const QMenu& menu) {
    QStringList ways;
    for (const QAction* action : menu.actions()) ways << (action->isChecked() ? "*" : "") + action->text();
    return ways;
}

void clickEntry(QMenu* menu, const QString& text) {
    for (QAction* action : menu->actions())
        if (action->text() == text)
            return QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
    QFAIL(qPrintable("no entry " + text));
}

/// Right-clicks the strip and goes through its menu with the mouse: `title`, then `way`.
/// @return the ways that were offered
QStringList chooseWay(ShownStrip& shown, QPoint at, const QString& title, const QString& way,
                      QContextMenuEvent::Reason reason = QContextMenuEvent::Mouse) {
    QStringList offered;
    // The menu has an event loop of its own.
    QTimer::singleShot(0, [&] {
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        QVERIFY(menu);
        clickEntry(menu, title);
        QTRY_VERIFY(QApplication::activePopupWidget() != menu);
        auto* ways = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        QVERIFY(ways);
        offered = waysIn(*ways);
        clickEntry(ways, way);
    });
    QContextMenuEvent event(reason, at, shown.strip.mapToGlobal(at));
    QApplication::sendEvent(&shown.strip, &event);
    return offered;
}

const QString nothing = QStringLiteral("Nothing"), selective = QStringLiteral("Selective (attention scores)"),
              full = QStringLiteral("Full (layer by layer)"),
              fromInput = QStringLiteral("From the stage's input");

QString toolTipOf(ShownStrip& shown, QPoint at) {
    QHelpEvent help(QEvent::ToolTip, at, shown.strip.mapToGlobal(at));
    QApplication::sendEvent(&shown.strip, &help);
    return QToolTip::text();
}

}  // namespace

void StripTest::theMenuOfAStageSaysAndChangesWhatIsRecomputed() {
    ShownStrip shown;
    const QPoint title = shown.strip.parts().boxOf(1)->title.center().toPoint();
    QCOMPARE(chooseWay(shown, title, "Recompute", full),
             (QStringList{"*" + nothing, selective, full, fromInput}));
    QCOMPARE(shown.requested.size(), std::size_t{1});
    QVERIFY(shown.requested.back() == PlanEdit(SetMemory{2, 3, LayerMemory::checkpoint}));
    QCOMPARE(shown.strip.shownPlan().layerMemory(3), LayerMemory::checkpoint);  // until the document says
    shown.strip.setPlan(sixLayers(), shown.strip.shownPlan());
    QCOMPARE(chooseWay(shown, title, "Recompute", fromInput),
             (QStringList{nothing, selective, "*" + full, fromInput}));
    QVERIFY(shown.requested.back() == PlanEdit(SetMemory{2, 3, LayerMemory::recompute}));
    // What is so already is not asked for.
    shown.strip.setPlan(sixLayers(), shown.strip.shownPlan());
    chooseWay(shown, title, "Recompute", fromInput);
    QCOMPARE(shown.requested.size(), std::size_t{2});
    chooseWay(shown, title, "Recompute", nothing);
    QVERIFY(shown.requested.back() == PlanEdit(SetMemory{2, 3, LayerMemory::keep}));
    QVERIFY(shown.refusals.isEmpty());
}

void StripTest::theMenuOfALayerRecomputesItAlone() {
    ShownStrip shown;
    const QPoint third((shown.layerEdge(3) + shown.layerEdge(4)) / 2, shown.boundary(0).y());
    chooseWay(shown, third, "Recompute layer 3", full);
    QVERIFY(shown.requested.back() == PlanEdit(SetMemory{3, 3, LayerMemory::checkpoint}));
    shown.strip.setPlan(sixLayers(), shown.strip.shownPlan());
    // The stage's layers differ now: no way is that of all.
    QCOMPARE(chooseWay(shown, third, "Recompute", full), (QStringList{nothing, selective, full, fromInput}));
    QVERIFY(shown.requested.back() == PlanEdit(SetMemory{2, 3, LayerMemory::checkpoint}));
}

void StripTest::theMenuKeyIsOfTheSelectedStage() {
    ShownStrip shown;
    shown.strip.setFocus();
    for (int stage = 0; stage < 3; ++stage) QTest::keyClick(&shown.strip, Qt::Key_Right);
    QCOMPARE(shown.strip.chosenStage(), 2);
    const QPoint middle = shown.strip.rect().center();
    QVERIFY(shown.strip.parts().stageAt(middle)->stage != 2);
    chooseWay(shown, middle, "Recompute", full, QContextMenuEvent::Keyboard);
    QVERIFY(shown.requested.back() == PlanEdit(SetMemory{4, 5, LayerMemory::checkpoint}));
}

void StripTest::theMenuOfAStageDividesItsLayersWhereItCan() {
    ShownStrip shown;
    Problem problem = *sixLayers();
    problem.profile.divisible = {8, 8, 0};
    for (Layer& layer : problem.profile.layers) layer.division = LayerDivision{.forwardShare = 1};
    Plan plan = threeStagePlan();
    const auto divisible = std::make_shared<const Problem>(problem);
    shown.strip.setPlan(divisible, plan);
    const QPoint title = shown.strip.parts().boxOf(1)->title.center().toPoint();
    const QString by2 = "tensor parallel by 2", sequence = "tensor parallel by 2 with sequence parallelism";
    QCOMPARE(chooseWay(shown, title, "Divide its layers", sequence),
             (QStringList{"*not at all", by2, sequence}));
    QCOMPARE(shown.requested.size(), std::size_t{1});
    QVERIFY(shown.requested.back() == PlanEdit(SetGroup{1, {2, 1, 1, true}}));
    QVERIFY((shown.strip.shownPlan().stages[1].group == Group{2, 1, 1, true}));
    QVERIFY2(toolTipOf(shown, title).contains(sequence), qPrintable(toolTipOf(shown, title)));
    shown.strip.setPlan(divisible, shown.strip.shownPlan());
    QCOMPARE(chooseWay(shown, title, "Divide its layers", "not at all"),
             (QStringList{"not at all", by2, "*" + sequence}));
    QVERIFY((shown.requested.back() == PlanEdit(SetGroup{1, {}})));
    QVERIFY(shown.refusals.isEmpty());
}

void StripTest::selectiveRecomputationWithoutScoresIsRefusedInWords() {
    ShownStrip shown;
    const QPoint title = shown.strip.parts().boxOf(0)->title.center().toPoint();
    chooseWay(shown, title, "Recompute", selective);
    QVERIFY(shown.requested.empty());
    QCOMPARE(
        shown.refusals,
        QStringList{"the profile does not say what is stored in layers 0 to 1; a selective recomputation "
                    "needs a model with stored attention scores"});
    QVERIFY(shown.strip.shownPlan() == threeStagePlan());
    Problem problem = *sixLayers();
    problem.profile.layers[1].storedParts = {{ActivationCause::scores, 8}};
    shown.strip.setPlan(std::make_shared<const Problem>(problem), threeStagePlan());
    chooseWay(shown, title, "Recompute", selective);
    QVERIFY(shown.requested.back() == PlanEdit(SetMemory{0, 1, LayerMemory::selective}));
}

void StripTest::whatIsRecomputedIsMarkedAndSaid() {
    ShownStrip shown;
    Plan plan = threeStagePlan();
    plan.stages = {{0, 3, {0}}, {4, 5, {1}}};
    const QPoint title = shown.strip.parts().boxOf(0)->title.center().toPoint();
    const QImage kept = shown.strip.grab().toImage();
    shown.strip.setPlan(sixLayers(), plan);
    QVERIFY(!toolTipOf(shown, title).contains("ecomputed"));
    plan.memory.layers = {
        {0, LayerMemory::recompute}, {1, LayerMemory::recompute}, {3, LayerMemory::checkpoint}};
    shown.strip.setPlan(sixLayers(), plan);
    QVERIFY2(toolTipOf(shown, title)
                 .contains("2 of 4 layers recomputed from the stage's input, 1 of 4 recomputed fully"),
             qPrintable(toolTipOf(shown, title)));
    const QPoint third((shown.layerEdge(3) + shown.layerEdge(4)) / 2, shown.boundary(0).y());
    QVERIFY(toolTipOf(shown, third).endsWith("\nRecomputed fully"));
    // Layers that are recomputed together have one mark, and where nothing is recomputed there is none.
    const StripLayout& parts = shown.strip.parts();
    const std::vector<MemoryMark> marks = memoryMarks(parts, plan, plan.stages[0], parts.boxOf(0)->layers);
    QCOMPARE(marks.size(), std::size_t{2});
    QVERIFY(marks[0].place.left() < parts.edges[1] && marks[0].place.right() > parts.edges[1]);
    QVERIFY(marks[1].place.left() > parts.edges[3] && marks[1].place.right() < parts.edges[4]);
    QVERIFY(memoryMarks(parts, plan, plan.stages[1], parts.boxOf(1)->layers).empty());
    const QImage marked = shown.strip.grab().toImage();
    const auto colourAt = [&](const QImage& image, const QRectF& place) {
        return image.pixelColor(place.center().toPoint());
    };
    for (const MemoryMark& mark : marks) {
        QCOMPARE(colourAt(marked, mark.place), shownBlockColour(BlockKind::recompute));
        QVERIFY(colourAt(kept, mark.place) != shownBlockColour(BlockKind::recompute));
    }
}

STAGECRAFT_TEST(StripTest)
#include "strip_test.moc"
