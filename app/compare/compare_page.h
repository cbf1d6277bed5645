#pragma once

#include "app/compare/trial_plans.h"
#include "app/pages/page.h"
#include "views/compare/compare_view.h"
#include "views/stack/stack_view.h"

class QLabel;
class QStackedWidget;
class QToolButton;

namespace stagecraft::app::compare {

/// The plans of a project compared: as a table, or their charts one above the other. Plans that are compared
/// without being part of the project are among them, in italics, with a bar that says so.
class ComparePage : public Page {
    Q_OBJECT

public:
    explicit ComparePage(Workspace& workspace, QWidget* parent = nullptr);

    CompareView& table() { return *table_; }
    StackView& stack() { return *stack_; }
    TrialPlans& trials() { return *trials_; }
    /// These plans beside those of the project, as rows of the table; `of`: what they are, in words.
    void compareTrials(std::shared_ptr<const CostModel> costs, std::vector<Plan> plans, const QString& of);
    bool chartsShown() const;
    /// Charts of the rows that are selected, if these are several; else of those that were there before, at
    /// first of the fastest three.
    void showCharts(bool on);

    /// The plans whose rows are selected, or whose charts are shown, by id and in that order.
    std::vector<int> selectedPlans() const;

    /// What was chosen, for the session: charts or table, and ids of plans, which the session keeps by index.
    struct State {
        bool charts = false;
        std::vector<int> plans;
        int reference = 0;  ///< CompareView::reference()
    };
    State state() const;
    /// The plan that the others are measured against, in table and charts, by its id; 0: the usual one.
    void setReference(int id);
    /// Before the plans are there.
    void setState(const State& state);
    /// Charts of these, in this order.
    void chartInOrder(const std::vector<int>& ids);

    void plansChanged() override { stale_ = true; }
    void bringUpToDate(const PlanItem* plan) override;
    std::vector<FigureSource> figures(const PlanItem* plan) const override;
    bool hasFigures() const override;
    std::optional<FigurePart> partInView() const override;

signals:
    /// The plan of the row that is selected, one of the project.
    void planSelected(int id);
    void planActivated(int id, quint32 block);
    /// The plan of a row that the search of a plan tried.
    void triedActivated(int id, int row);
    void playTogetherRequested();

private:
    void connectViews();
    QToolButton* newPlayButton(QWidget* bar);
    QWidget* newTrialBar();
    void showRuns();
    void showTrialBar();
    void keepTrials(const std::vector<int>& ids);
    void activate(int id, quint32 block);
    void chooseRows();

    Workspace& workspace_;
    bool stale_ = true;
    bool restored_ = false;  ///< the stack waits for plans that were chosen in an earlier session

    std::vector<int> ownIds_;  ///< of the project's plans
    PlanRuns ownRuns_;
    std::vector<int> ids_;  ///< of those and the trials
    PlanRuns runs_;
    TrialPlans* trials_;
    QString trialsOf_;
    QWidget* trialBar_ = nullptr;
    QLabel* trialText_ = nullptr;
    QStackedWidget* pages_;
    CompareView* table_;
    StackView* stack_;
    QToolButton* tableButton_ = nullptr;
    QToolButton* chartsButton_ = nullptr;
    QToolButton* playButton_ = nullptr;
};

}  // namespace stagecraft::app::compare
