#pragma once

#include "app/jobs/planning_jobs.h"

#include <QElapsedTimer>

#include <optional>

namespace stagecraft::app::plan {

/// What is planned anew, under which limit.
struct LimitQuestion {
    std::shared_ptr<const Problem> problem;
    std::shared_ptr<const CostModel> costs;  ///< of that profile and cluster, whatever the setup; may be null
    Plan plan;                               ///< its planner and its parameters
    double limitBytes = 0;
    std::optional<double> setupLimit;  ///< as the setup would say it: nothing for the devices' own memory

    bool operator==(const LimitQuestion& other) const {
        return problem == other.problem && plan == other.plan && limitBytes == other.limitBytes;
    }
};

/// Plans under a memory limit that moves, away from the GUI thread. Previews come one after the other, always
/// for the newest limit: those in between are left out, and one that takes long is given up for it.
class LimitPlanner : public QObject {
    Q_OBJECT

public:
    explicit LimitPlanner(QObject* parent = nullptr);

    /// With quick settings: a planner with a time limit gets a fraction of a second.
    void preview(const LimitQuestion& question);
    /// As the plan's own parameters say. Ends the previews.
    void refine(const LimitQuestion& question);
    void cancel();
    bool isBusy() const { return running_ != 0; }

signals:
    void previewed(const stagecraft::app::plan::LimitQuestion& question,
                   std::shared_ptr<const stagecraft::runs::PlanRun> run);
    void refined(const stagecraft::app::plan::LimitQuestion& question,
                 std::shared_ptr<const stagecraft::runs::PlanRun> run);
    void failed(QString reason);
    void busyChanged();

private:
    void start(const LimitQuestion& question, bool quick);
    void onEnded(int job);

    PlanningJobs jobs_;
    int running_ = 0;
    bool quick_ = false;
    LimitQuestion question_;
    std::optional<LimitQuestion> next_;
    QElapsedTimer since_;
};

}  // namespace stagecraft::app::plan
