#pragma once

#include "app/workspace.h"

#include <QUndoCommand>

namespace stagecraft {

/// Commands that may merge with the one before have an id of their own here; the rest have -1.
enum CommandId {
    editSetupCommand = 1,
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
