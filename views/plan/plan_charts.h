#pragma once

#include "views/timeline/chart_data.h"

#include <QImage>
#include <QSplitter>

#include <memory>
#include <optional>
#include <vector>

namespace stagecraft::views::timeline {
class GanttChart;
class Legend;
class TimePlot;
}  // namespace stagecraft::views::timeline

namespace stagecraft::views::plan {

class ResourceCharts;

/// A plan's timeline and, on the same time axis below it, its memory or its links.
class PlanCharts : public QSplitter {
    Q_OBJECT
public:
    explicit PlanCharts(QWidget* parent = nullptr);

    GanttChart& gantt() { return *gantt_; }
    ResourceCharts& resources() { return *resources_; }
    std::vector<TimePlot*> plots();

    void setRange(double t0, double t1);
    void setCursorTime(std::optional<double> timeS);
    /// So that an instant has one place in all of them.
    void align();
    /// A plan of few lanes leaves more to the memory below, unless a person has moved what divides them.
    void shareHeight();
    /// As they are shown, without pointer marks, above `legend` if there is one; `scale` 2 doubles the
    /// resolution.
    QImage picture(double scale, Legend* legend);

signals:
    void aligned();

private:
    GanttChart* gantt_;
    ResourceCharts* resources_;
    bool heightChosen_ = false;  ///< a person moved the splitter; it stays there
};

}  // namespace stagecraft::views::plan
