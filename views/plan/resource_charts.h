#pragma once

#include "views/common/job.h"
#include "views/timeline/chart_data.h"

#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

class QToolButton;

namespace stagecraft::views::resources {
class AliveList;
class LinkChart;
struct LinkData;
class MemoryChart;
}  // namespace stagecraft::views::resources
namespace stagecraft::views::timeline {
class TimePlot;
}

namespace stagecraft::views::plan {

enum class Resource { memory, links };

/// Under a Gantt chart and on its axis: what the devices hold or what the links carry, as a person chooses.
class ResourceCharts : public QWidget {
    Q_OBJECT
public:
    explicit ResourceCharts(QWidget* parent = nullptr);

    void setData(std::shared_ptr<const ChartData> chartData);
    void setRange(double t0, double t1);
    void setCursorTime(std::optional<double> timeS);
    void setLabelWidth(int pixels);
    void setRightMargin(int pixels);
    void choose(Resource resource);
    Resource chosen() const { return chosen_; }
    void selectLink(int link);  ///< kept until the links are ready; -1: all
    int selectedLink() const;

    MemoryChart& memory() { return *memory_; }
    LinkChart& links() { return *links_; }
    std::vector<TimePlot*> plots();
    TimePlot& chosenPlot();
    /// The answer to a click on a memory curve, for the pane beside the charts.
    AliveList& alive() { return *alive_; }
    void askAlive(int series, double timeS);

signals:
    void cursorMoved(double timeS);
    void cursorLeft();
    void aliveAsked();  ///< alive() has an answer
    void blockPicked(quint32 block);
    void linksReady();  ///< the chart of links is ready

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void prepareLinks();
    void showLinks(std::shared_ptr<const LinkData> made);
    void placeAll();

    std::shared_ptr<const ChartData> data_;
    Resource chosen_ = Resource::memory;
    Job preparing_;          ///< the links
    bool prepared_ = false;  ///< links of data_ are there or being made
    MemoryChart* memory_;
    LinkChart* links_;
    AliveList* alive_;
    QToolButton* memoryButton_;
    QToolButton* linksButton_;
    int pendingLink_ = -1;
};

}  // namespace stagecraft::views::plan
