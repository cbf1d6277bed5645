#include "core/analysis/repeating_period.h"
#include "core/base/indices.h"
#include "tests/support/qt_program.h"
#include "tests/support/window_rooms.h"
#include "tests/views/plan_view_fixture.h"
#include "views/plan/notice.h"
#include "views/timeline/lane_labels.h"
#include "views/resources/memory_chart.h"

#include <QAction>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

using namespace stagecraft;

class GanttViewTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup() { shown_.reset(); }

    void wheelZoomsAtThePointer();
    void shiftWheelAndDragPan();
    void clickSelectsTheBlockUnderIt();
    void shiftDragMarksBetweenEdgesOfBlocks();
    void namesSayHowBusyTheirLanesAre();
    void hoverTellsTheBlockAndItsCard();
    void keysZoomPanAndFit();
    void shiftFFitsAPeriodOfTheSteadyState();
    void keysStepThroughTheLane();
    void bracketsFollowWhatLetABlockStart();
    void arrowsAreExactlyTheNeighbours();
    void arrowsPassOverHiddenTransfers();
    void bubblesToggleChangesPixels();
    void communicationToggleChangesLanes();
    void criticalPathToggleChangesPixels();
    void memoryReadOutIsTheCurveAtThePointer();
    void memoryRowShowsTheKindsOfADevice();
    void bothChartsShowTheSameTime();
    void stateComesBackAsItWasSaved();
    void failedRunShowsItsReason();
    void excessAndViolationsAreTold();
    void memoryThatIsCountedTooSmallIsMarked();
    void pictureHasTheResolutionAskedFor();
    void themeChangeRepaintsInItsColours();
    void largeTimelineIsPreparedOffTheGuiThread();
    void aNewSizeIsDrawnOnce();

private:
    TimePlot& plot() { return shown_->plot(); }
    const Timeline& timeline() const { return shown_->timeline(); }
    QPointF centreOf(quint32 block) { return shown_->centreOf(block); }
    quint32 block(BlockKind kind, int stage, int microbatch) {
        return shown_->block(kind, stage, microbatch);
    }
    void wheel(QPointF at, int delta, Qt::KeyboardModifiers modifiers = Qt::NoModifier);
    QImage shot() { return shown_->shot(); }

    std::unique_ptr<ShownPlanView> shown_;
    PlanView* view_ = nullptr;
};

void GanttViewTest::init() {
    shown_ = std::make_unique<ShownPlanView>();
    view_ = &shown_->view;
    QVERIFY(QTest::qWaitForWindowExposed(view_));
    view_->setFocus();
}

void GanttViewTest::wheel(QPointF at, int delta, Qt::KeyboardModifiers modifiers) {
    QWheelEvent event(at, plot().mapToGlobal(at), QPoint(), QPoint(0, delta), Qt::NoButton, modifiers,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(&plot(), &event);
}

void GanttViewTest::wheelZoomsAtThePointer() {
    const QPointF at(plot().area().center().x() + 60, 100);
    for (const Qt::KeyboardModifiers modifiers : {Qt::NoModifier, Qt::ControlModifier}) {
        const TimeAxis before = plot().axis();
        wheel(at, 240, modifiers);
        const TimeAxis after = plot().axis();
        QVERIFY(after.spanS() < 0.7 * before.spanS());
        QVERIFY(std::abs(after.toTime(at.x()) - before.toTime(at.x())) < 1e-9);
    }
    const double close = plot().axis().spanS();
    wheel(at, -120);
    QVERIFY(plot().axis().spanS() > close);
}

void GanttViewTest::shiftWheelAndDragPan() {
    view_->setVisibleRange(0.05, 0.1);
    const TimeAxis before = plot().axis();
    wheel(QPointF(300, 100), 50, Qt::ShiftModifier);
    QVERIFY(std::abs(plot().axis().toX(0.07) - before.toX(0.07) - 50) < 1e-6);

    const TimeAxis start = plot().axis();
    QTest::mousePress(&plot(), Qt::LeftButton, {}, QPoint(300, 100));
    QTest::mouseMove(&plot(), QPoint(340, 110));
    QTest::mouseMove(&plot(), QPoint(260, 120));
    QTest::mouseRelease(&plot(), Qt::LeftButton, {}, QPoint(260, 120));
    QVERIFY(std::abs(plot().axis().toX(0.07) - start.toX(0.07) + 40) < 1e-6);
    QCOMPARE(view_->selectedBlock(), noBlock);  // a drag is no click
}

void GanttViewTest::clickSelectsTheBlockUnderIt() {
    QSignalSpy selected(view_, &PlanView::blockSelected);
    for (const int stage : {0, 2, 3}) {
        const quint32 wanted = block(BlockKind::backward, stage, 3);
        QTest::mouseClick(&plot(), Qt::LeftButton, {}, centreOf(wanted).toPoint());
        QCOMPARE(view_->selectedBlock(), wanted);
        QCOMPARE(selected.last().at(0).toUInt(), wanted);
    }
    QVERIFY(view_->hasFocus());  // so that keys work after a click
    QTest::keyClick(view_, Qt::Key_Escape);
    QCOMPARE(view_->selectedBlock(), noBlock);
    QCOMPARE(selected.last().at(0).toUInt(), noBlock);
}

void GanttViewTest::shiftDragMarksBetweenEdgesOfBlocks() {
    const quint32 from = block(BlockKind::backward, 0, 1), to = block(BlockKind::backward, 0, 2);
    const QRectF left = view_->gantt().blockRect(from), right = view_->gantt().blockRect(to);
    const QPoint start = left.center().toPoint() + QPoint(int(left.width() / 2) - 2, 0);
    const QPoint end = right.center().toPoint() - QPoint(int(right.width() / 2) + 3, 0);
    QTest::mousePress(&plot(), Qt::LeftButton, Qt::ShiftModifier, start);
    QTest::mouseMove(&plot(), end);
    QTest::mouseRelease(&plot(), Qt::LeftButton, Qt::ShiftModifier, end);
    QVERIFY(plot().markedRange());
    QCOMPARE(plot().markedRange()->first, timeline().endS[from]);
    QCOMPARE(plot().markedRange()->second, timeline().startS[to]);
    QCOMPARE(view_->memory().plot().markedRange(), plot().markedRange());
    QTest::keyClick(view_, Qt::Key_F);
    QVERIFY(std::abs(view_->visibleRange().first - timeline().endS[from]) < 1e-9);
    QTest::keyClick(view_, Qt::Key_Escape);
    QVERIFY(!plot().markedRange());
}

void GanttViewTest::namesSayHowBusyTheirLanesAre() {
    const auto busy = [this](const LaneRow& row, double fromS, double toS) {
        const Lane& lane = timeline().lanes[at(row.lane)];
        double sum = 0;
        for (quint32 b = lane.firstBlock; b < lane.endBlock; ++b)
            sum += std::max(0.0, std::min(toS, timeline().endS[b]) - std::max(fromS, timeline().startS[b]));
        const int whole = qRound(100 * sum / (toS - fromS));
        return sum > 0 && whole == 0 ? QString("<1 %") : QString("%1 %").arg(whole);
    };
    const auto& rows = view_->gantt().scene().rows;
    const double endS = timeline().lastEndS();
    QSet<QString> seen;
    for (const LaneRow& row : rows) {
        QCOMPARE(row.share, row.thin ? QString() : busy(row, 0, endS));
        if (!row.thin) QVERIFY(LaneLabels::toolTipOf(row).contains("of the whole run"));
        seen << row.share;
    }
    QVERIFY(seen.size() > 2);
    // Of a range that is marked, until it no longer is.
    const QPointF from = centreOf(block(BlockKind::forward, 0, 0));
    const QPoint to = centreOf(block(BlockKind::backward, 0, 1)).toPoint();
    QTest::mousePress(&plot(), Qt::LeftButton, Qt::ShiftModifier, from.toPoint());
    QTest::mouseMove(&plot(), to);
    QTest::mouseRelease(&plot(), Qt::LeftButton, Qt::ShiftModifier, to);
    const auto marked = plot().markedRange();
    QVERIFY(marked);
    for (const LaneRow& row : rows)
        if (!row.thin) {
            QCOMPARE(row.share, busy(row, marked->first, marked->second));
            QVERIFY(row.shareTip.contains("of the marked range"));
        }
    view_->setFocus();
    QTest::keyClick(view_, Qt::Key_Escape);
    QCOMPARE(rows.front().share, busy(rows.front(), 0, endS));
}

void GanttViewTest::hoverTellsTheBlockAndItsCard() {
    QSignalSpy hovered(view_, &PlanView::blockHovered);
    QSignalSpy status(view_, &PlanView::statusText);
    const quint32 wanted = block(BlockKind::forward, 1, 2);
    QTest::mouseMove(&plot(), centreOf(wanted).toPoint());
    QCOMPARE(hovered.last().at(0).toUInt(), wanted);
    QVERIFY(status.last().at(0).toString().startsWith("forward of microbatch 2 on stage 1"));
    const auto cards = view_->findChildren<HoverCard*>();
    QVERIFY(std::any_of(cards.begin(), cards.end(), [](const HoverCard* card) {
        return card->isVisible() && card->html().contains("Forward of microbatch 2 on stage 1") &&
               card->html().contains("waited for");
    }));
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(&plot(), &leave);
    QCOMPARE(hovered.last().at(0).toUInt(), noBlock);
    QVERIFY(
        std::none_of(cards.begin(), cards.end(), [](const HoverCard* card) { return card->isVisible(); }));
}

void GanttViewTest::keysZoomPanAndFit() {
    const auto whole = view_->visibleRange();
    QVERIFY(whole.first < 0 && whole.second > timeline().lastEndS());
    QTest::keyClick(view_, Qt::Key_W);
    const auto closer = view_->visibleRange();
    QVERIFY(closer.second - closer.first < whole.second - whole.first);
    QTest::keyClick(view_, Qt::Key_D);
    QVERIFY(view_->visibleRange().first > closer.first);
    QTest::keyClick(view_, Qt::Key_A);
    QVERIFY(std::abs(view_->visibleRange().first - closer.first) < 1e-9);
    QTest::keyClick(view_, Qt::Key_S);
    QTest::keyClick(view_, Qt::Key_S);
    QCOMPARE(view_->visibleRange(), whole);

    const quint32 wanted = block(BlockKind::forward, 2, 4);
    view_->selectBlock(wanted);
    QTest::keyClick(view_, Qt::Key_F);
    const auto fitted = view_->visibleRange();
    QVERIFY(fitted.first < timeline().startS[wanted] && fitted.second > timeline().endS[wanted]);
    QVERIFY(fitted.second - fitted.first < 10 * timeline().durationS(wanted));
    QTest::keyClick(view_, Qt::Key_F);
    QCOMPARE(view_->visibleRange(), whole);
    QTest::keyClick(view_, Qt::Key_F);
    QTest::keyClick(view_, Qt::Key_Home);
    QCOMPARE(view_->visibleRange(), whole);
}

void GanttViewTest::shiftFFitsAPeriodOfTheSteadyState() {
    const auto period = repeatingPeriod(timeline());
    QSignalSpy status(view_, &PlanView::statusText);
    QTest::keyClick(view_, Qt::Key_F, Qt::ShiftModifier);
    QVERIFY(!status.isEmpty());
    const QString said = status.last().at(0).toString();
    if (!period) {
        QVERIFY2(said.startsWith("Nothing in this timeline repeats"), qPrintable(said));
        return;
    }
    QVERIFY2(said.contains("that are alike"), qPrintable(said));
    const auto shown = view_->visibleRange();
    QVERIFY(std::abs(shown.first - period->fromS) < 1e-9 &&
            std::abs(shown.second - shown.first - period->lengthS) < 1e-9);
}

void GanttViewTest::keysStepThroughTheLane() {
    const quint32 from = block(BlockKind::forward, 1, 1);
    view_->selectBlock(from);
    QTest::keyClick(view_, Qt::Key_Period);
    QCOMPARE(view_->selectedBlock(), from + 1);
    QTest::keyClick(view_, Qt::Key_Comma);
    QCOMPARE(view_->selectedBlock(), from);
    const quint32 first = timeline().lanes.front().firstBlock;
    view_->selectBlock(first);
    QTest::keyClick(view_, Qt::Key_Comma);
    QCOMPARE(view_->selectedBlock(), first);  // nothing before it

    view_->setVisibleRange(0, 0.01);  // a step out of sight brings the block into view
    const quint32 last = timeline().lanes.front().endBlock - 1;
    view_->selectBlock(last);
    const auto [t0, t1] = view_->visibleRange();
    QVERIFY(t0 < timeline().endS[last] && t1 >= timeline().startS[last]);
}

void GanttViewTest::bracketsFollowWhatLetABlockStart() {
    const quint32 from = block(BlockKind::backward, 1, 2);
    view_->selectBlock(from);
    QTest::keyClick(view_, Qt::Key_BracketLeft);
    const quint32 before = view_->selectedBlock();
    QCOMPARE(before, timeline().waitedFor[from]);
    QTest::keyClick(view_, Qt::Key_BracketRight);
    QCOMPARE(timeline().waitedFor[view_->selectedBlock()], before);
}

void GanttViewTest::arrowsAreExactlyTheNeighbours() {
    for (const quint32 selected : {block(BlockKind::forward, 0, 0), block(BlockKind::backward, 2, 3),
                                   block(BlockKind::transferForward, 1, 2)}) {
        QVERIFY(selected != noBlock);
        view_->selectBlock(selected);
        const Neighbours around = neighbours(*shown_->run->evaluation->graph, timeline(), selected);
        std::vector<quint32> into, out;
        for (const BlockArrow& arrow : view_->gantt().scene().arrows) {
            QVERIFY(arrow.from == selected || arrow.to == selected);
            if (arrow.to == selected) into.push_back(arrow.from);
            if (arrow.from == selected) out.push_back(arrow.to);
        }
        auto predecessors = around.predecessors, successors = around.successors;
        std::sort(predecessors.begin(), predecessors.end());
        std::sort(successors.begin(), successors.end());
        QCOMPARE(into, predecessors);
        QCOMPARE(out, successors);
        QVERIFY(!into.empty() || !out.empty());
    }
}

void GanttViewTest::arrowsPassOverHiddenTransfers() {
    view_->viewActions().communication->setChecked(false);
    const quint32 selected = block(BlockKind::forward, 1, 0), sender = block(BlockKind::forward, 0, 0);
    view_->selectBlock(selected);
    const auto& arrows = view_->gantt().scene().arrows;
    QVERIFY(std::find(arrows.begin(), arrows.end(), BlockArrow{sender, selected}) != arrows.end());
}

void GanttViewTest::bubblesToggleChangesPixels() {
    const QImage hatched = shot();
    view_->viewActions().bubbles->trigger();
    const QImage plain = shot();
    QVERIFY(hatched != plain);
    // Idle before the first backward of stage 0 turns into surface; blocks stay as they are.
    const quint32 forward = block(BlockKind::forward, 0, 0);
    const QPoint inside = centreOf(forward).toPoint() + QPoint(0, 12);
    QCOMPARE(hatched.pixelColor(inside), plain.pixelColor(inside));
    QCOMPARE(plain.pixelColor(inside), blockColour(BlockKind::forward));
    // So does that before the first block of the last stage, as in printed figures.
    const quint32 first = block(BlockKind::forward, 3, 0);
    const QPoint middle = centreOf(first).toPoint();
    const int left = qRound(view_->gantt().blockRect(first).left());
    int changed = 0;
    for (int x = left / 2; x < left - 4; ++x)
        changed += hatched.pixelColor(x, middle.y()) != plain.pixelColor(x, middle.y());
    QVERIFY(changed > 3);
}

void GanttViewTest::communicationToggleChangesLanes() {
    const std::size_t all = view_->visibleLanes().size();
    view_->viewActions().communication->trigger();
    const std::vector<int> compute = view_->visibleLanes();
    QVERIFY(compute.size() < all);
    for (const int lane : compute)
        QVERIFY(timeline().lanes[static_cast<std::size_t>(lane)].kind == LaneKind::compute);
}

void GanttViewTest::criticalPathToggleChangesPixels() {
    const QImage without = shot();
    view_->viewActions().criticalPath->trigger();
    QVERIFY(without != shot());
    view_->viewActions().criticalPath->trigger();
    QCOMPARE(without, shot());
}

void GanttViewTest::memoryReadOutIsTheCurveAtThePointer() {
    MemoryList& list = view_->memory().list();
    const auto& series = view_->gantt().scene().data->memory;
    QVERIFY(series.size() > 1);
    for (std::size_t i = 0; i < series.size(); ++i) QCOMPARE(list.bytesOf(i), series[i].curve().peakBytes());
    for (const int x : {80, 333, 520}) {
        QTest::mouseMove(&plot(), QPoint(x, 80));
        const double timeS = plot().axis().toTime(x);
        QVERIFY(list.instant() && std::abs(*list.instant() - timeS) < 1e-9);
        for (std::size_t i = 0; i < series.size(); ++i)
            for (const int device : series[i].devices) {
                const MemoryCurve& curve = shown_->run->evaluation->memory[static_cast<std::size_t>(device)];
                QCOMPARE(list.bytesOf(i), curve.totalAt(curve.stepAt(*list.instant())));
            }
    }
}

void GanttViewTest::memoryRowShowsTheKindsOfADevice() {
    MemoryList& list = view_->memory().list();
    QCOMPARE(view_->memory().selectedDevice(), -1);
    QTest::mouseClick(&list, Qt::LeftButton, {}, list.rowRect(1).center());
    QCOMPARE(view_->memory().selectedDevice(), 2);  // the second stage starts at device 2
    QTest::qWait(20);
    QImage chart = view_->memory().plot().grab().toImage();
    const QRect area = view_->memory().plot().area();
    QCOMPARE(chart.pixelColor(area.center().x(), area.bottom() - 1), memoryColour(MemoryKind::parameters));
    QTest::mouseClick(&list, Qt::LeftButton, {}, list.rowRect(1).center());
    QCOMPARE(view_->memory().selectedDevice(), -1);
}

void GanttViewTest::bothChartsShowTheSameTime() {
    wheel(QPointF(400, 100), 360);
    const TimeAxis above = plot().axis(), below = view_->memory().plot().axis();
    QCOMPARE(above.t0, below.t0);
    QCOMPARE(above.t1, below.t1);
    const QPoint left = plot().mapTo(view_, plot().area().topLeft());
    const QPoint leftBelow = view_->memory().plot().mapTo(view_, view_->memory().plot().area().topLeft());
    QCOMPARE(left.x(), leftBelow.x());
    QCOMPARE(plot().area().width(), view_->memory().plot().area().width());
}

void GanttViewTest::stateComesBackAsItWasSaved() {
    view_->setVisibleRange(0.02, 0.05);
    view_->viewActions().criticalPath->setChecked(true);
    view_->viewActions().bubbles->setChecked(false);
    view_->viewActions().legend->setChecked(false);
    view_->selectBlock(5);
    view_->memory().selectDevice(4);
    const PlanViewState saved = view_->viewState();

    PlanView other;
    other.resize(1000, 700);
    other.setViewState(saved);  // before there is anything to show
    other.setRun(shown_->run);
    PlanViewState restored = other.viewState();
    QVERIFY(std::abs(restored.t0 - saved.t0) < 1e-12 && std::abs(restored.t1 - saved.t1) < 1e-12);
    restored.t0 = saved.t0;
    restored.t1 = saved.t1;
    QVERIFY(restored == saved);
    QVERIFY(saved.selected == 5 && saved.memoryDevice == 4 && saved.criticalPath && !saved.bubbles);
}

void GanttViewTest::failedRunShowsItsReason() {
    auto failed = std::make_shared<PlanRun>();
    failed->costs = shown_->run->costs;
    failed->result.status = PlanStatus::infeasible;
    failed->result.reason = "no partition fits 2.00 GiB";
    view_->setRun(failed);
    QVERIFY(!view_->isReady());
    QStringList shown;
    for (const QLabel* label : view_->findChildren<QLabel*>())
        if (label->isVisible()) shown << label->text();
    QVERIFY(shown.contains("no partition fits 2.00 GiB"));
    QVERIFY(shown.contains("No plan is possible"));
    QCOMPARE(view_->visibleLanes().size(), std::size_t(0));
}

void GanttViewTest::excessAndViolationsAreTold() {
    for (const NoticeRow* row : view_->findChildren<NoticeRow*>()) QVERIFY(!row->isVisible());
    MadeUpPipeline small;
    small.memoryLimitBytes = 2.5 * (1 << 30);
    auto tight = madeUpRun(small);
    auto evaluation = std::make_shared<Evaluation>(*tight->evaluation);
    evaluation->violations.push_back({Rule::deviceExclusive, "two blocks at once on s0g0", 3});
    tight->evaluation = evaluation;
    view_->setRun(tight);
    QStringList told;
    for (NoticeRow* row : view_->findChildren<NoticeRow*>())
        if (row->isVisible()) told << row->text();
    QCOMPARE(told.size(), 2);
    QVERIFY(told.join(" ").contains("two blocks at once on s0g0"));
    QVERIFY(told.join(" ").contains("exceeds its 2.50 GiB by"));
}

void GanttViewTest::memoryThatIsCountedTooSmallIsMarked() {
    auto run = madeUpRun();
    Problem half = run->costs->problem();
    half.profile.elementBytes = 2;
    run->costs = std::make_shared<CostModel>(half);
    view_->setRun(run);
    QStringList told;
    for (const NoticeRow* row : view_->findChildren<NoticeRow*>())
        if (row->isVisible()) told << row->text();
    QCOMPARE(told.size(), 1);
    QVERIFY2(told.front().startsWith("Memory understated: "), qPrintable(told.front()));
}

void GanttViewTest::pictureHasTheResolutionAskedFor() {
    const QImage once = view_->picture(1), twice = view_->picture(2);
    QCOMPARE(twice.size(), once.size() * 2);
    const quint32 wanted = block(BlockKind::forward, 0, 0);
    const QPoint at = plot().mapTo(&view_->gantt(), centreOf(wanted).toPoint() + QPoint(0, 12));
    QCOMPARE(once.pixelColor(at), blockColour(BlockKind::forward));
    QCOMPARE(twice.pixelColor(at * 2), blockColour(BlockKind::forward));
}

void GanttViewTest::themeChangeRepaintsInItsColours() {
    const QPoint corner(plot().area().left() + 1, plot().area().bottom() - 1);
    QCOMPARE(shot().pixelColor(corner), Theme::light().surface);
    applyTheme(*qApp, ThemeChoice::dark);
    QCOMPARE(shot().pixelColor(corner), Theme::night().surface);
}

void GanttViewTest::largeTimelineIsPreparedOffTheGuiThread() {
    MadeUpPipeline large;
    large.stages = 8;
    large.microbatches = 8000;
    QSignalSpy ready(view_, &PlanView::ready);
    view_->setRun(madeUpRun(large));
    QVERIFY(!view_->isReady());
    view_->setRun(madeUpRun(large));  // makes the first one void
    QTRY_VERIFY(view_->isReady());
    QTest::qWait(100);
    QCOMPARE(ready.count(), 1);
}

void GanttViewTest::aNewSizeIsDrawnOnce() {
    QTest::qWait(50);
    QSignalSpy drawn(&view_->gantt().plot(), &TimePlot::drawn);
    view_->resize(view_->size() - QSize(40, 60));
    QTest::qWait(100);
    QCOMPARE(drawn.count(), 1);
    QCOMPARE(view_->gantt().plot().grab().toImage().size(), view_->gantt().plot().size());
}

STAGECRAFT_TEST(GanttViewTest)
#include "gantt_view_test.moc"
