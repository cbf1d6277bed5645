#pragma once

#include "views/common/job.h"
#include "views/timeline/block_hits.h"
#include "views/timeline/chart_data.h"

#include <QObject>

#include <optional>
#include <set>

namespace stagecraft::views::timeline {
class GanttChart;
}

namespace stagecraft::views::plan {

class DetailsPane;
class HitList;
class SearchBar;

/// Looking for blocks of a plan: the row in which one types, the marks in the chart and the list beside it.
class PlanSearch : public QObject {
    Q_OBJECT
public:
    PlanSearch(GanttChart& chart, DetailsPane& details, QWidget* parent);

    /// The row; whoever lays out the view gives it its place.
    SearchBar& bar() { return *bar_; }
    void setData(std::shared_ptr<const ChartData> data);
    void open();
    /// Opens the row with this text in it.
    void find(const QString& text);
    void close();
    /// Hides all but what is found, or shows it again; opens the row, in whose field one says what.
    void toggleHidesRest();
    bool isOpen() const;
    /// To the block found after (1) or before (-1) the one that was jumped to, round the ends.
    void step(int step);
    /// What was found for the text as it is; null while nothing was.
    const std::shared_ptr<const BlockHits>& hits() const { return hits_; }
    /// The devices of lanes in which something is found while the rest is hidden; nothing: nothing is hidden.
    std::optional<std::set<int>> shownDevices() const;
    bool isSearching() const { return searching_.isRunning(); }

signals:
    void jumpRequested(quint32 block);
    void listRequested();
    void closed();  ///< the keys are the chart's again
    void filterChanged();

private:
    void search();
    void mark();
    void show(std::shared_ptr<const BlockHits> hits);
    void jumpTo(int hit);
    int firstHitInView() const;

    GanttChart& chart_;
    DetailsPane& details_;
    SearchBar* bar_;
    HitList* list_;
    std::shared_ptr<const ChartData> data_;
    std::shared_ptr<const BlockHits> hits_;
    int at_ = -1;     ///< hit that was jumped to
    int wanted_ = 0;  ///< steps asked for while it searched
    Job searching_;
};

}  // namespace stagecraft::views::plan
