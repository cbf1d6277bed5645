#pragma once

#include "core/planners/planner.h"
#include "app/document/workspace.h"
#include "app/jobs/planning_jobs.h"
#include "views/common/job.h"

#include <QStringList>
#include <QTimer>

namespace stagecraft::app::jobs {

/// Keeps the runs of the document's plans true: works out every plan that has none, and runs planners for the
/// planner panel, one job each.
class PlanningController : public QObject {
    Q_OBJECT

public:
    explicit PlanningController(Workspace& workspace, QObject* parent = nullptr);

    /// @param planners ids; @param values what the panel has set, by planner
    void run(const QStringList& planners, const std::map<std::string, ParameterValues>& values);
    /// Asks the planners of all plans that are not current again, each with the plan's own parameters.
    void planAgain();
    /// The same after each edit, as soon as nothing changes for a moment.
    void setPlansAgain(bool on) { plansAgain_ = on; }
    /// Adds the plan of a row that a plan's search tried, as a person's own.
    /// @param row index into PlannerReport::tried
    void openTried(int planId, int row);
    /// Whatever is at work ends. A plan whose simulation is cancelled stays without one until something
    /// changes.
    void cancel();
    /// Planners that search on for better plans settle for the best that they have.
    void takeBestSoFar();
    /// Whether planners that were asked for are at work (working plans out again does not count).
    bool isPlanning() const { return !planning_.isEmpty(); }
    /// Whether the planners at work, or those that were last, plan again.
    bool isPlanningAgain() const { return planningAgain_; }
    /// Whether anything is at work at all.
    bool isBusy() const { return !planning_.isEmpty() || !evaluations_.isEmpty(); }

signals:
    void planningChanged();
    /// isBusy() may have changed.
    void busyChanged();
    /// Mean over the planners of this round, 0 to 1.
    void progressed(double fraction);
    /// The progress of one planner's long search; takeBestSoFar() would end it.
    void searching(QString sentence);
    void planned(int planId);
    void triedOpened(int planId);
    /// A job broke off in a way that gives no run.
    void failed(QString reason);

private:
    class SharedCosts;
    void onProblemChanged();
    void workOutMissingRuns();
    PlanningWork workFor(const PlanItem& item) const;
    void startPlanning(const Planner& planner, const ParameterValues& values, int planId);
    void planAgainSoon();
    void onDelivered();
    void takeResults();

    Workspace& workspace_;
    PlanningJobs jobs_;
    views::common::Job tried_;
    std::shared_ptr<SharedCosts> costs_;
    QHash<int, QString> planning_;                                         // job -> planner id
    QHash<int, int> evaluations_;                                          // job -> plan id
    QHash<int, int> again_;                                                // job of planning_ -> plan id
    QHash<int, double> progress_;                                          // of this round, job -> fraction
    std::vector<std::pair<int, std::shared_ptr<const PlanRun>>> results_;  // by job, not in the document yet
    std::vector<int> ended_;                                               // jobs
    QTimer calm_;  // runs while edits follow one another
    bool plansAgain_ = false, planningAgain_ = false;
    int round_ = 0;
};

}  // namespace stagecraft::app::jobs
