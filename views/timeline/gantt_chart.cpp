#include "views/timeline/gantt_chart.h"

#include "views/timeline/block_text.h"
#include "views/timeline/gantt_overlays.h"
#include "views/timeline/gantt_rows.h"

#include <QEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stagecraft::views::timeline {

namespace {
constexpr double pointableWidth = 2;  // narrower blocks are told as shares of their pixel
constexpr int roomAround = 12;  // above and below a row that is brought into view, for outlines and arrows
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
              paintBand(painter, scene_, area, axis);
          },
          this)),
      labels_(new LaneLabels(this)),
      bar_(new QScrollBar(Qt::Vertical, this)),
      card_(new HoverCard(this)),
      rows_(new GanttRows(scene_, this)) {
    painter_.setFont(font());
    setMinimumHeight(120);
    connect(this, &QObject::destroyed, card_, [card = card_] { delete card; });  // a host outlives its charts
    bar_->hide();
    connect(bar_, &QScrollBar::valueChanged, this, [this](int value) {
        scene_.scroll = value;
        pointerLeft();
        placeAll();
    });
    connect(rows_, &GanttRows::sharesKnown, this, [this] {
        labels_->update();
        plot_->replot();
    });
    plot_->setSnap([this](QPointF position) { return picker().snapped(position); });
    connect(plot_, &TimePlot::scrollRequested, this, &GanttChart::scrollBy);
    connect(labels_, &LaneLabels::scrollRequested, this, &GanttChart::scrollBy);
    connect(labels_, &LaneLabels::rowHovered, this, &GanttChart::hoverRow);
    connect(plot_, &TimePlot::pointerMoved, this, &GanttChart::pointerMoved);
    connect(plot_, &TimePlot::pointerLeft, this, &GanttChart::pointerLeft);
    connect(labels_, &LaneLabels::rowClicked, this, &GanttChart::labelClicked);
    connect(labels_, &LaneLabels::menuRequested, this, &GanttChart::requestLaneMenu);
    connect(plot_, &TimePlot::clicked, this, &GanttChart::clicked);
    connect(plot_, &TimePlot::menuRequested, this, &GanttChart::requestMenu);
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
    showBand();
    hovered_ = noBlock;
    slackS_ = nullptr;
    card_->dismiss();
    rows_->reset();
    showRows();
    setColouring(colouring_);
}

void GanttChart::setRange(double t0, double t1) {
    card_->dismiss();
    plot_->setRange(t0, t1);
    if (!rows_->followZoom(t1 - t0)) return;
    showRows();
    showArrows();
    emit layoutChanged();
}

void GanttChart::setCommunication(bool shown) {
    scene_.communication = shown;
    rows_->rebuild();
    showRows();
    showArrows();
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

void GanttChart::setPlanned(std::shared_ptr<const PlannedOutlines> planned) {
    scene_.planned = std::move(planned);
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
    if (!shown || colouring == BlockColouring::kind || (describe(colouring).needsOverlap && !shown->runsOn()))
        return showColours(nullptr);
    if (scene_.coloured && scene_.coloured->classes.colouring() == colouring) return;
    const auto prepare = [shown, colouring] {
        return std::make_shared<const ColouredBlocks>(colouring, shown->timeline(), shown->plan().stages,
                                                      shown->weightTrace());
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

void GanttChart::showRows() {
    labels_->setShareHeading(rows_->shareHeading());
    markDevice();
    placeAll();
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

void GanttChart::pointerMoved(QPointF position) {
    if (!scene_.data) return;
    const QRect area = plot_->area();
    if (!QRectF(area).contains(position)) {
        pointerLeft();
        if (const int note = noteUnder(position); note >= 0)
            card_->show(noteCard(scene_, note), plot_->mapTo(card_->parentWidget(), position.toPoint()));
        return;
    }
    const TimeAxis axis = plot_->axis();
    const double timeS = axis.toTime(position.x());
    emit cursorMoved(timeS);
    const int row = picker().rowAt(position.y());
    hoverRow(row);
    const std::uint32_t block = blockAt(position);
    const QPoint at = plot_->mapTo(card_->parentWidget(), position.toPoint());
    if (rows_->groupOf(row)) {
        const double columnS = axis.toTime(std::floor(position.x()));
        card_->show(rows_->shareText(row, columnS, columnS + axis.secondsPerPixel()), at);
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
                     slackS_ ? std::optional((*slackS_)[block]) : std::optional<double>(),
                     scene_.planned ? plannedRows(*scene_.planned, scene_.timeline(), block)
                                    : std::vector<std::pair<QString, QString>>{});
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

void GanttChart::showArrows() {
    findArrows(scene_);
    plot_->replot();
}

void GanttChart::select(std::uint32_t block) {
    scene_.selected = block;
    showArrows();
    if (block == noBlock) return;
    if (const LaneRow* row = scene_.rowOf(block)) bringIntoView(*row);
}

void GanttChart::setArrangement(const LaneArrangement& arrangement) {
    rows_->setArrangement(arrangement);
    showRows();
    showArrows();
    emit layoutChanged();
}

void GanttChart::labelClicked(int row) {
    if (const LaneGroup* group = rows_->groupOf(row)) return emit groupClicked(group->servers);
    if (row >= 0) emit laneClicked(scene_.rows[static_cast<std::size_t>(row)].lane);
}

void GanttChart::clicked(QPointF position) {
    if (const int note = noteUnder(position); note >= 0) return emit noteClicked(note);
    const int row = picker().rowAt(position.y());
    if (rows_->groupOf(row)) return labelClicked(row);
    const std::uint32_t block = blockAt(position);
    emit blockClicked(block);
    if (block == noBlock && row >= 0 && !scene_.hidesRest() && QRectF(plot_->area()).contains(position))
        emit idleClicked(scene_.rows[static_cast<std::size_t>(row)].lane, plot_->axis().toTime(position.x()));
}

void GanttChart::requestLaneMenu(int row, QPoint globalPosition) {
    if (!scene_.data) return;
    const LaneGroup* group = rows_->groupOf(row);
    emit laneMenuRequested(row < 0 ? -1 : scene_.rows[static_cast<std::size_t>(row)].lane,
                           group ? group->servers : QString(), globalPosition);
}

void GanttChart::requestMenu(QPointF position, QPoint globalPosition) {
    if (!scene_.data || !QRectF(plot_->area()).contains(position)) return;
    card_->dismiss();
    const int row = picker().rowAt(position.y());
    const std::uint32_t block = blockAt(position);
    const bool idle = block == noBlock && row >= 0 && !rows_->groupOf(row) && !scene_.hidesRest();
    emit menuRequested(block, idle ? scene_.rows[static_cast<std::size_t>(row)].lane : -1,
                       plot_->axis().toTime(position.x()), globalPosition);
}

void GanttChart::bringIntoView(const LaneRow& row) {
    if (row.pinned) return;
    int edge = 0;  // below the pinned rows
    for (const LaneRow& it : scene_.rows)
        if (it.pinned) edge = it.place + it.height;
    // Of a row that is cut off, what is left ends where all of it would.
    const int bottom = (row.top < 0 ? row.place + row.height : row.bottom()) + roomAround;
    if (row.place - roomAround < scene_.scroll + edge) bar_->setValue(row.place - roomAround - edge);
    if (bottom > scene_.scroll + plot_->area().height()) bar_->setValue(bottom - plot_->area().height());
}

void GanttChart::showLane(int lane) {
    const int row = scene_.rowOfLane[static_cast<std::size_t>(lane)];
    if (row < 0) return;
    bringIntoView(scene_.rows[static_cast<std::size_t>(row)]);
    labels_->setMarkedRow(row);
}

void GanttChart::setHits(std::shared_ptr<const BlockHits> hits, bool hideRest) {
    const bool hid = scene_.data && scene_.hidesRest();
    scene_.hits = std::move(hits);
    scene_.onlyHits = hideRest;
    if (scene_.data && (hid || scene_.hidesRest())) {
        rows_->rebuild();
        showRows();
        showArrows();
        emit layoutChanged();
    }
    plot_->replot();
}

std::uint32_t GanttChart::blockAt(QPointF position) const {
    const std::uint32_t block = picker().blockAt(position);
    return block != noBlock && scene_.hides(block) ? noBlock : block;
}

void GanttChart::showShares(std::optional<std::pair<double, double>> marked) {
    rows_->showShares(marked);
    labels_->setShareHeading(rows_->shareHeading());
}

void GanttChart::setNotes(std::vector<ChartNote> notes, int chosen) {
    scene_.notes = std::move(notes);
    scene_.chosenNote = chosen;
    showBand();
    plot_->replot();
}

void GanttChart::showBand() {
    if (heightAboveLanes(scene_) == plot_->bandHeight()) return;
    plot_->setBandHeight(heightAboveLanes(scene_));
    placeAll();
}

int GanttChart::noteUnder(QPointF position) const {
    return noteAt(scene_, plot_->area(), plot_->axis(), plot_->font(), position);
}

}  // namespace stagecraft::views::timeline
