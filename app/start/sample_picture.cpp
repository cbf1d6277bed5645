#include "app/start/sample_picture.h"

#include "views/common/theme.h"

#include <QPainter>

#include <cmath>

namespace stagecraft::app::start {
namespace {

constexpr double gap = 8;

QColor colourOfStage(const PlanRun* run, int stage) {
    if (!run || stage < 0) return Theme::current().mutedText;
    return stageColour(stage, run->result.plan.stageCount());
}

int stageOfDevice(const PlanRun* run, int device) {
    if (!run) return -1;
    const std::vector<Stage>& stages = run->result.plan.stages;
    for (std::size_t s = 0; s < stages.size(); ++s)
        if (std::count(stages[s].devices.begin(), stages[s].devices.end(), device))
            return static_cast<int>(s);
    return -1;
}

int stageOfLayer(const PlanRun* run, int layer) {
    if (!run) return -1;
    const std::vector<Stage>& stages = run->result.plan.stages;
    for (std::size_t s = 0; s < stages.size(); ++s)
        if (stages[s].firstLayer <= layer && layer <= stages[s].lastLayer) return static_cast<int>(s);
    return -1;
}

/// Servers as boxes in a near-square grid, GPUs as squares in them.
void paintCluster(QPainter& painter, const QRectF& area, const Cluster& cluster, const PlanRun* run) {
    const std::vector<std::string> servers = cluster.servers();
    if (servers.empty()) return;
    const int columns = static_cast<int>(std::ceil(std::sqrt(double(servers.size()))));
    const int rows = (static_cast<int>(servers.size()) + columns - 1) / columns;
    const double width = (area.width() - (columns - 1) * gap / 2) / columns;
    const double height = std::min((area.height() - (rows - 1) * gap / 2) / rows, width);
    for (std::size_t s = 0; s < servers.size(); ++s) {
        const QRectF box(area.left() + static_cast<int>(s) % columns * (width + gap / 2),
                         area.top() + static_cast<int>(s) / columns * (height + gap / 2), width, height);
        painter.setPen(QPen(Theme::current().line, 1));
        painter.setBrush(Theme::current().surface);
        painter.drawRoundedRect(box, 3, 3);
        std::vector<int> devices;
        for (int d = 0; d < cluster.deviceCount(); ++d)
            if (cluster.devices[static_cast<std::size_t>(d)].server == servers[s]) devices.push_back(d);
        const int across = static_cast<int>(std::ceil(std::sqrt(double(devices.size()))));
        const double cell = std::min(box.width(), box.height()) / (across + 0.5);
        const int down = (static_cast<int>(devices.size()) + across - 1) / across;
        const QPointF corner = box.center() - QPointF(across, down) * cell / 2;
        painter.setPen(Qt::NoPen);
        for (std::size_t i = 0; i < devices.size(); ++i) {
            const QRectF gpu(corner.x() + static_cast<int>(i) % across * cell,
                             corner.y() + static_cast<int>(i) / across * cell, cell, cell);
            painter.setBrush(colourOfStage(run, stageOfDevice(run, devices[i])));
            painter.drawRoundedRect(gpu.adjusted(cell * 0.12, cell * 0.12, -cell * 0.12, -cell * 0.12), 2, 2);
        }
    }
}

/// One bar per layer, as high as its forward and backward take.
void paintLayers(QPainter& painter, const QRectF& area, const LayerProfile& profile, const PlanRun* run) {
    double longest = 0;
    for (const Layer& layer : profile.layers) longest = std::max(longest, layer.forwardS + layer.backwardS);
    if (longest <= 0) return;
    const double width = area.width() / profile.layerCount();
    painter.setPen(Qt::NoPen);
    for (int i = 0; i < profile.layerCount(); ++i) {
        const Layer& layer = profile.layers[static_cast<std::size_t>(i)];
        const double height = std::max(1.0, area.height() * (layer.forwardS + layer.backwardS) / longest);
        painter.setBrush(colourOfStage(run, stageOfLayer(run, i)));
        painter.drawRect(QRectF(area.left() + i * width, area.bottom() - height,
                                std::max(1.0, width - (width > 3 ? 1 : 0)), height));
    }
}

/// The compute lanes of the schedule.
void paintSchedule(QPainter& painter, const QRectF& area, const PlanRun& run) {
    const Timeline& timeline = run.evaluation->timeline;
    const auto lanes = std::count_if(timeline.lanes.begin(), timeline.lanes.end(),
                                     [](const Lane& lane) { return lane.kind == LaneKind::compute; });
    const double end = timeline.lastEndS();
    if (!lanes || end <= 0) return;
    const double height = std::min(area.height() / static_cast<double>(lanes), 3 * gap);
    const double perSecond = area.width() / end;
    double top = area.top() + (area.height() - height * static_cast<double>(lanes)) / 2;
    for (const Lane& lane : timeline.lanes) {
        if (lane.kind != LaneKind::compute) continue;
        const double inset = height > 4 ? 1 : 0;
        painter.setBrush(Theme::current().line);
        painter.setPen(Qt::NoPen);
        painter.drawRect(QRectF(area.left(), top, area.width(), height - inset));
        for (std::uint32_t b = lane.firstBlock; b < lane.endBlock; ++b) {
            const double width = timeline.durationS(b) * perSecond;
            painter.setBrush(blockColour(timeline.kind[b]));
            painter.drawRect(QRectF(area.left() + timeline.startS[b] * perSecond, top,
                                    width > 3 ? width - 0.75 : width, height - inset));
        }
        top += height;
    }
}

}  // namespace

void paintProblem(QPainter& painter, const QRectF& area, const Problem& problem, const PlanRun* run) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const double side = std::min(area.height(), area.width() * 0.36);
    const QRectF cluster(area.left(), area.top(), side, area.height());
    const double left = cluster.right() + 2 * gap;
    const double layersHeight = area.height() * 0.28;
    const QRectF layers(left, area.bottom() - layersHeight, area.right() - left, layersHeight);
    const QRectF schedule(left, area.top(), layers.width(), area.height() - layersHeight - gap);
    const PlanRun* shown = run && run->ok() ? run : nullptr;
    paintCluster(painter, cluster, problem.cluster, shown);
    paintLayers(painter, layers, problem.profile, shown);
    if (shown) paintSchedule(painter, schedule, *shown);
    painter.restore();
}

}  // namespace stagecraft::app::start
