#include "views/plan/plan_navigator.h"

#include "core/analysis/repeating_period.h"
#include "views/common/text.h"
#include "views/plan/plan_charts.h"
#include "views/plan/questions.h"
#include "views/plan/resource_charts.h"
#include "views/timeline/block_text.h"
#include "views/timeline/gantt_chart.h"

#include <algorithm>
#include <tuple>

namespace stagecraft::views::plan {

namespace {
constexpr double marginPart = 0.01;     // of the iteration, before its start and after its end
constexpr double leastSpanPart = 1e-8;  // of the iteration: zooming stops there
constexpr double roomAroundStretch =
    0.5;                                 // on each side of a stretch that was out of sight, in its own length
constexpr double roomAroundBlock = 2.5;  // likewise of a block that is fitted

TimeAxis withinIteration(TimeAxis axis, double endS) {
    const double whole = endS > 0 ? endS : 1;
    return axis.clampedTo(-marginPart * whole, (1 + marginPart) * whole, leastSpanPart * whole);
}
}  // namespace

PlanNavigator::PlanNavigator(PlanCharts& charts, Questions& questions, QObject* parent)
    : QObject(parent), charts_(charts), questions_(questions) {
    for (TimePlot* plot : charts_.plots()) {
        connect(plot, &TimePlot::rangeRequested, this, &PlanNavigator::setVisibleRange);
        connect(plot, &TimePlot::rangeMarked, this, [this, plot] { markRange(plot->markedRange()); });
    }
    GanttChart& gantt = charts_.gantt();
    connect(&gantt, &GanttChart::cursorMoved, this, [this](double timeS) { setCursor(timeS); });
    connect(&gantt, &GanttChart::cursorLeft, this, [this] { setCursor(std::nullopt); });
    connect(&gantt, &GanttChart::blockHovered, this,
            [this](quint32 block) { tellOf(block != noBlock ? block : selected()); });
    connect(&gantt, &GanttChart::blockClicked, this, &PlanNavigator::select);
    connect(&gantt, &GanttChart::blockActivated, this, [this](quint32 block) {
        select(block);
        fitSelection();
    });
    ResourceCharts& resources = charts_.resources();
    connect(&resources, &ResourceCharts::cursorMoved, this, [this](double timeS) { setCursor(timeS); });
    connect(&resources, &ResourceCharts::cursorLeft, this, [this] { setCursor(std::nullopt); });
    connect(&resources, &ResourceCharts::blockPicked, this, &PlanNavigator::select);
    connect(&questions_, &Questions::blockRequested, this, &PlanNavigator::select);
    connect(&questions_, &Questions::statusChanged, this, &PlanNavigator::statusText);
}

void PlanNavigator::setData(std::shared_ptr<const ChartData> data) { data_ = std::move(data); }

std::pair<double, double> PlanNavigator::visibleRange() const {
    if (!data_) return {0, 0};
    const TimeAxis axis = charts_.gantt().plot().axis();
    return {axis.t0, axis.t1};
}

void PlanNavigator::setVisibleRange(double t0, double t1) {
    if (!data_ || !(t0 < t1)) return;
    const TimeAxis shown = withinIteration({t0, t1, 0, 1}, data_->endS);
    charts_.setRange(shown.t0, shown.t1);
    emit rangeShown();
}

std::pair<double, double> PlanNavigator::wholeRange() const {
    if (!data_) return {0, 1};
    const TimeAxis all = withinIteration({-2 * data_->endS - 1, 4 * data_->endS + 1, 0, 1}, data_->endS);
    return {all.t0, all.t1};
}

void PlanNavigator::fitAll() {
    if (!data_) return;
    const auto [from, to] = wholeRange();
    setVisibleRange(from, to);
}

void PlanNavigator::fitSelection() {
    if (!data_) return;
    double from = 0, to = 0;
    if (const auto marked = charts_.gantt().plot().markedRange()) {
        std::tie(from, to) = *marked;
    } else if (const quint32 block = selected(); block != noBlock) {
        const Timeline& timeline = data_->timeline();
        const double room = roomAroundBlock * timeline.durationS(block);
        from = timeline.startS[block] - room;
        to = timeline.endS[block] + room;
    }
    if (!(from < to)) return fitAll();
    const auto before = visibleRange();
    setVisibleRange(from, to);
    if (visibleRange() == before) fitAll();
}

void PlanNavigator::fitPeriod() {
    if (!data_) return;
    const auto period = repeatingPeriod(data_->timeline());
    if (!period) {
        emit statusText(
            tr("Nothing in this timeline repeats: no two stretches in a row are alike on all devices"));
        return;
    }
    setVisibleRange(period->fromS, period->fromS + period->lengthS);
    emit statusText(tr("One of %1 that are alike: every %2, %3 further")
                        .arg(countedText(period->periods(), "period"), secondsText(period->lengthS),
                             countedText(period->microbatches, "microbatch", "microbatches")));
}

void PlanNavigator::zoomBy(double factor) {
    const TimeAxis axis = charts_.gantt().plot().axis();
    const double x =
        cursor_ && *cursor_ > axis.t0 && *cursor_ < axis.t1 ? axis.toX(*cursor_) : axis.x0 + axis.width / 2;
    const TimeAxis zoomed = axis.zoomedAt(x, factor);
    setVisibleRange(zoomed.t0, zoomed.t1);
}

void PlanNavigator::panBy(double partOfView) {
    const TimeAxis axis = charts_.gantt().plot().axis();
    const TimeAxis moved = axis.panned(-partOfView * axis.width);
    setVisibleRange(moved.t0, moved.t1);
}

void PlanNavigator::showStretch(double fromS, double toS) {
    const auto [t0, t1] = visibleRange();
    if (fromS >= t0 && toS <= t1) return;
    const double span = std::max(t1 - t0, (1 + 2 * roomAroundStretch) * (toS - fromS));
    setVisibleRange((fromS + toS - span) / 2, (fromS + toS + span) / 2);
}

void PlanNavigator::showInstant(double timeS) {
    showStretch(timeS, timeS);
    setCursor(timeS);
}

quint32 PlanNavigator::selected() const { return charts_.gantt().scene().selected; }

void PlanNavigator::select(quint32 block) {
    if (!data_ || (block != noBlock && block >= data_->timeline().blockCount())) return;
    const bool changed = block != selected();
    charts_.gantt().select(block);
    if (block != noBlock) {
        const Timeline& timeline = data_->timeline();
        const auto [t0, t1] = visibleRange();
        const double start = timeline.startS[block], end = timeline.endS[block], span = t1 - t0;
        if (end <= t0 || start >= t1 || (end > t1 && end - start < span) ||
            (start < t0 && end - start < span)) {
            const double centre = end - start < span ? (start + end) / 2 : start;
            setVisibleRange(centre - span / 2, centre + span / 2);
        }
    }
    questions_.tellBlock(block);
    if (!changed) return;
    emit blockSelected(block);
    tellOf(block);
}

void PlanNavigator::restoreSelection(quint32 block) {
    const bool exists = block != noBlock && block < data_->timeline().blockCount();
    charts_.gantt().select(exists ? block : noBlock);
    questions_.tellBlock(selected());
}

void PlanNavigator::tellOf(quint32 block) {
    emit statusText(block == noBlock ? QString() : blockLine(*data_, block));
}

void PlanNavigator::stepInLane(int step) {
    const Timeline& timeline = data_->timeline();
    const quint32 block = selected();
    if (block == noBlock) {  // begin with what is at the upper left
        for (const int lane : charts_.gantt().visibleLanes()) {
            const quint32 first = data_->busy.firstFrom(timeline, lane, visibleRange().first);
            if (first < timeline.lanes[static_cast<std::size_t>(lane)].endBlock) return select(first);
        }
        return;
    }
    const Lane& lane = timeline.lanes[static_cast<std::size_t>(timeline.laneOf(block))];
    if (step > 0 && block + 1 < lane.endBlock) select(block + 1);
    if (step < 0 && block > lane.firstBlock) select(block - 1);
}

void PlanNavigator::stepAlongDependencies(bool forward) {
    const quint32 block = selected();
    if (block == noBlock) return stepInLane(1);
    const Timeline& timeline = data_->timeline();
    quint32 next = noBlock;
    for (const BlockArrow& arrow : charts_.gantt().scene().arrows) {
        const quint32 other = forward ? arrow.to : arrow.from;
        if (other == block) continue;
        const bool decisive =
            forward ? timeline.waitedFor[other] == block : timeline.waitedFor[block] == other;
        if (decisive) return select(other);
        if (next == noBlock) next = other;
    }
    if (next != noBlock) select(next);
}

void PlanNavigator::markRange(std::optional<std::pair<double, double>> range) {
    for (TimePlot* plot : charts_.plots()) plot->setMarkedRange(range);
    charts_.gantt().showShares(range);
    questions_.askRange(range);
}

void PlanNavigator::markSelected() {
    const quint32 block = selected();
    if (block == noBlock) return;
    const Timeline& timeline = data_->timeline();
    markRange(std::pair(timeline.startS[block], timeline.endS[block]));
}

void PlanNavigator::clearOne() {
    if (charts_.gantt().plot().markedRange()) return markRange(std::nullopt);
    if (!questions_.clearIdle()) select(noBlock);
}

void PlanNavigator::setCursor(std::optional<double> timeS) {
    cursor_ = timeS ? timeS : restingCursor_;
    charts_.setCursorTime(cursor_);
}

void PlanNavigator::setRestingCursor(std::optional<double> timeS) {
    restingCursor_ = timeS;
    setCursor(std::nullopt);
}

void PlanNavigator::follow(double timeS) {
    const TimeAxis axis = charts_.gantt().plot().axis(), wanted = axis.following(timeS, data_->endS);
    if (wanted.t0 != axis.t0) setVisibleRange(wanted.t0, wanted.t1);
}

ChartNote PlanNavigator::noteHere() const {
    ChartNote note;
    if (const auto marked = charts_.gantt().plot().markedRange()) {
        note.atS = marked->first;
        note.untilS = marked->second;
    } else if (const quint32 block = selected(); block != noBlock) {
        const Timeline& timeline = data_->timeline();
        note.block = nameOfBlock(timeline, block);
        note.atS = timeline.startS[block];
        note.untilS = timeline.endS[block];
        const Lane& lane = timeline.lanes[static_cast<std::size_t>(timeline.laneOf(block))];
        if (lane.kind == LaneKind::compute)
            note.device = data_->cluster().devices[static_cast<std::size_t>(lane.devices.front())].id;
    } else {
        const auto [t0, t1] = visibleRange();
        note.atS = cursor_.value_or((t0 + t1) / 2);
    }
    if (const auto [t0, t1] = visibleRange(); t1 > t0) note.viewS = {t0, t1};
    note.atS = std::max(0.0, note.atS);
    if (note.untilS && *note.untilS <= note.atS) note.untilS.reset();
    return note;
}

}  // namespace stagecraft::views::plan
