#pragma once

#include "app/start/plan_draft.h"
#include "core/planners/planning_goal.h"
#include "views/common/job.h"

#include <QDialog>
#include <QTimer>

class QLabel;
class QPushButton;
class QScrollArea;
class QSpinBox;
class QToolButton;

namespace stagecraft::app::panels {
class ParameterForm;
}

namespace stagecraft::app::start {

class GoalChoice;
class MemoryNotice;
class SetupFieldsForm;
class SourceList;

/// From nothing to a plan: a model, machines, and what is wanted of planning, with memory checked anew after
/// every change. Files and texts of the clipboard join the lists.
class NewPlanDialog : public QDialog {
    Q_OBJECT

public:
    explicit NewPlanDialog(QWidget* parent = nullptr);

    /// Takes a model or machines from each.
    void openFiles(const QStringList& paths);
    /// Takes what a document has for a plan.
    void take(const QString& path, const OpenedDocument& document);
    void paste();
    /// Whether what is chosen has been checked, and a plan can be asked for.
    bool isReady() const { return ready_; }

public slots:
    /// While layouts are searched that ends, and the dialog stays.
    void reject() override;

signals:
    /// A person asks for the plan; the dialog stays.
    void planWanted(const Project& project, const PlanningGoal& goal);
    /// A plan was found, which the project is to have; the dialog stays.
    void layoutFound(const LayoutSearch& search);

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fillLists();
    void addButtons(SourceList& list);
    void addCount();
    QWidget* makeMore();
    QWidget* makeButtons();
    void connectParts();
    void chooseFiles();
    void showModel();
    void showMachines();
    void showMore();
    void showCount();
    void orderTabs();
    void showPlanButton();
    void ask();
    void start();
    void showDraft(const PlanDraft& draft);
    void showConfigured();
    /// What is known before anything runs, of what is wanted.
    void showKnown();
    void search();
    void showSearchEnd(bool isStopped, const QString& failure);
    void applyRemedy(int index);
    void plan();
    PlanRequest request() const;
    const ModelSource& model() const;
    const MachineSource& machines() const;

    /// From files and the clipboard, in the order in which they came.
    struct Opened {
        std::vector<ModelSource> models;
        std::vector<MachineSource> machines;
    };

    std::vector<ModelSource> models_;
    std::vector<MachineSource> machines_;
    Opened opened_;
    SourceList *modelList_, *machineList_;
    std::vector<Parameter> modelParameters_;  ///< of modelForm_
    ParameterForm *modelForm_ = nullptr, *machineForm_ = nullptr;
    QScrollArea *modelRoom_, *machineRoom_;
    SetupFieldsForm* setup_;
    QSpinBox* count_;
    QToolButton* more_;
    QWidget* forms_;
    GoalChoice* goals_;
    MemoryNotice* memory_;
    QPushButton* plan_;
    DocumentOpener opener_;
    QTimer wait_;
    Job drafting_, searching_;
    PlanDraft draft_;
    ParameterValues proposed_;  ///< in modelForm_, where a person says nothing
    bool ready_ = false;
    bool wanted_ = false;  ///< the plan is asked for as soon as the check is done
};

}  // namespace stagecraft::app::start
