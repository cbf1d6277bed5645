#pragma once

#include "views/gantt/gantt_plottable.h"
#include "views/gantt/memory_list.h"

#include <QScrollArea>
#include <QWidget>

namespace stagecraft {

/// What each device holds over time, under a Gantt chart and on its axis: a line a device with the limit, or
/// the kinds of one device stacked.
class MemoryChart : public QWidget {
    Q_OBJECT
public:
    explicit MemoryChart(QWidget* parent = nullptr);

    void setData(std::shared_ptr<const ChartData> chartData);
    void setRange(double t0, double t1) { plot_->setRange(t0, t1); }
    /// The read-out of every device follows; none: the peaks.
    void setCursorTime(std::optional<double> timeS);
    /// Draws the limit there, whatever the plan was made for; 0: the plan's own. Stays until told otherwise.
    void setAskedLimit(double bytes);
    void setLabelWidth(int pixels);
    void setRightMargin(int pixels) { plot_->setRightMargin(pixels); }
    /// Shows the kinds of the series to which the device belongs; -1: all devices.
    void selectDevice(int device);
    int selectedDevice() const;  ///< lowest of its series, or -1

    TimePlot& plot() { return *plot_; }
    const MemoryList& list() const { return *list_; }
    MemoryList& list() { return *list_; }

signals:
    void cursorMoved(double timeS);
    void cursorLeft();
    void deviceHovered(int device);  ///< in the list, the first of its row; -1: none

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void showSeries(int series);
    void placeAll();

    MemoryScene scene_;
    MemoryPainter painter_;
    TimePlot* plot_;
    QScrollArea* scrollArea_;
    MemoryList* list_;
    int labelWidth_ = 150;
};

}  // namespace stagecraft
