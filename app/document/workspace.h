#pragma once

#include "app/document/edited_document.h"
#include "core/formats/files/project_file.h"
#include "core/runs/seen_problem.h"

#include <QObject>
#include <QString>
#include <QUndoStack>

#include <memory>
#include <vector>

namespace stagecraft::app::document {

/// Runs by the ids of their plans.
using RunsOfPlans = std::vector<std::pair<int, std::shared_ptr<const PlanRun>>>;

/// A state of the document on its way to a file.
struct PendingSave {
    QString path;
    Project project;
    quint64 document = 0;  ///< which document it is of, and after which of its edits
    quint64 edit = 0;

    /// @throws InputError if the file cannot be written
    void write() const;
};

/// The document: a project, the runs of its plans and the undo stack. Views read it and listen; only the
/// edits below change it, and each is a command that can be undone.
class Workspace : public QObject, private EditedDocument {
    Q_OBJECT

public:
    explicit Workspace(QObject* parent = nullptr);

    bool isOpen() const { return open_; }
    bool isDirty() const;
    /// Empty for a project that was never saved.
    const QString& path() const { return path_; }
    /// The project's name, else its file's, else "Untitled".
    QString title() const;
    const Problem& problem() const { return *state_.problem; }
    std::shared_ptr<const Problem> sharedProblem() const { return state_.problem; }
    const std::optional<std::string>& profileFile() const { return state_.profileFile; }
    const std::optional<std::string>& clusterFile() const { return state_.clusterFile; }
    const std::vector<PlanItem>& plans() const { return state_.plans; }
    /// The figures that the project keeps; names differ.
    const std::vector<KeptFigure>& figures() const { return state_.figures; }
    /// Runs that were recorded, with absolute paths; what they hold is read by whoever shows it.
    const std::vector<RecordedFiles>& recordings() const { return state_.recordings; }
    /// nullptr if there is none of that id.
    const PlanItem* plan(int id) const;
    using EditedDocument::planIndex;
    /// What a save would write: without plans that name devices or layers which are gone.
    Project project() const;
    QUndoStack* undoStack() { return &undo_; }
    /// A number that differs whenever planners would see another cluster, and comes back with undo.
    int clusterState() const { return state_.clusterState; }
    /// Of the problem as it is now.
    const SeenProblem& seenProblem() const;
    /// How old a plan is for the problem as it is now; one that no planner made is current.
    PlanAge ageOf(const PlanItem& item) const;
    /// Ids of the plans that are not current: all of them, and those whose planner can be asked again.
    std::vector<int> agedPlans() const;
    std::vector<int> plansToPlanAgain() const;

    /// Replaces the document; `path` is empty for a sample or a new project. Not undoable.
    void openProject(Project project, const QString& path);
    /// As openProject, but with work in it that no file holds yet.
    void openRecovered(Project project, const QString& path);
    void close();
    /// What a save to `path` writes, as the document is now. To be written by whoever asks, on any thread.
    PendingSave prepareSave(const QString& path) const;
    /// The file holds that now. What was edited since then stays unsaved; for another document nothing
    /// happens.
    void saved(const PendingSave& save);
    /// All of it at once. @throws InputError if the file cannot be written; the document is then as before.
    void saveAs(const QString& path);
    /// Keeps what is in the window though the file says something else: it now counts as unsaved.
    void markUnsaved();

    // Edits.
    void setSetup(const TrainingSetup& setup);
    void setProfile(const LayerProfile& profile);
    void setCluster(const Cluster& cluster);
    /// The cluster becomes this one, in one step called `text`; nothing happens if it is this one. Edits in a
    /// row with the same mergeKey are one step.
    void editCluster(Cluster cluster, const QString& text, const QString& mergeKey = {});
    /// The same for the profile. Plans keep the layers that they name by index.
    void editProfile(LayerProfile profile, const QString& text, const QString& mergeKey = {});
    /// A run of a planner: takes the place of an earlier plan of the same planner for the same cluster unless
    /// that was given a name. Beside one that was made before the cluster was edited it appears as "SPP (2)".
    /// @return its id
    int addRun(std::shared_ptr<const PlanRun> run);
    int addPlan(const Plan& plan, const PlanOrigin& origin = {});
    /// What the plans' planners answer to the problem as it is now, in the plans' places and under their
    /// names. Plans of one round are one step.
    void planAgain(const RunsOfPlans& runs, int round);
    /// The same plan again beside it, with its run and notes, under a name of its own. @return its id, or 0
    int duplicatePlan(int id);
    void removePlan(int id);
    /// Kept figures of it follow.
    void renamePlan(int id, const QString& name);
    /// The notes on a plan's chart become these, in one step called `text`.
    void setNotes(int id, std::vector<ChartNote> notes, const QString& text);
    /// The project keeps these figures, names of which differ, in one step called `text`.
    void setFigures(std::vector<KeptFigure> figures, const QString& text);
    /// The project remembers these recordings, in one step called `text`.
    void setRecordings(std::vector<RecordedFiles> recordings, const QString& text);
    /// Nothing happens if the name is empty or another figure's.
    void renameFigure(const QString& name, const QString& wanted);
    void removeFigure(const QString& name);
    /// Another memory limit (nothing: the devices' own) and `run` instead of that plan, in one step; a null
    /// run leaves the plan as it is. A run for the limit that is set already belongs to the step before if
    /// that was the plan's own.
    void replan(int id, std::optional<double> memoryLimitBytes, std::shared_ptr<const PlanRun> run);

    /// What a person made of a plan, with its run if that is known: in its place if a person made that too,
    /// else beside it, so that the planner's own plan stays.
    /// @param text of the step, for Undo
    void editPlan(int id, const Plan& plan, std::shared_ptr<const PlanRun> run, const QString& text);

    /// The results of working out plans of the problem as it is now; not an edit.
    /// @return false if one of the plans is another by now: it stays without
    bool setRuns(const RunsOfPlans& runs);
    bool setRun(int id, std::shared_ptr<const PlanRun> run) { return setRuns({{id, std::move(run)}}); }
    /// Its simulation was cancelled; not an edit.
    void setStopped(int id);

signals:
    /// Another project, or none. Everything has to be read afresh.
    void projectReplaced();
    void problemChanged(unsigned parts);
    /// Plans were added, removed, renamed or replaced.
    void plansChanged();
    void runsChanged(const std::vector<int>& ids);
    /// An edit made plan `to` out of plan `from`, or was undone: whoever looks at the one looks at the other
    /// from now on. plansChanged follows.
    void planSucceeded(int from, int to);
    void notesChanged(int id);
    void figuresChanged();
    void recordingsChanged();
    /// Title, path or dirty state.
    void titleChanged();
    /// Anything that a save would write.
    void edited();

private:
    void replace(std::optional<Project> opened, const QString& path, bool unsaved);
    void takePlans(Project& project);
    void refreshAges();
    void changeProblem(std::shared_ptr<const Problem> problem, std::optional<std::string> profileFile,
                       std::optional<std::string> clusterFile, unsigned parts) override;
    void notifyPlans() override;
    void notifyRun(int id) override { emit runsChanged({id}); }
    void notifySuccessor(int from, int to) override { emit planSucceeded(from, to); }
    void notifyNotes(int id) override;
    void notifyFigures() override;
    void notifyRecordings() override;

    quint64 document_ = 0;  ///< counts documents, so that a late save is not taken for this one's
    quint64 edit_ = 0;      ///< counts edits
    bool open_ = false;
    bool unsaved_ = false;  ///< unsaved work that is no command: a recovered project
    QString path_;
    std::string name_;
    mutable std::shared_ptr<const Problem> hashed_;  ///< that seen_ is of
    mutable SeenProblem seen_{Problem{}};
    int nextId_ = 1;
    QUndoStack undo_;
};

/// What a project starts with that was made in the window: nothing but a setup, with enough microbatches for
/// a pipeline to be worth it.
inline Problem newProblem() {
    constexpr int microbatches = 8;
    Problem problem;
    problem.setup.microbatches = microbatches;
    return problem;
}
/// As newProblem(), for a model on machines that is planned at once: with so many microbatches that a
/// pipeline of 16 stages idles for a fifth of the time, where with 8 it would for two thirds.
inline Problem newPlannedProblem() {
    Problem problem = newProblem();
    problem.setup.microbatches = 64;
    return problem;
}

/// The change that buttons offer where a planner trains without a barrier only.
inline void trainAsynchronously(Workspace& workspace) {
    TrainingSetup setup = workspace.problem().setup;
    setup.mode = TrainingMode::asynchronous;
    workspace.setSetup(setup);
}

/// The change that buttons offer where the precision does not go with the profile.
inline void setPrecision(Workspace& workspace, StatePrecision precision) {
    TrainingSetup setup = workspace.problem().setup;
    setup.precision = precision;
    workspace.setSetup(setup);
}

}  // namespace stagecraft::app::document
