#include "tests/support/qt_program.h"
#include "tests/support/window_rooms.h"
#include "tests/views/plan_view_fixture.h"
#include "views/common/choice_popup.h"
#include "views/timeline/lane_labels.h"
#include "views/timeline/plan_lanes.h"

#include <QAction>
#include <QContextMenuEvent>
#include <QLineEdit>
#include <QMenu>
#include <QScrollBar>
#include <QTest>
#include <QTimer>

#include <algorithm>

using namespace stagecraft;

namespace {

/// Two stages a server, and so high that the lanes have to be scrolled.
MadeUpPipeline manyStages() {
    MadeUpPipeline wanted;
    wanted.stages = 24;
    return wanted;
}

}  // namespace

class PlanLanesTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup() { shown_.reset(); }

    void aPinnedLaneStaysAtTheTopWithTheNameOfItsServer();
    void whatPassesBelowPinnedLanesIsCutOffOrHidden();
    void aBlockHiddenByPinnedLanesIsScrolledToBelowThem();
    void collapsedServersAreBandsThatOpenAtAClick();
    void aBandIsAsBusyAsItsLanes();
    void lanesStandInTheOrderAskedFor();
    void theMenuOfANamePinsItsLane();
    void aLaneIsFoundByItsName();
    void theArrangementComesBackAsItWasSaved();

private:
    const std::vector<LaneRow>& rows() { return view_->gantt().scene().rows; }
    int topOf(int lane) {
        const GanttScene& scene = view_->gantt().scene();
        return rows()[static_cast<std::size_t>(scene.rowOfLane[static_cast<std::size_t>(lane)])].top -
               scene.scroll;
    }
    QScrollBar* bar() { return view_->gantt().findChild<QScrollBar*>(QString(), Qt::FindDirectChildrenOnly); }
    LaneLabels* labels() { return view_->gantt().findChild<LaneLabels*>(); }

    std::unique_ptr<ShownPlanView> shown_;
    PlanView* view_ = nullptr;
};

void PlanLanesTest::init() {
    shown_ = std::make_unique<ShownPlanView>(manyStages());
    view_ = &shown_->view;
    QVERIFY(QTest::qWaitForWindowExposed(view_));
    view_->setFocus();
}

void PlanLanesTest::aPinnedLaneStaysAtTheTopWithTheNameOfItsServer() {
    QVERIFY(bar()->isVisible());
    const int lane = 17;
    view_->lanes().setPinned(lane, true);
    view_->lanes().setPinned(3, true);
    QCOMPARE(rows()[0].lane, lane);
    QCOMPARE(rows()[1].lane, 3);
    QVERIFY(rows()[0].label.startsWith("s8"));
    const int top = topOf(lane);
    bar()->setValue(bar()->maximum());
    QCOMPARE(topOf(lane), top);
    QVERIFY(topOf(0) < 0);
    // The pointer finds its blocks there.
    const quint32 block = shown_->timeline().lanes[lane].firstBlock;
    QTest::mouseClick(&shown_->plot(), Qt::LeftButton, {}, shown_->centreOf(block).toPoint());
    QCOMPARE(view_->selectedBlock(), block);
    view_->lanes().unpinAll();
    QVERIFY(!rows()[0].pinned);
    QCOMPARE(rows()[0].lane, 0);
}

void PlanLanesTest::whatPassesBelowPinnedLanesIsCutOffOrHidden() {
    view_->lanes().setPinned(20, true);
    const int edge = rows()[0].place + rows()[0].height;
    for (int scroll = 0; scroll <= bar()->maximum(); scroll += 7) {
        bar()->setValue(scroll);
        for (std::size_t i = 1; i < rows().size(); ++i) {
            const int top = rows()[i].top - scroll;
            QVERIFY(top > edge || top < -1000);
            QVERIFY(rows()[i].height > 0);
        }
    }
}

void PlanLanesTest::aBlockHiddenByPinnedLanesIsScrolledToBelowThem() {
    for (const int lane : {20, 21, 22}) view_->lanes().setPinned(lane, true);
    bar()->setValue(bar()->maximum());
    view_->selectBlock(shown_->timeline().lanes[0].firstBlock);
    QVERIFY(topOf(0) > rows()[2].place + rows()[2].height);
    QVERIFY(topOf(0) < shown_->plot().area().height());
}

void PlanLanesTest::collapsedServersAreBandsThatOpenAtAClick() {
    const std::size_t all = rows().size();
    view_->run("collapse");
    const auto bands =
        std::count_if(rows().begin(), rows().end(), [](const LaneRow& r) { return r.group >= 0; });
    QCOMPARE(bands, 12);
    QVERIFY(rows().size() < all);
    for (const LaneRow& row : rows())
        QVERIFY(row.lane < 0 ||
                shown_->timeline().lanes[static_cast<std::size_t>(row.lane)].kind != LaneKind::compute);
    QVERIFY(rows()[0].label.startsWith(QString::fromUtf8("▸ s0 · 4 GPUs · ")));
    QTest::mouseMove(&shown_->plot(), QPoint(200, shown_->plot().area().top() + rows()[0].top + 5));
    QCOMPARE(view_->selectedBlock(), noBlock);
    const QRect area = shown_->plot().area();
    QTest::mouseClick(labels(), Qt::LeftButton, {}, QPoint(60, area.top() + rows()[0].top + 5));
    QCOMPARE(std::count_if(rows().begin(), rows().end(), [](const LaneRow& r) { return r.group >= 0; }), 11);
    QVERIFY(view_->gantt().scene().rowOfLane[0] >= 0);
    const auto second =
        std::find_if(rows().begin(), rows().end(), [](const LaneRow& r) { return r.group >= 0; });
    QTest::mouseClick(&shown_->plot(), Qt::LeftButton, {},
                      QPoint(area.center().x(), area.top() + second->top + 5));
    QCOMPARE(std::count_if(rows().begin(), rows().end(), [](const LaneRow& r) { return r.group >= 0; }), 10);
    view_->run("expand");
    QCOMPARE(rows().size(), all);
}

void PlanLanesTest::aBandIsAsBusyAsItsLanes() {
    const Timeline& timeline = shown_->timeline();
    const std::vector<int> lanes{0, 5, 9};
    const BusyCurve curve(timeline, lanes);
    std::vector<float> shares;
    const int count = 53;
    const double from = -0.01, columnS = (timeline.lastEndS() + 0.02) / count;
    curve.columnShares(from, columnS, count, shares);
    for (int c = 0; c < count; ++c) {
        const double t0 = from + c * columnS, t1 = t0 + columnS;
        double busyS = 0;
        for (const int lane : lanes)
            for (quint32 b = timeline.lanes[static_cast<std::size_t>(lane)].firstBlock;
                 b < timeline.lanes[static_cast<std::size_t>(lane)].endBlock; ++b)
                busyS += std::max(0.0, std::min(t1, timeline.endS[b]) - std::max(t0, timeline.startS[b]));
        QVERIFY(std::abs(static_cast<double>(shares[static_cast<std::size_t>(c)]) - busyS / (3 * columnS)) <
                1e-4);
        QVERIFY(std::abs(curve.share(t0, t1) - busyS / (3 * columnS)) < 1e-9);
    }
}

void PlanLanesTest::lanesStandInTheOrderAskedFor() {
    const auto computeLanes = [this] {
        std::vector<int> lanes;
        for (const LaneRow& row : rows())
            if (row.lane >= 0 && !row.thin) lanes.push_back(row.lane);
        return lanes;
    };
    view_->run("sortByBusy");
    const std::vector<int> byBusy = computeLanes();
    const auto busyS = [this](int lane) {
        double sum = 0;
        const Lane& range = shown_->timeline().lanes[static_cast<std::size_t>(lane)];
        for (quint32 b = range.firstBlock; b < range.endBlock; ++b) sum += shown_->timeline().durationS(b);
        return sum;
    };
    for (std::size_t i = 1; i < byBusy.size(); ++i) QVERIFY(busyS(byBusy[i - 1]) >= busyS(byBusy[i]) - 1e-6);
    QVERIFY(busyS(byBusy.front()) > busyS(byBusy.back()));
    view_->run("sortByDevice");
    const std::vector<int> byDevice = computeLanes();
    QVERIFY(std::is_sorted(byDevice.begin(), byDevice.end()));
    QCOMPARE(byDevice.size(), byBusy.size());
    // What serves a lane is below it in each order.
    for (std::size_t i = 1; i < rows().size(); ++i)
        if (rows()[i].thin && rows()[i].label.startsWith("AllReduce")) QVERIFY(!rows()[i - 1].thin);
}

void PlanLanesTest::theMenuOfANamePinsItsLane() {
    const QPoint name(40, shown_->plot().area().top() + rows()[0].top + 4);
    const int lane = rows()[0].lane;
    // The menu has an event loop of its own.
    QTimer::singleShot(0, this, [] {
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        QVERIFY(menu);
        QCOMPARE(menu->actions().front()->text(), QString("Pin at the top"));
        QTest::keyClick(menu, Qt::Key_Down);
        QTest::keyClick(menu, Qt::Key_Return);
    });
    QContextMenuEvent event(QContextMenuEvent::Mouse, name, labels()->mapToGlobal(name));
    QApplication::sendEvent(labels(), &event);
    QVERIFY(view_->lanes().isPinned(lane));
}

void PlanLanesTest::aLaneIsFoundByItsName() {
    view_->lanes().collapseAll(true);
    QTest::keyClick(view_, Qt::Key_P, Qt::ControlModifier);
    auto* popup = view_->findChild<ChoicePopup*>("laneFinder");
    QVERIFY(popup);
    auto* field = popup->findChild<QLineEdit*>();
    QTest::keyClicks(field, "stage 22");
    QTest::keyClick(field, Qt::Key_Return);
    const int row = view_->gantt().scene().rowOfLane[22];
    QVERIFY(row >= 0);
    QVERIFY(topOf(22) >= 0 && topOf(22) < shown_->plot().area().height());
}

void PlanLanesTest::theArrangementComesBackAsItWasSaved() {
    view_->lanes().setPinned(4, true);
    view_->lanes().setCollapsed("s3", true);
    view_->lanes().setOrder(LaneOrder::device);
    const PlanViewState saved = view_->viewState();
    PlanView other;
    other.resize(1000, 700);
    other.setViewState(saved);
    other.setRun(shown_->run);
    QVERIFY(other.viewState().lanes == saved.lanes);
    const auto& theirs = other.gantt().scene().rows;
    QCOMPARE(theirs.size(), rows().size());
    for (std::size_t i = 0; i < theirs.size(); ++i) QCOMPARE(theirs[i].label, rows()[i].label);
    // Of another plan, which has none of them, nothing stays but the order.
    auto small = madeUpRun();
    other.setRun(small);
    QVERIFY(std::none_of(other.gantt().scene().rows.begin(), other.gantt().scene().rows.end(),
                         [](const LaneRow& row) { return row.group >= 0; }));
}

STAGECRAFT_TEST(PlanLanesTest)
#include "plan_lanes_test.moc"
