#pragma once

#include "app/document/workspace.h"
#include "app/plan/edit_simulator.h"
#include "app/plan/what_if.h"
#include "core/editing/plan_edit.h"
#include "core/schedules/schedule_family.h"

#include <optional>

namespace stagecraft::views::plan {
class PlanView;
}
namespace stagecraft::views::timeline {
class OrderDrag;
}

namespace stagecraft::app::plan {

class EditBar;
class SchedulePanel;
class WhatIfPanel;

/// Editing of one plan by hand: the partition above its charts, its schedule, the order of blocks in them,
/// and sliders for what the plan is for. While something moves it is simulated again and shown; once let go
/// an edit of the plan is a step of the document, with what it did in words. What cannot run is not taken,
/// and the words say why. The values of sliders are a trial, shown until it is applied or reset.
class PlanEditor : public QObject {
    Q_OBJECT

public:
    PlanEditor(Workspace& workspace, int planId, PlanView& view, QWidget* parent);
    ~PlanEditor() override;

    /// Its plan is gone: it follows the workspace no more.
    void retire();

    EditBar& bar() { return *bar_; }
    WhatIfPanel& whatIf();      ///< made when it is first asked for
    SchedulePanel& schedule();  ///< likewise
    OrderDrag& order() { return *order_; }
    /// The plan that is edited from now on, by the document's id.
    void setPlan(int planId) { id_ = planId; }
    /// What the document has.
    void setRun(std::shared_ptr<const PlanRun> run);
    /// Moves the block that is selected in the chart in the order of its lane.
    void moveSelectedBlock(int step);
    /// What a trial changes, in words; empty: nothing is tried.
    QString trialText() const;
    /// What is tried and not applied goes back by a step before the document does, and comes again.
    bool canUndoTrial() const;
    bool canRedoTrial() const;
    void undoTrial();
    void redoTrial();

signals:
    /// Shown instead of the document's run until previewEnded.
    void previewed(std::shared_ptr<const stagecraft::runs::PlanRun> run);
    void previewEnded();
    /// Something else is tried now, or nothing.
    void trialChanged();
    void deviceHovered(int device);
    void statusText(QString text);
    /// A plan was added to the document that a person wants to see.
    void planAdded(int id);
    /// Plans are to be compared that the document does not have; `of`: what they are, in words.
    void comparisonWanted(std::shared_ptr<const stagecraft::cost::CostModel> costs,
                          const std::vector<stagecraft::model::Plan>& plans, const QString& of);
    void scheduleExperimentWanted();

private:
    /// What is moved, and what becomes of it when it is let go.
    struct Trial {
        EditQuestion question;
        QString step;                 ///< its name for Undo
        std::vector<WhatIf> changes;  ///< tried on the problem; if there are none, the plan changes
        bool inChart = true;          ///< the chart shows it while it moves
        bool letGo = false;
    };

    void connectStrip();
    void connectOrder();
    void connectWhatIf();
    void connectSchedule();
    void showSchedule(bool on);
    void trySchedule(const Plan& plan, const QString& family, bool letGo);
    void arrangeStages(const ScheduleFamily& family, const ParameterValues& values);
    void addEqualLayers(const ScheduleFamily& family, const ParameterValues& values);
    void compareSchedules(const std::vector<Plan>& plans);
    void keepSchedule(const QString& name);
    void showDocument();
    void showWhatIf(bool on);
    void showWhatIfEffect(const QString& effect);
    void resetSliders();
    void applyTrials(const std::vector<WhatIf>& changes);
    const PlanItem* item() const { return workspace_.plan(id_); }
    std::optional<Trial> trialOf(const PlanEdit& edit);
    std::optional<Trial> trialOf(quint32 block, quint32 before);
    Trial trialOf(const std::vector<WhatIf>& changes) const;
    bool isTryingOut() const { return trying_ && !trying_->changes.empty(); }
    void attempt(std::optional<Trial> trial, bool letGo);
    void onAnswered(const EditQuestion& question, const std::shared_ptr<const PlanRun>& run);
    void take(const Trial& trial, std::shared_ptr<const PlanRun> run);
    void refuse(const QString& reason);
    void withdraw();
    void stopTrying();

    Workspace& workspace_;
    int id_;
    PlanView& view_;
    EditBar* bar_;
    OrderDrag* order_;
    WhatIfPanel* whatIf_ = nullptr;  ///< until somebody looks: styling it takes time
    SchedulePanel* schedule_ = nullptr;
    EditSimulator simulator_;
    std::shared_ptr<const PlanRun> run_;  ///< the document's last that was ok
    std::optional<Trial> trying_;
    int queuedSteps_ = 0;  ///< of the selected block, that wait for the one that is simulated
    std::optional<EditQuestion> answeredQuestion_;
    std::shared_ptr<const PlanRun> answer_;
    std::shared_ptr<const Problem> shownProblem_;
    Plan shownPlan_;
    QString effect_;  ///< of the last change
};

}  // namespace stagecraft::app::plan
