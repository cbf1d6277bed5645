#include "app/document/workspace_commands.h"

#include "core/editing/plan_edit.h"

namespace stagecraft::app::document {

ProblemCommand::ProblemCommand(EditedDocument& document, Problem problem,
                               std::optional<std::string> profileFile, std::optional<std::string> clusterFile,
                               unsigned parts, const QString& text)
    : QUndoCommand(text),
      document_(document),
      problem_(std::make_shared<const Problem>(std::move(problem))),
      profileFile_(std::move(profileFile)),
      clusterFile_(std::move(clusterFile)),
      parts_(parts) {}

void ProblemCommand::swap() {
    runs_.resize(document_.state().plans.size());
    for (std::size_t i = 0; i < runs_.size(); ++i)
        if (document_.state().plans[i].isPlan()) std::swap(runs_[i], document_.state().plans[i].run);
    auto problem = document_.state().problem;
    auto profileFile = document_.state().profileFile;
    auto clusterFile = document_.state().clusterFile;
    document_.changeProblem(problem_, profileFile_, clusterFile_, parts_);
    problem_ = std::move(problem);
    profileFile_ = std::move(profileFile);
    clusterFile_ = std::move(clusterFile);
}

bool ProblemCommand::mergeWith(const QUndoCommand* other) {
    // The text names the field; `other` was done already, so that this command goes back to where both began.
    if (other->text() != text()) return false;
    if (problem_->setup == document_.state().problem->setup) setObsolete(true);
    return true;
}

namespace {

std::string idOf(int device, const std::vector<std::string>& ids, const std::vector<std::string>& gone) {
    return device >= 0 ? ids[static_cast<std::size_t>(device)] : gone[static_cast<std::size_t>(-1 - device)];
}

/// Lets the plan's device indices follow the devices from one cluster to another.
class PlanFollower {
public:
    PlanFollower(std::vector<std::string> before, const Cluster& after)
        : before_(std::move(before)), to_(followDevices(before_, deviceIds(after))), after_(after) {}

    void follow(PlanItem& item) const {
        if (!item.isPlan()) return;
        std::vector<std::string> gone;
        const auto moved = [&](int device) {
            if (device >= static_cast<int>(before_.size())) return device;
            const std::string id = idOf(device, before_, item.goneDevices);
            const int now = device >= 0 ? to_[static_cast<std::size_t>(device)] : after_.deviceIndex(id);
            if (now >= 0) return now;
            const auto known = std::find(gone.begin(), gone.end(), id);
            const auto index = static_cast<int>(known - gone.begin());
            if (known == gone.end()) gone.push_back(id);
            return -1 - index;
        };
        for (Stage& stage : item.plan.stages)
            for (int& device : stage.devices) device = moved(device);
        if (auto* given = std::get_if<ExplicitSchedule>(&item.plan.schedule.order)) {
            std::map<int, std::vector<Task>> orders;
            for (auto& [device, order] : given->orders) orders[moved(device)] = std::move(order);
            given->orders = std::move(orders);
        }
        item.goneDevices = std::move(gone);
    }

private:
    std::vector<std::string> before_;
    std::vector<int> to_;
    const Cluster& after_;
};

}  // namespace

ClusterCommand::ClusterCommand(EditedDocument& document, Cluster cluster, ClusterDelta delta,
                               const QString& text, const QString& mergeKey)
    : DeltaCommand(document, std::move(cluster), std::move(delta), text, mergeKey),
      otherState_(document.state().clusterState) {
    if (delta_.concernsPlans()) otherState_ = ++document.state().lastClusterState;
}

void ClusterCommand::exchange(Cluster cluster) {
    const Problem& now = *document_.state().problem;
    unsigned parts = drawingPart;
    if (delta_.concernsPlans()) {
        parts |= clusterPart;
        std::vector<PlanItem>& plans = document_.state().plans;
        const auto isPlan = [](const PlanItem& item) { return item.isPlan(); };
        if (std::any_of(plans.begin(), plans.end(), isPlan)) {
            const PlanFollower follower(deviceIds(now.cluster), cluster);
            for (PlanItem& item : plans) {
                follower.follow(item);
                if (item.isPlan()) item.run = nullptr;
            }
        }
    }
    auto problem = std::make_shared<const Problem>(Problem{now.profile, std::move(cluster), now.setup});
    std::swap(document_.state().clusterState, otherState_);
    auto clusterFile = std::exchange(otherFile_, document_.state().clusterFile);
    document_.changeProblem(std::move(problem), document_.state().profileFile, std::move(clusterFile), parts);
}

void ClusterCommand::forget() {
    std::swap(document_.state().clusterState, otherState_);
    std::swap(document_.state().clusterFile, otherFile_);
}

void ProfileCommand::exchange(LayerProfile profile) {
    const Problem& now = *document_.state().problem;
    for (PlanItem& item : document_.state().plans)
        if (item.isPlan()) item.run = nullptr;
    auto problem = std::make_shared<const Problem>(Problem{std::move(profile), now.cluster, now.setup});
    auto profileFile = std::exchange(otherFile_, document_.state().profileFile);
    document_.changeProblem(std::move(problem), std::move(profileFile), document_.state().clusterFile,
                            profilePart);
}

void ProfileCommand::forget() { std::swap(document_.state().profileFile, otherFile_); }

namespace {

void dropRunsOf(std::vector<PlanItem>& plans) {
    for (PlanItem& plan : plans) plan.run.reset();
}

}  // namespace

void PlansCommand::dropRuns() { dropRunsOf(plans_); }

void ReplanCommand::dropRuns() { dropRunsOf(plans_); }

PlansCommand::PlansCommand(EditedDocument& document, std::vector<PlanItem> plans, const QString& text)
    : QUndoCommand(text), document_(document), plans_(std::move(plans)) {}

void PlansCommand::swap() {
    std::swap(plans_, document_.state().plans);
    document_.notifyPlans();
}

EditPlanCommand::EditPlanCommand(EditedDocument& document, int plan, int origin, std::vector<PlanItem> plans,
                                 const QString& text)
    : PlansCommand(document, std::move(plans), text), plan_(plan), origin_(origin) {}

void EditPlanCommand::swap() {
    std::swap(plans_, document_.state().plans);
    if (plan_ != origin_) {
        const bool there = document_.planIndex(plan_) >= 0;
        document_.notifySuccessor(there ? origin_ : plan_, there ? plan_ : origin_);
    }
    document_.notifyPlans();
}

bool EditPlanCommand::mergeWith(const QUndoCommand* other) {
    const auto* later = static_cast<const EditPlanCommand*>(other);
    if (later->plan_ != plan_ || later->text() != text() || later->latest_ - latest_ > quickly) return false;
    latest_ = later->latest_;
    // `other` was done already; this command goes back to where both began.
    const auto before = std::find_if(plans_.begin(), plans_.end(),
                                     [this](const PlanItem& item) { return item.id == origin_; });
    const Plan& now = document_.state().plans[static_cast<std::size_t>(document_.planIndex(plan_))].plan;
    Plan began = asHandMade(before->plan, before->plan, before->title().toStdString());
    began.name = now.name;
    if (began != now) return true;
    swap();
    setObsolete(true);
    document_.notifyRun(origin_);
    return true;
}

PlanAgainCommand::PlanAgainCommand(EditedDocument& document, std::vector<PlanItem> plans, int round,
                                   const QString& text)
    : PlansCommand(document, std::move(plans), text), round_(round) {}

bool PlanAgainCommand::mergeWith(const QUndoCommand* other) {
    // `other` was done already; this command goes back to where the round began.
    return static_cast<const PlanAgainCommand*>(other)->round_ == round_;
}

RecordingsCommand::RecordingsCommand(EditedDocument& document, std::vector<RecordedFiles> recordings,
                                     const QString& text)
    : QUndoCommand(text), document_(document), recordings_(std::move(recordings)) {}

void RecordingsCommand::swap() {
    std::swap(document_.state().recordings, recordings_);
    document_.notifyRecordings();
}

FiguresCommand::FiguresCommand(EditedDocument& document, std::vector<KeptFigure> figures, const QString& text)
    : QUndoCommand(text), document_(document), figures_(std::move(figures)) {}

void FiguresCommand::swap() {
    std::swap(document_.state().figures, figures_);
    document_.notifyFigures();
}

NotesCommand::NotesCommand(EditedDocument& document, int plan, std::vector<ChartNote> notes,
                           const QString& text)
    : QUndoCommand(text), document_(document), plan_(plan), notes_(std::move(notes)) {}

void NotesCommand::swap() {
    std::swap(document_.state().plans[static_cast<std::size_t>(document_.planIndex(plan_))].notes, notes_);
    document_.notifyNotes(plan_);
}

ReplanCommand::ReplanCommand(EditedDocument& document, int plan, std::shared_ptr<const Problem> problem,
                             std::vector<PlanItem> plans, const QString& text)
    : QUndoCommand(text),
      document_(document),
      plan_(plan),
      problem_(std::move(problem)),
      plans_(std::move(plans)) {}

void ReplanCommand::swap() {
    std::swap(plans_, document_.state().plans);
    const std::shared_ptr<const Problem> problem = std::exchange(problem_, document_.state().problem);
    if (problem != document_.state().problem) {
        document_.changeProblem(problem, document_.state().profileFile, document_.state().clusterFile,
                                setupPart);
    } else {
        document_.notifyPlans();
    }
    document_.notifyRun(plan_);
}

bool ReplanCommand::mergeWith(const QUndoCommand* other) {
    // `other` was done already; this command goes back to where both began.
    const auto* later = static_cast<const ReplanCommand*>(other);
    return later->plan_ == plan_ && later->problem_ == document_.state().problem;
}

}  // namespace stagecraft::app::document
