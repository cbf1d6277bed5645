#pragma once

#include "views/timeline/chart_data.h"

#include <QWidget>

#include <memory>

class QScrollBar;

namespace stagecraft::views::timeline {
class OverviewStrip;
}

namespace stagecraft::views::plan {

class PlanCharts;
class PlanNavigator;
class TrialMark;

/// A plan's charts with what goes through their time: an overview of the run above them, a scroll bar below
/// them while they show a part of it.
class ChartsFrame : public QWidget {
    Q_OBJECT
public:
    ChartsFrame(PlanCharts& charts, PlanNavigator& navigator, QWidget* parent);

    void setData(std::shared_ptr<const ChartData> prepared);
    /// Marks what is shown as tried.
    void markTrial(bool on);
    OverviewStrip& overview() { return *overview_; }
    QScrollBar& timeBar() { return *bar_; }

private:
    void showRange();
    void colour();
    void align();

    PlanCharts& charts_;
    PlanNavigator& navigator_;
    OverviewStrip* overview_;
    TrialMark* trial_;
    QScrollBar* bar_;
    std::shared_ptr<const ChartData> data_;
};

}  // namespace stagecraft::views::plan
