#pragma once

#include "app/rooms.h"
#include "core/model/chart_note.h"
#include "core/model/kept_figure.h"
#include "core/model/recorded_files.h"
#include "core/runs/plan_run.h"

#include <QString>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft::app::document {

/// A plan of the document with what follows from it. The id is stable for as long as the document is open;
/// the index is not.
struct PlanItem {
    int id = 0;
    Plan plan;
    /// Null while it is being worked out. A planner that gave no plan has a run (with its reason) and no
    /// stages.
    std::shared_ptr<const PlanRun> run;
    /// Devices of the plan that the cluster no longer has: -1 in the plan's device indices is the first of
    /// them, -2 the second, …. Such a plan cannot run until they are back.
    std::vector<std::string> goneDevices;
    /// The state of the cluster for which a planner made it (Workspace::clusterState).
    int madeFor = 0;
    /// Named by addRun to distinguish it from the plan of an earlier cluster, and by nobody else.
    bool numbered = false;
    std::vector<ChartNote> notes{};  ///< on its chart
    PlanOrigin origin{};
    /// Of a planner that gave no plan: failed or infeasible, and why.
    PlanStatus status = PlanStatus::ok;
    std::string reason{};
    bool stopped = false;  ///< a person cancelled its simulation: it has no run until something changes

    bool isPlan() const { return !plan.stages.empty(); }
    /// Its run, if it has a timeline; else null.
    std::shared_ptr<const PlanRun> okRun() const { return run && run->ok() ? run : nullptr; }
    QString title() const;
};

/// The parts of a problem, as flags. `drawingPart` is what a cluster says that planners do not look at:
/// positions, types, kinds, names; it is sent whenever the cluster changes.
enum ProblemPart : unsigned {
    profilePart = 1,
    clusterPart = 2,
    setupPart = 4,
    drawingPart = 8,
    wholeProblem = 15
};

/// What edits change and undo brings back.
struct DocumentState {
    std::shared_ptr<const Problem> problem = std::make_shared<const Problem>();
    std::optional<std::string> profileFile, clusterFile;
    std::vector<PlanItem> plans;
    std::vector<KeptFigure> figures;        ///< names differ
    std::vector<RecordedFiles> recordings;  ///< paths are absolute
    int clusterState = 0;                   ///< differs whenever planners would see another cluster
    int lastClusterState = 0;               ///< the highest that there was
};

/// The document as its undo commands see it: what they exchange, and who is notified.
class EditedDocument {
public:
    virtual ~EditedDocument() = default;

    /// Exchanges the problem with its files; plans that stay say how old they are now, and all of this is
    /// notified.
    virtual void changeProblem(std::shared_ptr<const Problem> problem, std::optional<std::string> profileFile,
                               std::optional<std::string> clusterFile, unsigned parts) = 0;
    /// The list of plans changed.
    virtual void notifyPlans() = 0;
    /// The run of a plan is another.
    virtual void notifyRun(int id) = 0;
    /// An edit made plan `to` out of plan `from`; notifyPlans follows.
    virtual void notifySuccessor(int from, int to) = 0;
    virtual void notifyNotes(int id) = 0;
    virtual void notifyFigures() = 0;
    virtual void notifyRecordings() = 0;

    /// -1 if there is none of that id.
    int planIndex(int id) const;

    DocumentState& state() { return state_; }

protected:
    DocumentState state_;
};

}  // namespace stagecraft::app::document
