#pragma once

#include "app/pages/page.h"
#include "app/pareto/pareto_job.h"
#include "views/pareto/pareto_view.h"

class QStackedWidget;

namespace stagecraft::app::pareto {

/// The tab that shows what memory costs in speed, and opens the plans behind it.
class ParetoPage : public Page {
    Q_OBJECT

public:
    explicit ParetoPage(Workspace& workspace, QWidget* parent = nullptr);

    void start();
    void stop();
    ParetoJob& job() { return job_; }
    ParetoView& view() { return *view_; }
    bool hasResults() const { return !view_->isEmpty(); }
    /// A plan of the curve becomes one of the project, in one step, unless it is there already.
    /// @return its id
    int openPlan(const ParetoPlace& place);

    void bringUpToDate(const PlanItem*) override {}
    std::vector<FigureSource> figures(const PlanItem* plan) const override;
    bool hasFigures() const override { return hasResults(); }
    QImage picture() override;

private:
    void onProblem();
    void show();
    void showStatus();
    void onEnded(bool stopped, const QString& failure);

    Workspace& workspace_;
    ParetoJob job_;
    QStackedWidget* pages_;
    ParetoView* view_;
    QString end_;  ///< how the last run ended
};

}  // namespace stagecraft::app::pareto
