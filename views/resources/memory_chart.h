#pragma once

#include "views/resources/memory_list.h"
#include "views/resources/series_chart.h"

#include <set>

namespace stagecraft::views::resources {

/// What each device holds over time: one line per device with the limit, or the kinds of one device stacked
/// with what swap and recompute keep out of memory on top.
class MemoryChart : public SeriesChart {
    Q_OBJECT
public:
    explicit MemoryChart(QWidget* parent = nullptr);

    void setData(std::shared_ptr<const ChartData> chartData);
    /// Draws the limit there, whatever the plan was made for; 0: the plan's own. Stays until the next call.
    void setAskedLimit(double bytes);
    /// Marks the instant of which it was asked what is alive.
    void setAskedTime(std::optional<double> timeS);
    /// Shows the kinds of the series to which the device belongs; -1: all devices.
    void selectDevice(int device);
    /// Lines of these devices alone, and of a selected one; nothing: of all. The list says which are hidden.
    void showOnly(const std::optional<std::set<int>>& devices);
    int selectedDevice() const;  ///< lowest of its series, or -1

    const MemoryScene& scene() const { return scene_; }
    const MemoryList& list() const { return *list_; }
    MemoryList& list() { return *list_; }

signals:
    void deviceHovered(int device);  ///< in the list, the first of its row; -1: none
    /// A click on a curve: what is alive on the devices of that series then?
    void asked(int series, double timeS);

protected:
    void paintSeries(QPainter& painter, const QRect& area, const TimeAxis& axis) override;
    bool hasSeries() const override { return scene_.data && !scene_.data->memory.empty(); }
    void pickSeries(int series) override;
    void hoverSeries(int series) override;
    void clickAt(QPointF position) override;

private:
    MemoryScene scene_;
    MemoryPainter painter_;
    MemoryList* list_;
};

}  // namespace stagecraft::views::resources
