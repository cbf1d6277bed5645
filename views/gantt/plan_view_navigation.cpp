// Moving through a plan: what is visible, what is selected, and the keys for both.

#include "views/gantt/block_text.h"
#include "views/gantt/gantt_chart.h"
#include "views/gantt/memory_chart.h"
#include "views/gantt/plan_view.h"
#include "views/gantt/questions.h"

#include <QKeyEvent>

#include <algorithm>
#include <cmath>

namespace stagecraft {

namespace {
constexpr double marginPart = 0.01;     // of the iteration, before its start and after its end
constexpr double leastSpanPart = 1e-8;  // of the iteration: zooming stops there
constexpr double keyZoom = 1.4;
constexpr double keyPan = 0.15;          // of what is visible
constexpr double roomAroundBlock = 2.5;  // on each side of a block that is fitted, in its own lengths

TimeAxis withinIteration(TimeAxis axis, double endS) {
    const double whole = endS > 0 ? endS : 1;
    return axis.clampedTo(-marginPart * whole, (1 + marginPart) * whole, leastSpanPart * whole);
}
}  // namespace

void PlanView::setVisibleRange(double t0, double t1) {
    if (!data_ || !(t0 < t1)) return;
    const TimeAxis shown = withinIteration({t0, t1, 0, 1}, data_->endS);
    gantt_->setRange(shown.t0, shown.t1);
    memory_->setRange(shown.t0, shown.t1);
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
    if (!data_ || (block != noBlock && block >= data_->timeline().blockCount())) return;
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
    gantt_->plot().setMarkedRange(range);
    memory_->plot().setMarkedRange(range);
    questions_->askRange(range);
}

void PlanView::showExcess() {
    const std::vector<MemoryExcess>& excesses = run_->evaluation->metrics.excesses;
    const auto worst = std::max_element(
        excesses.begin(), excesses.end(),
        [](const MemoryExcess& a, const MemoryExcess& b) { return a.excessBytes < b.excessBytes; });
    memory_->selectDevice(worst->device);
    const auto [t0, t1] = visibleRange();
    if (worst->timeS < t0 || worst->timeS > t1)
        setVisibleRange(worst->timeS - (t1 - t0) / 2, worst->timeS + (t1 - t0) / 2);
    setCursorTime(worst->timeS);
}

const std::vector<KeyHelp>& PlanView::keyHelp() {
    static const std::vector<KeyHelp> help{
        {"Wheel, Ctrl+Wheel, W, S", "zoom at the pointer"},
        {"Drag, Shift+Wheel, A, D, ← →", "pan"},
        {"Alt+Wheel, wheel on names", "scroll the lanes"},
        {"Shift+Drag, R",
         "mark a range between edges of blocks and tell what it holds; R marks the selected block"},
        {"Click on idle time", "light up the chain of blocks that the device waits for"},
        {"F", "fit the marked range or the selected block; again: all"},
        {"Home", "fit all"},
        {"Click, double click", "select a block; select and fit it"},
        {".  ,", "next and previous block in the lane"},
        {"]  [", "to the block that waits for it, or that it waited for"},
        {"N, Shift+N", "step to the next or the previous event, and say what happens"},
        {"Space", "play the events one after the other, or pause"},
        {"K, B, V, T", "colour by kind, mini-batch, weight version or staleness, where mini-batches overlap"},
        {"P", "arrows from predictions of weights to the updates that they anticipate"},
        {"Esc", "end stepping, clear marks, then the selection"},
        {"?", "show or hide this list"},
    };
    return help;
}

void PlanView::toggleKeys() {
    if (keyCard_->isVisible()) return keyCard_->dismiss();
    QString html = "<b>Keys and mouse</b><table cellpadding='2'>";
    for (const KeyHelp& it : keyHelp())
        html += QStringLiteral("<tr><td style='padding-right:16px'><b>%1</b></td><td>%2</td></tr>")
                    .arg(it.keys.toHtmlEscaped(), it.does.toHtmlEscaped());
    keyCard_->show(html + "</table>", QPoint(width(), toolbar_->height() - 8));
}

void PlanView::keyPressEvent(QKeyEvent* event) {
    if (!data_ || event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier))
        return QWidget::keyPressEvent(event);
    switch (event->key()) {
        case Qt::Key_W:
            return zoomBy(keyZoom);
        case Qt::Key_S:
            return zoomBy(1 / keyZoom);
        case Qt::Key_A:
        case Qt::Key_Left:
            return panBy(-keyPan);
        case Qt::Key_D:
        case Qt::Key_Right:
            return panBy(keyPan);
        case Qt::Key_F:
            return fitSelection();
        case Qt::Key_Home:
            return fitAll();
        case Qt::Key_Period:
            return stepInLane(1);
        case Qt::Key_Comma:
            return stepInLane(-1);
        case Qt::Key_BracketRight:
            return stepAlongDependencies(true);
        case Qt::Key_BracketLeft:
            return stepAlongDependencies(false);
        case Qt::Key_Escape:
            return clearOne();
        case Qt::Key_Question:
            return toggleKeys();
        case Qt::Key_N:
            return event->modifiers() & Qt::ShiftModifier ? stepBackward() : actions_.nextEvent->trigger();
        case Qt::Key_Space:
            return actions_.play->toggle();
        case Qt::Key_I:
            return actions_.details->toggle();
        case Qt::Key_P:
            return actions_.predictions->toggle();
        case Qt::Key_K:
            return actions_.colourings[0]->trigger();
        case Qt::Key_B:
            return actions_.colourings[1]->trigger();
        case Qt::Key_V:
            return actions_.colourings[2]->trigger();
        case Qt::Key_T:
            return actions_.colourings[3]->trigger();
        case Qt::Key_R:
            if (const quint32 block = selectedBlock(); block != noBlock) {
                const Timeline& timeline = data_->timeline();
                markRange(std::pair(timeline.startS[block], timeline.endS[block]));
            }
            return;
        default:
            QWidget::keyPressEvent(event);
    }
}

}  // namespace stagecraft
