#include "views/timeline/gantt_chart.h"

#include "views/common/theme.h"
#include "views/timeline/block_text.h"

#include <QEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stagecraft {

namespace {
constexpr double reachPixels = 2;  // how far beside a block it can still be pointed at
constexpr double snapPixels = 6;
constexpr double pointableWidth = 2;  // narrower blocks are told as shares of their pixel
constexpr double markReach = 4;       // how far beside the mark of an update it can be pointed at
/// Below this many blocks new colours are ready before a frame is lost.
constexpr std::uint32_t colouredAtOnce = 100'000;
}  // namespace

GanttChart::GanttChart(QWidget* parent)
    : QWidget(parent),
      plot_(new TimePlot(
          TimePlot::Side::top,
          [this](QPainter& painter, const QRect& area, const TimeAxis& axis) {
              if (!scene_.data) return;
              painter_.paint(painter, scene_, area, axis);
              paintBands(painter, area, axis);
          },
          this)),
      labels_(new LaneLabels(this)),
      bar_(new QScrollBar(Qt::Vertical, this)),
      card_(new HoverCard(this)) {
    painter_.setFont(font());
    setMinimumHeight(120);
    bar_->hide();
    connect(bar_, &QScrollBar::valueChanged, this, [this](int value) {
        scene_.scroll = value;
        pointerLeft();
        placeAll();
    });
    plot_->setSnap([this](QPointF position) { return snapped(position); });
    connect(plot_, &TimePlot::scrollRequested, this, &GanttChart::scrollBy);
    connect(labels_, &LaneLabels::scrollRequested, this, &GanttChart::scrollBy);
    connect(labels_, &LaneLabels::rowHovered, this, &GanttChart::hoverRow);
    connect(plot_, &TimePlot::pointerMoved, this, &GanttChart::pointerMoved);
    connect(plot_, &TimePlot::pointerLeft, this, &GanttChart::pointerLeft);
    connect(labels_, &LaneLabels::rowClicked, this, &GanttChart::labelClicked);
    connect(labels_, &LaneLabels::menuRequested, this, &GanttChart::requestLaneMenu);
    connect(plot_, &TimePlot::clicked, this, &GanttChart::clicked);
    connect(plot_, &TimePlot::doubleClicked, this, [this](QPointF at) {
        if (const std::uint32_t block = blockAt(at); block != noBlock) emit blockActivated(block);
    });
}

void GanttChart::setData(std::shared_ptr<const ChartData> chartData) {
    GanttScene fresh;
    fresh.communication = scene_.communication;
    fresh.criticalPath = scene_.criticalPath;
    fresh.bubbles = scene_.bubbles;
    fresh.predictions = scene_.predictions;
    fresh.data = std::move(chartData);
    scene_ = std::move(fresh);
    busyShares_.clear();
    groups_.clear();
    showBands();
    hovered_ = noBlock;
    slackS_ = nullptr;
    card_->dismiss();
    rebuildRows();
    setColouring(colouring_);
}

void GanttChart::setRange(double t0, double t1) {
    card_->dismiss();
    plot_->setRange(t0, t1);
}

void GanttChart::setCommunication(bool shown) {
    scene_.communication = shown;
    rebuildRows();
    findArrows();
}

void GanttChart::setCriticalPath(bool shown) {
    scene_.criticalPath = shown;
    plot_->replot();
}

void GanttChart::setBubbles(bool hatched) {
    scene_.bubbles = hatched;
    plot_->replot();
}

void GanttChart::setPredictions(bool shown) {
    scene_.predictions = shown;
    plot_->replot();
}

void GanttChart::setStep(std::optional<double> timeS) {
    scene_.stepS = timeS;
    plot_->replot();
}

void GanttChart::setColouring(BlockColouring colouring) {
    colouring_ = colouring;
    colouringJob_.abandon();
    const auto shown = scene_.data;
    if (!shown || !shown->runsOn() || colouring == BlockColouring::kind) return showColours(nullptr);
    if (scene_.coloured && scene_.coloured->classes.colouring() == colouring) return;
    const auto prepare = [shown, colouring] {
        return std::make_shared<const ColouredBlocks>(colouring, shown->timeline(), shown->weightTrace());
    };
    if (shown->timeline().blockCount() <= colouredAtOnce) return showColours(prepare());
    colouringJob_.start(prepare, [this](std::shared_ptr<const ColouredBlocks> prepared) {
        showColours(std::move(prepared));
    });
}

void GanttChart::showColours(std::shared_ptr<const ColouredBlocks> blocks) {
    scene_.coloured = std::move(blocks);
    plot_->replot();
    emit coloured();
}

void GanttChart::hoverRow(int row) {
    labels_->setHoveredRow(row);
    int device = -1;
    if (row >= 0) {
        if (const int index = scene_.rows[static_cast<std::size_t>(row)].lane; index >= 0) {
            const Lane& lane = scene_.timeline().lanes[static_cast<std::size_t>(index)];
            if (lane.kind == LaneKind::compute) device = lane.devices.front();
        }
    }
    if (device == hoveredDevice_) return;
    hoveredDevice_ = device;
    emit deviceHovered(device);
}

void GanttChart::highlightDevice(int device) {
    highlightedDevice_ = device;
    markDevice();
}

void GanttChart::markDevice() {
    const auto computes = [this](const LaneRow& row) {
        if (row.lane < 0) return false;
        const Lane& lane = scene_.timeline().lanes[static_cast<std::size_t>(row.lane)];
        return lane.kind == LaneKind::compute &&
               std::find(lane.devices.begin(), lane.devices.end(), highlightedDevice_) != lane.devices.end();
    };
    const auto row = std::find_if(scene_.rows.begin(), scene_.rows.end(), computes);
    labels_->setMarkedRow(row == scene_.rows.end() ? -1 : static_cast<int>(row - scene_.rows.begin()));
}

void GanttChart::setTextScale(double scale) {
    textScale_ = scale;
    painter_.setFont(font(), scale);
    QFont text = font();
    text.setPointSizeF(scale * text.pointSizeF());
    for (QWidget* part : {static_cast<QWidget*>(labels_), static_cast<QWidget*>(plot_)}) part->setFont(text);
    placeAll();
}

void GanttChart::setLabelWidth(int pixels) {
    labelWidth_ = pixels;
    placeAll();
}

int GanttChart::preferredHeight() const {
    std::vector<LaneRow> rows = scene_.rows;
    return placeRows(rows, std::numeric_limits<int>::max()) + plot_->height() - plot_->area().height();
}

int GanttChart::rightMargin() const {
    return std::max(leastRightMargin_, bar_->isVisibleTo(this) ? bar_->width() : 0);
}

void GanttChart::setLeastRightMargin(int pixels) {
    leastRightMargin_ = pixels;
    plot_->setRightMargin(rightMargin());
}

void GanttChart::placeAll() {
    card_->dismiss();
    plot_->setHighlight({});
    labels_->setGeometry(0, 0, labelWidth_, height());
    plot_->setGeometry(labelWidth_, 0, std::max(1, width() - labelWidth_), height());
    const QRect area = plot_->area();
    const int contents = placeRows(scene_.rows, area.height());
    keepPinnedInView(scene_.rows, scene_.scroll);
    const bool overflows = contents > area.height();
    const int barWidth = bar_->sizeHint().width();
    const bool changed = overflows != bar_->isVisibleTo(this);
    bar_->setVisible(overflows);
    bar_->setGeometry(width() - barWidth, area.top(), barWidth, area.height());
    bar_->setPageStep(area.height());
    bar_->setSingleStep(20);
    bar_->setRange(0, std::max(0, contents - area.height()));  // may move the value and come back here
    bar_->raise();
    plot_->setRightMargin(rightMargin());
    const int stages = scene_.data ? scene_.data->plan().stageCount() : 0;
    labels_->setRows(&scene_.rows, stages, area.top(), area.height(), scene_.scroll);
    plot_->replot();
    if (changed) emit layoutChanged();
}

void GanttChart::resizeEvent(QResizeEvent*) { placeAll(); }

void GanttChart::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() != QEvent::PaletteChange && event->type() != QEvent::FontChange) return;
    painter_.setFont(font(), textScale_);
    labels_->update();
    plot_->replot();
}

void GanttChart::scrollBy(int pixels) { bar_->setValue(bar_->value() + pixels); }

int GanttChart::rowAt(double y) const {
    const double inside = y - plot_->area().top() + scene_.scroll;
    for (std::size_t i = 0; i < scene_.rows.size(); ++i)
        if (inside >= scene_.rows[i].top && inside < scene_.rows[i].bottom()) return static_cast<int>(i);
    return -1;
}

std::uint32_t GanttChart::blockAt(QPointF position) const {
    const int row = rowAt(position.y());
    if (row < 0 || !QRectF(plot_->area()).contains(position)) return noBlock;
    const TimeAxis axis = plot_->axis();
    const int lane = scene_.rows[static_cast<std::size_t>(row)].lane;
    if (lane < 0) return noBlock;
    const Timeline& timeline = scene_.timeline();
    const BusyLevels& busy = scene_.data->busy;
    const double timeS = axis.toTime(position.x());
    if (const std::uint32_t update = updateAt(lane, position.x()); update != noBlock) return update;
    const std::uint32_t hit = busy.blockAt(timeline, lane, timeS);
    if (hit != noBlock) return hit;
    const Lane& range = timeline.lanes[static_cast<std::size_t>(lane)];
    const std::uint32_t next = busy.firstFrom(timeline, lane, timeS);
    const double reachS = reachPixels * axis.secondsPerPixel();
    if (next < range.endBlock && timeline.startS[next] - timeS <= reachS) return next;
    if (next > range.firstBlock && timeS - timeline.endS[next - 1] <= reachS) return next - 1;
    return noBlock;
}

double GanttChart::snapped(QPointF position) const {
    const TimeAxis axis = plot_->axis();
    const double timeS = axis.toTime(position.x());
    const int row = rowAt(position.y());
    if (row < 0) return timeS;
    const int lane = scene_.rows[static_cast<std::size_t>(row)].lane;
    if (lane < 0) return timeS;
    const Timeline& timeline = scene_.timeline();
    const Lane& range = timeline.lanes[static_cast<std::size_t>(lane)];
    const std::uint32_t next = scene_.data->busy.firstFrom(timeline, lane, timeS);
    double nearest = timeS, distanceS = snapPixels * axis.secondsPerPixel();
    for (std::uint32_t block = next > range.firstBlock ? next - 1 : next; block <= next; ++block) {
        if (block >= range.endBlock) break;
        for (const double edge : {timeline.startS[block], timeline.endS[block]})
            if (std::abs(edge - timeS) < distanceS) {
                nearest = edge;
                distanceS = std::abs(edge - timeS);
            }
    }
    return nearest;
}

/// The nearest mark of an update in the lane, as near as a pointer can be told to be on it.
std::uint32_t GanttChart::updateAt(int lane, double x) const {
    if (!scene_.data->runsOn()) return noBlock;
    const Timeline& timeline = scene_.timeline();
    const TimeAxis axis = plot_->axis();
    const auto& updates = scene_.data->marks[static_cast<std::size_t>(lane)].updates;
    const auto distance = [&](std::uint32_t block) { return std::abs(axis.toX(timeline.startS[block]) - x); };
    auto next =
        std::lower_bound(updates.begin(), updates.end(), axis.toTime(x),
                         [&](std::uint32_t block, double timeS) { return timeline.startS[block] < timeS; });
    if (next != updates.begin() && (next == updates.end() || distance(next[-1]) < distance(*next))) --next;
    if (next == updates.end() || distance(*next) > markReach) return noBlock;
    // Where blocks are as narrow as the mark, they can be pointed at and it cannot.
    const bool crowded = *next > 0 && blockRect(*next - 1).width() < 4 * markReach;
    return crowded && distance(*next) > 1 ? noBlock : *next;
}

void GanttChart::pointerMoved(QPointF position) {
    if (!scene_.data) return;
    const QRect area = plot_->area();
    if (!QRectF(area).contains(position)) {
        pointerLeft();
        if (const int note = noteAt(position); note >= 0)
            card_->show(noteText(note), plot_->mapTo(card_->parentWidget(), position.toPoint()));
        return;
    }
    const TimeAxis axis = plot_->axis();
    const double timeS = axis.toTime(position.x());
    emit cursorMoved(timeS);
    const int row = rowAt(position.y());
    hoverRow(row);
    const std::uint32_t block = blockAt(position);
    const QPoint at = plot_->mapTo(card_->parentWidget(), position.toPoint());
    if (row >= 0 && scene_.rows[static_cast<std::size_t>(row)].group >= 0) {
        const double columnS = axis.toTime(std::floor(position.x()));
        card_->show(bandText(row, columnS, columnS + axis.secondsPerPixel()), at);
        plot_->setHighlight({});
    } else if (block == noBlock) {
        card_->dismiss();
        plot_->setHighlight({});
    } else if (const QRectF where = blockRect(block); where.width() < pointableWidth) {
        const int lane = scene_.rows[static_cast<std::size_t>(row)].lane;
        const double columnS = axis.toTime(std::floor(position.x()));
        card_->show(shareCard(*scene_.data, lane, columnS, columnS + axis.secondsPerPixel()), at);
        plot_->setHighlight({});
    } else {
        card_->show(
            block, [&] { return cardOf(block); }, at);
        plot_->setHighlight(where.intersected(QRectF(area)));
    }
    if (block == hovered_) return;
    hovered_ = block;
    emit blockHovered(block);
}

QString GanttChart::cardOf(std::uint32_t block) const {
    return blockCard(*scene_.data, block,
                     slackS_ ? std::optional((*slackS_)[block]) : std::optional<double>());
}

void GanttChart::setSlacks(std::shared_ptr<const std::vector<double>> slackS) {
    slackS_ = std::move(slackS);
    if (hovered_ != noBlock) card_->rewrite(hovered_, cardOf(hovered_));
}

void GanttChart::pointerLeft() {
    card_->dismiss();
    plot_->setHighlight({});
    hoverRow(-1);
    emit cursorLeft();
    if (hovered_ == noBlock) return;
    hovered_ = noBlock;
    emit blockHovered(noBlock);
}

void GanttChart::setIdleCause(std::shared_ptr<const IdleCause> cause) {
    if (scene_.idle == cause) return;
    scene_.idle = std::move(cause);
    plot_->replot();
}

std::vector<int> GanttChart::visibleLanes() const {
    std::vector<int> lanes;
    const int viewHeight = plot_->area().height();
    for (const LaneRow& row : scene_.rows)
        if (row.lane >= 0 && row.bottom() > scene_.scroll && row.top < scene_.scroll + viewHeight)
            lanes.push_back(row.lane);
    return lanes;
}

void GanttChart::select(std::uint32_t block) {
    scene_.selected = block;
    findArrows();
    if (block == noBlock) return;
    if (const LaneRow* row = scene_.rowOf(block)) bringIntoView(*row);
}

void GanttChart::findArrows() {
    scene_.arrows.clear();
    if (scene_.data && scene_.selected != noBlock && scene_.rowOf(scene_.selected)) {
        const PlanRun& run = *scene_.data->run;
        const Neighbours around = neighbours(*run.costs, run.result.plan, scene_.timeline(), scene_.selected);
        for (const std::uint32_t from : shown(around.predecessors, true))
            scene_.arrows.push_back({from, scene_.selected});
        for (const std::uint32_t to : shown(around.successors, false))
            scene_.arrows.push_back({scene_.selected, to});
    }
    findWeightArrows();
    plot_->replot();
}

void GanttChart::findWeightArrows() {
    scene_.weightArrows.clear();
    const std::uint32_t block = scene_.selected;
    if (!scene_.data || !scene_.data->runsOn() || block == noBlock || !scene_.rowOf(block)) return;
    for (const WeightArrow& arrow : scene_.data->weightArrowsOf(block))
        if (scene_.rowOf(arrow.from) && scene_.rowOf(arrow.to)) scene_.weightArrows.push_back(arrow);
}

/// Blocks without a row (a transfer while communication is off) are replaced by those on their other side.
std::vector<std::uint32_t> GanttChart::shown(const std::vector<std::uint32_t>& blocks, bool backwards) const {
    const PlanRun& run = *scene_.data->run;
    std::vector<std::uint32_t> found;
    for (const std::uint32_t block : blocks) {
        if (scene_.rowOf(block)) {
            found.push_back(block);
            continue;
        }
        const Neighbours beyond = neighbours(*run.costs, run.result.plan, scene_.timeline(), block);
        for (const std::uint32_t other : backwards ? beyond.predecessors : beyond.successors)
            if (scene_.rowOf(other)) found.push_back(other);
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

}  // namespace stagecraft
