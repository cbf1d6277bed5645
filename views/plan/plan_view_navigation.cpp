// Moving through a plan: what is visible, what is selected, and the keys for both.

#include "views/plan/plan_notes.h"
#include "views/plan/plan_search.h"
#include "views/plan/plan_view.h"
#include "views/plan/questions.h"
#include "views/plan/resource_charts.h"
#include "views/resources/memory_chart.h"
#include "views/timeline/block_text.h"
#include "views/timeline/gantt_chart.h"
#include "views/timeline/plan_lanes.h"

#include <QAction>
#include <QApplication>

#include <algorithm>
#include <cmath>

namespace stagecraft {

namespace {
constexpr double marginPart = 0.01;     // of the iteration, before its start and after its end
constexpr double leastSpanPart = 1e-8;  // of the iteration: zooming stops there
constexpr int cardMargin = 8;
constexpr double roomAroundStretch = 0.5;  // likewise for a stretch of time out of sight
constexpr double roomAroundBlock = 2.5;    // on each side of a block that is fitted, in its own lengths

TimeAxis withinIteration(TimeAxis axis, double endS) {
    const double whole = endS > 0 ? endS : 1;
    return axis.clampedTo(-marginPart * whole, (1 + marginPart) * whole, leastSpanPart * whole);
}
}  // namespace

void PlanView::setVisibleRange(double t0, double t1) {
    if (!data_ || !(t0 < t1)) return;
    const TimeAxis shown = withinIteration({t0, t1, 0, 1}, data_->endS);
    gantt_->setRange(shown.t0, shown.t1);
    resources_->setRange(shown.t0, shown.t1);
}

std::pair<double, double> PlanView::visibleRange() const {
    if (!data_) return {0, 0};
    const TimeAxis axis = gantt_->plot().axis();
    return {axis.t0, axis.t1};
}

void PlanView::fitAll() {
    if (data_) setVisibleRange(-2 * data_->endS - 1, 4 * data_->endS + 1);
}

void PlanView::fitSelection() {
    if (!data_) return;
    double from = 0, to = 0;
    if (const auto marked = gantt_->plot().markedRange()) {
        std::tie(from, to) = *marked;
    } else if (const quint32 block = selectedBlock(); block != noBlock) {
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

std::vector<int> PlanView::visibleLanes() const { return gantt_->visibleLanes(); }
quint32 PlanView::selectedBlock() const { return gantt_->scene().selected; }

void PlanView::selectBlock(quint32 block) {
    if (!data_) {
        pending_.selected = block;
        return;
    }
    if (block != noBlock && block >= data_->timeline().blockCount()) return;
    const bool changed = block != selectedBlock();
    gantt_->select(block);
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
    questions_->tellBlock(block);
    if (!changed) return;
    emit blockSelected(block);
    emit statusText(block == noBlock ? QString() : blockLine(*data_, block));
}

void PlanView::zoomBy(double factor) {
    const TimeAxis axis = gantt_->plot().axis();
    const double x =
        cursor_ && *cursor_ > axis.t0 && *cursor_ < axis.t1 ? axis.toX(*cursor_) : axis.x0 + axis.width / 2;
    const TimeAxis zoomed = axis.zoomedAt(x, factor);
    setVisibleRange(zoomed.t0, zoomed.t1);
}

void PlanView::panBy(double partOfView) {
    const TimeAxis axis = gantt_->plot().axis();
    const TimeAxis moved = axis.panned(-partOfView * axis.width);
    setVisibleRange(moved.t0, moved.t1);
}

void PlanView::stepInLane(int step) {
    const Timeline& timeline = data_->timeline();
    const quint32 block = selectedBlock();
    if (block == noBlock) {  // begin with what is at the upper left
        for (const int lane : visibleLanes()) {
            const quint32 first = data_->busy.firstFrom(timeline, lane, visibleRange().first);
            if (first < timeline.lanes[static_cast<std::size_t>(lane)].endBlock) return selectBlock(first);
        }
        return;
    }
    const Lane& lane = timeline.lanes[static_cast<std::size_t>(timeline.laneOf(block))];
    if (step > 0 && block + 1 < lane.endBlock) selectBlock(block + 1);
    if (step < 0 && block > lane.firstBlock) selectBlock(block - 1);
}

/// Back to the block that let the selected one start; forth to the first that it let start. Where there is
/// none, along any arrow.
void PlanView::stepAlongDependencies(bool forward) {
    const quint32 block = selectedBlock();
    if (block == noBlock) return stepInLane(1);
    const Timeline& timeline = data_->timeline();
    quint32 next = noBlock;
    for (const BlockArrow& arrow : gantt_->scene().arrows) {
        const quint32 other = forward ? arrow.to : arrow.from;
        if (other == block) continue;
        const bool decisive =
            forward ? timeline.waitedFor[other] == block : timeline.waitedFor[block] == other;
        if (decisive) return selectBlock(other);
        if (next == noBlock) next = other;
    }
    if (next != noBlock) selectBlock(next);
}

void PlanView::clearOne() {
    if (keyCard_->isVisible()) return keyCard_->dismiss();
    if (search_->isOpen()) return search_->close();
    if (step_) return endSteps();
    if (gantt_->plot().markedRange()) {
        markRange(std::nullopt);
        return;
    }
    if (questions_->clearIdle()) return;
    selectBlock(noBlock);
}

/// In both charts, with what it holds beside them.
void PlanView::markRange(std::optional<std::pair<double, double>> range) {
    for (TimePlot* plot : plots()) plot->setMarkedRange(range);
    questions_->askRange(range);
}

void PlanView::showExcess() {
    const std::vector<MemoryExcess>& excesses = run_->evaluation->metrics.excesses;
    const auto worst = std::max_element(
        excesses.begin(), excesses.end(),
        [](const MemoryExcess& a, const MemoryExcess& b) { return a.excessBytes < b.excessBytes; });
    resources_->choose(Resource::memory);
    memory_->selectDevice(worst->device);
    const auto [t0, t1] = visibleRange();
    if (worst->timeS < t0 || worst->timeS > t1)
        setVisibleRange(worst->timeS - (t1 - t0) / 2, worst->timeS + (t1 - t0) / 2);
    setCursorTime(worst->timeS);
}

void PlanView::toggleKeys() {
    if (keyCard_->isVisible()) return keyCard_->dismiss();
    const std::vector<KeyHelp> rows = keyHelp();
    QString html = "<b>Keys and mouse</b><table cellpadding='2'>";
    // In two columns, since there are more than a view is high.
    const std::size_t half = (rows.size() + 1) / 2;
    for (std::size_t i = 0; i < half; ++i) {
        html += "<tr>";
        for (std::size_t row = i; row < rows.size(); row += half)
            html += QStringLiteral(
                        "<td style='padding-right:8px'><b>%1</b></td><td style='padding-right:16px'>%2</td>")
                        .arg(rows[row].keys.toHtmlEscaped(), rows[row].does.toHtmlEscaped());
        html += "</tr>";
    }
    keyCard_->setMostWidth(width() - 2 * cardMargin);
    keyCard_->show(html + "</table>", QPoint(width(), toolbar_->height() - 8));
}

void PlanView::makeParts() {
    search_ = new PlanSearch(*gantt_, *details_, this);
    lanes_ = new PlanLanes(*gantt_, this);
    notes_ = new PlanNotes(*gantt_, *details_, this);
    const auto openDetails = [this] { actions_.details->setChecked(true); };
    connect(search_, &PlanSearch::jumpRequested, this, &PlanView::jumpToBlock);
    connect(search_, &PlanSearch::listRequested, this, openDetails);
    connect(search_, &PlanSearch::closed, this, [this] { setFocus(); });
    connect(lanes_, &PlanLanes::communicationWanted, this,
            [this] { actions_.communication->setChecked(true); });
    connect(notes_, &PlanNotes::edited, this, &PlanView::notesEdited);
    connect(notes_, &PlanNotes::listRequested, this, openDetails);
    connect(notes_, &PlanNotes::addRequested, this, &PlanView::noteHere);
    connect(notes_, &PlanNotes::jumpRequested, this, &PlanView::showStretch);
    connect(qApp, &QApplication::focusChanged, this, &PlanView::followFocus);
}

void PlanView::jumpToBlock(quint32 block) {
    lanes_->reveal(data_->timeline().laneOf(block));
    selectBlock(block);
}

void PlanView::showStretch(double fromS, double toS) {
    const auto [t0, t1] = visibleRange();
    if (fromS >= t0 && toS <= t1) return;
    const double span = std::max(t1 - t0, (1 + 2 * roomAroundStretch) * (toS - fromS));
    setVisibleRange((fromS + toS - span) / 2, (fromS + toS + span) / 2);
}

void PlanView::markSelected() {
    const quint32 block = selectedBlock();
    if (block == noBlock) return;
    const Timeline& timeline = data_->timeline();
    markRange(std::pair(timeline.startS[block], timeline.endS[block]));
}

void PlanView::noteHere() {
    if (!data_) return;
    ChartNote note;
    const auto [t0, t1] = visibleRange();
    if (const auto marked = gantt_->plot().markedRange()) {
        note.atS = marked->first;
        note.untilS = marked->second;
    } else if (const quint32 block = selectedBlock(); block != noBlock) {
        const Timeline& timeline = data_->timeline();
        note.block = nameOfBlock(timeline, block);
        note.atS = timeline.startS[block];
        note.untilS = timeline.endS[block];
        const Lane& lane = timeline.lanes[static_cast<std::size_t>(timeline.laneOf(block))];
        if (lane.kind == LaneKind::compute)
            note.device = data_->cluster().devices[static_cast<std::size_t>(lane.devices.front())].id;
    } else {
        note.atS = cursor_.value_or((t0 + t1) / 2);
    }
    note.atS = std::max(0.0, note.atS);
    if (note.untilS && *note.untilS <= note.atS) note.untilS.reset();
    notes_->add(std::move(note));
}

}  // namespace stagecraft
