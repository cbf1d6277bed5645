#pragma once

#include "app/pages/page.h"
#include "views/plan/plan_view.h"

#include <QTabWidget>
#include <QTimer>

#include <map>

class QToolButton;

namespace stagecraft::views::profile {
class ProfileView;
}
namespace stagecraft::views::topology {
class TopologyView;
}

namespace stagecraft::app::compare {
class ComparePage;
}
namespace stagecraft::app::pages {
class ClusterPage;
class ProfilePage;
}  // namespace stagecraft::app::pages
namespace stagecraft::app::pareto {
class FrontierPage;
class ParetoPage;
}  // namespace stagecraft::app::pareto
namespace stagecraft::app::plan {
class PlanPage;
}
namespace stagecraft::app::recording {
class RecordingPage;
}
namespace stagecraft::app::training {
class TrainingPage;
}

namespace stagecraft::app::shell {

/// The tabs of an open project: its pages, with one per plan among them. A tab is brought up to date when it
/// is shown.
class Workbench : public QTabWidget {
    Q_OBJECT

public:
    explicit Workbench(Workspace& workspace, QWidget* parent = nullptr);
    ~Workbench() override;

    /// All but those of plans, in the order of their tabs.
    const std::vector<Page*>& pages() const { return pages_; }
    Page* currentPage() const;
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
    void showRecording();
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
    TopologyView* topology() const;
    ProfileView* profile() const;
    ComparePage* compare() const { return compare_; }
    ParetoPage* pareto() const { return pareto_; }
    FrontierPage* frontier() const { return frontier_; }
    TrainingPage* training() const { return training_; }
    RecordingPage* recording() const { return recording_; }

    /// The page's (Page::About::key), or "plan:INDEX".
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
    void scheduleExperimentWanted();
    void actionRequested(QString id);
    void pageStateChanged();
    void failed(const OpenFailure& failure);

protected:
    void changeEvent(QEvent* event) override;
    /// In document mode QTabWidget paints nothing but a line above the button in its corner.
    void paintEvent(QPaintEvent*) override {}

private:
    template <class PageType>
    PageType* addPage();
    void connectPage(Page& page);
    void connectWorkspace();
    void connectPages();
    /// Marks what one view points at in the others.
    void pointAt(int device);
    PlanPage* newPlanPage(int id);
    void rebuildPlanTabs();
    void retireGonePlans();
    void addPlanTabs();
    void retire(PlanPage* page);
    void deleteRetired();
    /// The page in view follows its plan, which an edit or a new run replaced.
    void replacePlan(int from, int to);
    void refreshRuns(const std::vector<int>& ids);
    void showTab(const PlanItem& item);
    void plansChanged();
    /// Tabs of pages that there is something for.
    void showOffered();
    void bringUpToDate();
    void refreshIcons();
    void addTrainButton();

    Workspace& workspace_;
    std::vector<Page*> pages_;
    ClusterPage* cluster_;
    ProfilePage* profile_;
    ComparePage* compare_;
    ParetoPage* pareto_;
    FrontierPage* frontier_;
    TrainingPage* training_;
    RecordingPage* recording_;
    QToolButton* train_ = nullptr;
    std::map<int, PlanPage*> planPages_;
    std::vector<PlanPage*> retired_;  ///< of plans that are gone, until they are taken apart
    QTimer retiring_;
    int lastPlan_ = 0;
    bool succeeded_ = false;  ///< the plan in view was replaced, and views do not know yet
};

}  // namespace stagecraft::app::shell
