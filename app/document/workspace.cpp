#include "app/document/workspace.h"

#include "app/document/file_filter.h"
#include "app/document/workspace_commands.h"
#include "core/planners/planned_run.h"
#include "core/editing/plan_edit.h"
#include "core/model/setup_fields.h"
#include "views/common/text.h"

#include <QDir>
#include <QFileInfo>

namespace stagecraft::app::document {

namespace {

/// Steps are gone one at a time: those at this distance are all that can have become far.
void dropFarRuns(const QUndoStack& steps, int index) {
    constexpr int near = 20;  // steps back, or forward again, that show their plans at once
    const auto drop = [](const QUndoCommand* step, const auto& again) -> void {
        // Nothing that the stack relies on changes.
        if (auto* keeper = dynamic_cast<RunKeeper*>(const_cast<QUndoCommand*>(step))) keeper->dropRuns();
        for (int i = 0; i < step->childCount(); ++i) again(step->child(i), again);
    };
    for (const int far : {index - 1 - near, index + near})
        if (far >= 0 && far < steps.count()) drop(steps.command(far), drop);
}

}  // namespace

Workspace::Workspace(QObject* parent) : QObject(parent) {
    connect(&undo_, &QUndoStack::cleanChanged, this, &Workspace::titleChanged);
    connect(&undo_, &QUndoStack::indexChanged, this, [this](int index) { dropFarRuns(undo_, index); });
    connect(this, &Workspace::edited, this, [this] { ++edit_; });
}

bool Workspace::isDirty() const { return open_ && (unsaved_ || !undo_.isClean()); }

QString Workspace::title() const {
    if (!open_) return {};
    if (!name_.empty()) return QString::fromStdString(name_);
    if (!path_.isEmpty()) return QFileInfo(path_).fileName().section('.', 0, 0);
    return tr("Untitled");
}

const PlanItem* Workspace::plan(int id) const {
    const int index = planIndex(id);
    return index < 0 ? nullptr : &state_.plans[static_cast<std::size_t>(index)];
}

Project Workspace::project() const {
    Project project{name_, *state_.problem, state_.profileFile, state_.clusterFile, {}, {}};
    const FileFilter file(*state_.problem);
    for (const PlanItem& item : state_.plans) {
        if (!item.isPlan() || !file.canHold(item.plan)) continue;
        project.plans.push_back(item.plan);
        project.notes.push_back(item.notes);
        project.origins.push_back(item.origin);
    }
    for (const PlanItem& item : state_.plans)
        if (!item.isPlan() && item.status != PlanStatus::ok)
            project.planless.push_back(
                {item.plan.planner, item.plan.parameters, item.status, item.reason, item.origin});
    project.figures = state_.figures;
    project.recordings = state_.recordings;
    const auto none = [](const std::vector<ChartNote>& notes) { return notes.empty(); };
    if (std::all_of(project.notes.begin(), project.notes.end(), none)) project.notes.clear();
    const auto unknown = [](const PlanOrigin& origin) { return origin == PlanOrigin{}; };
    if (std::all_of(project.origins.begin(), project.origins.end(), unknown)) project.origins.clear();
    return project;
}

namespace {

/// The place of a plan's planner in the order in which planners are offered; after all of them for a plan
/// that has a name of its own or comes from elsewhere.
std::size_t rankOf(const Plan& plan, bool hasOwnName) {
    const auto& all = allPlanners();
    const auto found = std::find_if(all.begin(), all.end(), [&plan](const std::unique_ptr<Planner>& planner) {
        return planner->description().id == plan.planner;
    });
    return hasOwnName ? all.size() : static_cast<std::size_t>(found - all.begin());
}

bool hasOwnName(const PlanItem& item) { return !item.plan.name.empty() && !item.numbered; }

/// The name of the planner's n-th plan.
std::string numberedName(const std::string& planner, int number) {
    const Planner* known = findPlanner(planner);
    return (known ? known->description().title : planner) + " (" + std::to_string(number) + ")";
}

/// Whether a plan has a name as addRun gives it; a file does not say who gave it.
bool isNumbered(const Plan& plan) {
    const std::size_t number = plan.name.rfind('(') + 1;
    return number > 0 && plan.name == numberedName(plan.planner, std::atoi(plan.name.c_str() + number));
}

std::string freeNumberedName(const std::vector<PlanItem>& plans, const std::string& planner) {
    for (int number = 2;; ++number) {
        const std::string name = numberedName(planner, number);
        if (std::none_of(plans.begin(), plans.end(),
                         [&name](const PlanItem& item) { return item.plan.name == name; }))
            return name;
    }
}

/// `title` with a word in brackets, numbered where that is taken: "SPP (copy)", "SPP (copy 2)".
std::string freeName(const std::vector<PlanItem>& plans, const std::string& title, const std::string& word) {
    const auto taken = [&plans](const std::string& name) {
        return std::any_of(plans.begin(), plans.end(),
                           [&name](const PlanItem& item) { return item.title().toStdString() == name; });
    };
    std::string name = title + " (" + word + ")";
    for (int number = 2; taken(name); ++number)
        name = title + " (" + word + " " + std::to_string(number) + ")";
    return name;
}

/// @param change from one path to another
template <typename Change>
void changePaths(std::vector<RecordedFiles>& recordings, Change change) {
    for (RecordedFiles& each : recordings)
        for (std::string& file : each.files) file = change(QString::fromStdString(file)).toStdString();
}

std::shared_ptr<const PlanRun> renamed(const PlanRun& run, const std::string& name) {
    auto copy = std::make_shared<PlanRun>(run);
    copy->result.plan.name = name;
    return copy;
}

/// What a person changed is no longer what its planner spoke of; it stays a plan for the problem planned for.
void markHandEdited(PlanItem& item, const SeenProblem& problem) {
    item.origin.report.reset();
    if (!item.run || !item.origin.plannedFor) return;
    auto run = std::make_shared<PlanRun>(*item.run);
    run->plannedFor = item.origin.plannedFor;
    setAge(*run, item.origin.plannedFor, problem.by(makerOf(item.plan.planner), item.origin.plannedFor));
    item.run = std::move(run);
}

/// The item holds what came of its planner.
void take(PlanItem& item, const std::shared_ptr<const PlanRun>& run) {
    const std::string name = item.plan.name;
    item.plan = run->result.plan;
    item.plan.name = name;
    item.run = name == run->result.plan.name ? run : renamed(*run, name);
    item.origin = originOf(*run);
    item.status = item.isPlan() ? PlanStatus::ok : run->result.status;
    item.reason = item.isPlan() ? "" : run->result.reason;
    item.goneDevices.clear();
}

}  // namespace

const SeenProblem& Workspace::seenProblem() const {
    if (hashed_ != state_.problem) {
        hashed_ = state_.problem;
        seen_ = SeenProblem(*state_.problem);
    }
    return seen_;
}

PlanAge Workspace::ageOf(const PlanItem& item) const {
    const std::optional<ProblemHash>& madeFor = item.origin.plannedFor;
    if (!madeFor) return PlanAge::current;
    return planAge(*madeFor, seenProblem().by(makerOf(item.plan.planner), madeFor));
}

std::vector<int> Workspace::agedPlans() const {
    std::vector<int> ids;
    for (const PlanItem& item : state_.plans)
        if (ageOf(item) != PlanAge::current) ids.push_back(item.id);
    return ids;
}

std::vector<int> Workspace::plansToPlanAgain() const {
    std::vector<int> ids = agedPlans();
    std::erase_if(ids, [this](int id) { return !findPlanner(plan(id)->plan.planner); });
    return ids;
}

/// Runs that stay while the problem changes say how old they are now.
void Workspace::refreshAges() {
    for (PlanItem& item : state_.plans) {
        item.stopped = false;
        if (!item.run) continue;
        auto run = std::make_shared<PlanRun>(*item.run);
        setAge(*run, item.origin.plannedFor,
               seenProblem().by(makerOf(item.plan.planner), item.origin.plannedFor));
        if (run->age != item.run->age || run->changed != item.run->changed) item.run = std::move(run);
    }
}

void Workspace::replace(std::optional<Project> opened, const QString& path, bool unsaved) {
    ++document_;
    open_ = opened.has_value();
    Project project = std::move(opened).value_or(Project{});
    unsaved_ = unsaved;
    path_ = path;
    name_ = std::move(project.name);
    state_.problem = std::make_shared<const Problem>(std::move(project.problem));
    state_.profileFile = std::move(project.profileFile);
    state_.clusterFile = std::move(project.clusterFile);
    state_.figures = std::move(project.figures);
    state_.recordings = std::move(project.recordings);
    changePaths(state_.recordings, [folder = QFileInfo(path_).absoluteDir()](const QString& file) {
        return QDir::cleanPath(folder.absoluteFilePath(file));
    });
    takePlans(project);
    undo_.clear();
    emit projectReplaced();
    emit titleChanged();
}

void Workspace::takePlans(Project& project) {
    state_.plans.clear();
    state_.clusterState = state_.lastClusterState = 0;
    project.notes.resize(project.plans.size());
    stampOrigins(project.plans, project.origins, seenProblem());
    for (std::size_t i = 0; i < project.plans.size(); ++i) {
        Plan& plan = project.plans[i];
        const bool numbered = isNumbered(plan);
        state_.plans.push_back({nextId_++,
                                std::move(plan),
                                nullptr,
                                {},
                                state_.clusterState,
                                numbered,
                                std::move(project.notes[i]),
                                std::move(project.origins[i])});
    }
    for (PlanlessAnswer& answer : project.planless) {
        PlanItem item{nextId_++, {}, nullptr, {}, state_.clusterState, false, {}, std::move(answer.origin)};
        item.plan.planner = std::move(answer.planner);
        item.plan.parameters = std::move(answer.parameters);
        item.status = answer.status;
        item.reason = std::move(answer.reason);
        const std::size_t rank = rankOf(item.plan, false);
        const auto after = std::find_if(
            state_.plans.begin(), state_.plans.end(),
            [rank](const PlanItem& other) { return rankOf(other.plan, hasOwnName(other)) > rank; });
        state_.plans.insert(after, std::move(item));
    }
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
    changePaths(save.project.recordings, [folder = QFileInfo(path).absoluteDir()](const QString& file) {
        return folder.relativeFilePath(file);
    });
    return save;
}

void Workspace::saved(const PendingSave& save) {
    if (save.document != document_) return;
    path_ = save.path;
    if (save.edit == edit_) {
        state_.profileFile = save.project.profileFile;
        state_.clusterFile = save.project.clusterFile;
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
    state_.problem = std::move(problem);
    state_.profileFile = std::move(profileFile);
    state_.clusterFile = std::move(clusterFile);
    refreshAges();
    emit problemChanged(parts);
    if (parts != drawingPart) emit plansChanged();
    emit edited();
}

void Workspace::notifyPlans() {
    emit plansChanged();
    emit edited();
}

void Workspace::notifyNotes(int id) {
    emit notesChanged(id);
    emit edited();
}

void Workspace::notifyFigures() {
    emit figuresChanged();
    emit edited();
}

void Workspace::notifyRecordings() {
    emit recordingsChanged();
    emit edited();
}

void Workspace::setRecordings(std::vector<RecordedFiles> recordings, const QString& text) {
    if (recordings == state_.recordings) return;
    undo_.push(new RecordingsCommand(*this, std::move(recordings), text));
}

void Workspace::setSetup(const TrainingSetup& setup) {
    const TrainingSetup& old = state_.problem->setup;
    if (setup == old) return;
    const QString field = qtText(changedField(old, setup)->phrase);
    Problem problem = *state_.problem;
    problem.setup = setup;
    undo_.push(new ProblemCommand(*this, std::move(problem), state_.profileFile, state_.clusterFile,
                                  setupPart, tr("Change %1").arg(field)));
}

void Workspace::setProfile(const LayerProfile& profile) { editProfile(profile, tr("Replace profile")); }

void Workspace::editProfile(LayerProfile profile, const QString& text, const QString& mergeKey) {
    ProfileDelta delta = profileDelta(state_.problem->profile, profile);
    if (delta.isEmpty()) return;
    undo_.push(new ProfileCommand(*this, std::move(profile), std::move(delta), text, mergeKey));
}

void Workspace::setCluster(const Cluster& cluster) { editCluster(cluster, tr("Replace cluster")); }

void Workspace::editCluster(Cluster cluster, const QString& text, const QString& mergeKey) {
    ClusterDelta delta = clusterDelta(state_.problem->cluster, cluster);
    if (delta.isEmpty()) return;
    undo_.push(new ClusterCommand(*this, std::move(cluster), std::move(delta), text, mergeKey));
}

int Workspace::addRun(std::shared_ptr<const PlanRun> run) {
    std::vector<PlanItem> plans = state_.plans;
    Plan plan = run->result.plan;
    const auto isOfPlanner = [&plan](const PlanItem& item) {
        return !hasOwnName(item) && item.plan.planner == plan.planner;
    };
    // The last one: those before it were made for what the cluster was then, even if a file was in between.
    const auto last = std::find_if(plans.rbegin(), plans.rend(), isOfPlanner);
    const QString text = tr("Plan with %1").arg(QString::fromStdString(run->title()));
    int id = nextId_;
    if (last != plans.rend() && (last->madeFor == state_.clusterState || !last->isPlan())) {
        id = last->id;
        plan.name = last->plan.name;
    } else if (last != plans.rend()) {
        plan.name = freeNumberedName(plans, plan.planner);
    }
    PlanItem item{id, plan, nullptr, {}, state_.clusterState, !plan.name.empty()};
    take(item, run);
    if (!item.origin.plannedFor) item.origin.plannedFor = seenProblem().by(makerOf(plan.planner));
    if (id != nextId_) {
        item.notes = last->notes;
        *last = std::move(item);
    } else {
        ++nextId_;
        // Planners finish in any order; the project is the same all the same.
        const auto after = std::find_if(plans.begin(), plans.end(), [&plan](const PlanItem& other) {
            return rankOf(other.plan, hasOwnName(other)) > rankOf(plan, false);
        });
        plans.insert(after, std::move(item));
    }
    undo_.push(new PlansCommand(*this, std::move(plans), text));
    emit runsChanged({id});
    return id;
}

int Workspace::addPlan(const Plan& plan, const PlanOrigin& origin) {
    std::vector<PlanItem> plans = state_.plans;
    const int id = nextId_++;
    plans.push_back({id, plan, nullptr, {}, state_.clusterState, false, {}, origin});
    if (!origin.plannedFor && findPlanner(plan.planner))
        plans.back().origin.plannedFor = seenProblem().by(makerOf(plan.planner));
    undo_.push(new PlansCommand(*this, std::move(plans), tr("Add plan")));
    return id;
}

int Workspace::duplicatePlan(int id) {
    const int index = planIndex(id);
    if (index < 0 || !plan(id)->isPlan()) return 0;
    std::vector<PlanItem> plans = state_.plans;
    PlanItem copy = plans[static_cast<std::size_t>(index)];
    copy.id = nextId_++;
    copy.numbered = false;
    copy.plan.name = freeName(plans, copy.title().toStdString(), "copy");
    if (copy.run) copy.run = renamed(*copy.run, copy.plan.name);
    const int made = copy.id;
    plans.insert(plans.begin() + index + 1, std::move(copy));
    undo_.push(new PlansCommand(*this, std::move(plans), tr("Duplicate %1").arg(plan(id)->title())));
    return made;
}

void Workspace::removePlan(int id) {
    const int index = planIndex(id);
    if (index < 0) return;
    std::vector<PlanItem> plans = state_.plans;
    plans.erase(plans.begin() + index);
    undo_.push(new PlansCommand(*this, std::move(plans), tr("Remove %1").arg(plan(id)->title())));
}

void Workspace::renamePlan(int id, const QString& name) {
    const int index = planIndex(id);
    const std::string wanted = name.trimmed().toStdString();
    if (index < 0 || plan(id)->plan.name == wanted) return;
    std::vector<PlanItem> plans = state_.plans;
    PlanItem& item = plans[static_cast<std::size_t>(index)];
    item.plan.name = wanted;
    item.numbered = false;
    if (item.run) item.run = renamed(*item.run, wanted);
    const QString before = plan(id)->title();
    const QString text = tr("Rename %1").arg(before);
    undo_.beginMacro(text);
    std::vector<KeptFigure> figures = state_.figures;
    for (KeptFigure& figure : figures)
        for (std::string* title : figure.planTitles())
            if (*title == before.toStdString()) *title = item.title().toStdString();
    undo_.push(new PlansCommand(*this, std::move(plans), text));
    setFigures(std::move(figures), text);
    undo_.endMacro();
    emit runsChanged({id});
}

void Workspace::setFigures(std::vector<KeptFigure> figures, const QString& text) {
    if (figures == state_.figures) return;
    undo_.push(new FiguresCommand(*this, std::move(figures), text));
}

void Workspace::setNotes(int id, std::vector<ChartNote> notes, const QString& text) {
    const PlanItem* item = plan(id);
    if (!item || item->notes == notes) return;
    undo_.push(new NotesCommand(*this, id, std::move(notes), text));
}

void Workspace::renameFigure(const QString& name, const QString& wanted) {
    std::vector<KeptFigure> figures = state_.figures;
    const std::string from = name.toStdString(), to = wanted.trimmed().toStdString();
    const auto named = [&figures](const std::string& sought) {
        return std::find_if(figures.begin(), figures.end(),
                            [&sought](const KeptFigure& each) { return each.name == sought; });
    };
    const bool free = !to.empty() && named(to) == figures.end();
    if (const auto figure = named(from); free && figure != figures.end()) figure->name = to;
    setFigures(std::move(figures), tr("Rename %1").arg(name));
    if (!free) emit figuresChanged();  // who shows the name that was wanted shows the old one again
}

void Workspace::removeFigure(const QString& name) {
    std::vector<KeptFigure> figures = state_.figures;
    std::erase_if(figures, [&name](const KeptFigure& each) { return each.name == name.toStdString(); });
    setFigures(std::move(figures), tr("Remove figure %1").arg(name));
}

void Workspace::replan(int id, std::optional<double> memoryLimitBytes, std::shared_ptr<const PlanRun> run) {
    const int index = planIndex(id);
    if (index < 0) return;
    const bool sameLimit = state_.problem->setup.memoryLimitBytes == memoryLimitBytes;
    if (sameLimit && !run) return;
    std::shared_ptr<const Problem> problem = state_.problem;
    std::vector<PlanItem> plans = state_.plans;
    if (!sameLimit) {
        Problem changed = *state_.problem;
        changed.setup.memoryLimitBytes = memoryLimitBytes;
        problem = std::make_shared<const Problem>(std::move(changed));
        for (PlanItem& item : plans)
            if (item.isPlan()) item.run = nullptr;
    }
    PlanItem& item = plans[static_cast<std::size_t>(index)];
    if (run) {
        take(item, run);
        item.origin.plannedFor = SeenProblem(*problem).by(makerOf(item.plan.planner));
        item.madeFor = state_.clusterState;
    }
    undo_.push(new ReplanCommand(*this, id, std::move(problem), std::move(plans),
                                 tr("Change memory limit of %1").arg(item.title())));
}

void Workspace::editPlan(int id, const Plan& plan, std::shared_ptr<const PlanRun> run, const QString& text) {
    const int index = planIndex(id);
    if (index < 0 || state_.plans[static_cast<std::size_t>(index)].plan == plan) return;
    std::vector<PlanItem> plans = state_.plans;
    int edited = id;
    if (const PlanItem& own = state_.plans[static_cast<std::size_t>(index)]; own.plan.planner != handMade) {
        PlanItem made = own;
        made.id = edited = nextId_++;
        plans.insert(plans.begin() + index + 1, std::move(made));
    }
    PlanItem& item = plans[static_cast<std::size_t>(planIndex(id) + (edited != id))];
    item.plan = plan;
    item.run = std::move(run);
    item.numbered = false;
    const PlanItem& before = state_.plans[static_cast<std::size_t>(index)];
    item.plan.name = needsEditedName(before.plan, plan)
                         ? freeName(state_.plans, before.title().toStdString(), editedWord)
                         : before.plan.name;
    if (item.run && item.run->result.plan.name != item.plan.name)
        item.run = renamed(*item.run, item.plan.name);
    markHandEdited(item, seenProblem());
    undo_.push(new EditPlanCommand(*this, edited, id, std::move(plans), text));
    emit runsChanged({edited});
}

bool Workspace::setRuns(const RunsOfPlans& runs) {
    std::vector<int> taken;
    for (const auto& [id, run] : runs) {
        const int index = planIndex(id);
        if (index < 0) continue;
        PlanItem& item = state_.plans[static_cast<std::size_t>(index)];
        if (item.plan != run->result.plan) continue;
        item.run = run;
        item.stopped = false;
        taken.push_back(id);
    }
    if (!taken.empty()) emit runsChanged(taken);
    return taken.size() == runs.size();
}

void Workspace::setStopped(int id) {
    const int index = planIndex(id);
    if (index < 0) return;
    state_.plans[static_cast<std::size_t>(index)].stopped = true;
    emit runsChanged({id});
}

void Workspace::planAgain(const RunsOfPlans& runs, int round) {
    std::vector<PlanItem> plans = state_.plans;
    std::vector<int> taken;
    for (const auto& [id, run] : runs) {
        const int index = planIndex(id);
        if (index < 0) continue;
        PlanItem& item = plans[static_cast<std::size_t>(index)];
        take(item, run);
        item.madeFor = state_.clusterState;
        taken.push_back(id);
    }
    if (taken.empty()) return;
    undo_.push(new PlanAgainCommand(*this, std::move(plans), round, tr("Plan again")));
    emit runsChanged(taken);
}

}  // namespace stagecraft::app::document
