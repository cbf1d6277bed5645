#include "app/workspace_commands.h"

namespace stagecraft {

ProblemCommand::ProblemCommand(Workspace& workspace, Problem problem, std::optional<std::string> profileFile,
                               std::optional<std::string> clusterFile, unsigned parts, const QString& text)
    : QUndoCommand(text),
      workspace_(workspace),
      problem_(std::make_shared<const Problem>(std::move(problem))),
      profileFile_(std::move(profileFile)),
      clusterFile_(std::move(clusterFile)),
      parts_(parts) {}

void ProblemCommand::swap() {
    runs_.resize(workspace_.plans_.size());
    for (std::size_t i = 0; i < runs_.size(); ++i) std::swap(runs_[i], workspace_.plans_[i].run);
    auto problem = workspace_.problem_;
    auto profileFile = workspace_.profileFile_;
    auto clusterFile = workspace_.clusterFile_;
    workspace_.changeProblem(problem_, profileFile_, clusterFile_, parts_);
    problem_ = std::move(problem);
    profileFile_ = std::move(profileFile);
    clusterFile_ = std::move(clusterFile);
}

bool ProblemCommand::mergeWith(const QUndoCommand* other) {
    // The text names the field; `other` was done already, so that this command goes back to where both began.
    if (other->text() != text()) return false;
    if (problem_->setup == workspace_.problem().setup) setObsolete(true);
    return true;
}

PlansCommand::PlansCommand(Workspace& workspace, std::vector<PlanItem> plans, const QString& text)
    : QUndoCommand(text), workspace_(workspace), plans_(std::move(plans)) {}

void PlansCommand::swap() {
    std::swap(plans_, workspace_.plans_);
    emit workspace_.plansChanged();
    emit workspace_.edited();
}

}  // namespace stagecraft
