#pragma once

#include "app/workspace.h"
#include "core/model/cluster_delta.h"

#include <QUndoCommand>

namespace stagecraft {

/// Commands that may merge with the one before have an id of their own here; the rest have -1.
enum CommandId {
    editSetupCommand = 1,
    editClusterCommand = 2,
};

/// Exchanges the problem and, with it, the runs that were worked out for it.
class ProblemCommand : public QUndoCommand {
public:
    ProblemCommand(Workspace& workspace, Problem problem, std::optional<std::string> profileFile,
                   std::optional<std::string> clusterFile, unsigned parts, const QString& text);
    int id() const override { return parts_ == setupPart ? editSetupCommand : -1; }
    void redo() override { swap(); }
    void undo() override { swap(); }
    /// Edits of the same field of the setup in a row are one step.
    bool mergeWith(const QUndoCommand* other) override;

private:
    void swap();
    Workspace& workspace_;
    std::shared_ptr<const Problem> problem_;
    std::optional<std::string> profileFile_, clusterFile_;
    std::vector<std::shared_ptr<const PlanRun>> runs_;  // in the order of the plans; empty at first
    unsigned parts_;
};

/// Changes the cluster by what differs. Plans follow their devices; their runs are worked out afresh, since
/// the runs of all steps would be more than memory holds.
class ClusterCommand : public QUndoCommand {
public:
    /// @param cluster what the cluster becomes; `delta` is what that changes
    ClusterCommand(Workspace& workspace, Cluster cluster, ClusterDelta delta, const QString& text,
                   const QString& mergeKey);
    int id() const override { return mergeKey_.isEmpty() ? -1 : editClusterCommand; }
    void redo() override;
    void undo() override;
    bool mergeWith(const QUndoCommand* other) override;

private:
    void exchange(Cluster cluster);
    Workspace& workspace_;
    ClusterDelta delta_;
    QString mergeKey_;
    std::optional<Cluster> first_;  // what the first redo puts in place
    std::optional<std::string> otherFile_;
    int otherState_;
    // Of planners that gave no plan: these cannot be had again.
    std::vector<std::pair<int, std::shared_ptr<const PlanRun>>> failures_;
};

/// Exchanges the list of plans.
class PlansCommand : public QUndoCommand {
public:
    PlansCommand(Workspace& workspace, std::vector<PlanItem> plans, const QString& text);
    void redo() override { swap(); }
    void undo() override { swap(); }

private:
    void swap();
    Workspace& workspace_;
    std::vector<PlanItem> plans_;
};

}  // namespace stagecraft
