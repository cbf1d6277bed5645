#pragma once

#include "app/document/edited_document.h"
#include "core/editing/cluster_delta.h"
#include "core/editing/profile_delta.h"

#include <QUndoCommand>

#include <chrono>

namespace stagecraft::app::document {

/// Commands that may merge with the one before have an id of their own here; the rest have -1.
enum CommandId {
    editSetupCommand = 1,
    editClusterCommand = 2,
    editProfileCommand = 3,
    replanCommand = 4,
    editPlanCommand = 5,
    planAgainCommand = 6,
};

/// A step that keeps runs for its way back. One that is far away lets go of them: the runs of all steps would
/// be more than memory holds, and what is missing is worked out anew.
class RunKeeper {
public:
    virtual ~RunKeeper() = default;
    virtual void dropRuns() = 0;
};

/// Exchanges the problem and, with it, the runs that were worked out for it.
class ProblemCommand : public QUndoCommand, public RunKeeper {
public:
    ProblemCommand(EditedDocument& document, Problem problem, std::optional<std::string> profileFile,
                   std::optional<std::string> clusterFile, unsigned parts, const QString& text);
    int id() const override { return parts_ == setupPart ? editSetupCommand : -1; }
    void redo() override { swap(); }
    void undo() override { swap(); }
    /// Edits of the same field of the setup in a row are one step.
    bool mergeWith(const QUndoCommand* other) override;
    void dropRuns() override { runs_.clear(); }

private:
    void swap();
    EditedDocument& document_;
    std::shared_ptr<const Problem> problem_;
    std::optional<std::string> profileFile_, clusterFile_;
    std::vector<std::shared_ptr<const PlanRun>> runs_;  // in the order of the plans; empty at first
    unsigned parts_;
};

/// Changes one part of the problem by what differs. Steps with the same merge key in a row are one.
template <class Part, class Delta>
class DeltaCommand : public QUndoCommand {
public:
    /// @param whole what the part becomes; `delta` is what that changes
    DeltaCommand(EditedDocument& document, Part whole, Delta delta, const QString& text,
                 const QString& mergeKey)
        : QUndoCommand(text),
          document_(document),
          delta_(std::move(delta)),
          mergeKey_(mergeKey),
          first_(std::move(whole)) {}

    void redo() override {
        Part part = first_ ? std::move(*first_) : now();
        if (!first_) delta_.apply(part);
        first_.reset();
        exchange(std::move(part));
    }

    void undo() override {
        Part part = now();
        delta_.revert(part);
        exchange(std::move(part));
    }

    bool mergeWith(const QUndoCommand* other) override {
        const auto* later = static_cast<const DeltaCommand*>(other);
        if (later->mergeKey_ != mergeKey_) return false;
        // `other` was done already.
        const Part& after = now();
        Part before = after;
        later->delta_.revert(before);
        delta_.revert(before);
        delta_ = difference(before, after);
        setText(later->text());
        if (!delta_.isEmpty()) return true;
        setObsolete(true);
        forget();
        return true;
    }

protected:
    virtual const Part& now() const = 0;
    virtual Delta difference(const Part& before, const Part& after) const = 0;
    virtual void exchange(Part part) = 0;
    /// Takes back what exchange() changed beside the part.
    virtual void forget() = 0;

    EditedDocument& document_;
    Delta delta_;
    QString mergeKey_;
    std::optional<std::string> otherFile_;

private:
    std::optional<Part> first_;  // what the first redo puts in place
};

/// Changes the cluster. Plans follow their devices; their runs are worked out afresh, since the runs of all
/// steps would be more than memory holds.
class ClusterCommand : public DeltaCommand<Cluster, ClusterDelta> {
public:
    ClusterCommand(EditedDocument& document, Cluster cluster, ClusterDelta delta, const QString& text,
                   const QString& mergeKey);
    int id() const override { return mergeKey_.isEmpty() ? -1 : editClusterCommand; }

private:
    const Cluster& now() const override { return document_.state().problem->cluster; }
    ClusterDelta difference(const Cluster& before, const Cluster& after) const override {
        return clusterDelta(before, after);
    }
    void exchange(Cluster cluster) override;
    void forget() override;
    int otherState_;
};

/// Changes the profile; runs are worked out afresh, as those of an edited cluster are.
class ProfileCommand : public DeltaCommand<LayerProfile, ProfileDelta> {
public:
    using DeltaCommand::DeltaCommand;
    int id() const override { return mergeKey_.isEmpty() ? -1 : editProfileCommand; }

private:
    const LayerProfile& now() const override { return document_.state().problem->profile; }
    ProfileDelta difference(const LayerProfile& before, const LayerProfile& after) const override {
        return profileDelta(before, after);
    }
    void exchange(LayerProfile profile) override;
    void forget() override;
};

/// Exchanges the problem's memory limit and the list of plans, of which one was made anew.
class ReplanCommand : public QUndoCommand, public RunKeeper {
public:
    ReplanCommand(EditedDocument& document, int plan, std::shared_ptr<const Problem> problem,
                  std::vector<PlanItem> plans, const QString& text);
    int id() const override { return replanCommand; }
    void redo() override { swap(); }
    void undo() override { swap(); }
    /// A better plan of the same limit.
    bool mergeWith(const QUndoCommand* other) override;
    void dropRuns() override;

private:
    void swap();
    EditedDocument& document_;
    int plan_;
    std::shared_ptr<const Problem> problem_;
    std::vector<PlanItem> plans_;
};

/// Exchanges the list of plans.
class PlansCommand : public QUndoCommand, public RunKeeper {
public:
    PlansCommand(EditedDocument& document, std::vector<PlanItem> plans, const QString& text);
    void redo() override { swap(); }
    void undo() override { swap(); }
    void dropRuns() override;

protected:
    void swap();
    EditedDocument& document_;
    std::vector<PlanItem> plans_;
};

/// Exchanges the list of plans, of which one was edited by hand. The same edit again in quick succession, as
/// a key that is held makes it, belongs to the step before; back where that began, there is none.
class EditPlanCommand : public PlansCommand {
public:
    /// @param plan the one that was edited
    /// @param origin the planner's own plan that it was made of, or `plan`
    EditPlanCommand(EditedDocument& document, int plan, int origin, std::vector<PlanItem> plans,
                    const QString& text);
    int id() const override { return editPlanCommand; }
    void redo() override { swap(); }
    void undo() override { swap(); }
    bool mergeWith(const QUndoCommand* other) override;

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds quickly{700};
    void swap();
    int plan_, origin_;
    Clock::time_point latest_ = Clock::now();
};

/// Exchanges the list of plans, of which one was planned again. The others of the same round belong to the
/// step.
class PlanAgainCommand : public PlansCommand {
public:
    PlanAgainCommand(EditedDocument& document, std::vector<PlanItem> plans, int round, const QString& text);
    int id() const override { return planAgainCommand; }
    bool mergeWith(const QUndoCommand* other) override;

private:
    int round_;
};

/// Exchanges the figures that the project keeps.
class FiguresCommand : public QUndoCommand {
public:
    FiguresCommand(EditedDocument& document, std::vector<KeptFigure> figures, const QString& text);
    void redo() override { swap(); }
    void undo() override { swap(); }

private:
    void swap();
    EditedDocument& document_;
    std::vector<KeptFigure> figures_;
};

/// Exchanges the recordings that the project remembers, and the notes on their charts.
class RecordingsCommand : public QUndoCommand {
public:
    RecordingsCommand(EditedDocument& document, std::vector<RecordedFiles> recordings, const QString& text);
    void redo() override { swap(); }
    void undo() override { swap(); }

private:
    void swap();
    EditedDocument& document_;
    std::vector<RecordedFiles> recordings_;
};

/// Exchanges the notes on a plan's chart.
class NotesCommand : public QUndoCommand {
public:
    NotesCommand(EditedDocument& document, int plan, std::vector<ChartNote> notes, const QString& text);
    void redo() override { swap(); }
    void undo() override { swap(); }

private:
    void swap();
    EditedDocument& document_;
    int plan_;
    std::vector<ChartNote> notes_;
};

}  // namespace stagecraft::app::document
