#pragma once

#include "app/planning_jobs.h"
#include "app/workspace.h"

#include <QStringList>

namespace stagecraft {

/// Keeps the runs of the document's plans true: works out every plan that has none, and runs planners for the
/// planner panel, one job each.
class PlanningController : public QObject {
    Q_OBJECT

public:
    explicit PlanningController(Workspace& workspace, QObject* parent = nullptr);

    /// @param planners ids; @param values what the panel has set, by planner
    void run(const QStringList& planners, const std::map<std::string, ParameterValues>& values);
    void cancel();
    /// Planners that search on for better plans settle for the best that they have.
    void takeBestSoFar();
    /// Whether planners that were asked for are at work (working plans out again does not count).
    bool isPlanning() const { return !planning_.isEmpty(); }
    /// Whether anything is at work at all.
    bool isBusy() const { return jobs_.count() > 0; }

signals:
    void planningChanged();
    /// Mean over the planners of this round, 0 to 1.
    void progressed(double fraction);
    /// Where the long search of one of the planners stands; takeBestSoFar() would end it.
    void searching(QString sentence);
    void planned(int planId);
    /// A job broke off in a way that gives no run.
    void failed(QString reason);

private:
    class SharedCosts;
    void onProblemChanged();
    void workOutMissingRuns();
    void onFinished(int job, const std::shared_ptr<const PlanRun>& run);
    void onEnded(int job);

    Workspace& workspace_;
    PlanningJobs jobs_;
    std::shared_ptr<SharedCosts> costs_;
    QHash<int, QString> planning_;  // job -> planner id
    QHash<int, int> evaluations_;   // job -> plan id
    QHash<int, double> progress_;   // of this round, job -> fraction
};

}  // namespace stagecraft
