#pragma once

#include "views/timeline/chart_data.h"
#include "views/timeline/lane_rows.h"

#include <QObject>

class QMenu;

namespace stagecraft::views::timeline {

class GanttChart;

/// How the lanes of a plan's chart are arranged, and the ways to arrange them.
class PlanLanes : public QObject {
    Q_OBJECT
public:
    /// @param window over which a list of lanes opens
    PlanLanes(GanttChart& chart, QWidget* window);

    void setData(std::shared_ptr<const ChartData> data);
    const LaneArrangement& arrangement() const { return arrangement_; }
    void setArrangement(const LaneArrangement& arrangement);

    void setOrder(LaneOrder order);
    /// A lane that is pinned stays at the top; the last one that was pinned is lowest.
    void setPinned(int lane, bool pinned);
    bool isPinned(int lane) const;
    void unpinAll();
    void setCollapsed(const QString& servers, bool collapsed);
    void collapseAll(bool collapsed);
    /// The streams below a lane that computes.
    void setOpened(int lane, bool opened);
    bool isOpened(int lane) const;
    bool hasStreams(int lane) const;
    void openAll(bool opened);
    /// Takes the lane out of the band that hides it.
    void reveal(int lane);
    /// A list of all lanes from which to choose the one to go to.
    void find();
    /// Adds what can be done to lanes; what concerns one of them if `lane` is one, or the band of `servers`.
    void fillMenu(QMenu& menu, int lane = -1, const QString& servers = {});

signals:
    void changed();
    /// A lane was asked for that is shown only with communication.
    void communicationWanted();

private:
    void goTo(int lane);

    GanttChart& chart_;
    QWidget* window_;
    std::shared_ptr<const ChartData> data_;
    LaneArrangement arrangement_;
};

}  // namespace stagecraft::views::timeline
