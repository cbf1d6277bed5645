#include "app/workspace.h"

#include "app/workspace_commands.h"

#include <QFileInfo>

namespace stagecraft {

QString PlanItem::title() const {
    if (run) return QString::fromStdString(run->title());
    if (!plan.name.empty()) return QString::fromStdString(plan.name);
    const Planner* planner = findPlanner(plan.planner);
    return QString::fromStdString(planner ? planner->description().title : plan.planner);
}

Workspace::Workspace(QObject* parent) : QObject(parent), problem_(std::make_shared<const Problem>()) {
    connect(&undo_, &QUndoStack::cleanChanged, this, &Workspace::titleChanged);
    connect(this, &Workspace::edited, this, [this] { ++edit_; });
}

bool Workspace::isDirty() const { return open_ && (unsaved_ || !undo_.isClean()); }

QString Workspace::title() const {
    if (!open_) return {};
    if (!name_.empty()) return QString::fromStdString(name_);
    if (!path_.isEmpty()) return QFileInfo(path_).fileName().section('.', 0, 0);
    return tr("Untitled");
}

int Workspace::planIndex(int id) const {
    const auto found =
        std::find_if(plans_.begin(), plans_.end(), [id](const PlanItem& p) { return p.id == id; });
    return found == plans_.end() ? -1 : static_cast<int>(found - plans_.begin());
}

const PlanItem* Workspace::plan(int id) const {
    const int index = planIndex(id);
    return index < 0 ? nullptr : &plans_[static_cast<std::size_t>(index)];
}

namespace {

/// Whether a file can hold the plan: it names devices by their ids, and after an exchange of the cluster or
/// the profile some that a plan names may be gone. Such a plan stays in the window, in case the exchange is
/// undone.
bool namesOnlyWhatIs(const Plan& plan, const Problem& problem) {
    const auto isDevice = [&problem](int device) {
        return device >= 0 && device < problem.cluster.deviceCount();
    };
    const auto* orders = std::get_if<ExplicitSchedule>(&plan.schedule.order);
    return std::all_of(plan.stages.begin(), plan.stages.end(),
                       [&](const Stage& stage) {
                           return stage.lastLayer < problem.profile.layerCount() &&
                                  std::all_of(stage.devices.begin(), stage.devices.end(), isDevice);
                       }) &&
           (!orders || std::all_of(orders->orders.begin(), orders->orders.end(),
                                   [&](const auto& order) { return isDevice(order.first); }));
}

}  // namespace

Project Workspace::project() const {
    Project project{name_, *problem_, profileFile_, clusterFile_, {}};
    for (const PlanItem& item : plans_)
        if (item.isPlan() && namesOnlyWhatIs(item.plan, *problem_)) project.plans.push_back(item.plan);
    return project;
}

void Workspace::replace(std::optional<Project> opened, const QString& path, bool unsaved) {
    ++document_;
    open_ = opened.has_value();
    Project project = std::move(opened).value_or(Project{});
    unsaved_ = unsaved;
    path_ = path;
    name_ = std::move(project.name);
    problem_ = std::make_shared<const Problem>(std::move(project.problem));
    profileFile_ = std::move(project.profileFile);
    clusterFile_ = std::move(project.clusterFile);
    plans_.clear();
    for (Plan& plan : project.plans) plans_.push_back({nextId_++, std::move(plan), nullptr});
    undo_.clear();
    emit projectReplaced();
    emit titleChanged();
}

void Workspace::openProject(Project project, const QString& path) {
    replace(std::move(project), path, false);
}

void Workspace::openRecovered(Project project, const QString& path) {
    replace(std::move(project), path, true);
}

void Workspace::close() { replace(std::nullopt, {}, false); }

void PendingSave::write() const { writeFileAtomically(path.toStdString(), writeProject(project)); }

PendingSave Workspace::prepareSave(const QString& path) const {
    PendingSave save{path, project(), document_, edit_};
    // References are relative to the file's own folder: in another folder the parts travel inside.
    if (QFileInfo(path).absolutePath() != QFileInfo(path_).absolutePath()) {
        save.project.profileFile.reset();
        save.project.clusterFile.reset();
    }
    return save;
}

void Workspace::saved(const PendingSave& save) {
    if (save.document != document_) return;
    path_ = save.path;
    if (save.edit == edit_) {
        profileFile_ = save.project.profileFile;
        clusterFile_ = save.project.clusterFile;
        unsaved_ = false;
        undo_.setClean();
    } else {
        // The state that the file holds has no place of its own on the undo stack any more.
        unsaved_ = true;
    }
    emit titleChanged();
}

void Workspace::saveAs(const QString& path) {
    const PendingSave save = prepareSave(path);
    save.write();
    saved(save);
}

void Workspace::markUnsaved() {
    unsaved_ = true;
    emit titleChanged();
    emit edited();
}

void Workspace::changeProblem(std::shared_ptr<const Problem> problem, std::optional<std::string> profileFile,
                              std::optional<std::string> clusterFile, unsigned parts) {
    problem_ = std::move(problem);
    profileFile_ = std::move(profileFile);
    clusterFile_ = std::move(clusterFile);
    emit problemChanged(parts);
    emit plansChanged();
    emit edited();
}

void Workspace::setSetup(const TrainingSetup& setup) {
    const TrainingSetup& old = problem_->setup;
    if (setup == old) return;
    const QString field = setup.microbatches != old.microbatches           ? tr("microbatches")
                          : setup.mode != old.mode                         ? tr("mode")
                          : setup.optimizer != old.optimizer               ? tr("optimizer")
                          : setup.channel != old.channel                   ? tr("channel")
                          : setup.memoryLimitBytes != old.memoryLimitBytes ? tr("memory limit")
                                                                           : tr("AllReduce overlap");
    Problem problem = *problem_;
    problem.setup = setup;
    undo_.push(new ProblemCommand(*this, std::move(problem), profileFile_, clusterFile_, setupPart,
                                  tr("Change %1").arg(field)));
}

void Workspace::setProfile(const LayerProfile& profile) {
    Problem problem = *problem_;
    problem.profile = profile;
    undo_.push(new ProblemCommand(*this, std::move(problem), std::nullopt, clusterFile_, profilePart,
                                  tr("Replace profile")));
}

void Workspace::setCluster(const Cluster& cluster) {
    Problem problem = *problem_;
    problem.cluster = cluster;
    undo_.push(new ProblemCommand(*this, std::move(problem), profileFile_, std::nullopt, clusterPart,
                                  tr("Replace cluster")));
}

namespace {

/// The place of a plan's planner in the order in which planners are offered; after all of them for a plan
/// that has a name of its own or comes from elsewhere.
std::size_t rankOf(const Plan& plan) {
    const auto& all = planners();
    const auto found = std::find_if(all.begin(), all.end(), [&plan](const std::unique_ptr<Planner>& planner) {
        return planner->description().id == plan.planner;
    });
    return plan.name.empty() ? static_cast<std::size_t>(found - all.begin()) : all.size();
}

}  // namespace

int Workspace::addRun(std::shared_ptr<const PlanRun> run) {
    std::vector<PlanItem> plans = plans_;
    const Plan plan = run->result.plan;
    const auto earlier = std::find_if(plans.begin(), plans.end(), [&plan](const PlanItem& item) {
        return item.plan.name.empty() && item.plan.planner == plan.planner;
    });
    const QString text = tr("Plan with %1").arg(QString::fromStdString(run->title()));
    int id = nextId_;
    if (earlier != plans.end()) {
        id = earlier->id;
        earlier->plan = plan;
        earlier->run = std::move(run);
    } else {
        // Planners finish in any order; the project is the same all the same.
        const auto after = std::find_if(plans.begin(), plans.end(), [&plan](const PlanItem& item) {
            return rankOf(item.plan) > rankOf(plan);
        });
        plans.insert(after, {nextId_++, plan, std::move(run)});
    }
    undo_.push(new PlansCommand(*this, std::move(plans), text));
    emit runChanged(id);
    return id;
}

int Workspace::addPlan(const Plan& plan) {
    std::vector<PlanItem> plans = plans_;
    plans.push_back({nextId_++, plan, nullptr});
    const int id = plans.back().id;
    undo_.push(new PlansCommand(*this, std::move(plans), tr("Add plan")));
    return id;
}

void Workspace::removePlan(int id) {
    const int index = planIndex(id);
    if (index < 0) return;
    std::vector<PlanItem> plans = plans_;
    plans.erase(plans.begin() + index);
    undo_.push(new PlansCommand(*this, std::move(plans), tr("Remove %1").arg(plan(id)->title())));
}

void Workspace::renamePlan(int id, const QString& name) {
    const int index = planIndex(id);
    const std::string wanted = name.trimmed().toStdString();
    if (index < 0 || plan(id)->plan.name == wanted) return;
    std::vector<PlanItem> plans = plans_;
    PlanItem& item = plans[static_cast<std::size_t>(index)];
    item.plan.name = wanted;
    if (item.run) {
        auto renamed = std::make_shared<PlanRun>(*item.run);
        renamed->result.plan.name = wanted;
        item.run = std::move(renamed);
    }
    undo_.push(new PlansCommand(*this, std::move(plans), tr("Rename %1").arg(plan(id)->title())));
    emit runChanged(id);
}

bool Workspace::setRun(int id, std::shared_ptr<const PlanRun> run) {
    const int index = planIndex(id);
    if (index < 0) return false;
    PlanItem& item = plans_[static_cast<std::size_t>(index)];
    if (item.plan != run->result.plan) return false;
    item.run = std::move(run);
    emit runChanged(id);
    return true;
}

}  // namespace stagecraft
