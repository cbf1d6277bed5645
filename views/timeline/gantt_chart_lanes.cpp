// What is beside and above the lanes of a chart: their arrangement, bands, and the notes.

#include "core/base/units.h"
#include "views/common/theme.h"
#include "views/timeline/gantt_band.h"
#include "views/timeline/gantt_chart.h"

#include <algorithm>

namespace stagecraft {

namespace {
constexpr int phaseBand = 18;  // pixels above the lanes
constexpr int noteBand = 18;
constexpr int roomAround = 12;  // above and below a row that is brought into view, for outlines and arrows
/// Below this many blocks the bands of servers are ready before a frame is lost.
constexpr std::uint32_t bandedAtOnce = 100'000;
}  // namespace

void GanttChart::setArrangement(const LaneArrangement& arrangement) {
    arrangement_ = arrangement;
    rebuildRows();
    findArrows();
    emit layoutChanged();
}

void GanttChart::rebuildRows() {
    scene_.rows.clear();
    scene_.rowOfLane.clear();
    if (scene_.data) {
        if (arrangement_.order == LaneOrder::busy && busyShares_.empty()) findBusyShares();
        scene_.rows = laneRows(*scene_.data->run, scene_.communication, arrangement_, busyShares_);
        scene_.rowOfLane.assign(scene_.timeline().lanes.size(), -1);
        for (std::size_t i = 0; i < scene_.rows.size(); ++i)
            if (const int lane = scene_.rows[i].lane; lane >= 0)
                scene_.rowOfLane[static_cast<std::size_t>(lane)] = static_cast<int>(i);
        prepareBands();
    }
    markDevice();
    placeAll();
}

void GanttChart::findBusyShares() {
    std::vector<float> shares;
    for (std::size_t lane = 0; lane < scene_.timeline().lanes.size(); ++lane) {
        scene_.data->busy.columnShares(scene_.timeline(), static_cast<int>(lane), 0, scene_.data->endS, 1,
                                       shares);
        double busy = 0;
        for (const float share : shares) busy += static_cast<double>(share);
        busyShares_.push_back(busy);
    }
}

/// Bands that are shown for the first time need their curve; it stays.
void GanttChart::prepareBands() {
    if (arrangement_.collapsed.isEmpty()) return;
    if (groups_.empty()) groups_ = laneGroups(*scene_.data->run);
    scene_.groupCurves.resize(groups_.size());
    for (const LaneRow& row : scene_.rows) {
        if (row.group < 0 || scene_.groupCurves[static_cast<std::size_t>(row.group)]) continue;
        const auto group = static_cast<std::size_t>(row.group);
        const auto prepare = [data = scene_.data, lanes = groups_[group].lanes] {
            return std::make_shared<const BusyCurve>(data->timeline(), lanes);
        };
        if (scene_.timeline().blockCount() <= bandedAtOnce) {
            scene_.groupCurves[group] = prepare();
            continue;
        }
        Job::once(this)->start(prepare,
                               [this, group, data = scene_.data](std::shared_ptr<const BusyCurve> curve) {
                                   if (scene_.data != data) return;
                                   scene_.groupCurves[group] = std::move(curve);
                                   showShares();
                               });
    }
    showShares();
}

/// The share of the whole time behind the names of bands.
void GanttChart::showShares() {
    for (LaneRow& row : scene_.rows) {
        if (row.group < 0) continue;
        const auto& curve = scene_.groupCurves[static_cast<std::size_t>(row.group)];
        if (!curve || row.label.endsWith('%')) continue;
        row.label += QStringLiteral(" · %1 %").arg(qRound(100 * curve->share(0, scene_.data->endS)));
    }
    labels_->update();
    plot_->replot();
}

QString GanttChart::bandText(int row, double t0S, double t1S) const {
    const LaneRow& band = scene_.rows[static_cast<std::size_t>(row)];
    const auto& curve = scene_.groupCurves[static_cast<std::size_t>(band.group)];
    if (!curve) return {};
    const LaneGroup& group = groups_[static_cast<std::size_t>(band.group)];
    return QStringLiteral("<b>%1</b><br>%2 of the time of its %3 lanes is busy here<br>%4 over all")
        .arg(group.servers.toHtmlEscaped(), QString::fromStdString(formatPercent(curve->share(t0S, t1S))))
        .arg(group.lanes.size())
        .arg(QString::fromStdString(formatPercent(curve->share(0, scene_.data->endS))));
}

void GanttChart::labelClicked(int row) {
    const int group = row < 0 ? -1 : scene_.rows[static_cast<std::size_t>(row)].group;
    if (group >= 0) emit groupClicked(groups_[static_cast<std::size_t>(group)].servers);
}

void GanttChart::clicked(QPointF position) {
    if (const int note = noteAt(position); note >= 0) return emit noteClicked(note);
    const int row = rowAt(position.y());
    if (row >= 0 && scene_.rows[static_cast<std::size_t>(row)].group >= 0) return labelClicked(row);
    const std::uint32_t block = blockAt(position);
    emit blockClicked(block);
    if (block == noBlock && row >= 0 && QRectF(plot_->area()).contains(position))
        emit idleClicked(scene_.rows[static_cast<std::size_t>(row)].lane, plot_->axis().toTime(position.x()));
}

void GanttChart::requestLaneMenu(int row, QPoint globalPosition) {
    if (!scene_.data) return;
    const LaneRow* it = row < 0 ? nullptr : &scene_.rows[static_cast<std::size_t>(row)];
    const int group = it ? it->group : -1;
    emit laneMenuRequested(it ? it->lane : -1,
                           group < 0 ? QString() : groups_[static_cast<std::size_t>(group)].servers,
                           globalPosition);
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

void GanttChart::setHits(std::shared_ptr<const BlockHits> hits) {
    scene_.hits = std::move(hits);
    plot_->replot();
}

void GanttChart::setNotes(std::vector<ChartNote> notes, int chosen) {
    scene_.notes = std::move(notes);
    scene_.chosenNote = chosen;
    showBands();
    plot_->replot();
}

void GanttChart::showBands() {
    const int above =
        (scene_.data && scene_.data->steady ? phaseBand : 0) + (scene_.notes.empty() ? 0 : noteBand);
    if (above == plot_->bandHeight()) return;
    plot_->setBandHeight(above);
    placeAll();
}

void GanttChart::paintBands(QPainter& painter, const QRect& area, const TimeAxis& axis) {
    if (scene_.data->steady)
        paintPhases(painter, scene_, {area.left(), area.top() - phaseBand, area.width(), phaseBand}, axis);
    if (!scene_.notes.empty()) paintNotes(painter, scene_, noteBandRect(), area, axis);
}

QRect GanttChart::noteBandRect() const {
    const QRect area = plot_->area();
    return {area.left(), area.top() - plot_->bandHeight(), area.width(), noteBand};
}

int GanttChart::noteAt(QPointF position) const {
    if (scene_.notes.empty() || !QRectF(noteBandRect()).contains(position)) return -1;
    const std::vector<QRectF> flags = noteFlags(scene_, noteBandRect(), plot_->axis(), plot_->font());
    if (scene_.chosenNote >= 0 && flags[static_cast<std::size_t>(scene_.chosenNote)].contains(position))
        return scene_.chosenNote;
    for (std::size_t i = flags.size(); i-- > 0;)  // later ones are above
        if (flags[i].contains(position)) return static_cast<int>(i);
    return -1;
}

QString GanttChart::noteText(int note) const {
    const ChartNote& it = scene_.notes[static_cast<std::size_t>(note)];
    QString html = QStringLiteral("<b>%1</b>")
                       .arg(QString::fromStdString(formatInstant(it.atS, scene_.data->endS / 1000)));
    if (it.untilS)
        html += QStringLiteral(" to <b>%1</b>")
                    .arg(QString::fromStdString(formatInstant(*it.untilS, scene_.data->endS / 1000)));
    if (it.block)
        html +=
            QStringLiteral("<br>%1").arg(QString::fromStdString(blockNameText(*it.block)).toHtmlEscaped());
    if (!it.device.empty())
        html += QStringLiteral(" on %1").arg(QString::fromStdString(it.device).toHtmlEscaped());
    if (!it.text.empty())
        html += QStringLiteral("<br>%1").arg(QString::fromStdString(it.text).toHtmlEscaped());
    return html;
}

}  // namespace stagecraft
