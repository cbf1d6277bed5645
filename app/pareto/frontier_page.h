#pragma once

#include "app/pages/page.h"
#include "core/planners/automatic/auto_frontier.h"
#include "views/common/job.h"
#include "views/pareto/frontier_view.h"

namespace stagecraft::app::pareto {

/// The tab of a project that a search over layouts made: what the same search finds with fewer GPUs and less
/// memory, as plans to open. A project that comes from elsewhere has none.
class FrontierPage : public Page {
    Q_OBJECT

public:
    explicit FrontierPage(Workspace& workspace, QWidget* parent = nullptr);

    /// The project that has just been opened has the plan of this search.
    void setSearch(AutoQuestion question, AutoAnswer answer);
    void start();
    /// Ends with what has been found.
    void stop() { job_.stop(); }
    bool isRunning() const { return job_.isRunning(); }
    const std::vector<FrontierPoint>& points() const { return points_; }
    /// A point's plan with the problem that it was found for becomes the project's, in one step. Plans of
    /// other points go, since a project has one batch, one group and one ZeRO stage; undoing brings them
    /// back. @return its id; 0: there is none, or the problem is no longer what was searched
    int openPlan(int point);

    bool isOffered() const override { return question_.has_value(); }
    void projectReplaced() override;
    void problemChanged(unsigned parts) override;
    void bringUpToDate(const PlanItem*) override {}
    std::vector<FigureSource> figures(const PlanItem*) const override { return {}; }
    bool hasFigures() const override { return false; }
    QImage picture() override { return view_->chart().grab().toImage(); }
    QWidget* focusTarget() override { return view_; }
    FrontierView& view() { return *view_; }

private:
    FrontierAxis axis() const;
    /// Whether what an iteration costs is known in dollars.
    bool hasPrice() const;
    /// Whether also what tokens cost is.
    bool hasTokenPrice() const;
    /// As the project has prices now: they are no part of what was searched.
    void price();
    bool isCurrent() const;
    void show();
    /// Those that the chart has a mark of: what is beaten and varies something else would only stretch it.
    std::vector<std::size_t> shownPoints() const;
    FrontierScene sceneOf(const std::vector<std::size_t>& shown) const;
    FrontierRow rowOf(const FrontierPoint& point) const;
    void showStatus();
    void onEnded(bool stopped, const QString& failure);

    Workspace& workspace_;
    FrontierView* view_;
    std::optional<AutoQuestion> question_;
    AutoAnswer all_;
    std::vector<FrontierPoint> points_;
    QString end_;
    Job job_;  ///< last: ends before what it reports
};

}  // namespace stagecraft::app::pareto
