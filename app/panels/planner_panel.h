#pragma once

#include "app/jobs/planning_controller.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QStackedWidget;

namespace stagecraft::app::panels {

class ParameterForm;

/// Chooses a planner (or all of them), sets its parameters, runs and cancels.
class PlannerPanel : public QWidget {
    Q_OBJECT

public:
    PlannerPanel(Workspace& workspace, PlanningController& planning, QWidget* parent = nullptr);

    /// Ids of the planners that Run would start; of all of them those that apply to the setup.
    QStringList chosen() const;
    void choose(const QString& plannerId);
    void run();
    /// Lists the added planners (added_planners.h) under a heading after the built-in ones.
    void listCustom();

private:
    /// What each planner is called, and its parameters.
    void addForms();
    void addForm(const PlannerDescription& about);
    void describeParts();
    void connectParts();
    void showChoice();
    void showProgress();
    void showSearch(const QString& sentence);
    void showLeftOut();
    void showSummary(const Planner* planner);
    bool applies(const Planner& planner, TrainingMode mode) const;
    void resizePages();

    Workspace& workspace_;
    PlanningController& planning_;
    QComboBox* choice_;
    QLabel* summary_;
    QLabel* leftOut_;  ///< which of those that are chosen the setup rules out
    QPushButton* asynchronous_;
    QStackedWidget* pages_;
    std::map<std::string, ParameterForm*> forms_;
    int builtIn_ = 0;  ///< entries before the heading of custom planners
    QProgressBar* progress_;
    QPushButton* run_;
    QPushButton* cancel_;
};

}  // namespace stagecraft::app::panels
