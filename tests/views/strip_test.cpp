// The partition strip: what it shows, and what it asks for when something is dragged, typed or clicked.

#include "tests/support/every_room.h"
#include "tests/support/qt_program.h"
#include "views/common/theme.h"
#include "views/strip/partition_strip.h"
#include "views/strip/strip_painter.h"

#include <QMouseEvent>
#include <QSignalSpy>
#include <QTest>
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

STAGECRAFT_TEST(StripTest)
#include "strip_test.moc"
