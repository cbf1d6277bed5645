#pragma once

#include "app/document/workspace.h"
#include "views/compare/compare_view.h"
#include "views/stack/stack_view.h"

#include <QWidget>

class QStackedWidget;
class QToolButton;

namespace stagecraft::app {

/// The plans of a project compared: as a table, or their charts one above the other.
class ComparePage : public QWidget {
    Q_OBJECT

public:
    explicit ComparePage(const Workspace& workspace, QWidget* parent = nullptr);

    CompareView& table() { return *table_; }
    StackView& stack() { return *stack_; }
    /// All plans that were worked out, well or not, each with the id by which the stack knows it.
    void setRuns(const std::vector<int>& ids, PlanRuns runs);
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

signals:
    void planActivated(int id, quint32 block);
    /// The plan of a row that the search of a plan tried.
    void triedActivated(int id, int row);
    void statusText(QString text);
    void planAgainRequested();
    void playTogetherRequested();

private:
    QToolButton* newPlayButton();
    void chooseRows();

    bool restored_ = false;  ///< the stack waits for plans that were chosen in an earlier session

    std::vector<int> ids_;
    PlanRuns runs_;
    CompareView* table_;
    StackView* stack_;
    QStackedWidget* pages_;
    QToolButton* tableButton_ = nullptr;
    QToolButton* chartsButton_ = nullptr;
};

}  // namespace stagecraft::app
