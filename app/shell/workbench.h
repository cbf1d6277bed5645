#pragma once

#include "app/document/workspace.h"
#include "views/plan/plan_view.h"

#include <QTabWidget>

#include <map>

class QStackedWidget;
class QToolButton;

namespace stagecraft::views {
class ProfileView;
class TopologyView;
}  // namespace stagecraft::views

namespace stagecraft::app {

class ComparePage;
class EmptyPanel;
class ParetoPage;
class PlanPage;
class TrainingPage;

/// The tabs of an open project: cluster, profile, one per plan, comparison, throughput versus memory,
/// training. A tab is brought up to date when it is shown.
class Workbench : public QTabWidget {
    Q_OBJECT

public:
    explicit Workbench(Workspace& workspace, QWidget* parent = nullptr);
    ~Workbench() override;

    void showCluster();
    void showProfile();
    void showCompare();
    /// The comparison as charts one above the other.
    void showStack();
    /// The charts of these plans one above the other, in the comparison.
    void compareCharts(const std::vector<int>& ids);
    /// These plans beside those of the project (ComparePage::compareTrials).
    void compareTrials(std::shared_ptr<const CostModel> costs, const std::vector<Plan>& plans,
                       const QString& of);
    void showPareto();
    void showTraining();
    void showPlan(int id, std::uint32_t block = noBlock);
    /// No more than a small screen has beside the panels: a page that wants more is squeezed.
    QSize minimumSizeHint() const override;
    /// The keyboard goes to the page that is shown: to its table or drawing, or to what is first on it.
    void focusPage();
    /// Id of the plan whose tab is shown, or 0.
    int currentPlan() const;
    /// The plan that cluster and profile are coloured by: the one last shown, else the first.
    const PlanItem* planInView() const;
    PlanView* planView(int id) const;
    PlanPage* planPage(int id) const;
    TopologyView* topology() const { return topology_; }
    ProfileView* profile() const { return profile_; }
    ComparePage* compare() const { return compare_; }
    ParetoPage* pareto() const { return pareto_; }
    TrainingPage* training() const { return training_; }

    /// "cluster", "profile", "compare", "pareto", "training" or "plan:INDEX".
    QString currentKey() const;
    void showKey(const QString& key);
    std::vector<PlanViewState> planStates() const;
    /// For plans in the order of the project.
    void setPlanStates(const std::vector<PlanViewState>& states);
    /// What the comparison shows, with plans by index.
    QVariantMap compareState() const;
    void setCompareState(const QVariantMap& state);

signals:
    void planShown(int id);  ///< 0: another tab
    /// What is tried on the plan in view, or shown of that, has changed.
    void trialShown();
    void statusText(QString text);
    void exportRequested();
    void planAgainRequested();
    void planningRequested();
    void openClusterRequested();
    void openProfileRequested();
    void generateProfileRequested();
    void scheduleExperimentWanted();
    void vpipeRequested();

protected:
    void changeEvent(QEvent* event) override;
    /// In document mode QTabWidget paints nothing but a line above the button in its corner.
    void paintEvent(QPaintEvent*) override {}

private:
    void makeClusterPages();
    void makeProfilePages();
    void connectWorkspace();
    void connectPages();
    /// Marks what one view points at in the others.
    void pointAt(int device);
    void rebuildPlanTabs();
    /// The page in view follows its plan, which an edit or a new run replaced.
    void replacePlan(int from, int to);
    void refreshRun(int id);
    void bringUpToDate();
    void refreshIcons();
    void addTrainButton();
    /// What to do first, on a canvas with nothing on it.
    void showEmptyCluster();
    std::shared_ptr<const PlanRun> runInView() const;

    Workspace& workspace_;
    TopologyView* topology_;
    EmptyPanel* emptyCluster_ = nullptr;
    ProfileView* profile_;
    ComparePage* compare_;
    ParetoPage* pareto_;
    TrainingPage* training_;
    QStackedWidget* clusterPages_;
    QStackedWidget* profilePages_;
    QToolButton* train_ = nullptr;
    std::map<int, PlanPage*> planPages_;
    std::vector<int> compared_;  ///< ids, by index of the comparison's runs
    int lastPlan_ = 0;
    bool succeeded_ = false;  ///< the plan in view was replaced, and views do not know yet
    // What is shown differs from the document until the tab is shown again.
    bool clusterStale_ = true, profileStale_ = true, compareStale_ = true;
    bool clusterReplaced_ = true, profileReplaced_ = true;  ///< by that of another project
};

}  // namespace stagecraft::app
