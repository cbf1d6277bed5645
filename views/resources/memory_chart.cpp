#include "views/resources/memory_chart.h"

#include "core/base/indices.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::views::resources {

namespace {
constexpr double peakReach = 8;  // pixels within which a click means the peak itself

}  // namespace

MemoryChart::MemoryChart(QWidget* parent) : SeriesChart(parent), list_(new MemoryList(&scene_)) {
    setList(list_);
}

void MemoryChart::setData(std::shared_ptr<const ChartData> chartData) {
    scene_ = {std::move(chartData), -1, -1, scene_.askedLimitBytes, std::nullopt};
    list_->setInstant(std::nullopt);
    refresh();
}

void MemoryChart::setAskedLimit(double bytes) {
    scene_.askedLimitBytes = bytes;
    plot().replot();
}

void MemoryChart::setAskedTime(std::optional<double> timeS) {
    if (scene_.askedS == timeS) return;
    scene_.askedS = timeS;
    plot().replot();
}

void MemoryChart::selectDevice(int device) {
    int found = -1;
    if (scene_.data)
        for (std::size_t i = 0; i < scene_.data->memory.size(); ++i) {
            const std::vector<int>& devices = scene_.data->memory[i].devices;
            if (std::find(devices.begin(), devices.end(), device) != devices.end())
                found = static_cast<int>(i);
        }
    pickSeries(found);
}

void MemoryChart::showOnly(const std::optional<std::set<int>>& devices) {
    std::vector<bool> filtered;
    if (devices && scene_.data)
        for (const MemorySeries& series : scene_.data->memory)
            filtered.push_back(std::none_of(series.devices.begin(), series.devices.end(),
                                            [&](int device) { return devices->contains(device); }));
    if (filtered == scene_.filtered) return;
    scene_.filtered = std::move(filtered);
    refresh();
}

int MemoryChart::selectedDevice() const {
    return scene_.series < 0 ? -1 : scene_.data->memory[at(scene_.series)].devices.front();
}

void MemoryChart::paintSeries(QPainter& painter, const QRect& area, const TimeAxis& axis) {
    painter_.paint(painter, scene_, area, axis);
}

void MemoryChart::pickSeries(int series) {
    if (scene_.data && scene_.data->recorded) series = -1;  // what fills the memory is not recorded
    scene_.series = series;
    refresh();
}

void MemoryChart::hoverSeries(int series) {
    if (scene_.emphasised == series) return;
    scene_.emphasised = series;
    list_->update();
    plot().replot();
    emit deviceHovered(series < 0 ? -1 : scene_.data->memory[at(series)].devices.front());
}

/// The curve under the pointer, at the instant that its column shows: the one at which most is held.
void MemoryChart::clickAt(QPointF position) {
    const TimeAxis axis = plot().axis();
    const QRect area = plot().area();
    const double ceiling = scene_.ceilingBytes();
    const auto yOf = [&](double bytes) { return area.bottom() + 1 - bytes / ceiling * area.height(); };
    const double columnS = axis.secondsPerPixel(), fromS = axis.toTime(std::floor(position.x()));
    int nearest = -1;
    double best = 0, instantS = 0;
    std::vector<StepSeries::Extremes> column;
    for (int i = 0; i < static_cast<int>(scene_.data->memory.size()); ++i) {
        if (!scene_.shows(at(i))) continue;
        const MemorySeries& series = scene_.data->memory[at(i)];
        const QPointF peak(axis.toX(series.peakTimeS()), yOf(series.peakBytes()));
        if (std::hypot(peak.x() - position.x(), peak.y() - position.y()) <= peakReach)
            return emit asked(i, series.peakTimeS());
        series.extremes(fromS, columnS, 1, column);
        if (column.empty() || column.front().endStep == 0) continue;
        const double distance = std::abs(yOf(column.front().highBytes) - position.y());
        if (nearest >= 0 && distance >= best) continue;
        nearest = i;
        best = distance;
        instantS = std::max(fromS, series.curve().timeS()[series.highestStep(column.front())]);
    }
    if (nearest >= 0) emit asked(nearest, instantS);
}

}  // namespace stagecraft::views::resources
