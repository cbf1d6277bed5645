#pragma once

#include "core/base/table_formats.h"
#include "core/runs/reference_plan.h"
#include "views/rooms.h"

#include <QWidget>

class QSplitter;
class QStackedWidget;
class QTableView;
class QTextBrowser;
class QToolButton;

namespace stagecraft::views::common {
class TableColumns;
}

namespace stagecraft::views::compare {

class BubbleMemoryChart;
class CompareModel;
class CompareOrder;
class TradeOffChart;
class TriedTable;

/// The plans of a project side by side: a table sorted by iteration time, below it what is known about the
/// selected plan, and a chart: the plans by bubbles and peak memory, or the trade-off between numbers of
/// stages, where a planner tried several.
class CompareView : public QWidget {
    Q_OBJECT
public:
    explicit CompareView(QWidget* parent = nullptr);

    /// The selection stays on the plans that it was on. While the one it was on is not there it is on the
    /// first row, and goes back when that comes again.
    /// @param ids by which a plan is known from one call to the next, below 0 for one that is not part of the
    /// project; the runs' numbers from 1 without them
    void setRuns(std::vector<std::shared_ptr<const PlanRun>> runs, std::vector<int> ids = {});
    /// The plan that a person measures the others against, by its id; 0: the usual one (referencePlan).
    int reference() const { return reference_; }
    void setReference(int id);
    /// Index into the runs of the selected row, or -1.
    int selectedPlan() const;
    void selectPlan(int index);
    /// Indices into the runs in the order of the rows: of all of them, and of those that are selected.
    std::vector<int> plansInOrder() const;
    std::vector<int> selectedPlans() const;
    /// The table as it is: the columns that are shown, in their order, and the rows in theirs.
    TextCells cells() const;
    /// With tabs between the cells; Ctrl+C copies it.
    QString tableText() const;
    void copyAs(const TableFormat& format) const;

signals:
    void planSelected(int index);
    void planActivated(int index);                     ///< double click or Enter
    void attemptActivated(int planIndex, int stages);  ///< a point of the trade-off chart
    void triedActivated(int planIndex, int tried);     ///< a row of what a search tried, by its index
    void planningRequested();                          ///< the empty view's button
    void referenceChosen(int id);                      ///< by a person; 0: the usual one
    void keepRequested(const std::vector<int>& ids);   ///< plans that are not part of the project are to be

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeEmptyPage();
    QWidget* makeTablePage();
    void makeCharts();
    void showLower(QToolButton* button);
    int planOf(const QModelIndex& index) const;
    int idOf(int plan) const { return plan < 0 ? 0 : ids_[static_cast<std::size_t>(plan)]; }
    void followRuns(const PlanRuns& runs);
    void restoreSelection();
    int referenceIndex() const;
    void chooseReference(int id);
    void showRowMenu(const QPoint& at);
    void showHeaderMenu(const QPoint& at);
    void hideUnknown();
    void showSelected();
    void showDetails(const QString& html);
    void shareHeight();
    /// The run whose attempts, or tried schedules, are shown: the selected one if it has any, else the first
    /// that has; -1: none has.
    template <class Rows>
    int planWith(Rows PlannerReport::*rows) const;

    CompareModel* model_;
    CompareOrder* order_;
    QStackedWidget* pages_;
    QSplitter* panes_ = nullptr;
    QSplitter* below_ = nullptr;  ///< charts and details: beside each other where both have room
    QTableView* table_ = nullptr;
    TableColumns* columns_ = nullptr;
    TradeOffChart* chart_ = nullptr;
    BubbleMemoryChart* bubbles_ = nullptr;
    QStackedWidget* charts_ = nullptr;
    QToolButton* bubblesButton_ = nullptr;
    QToolButton* stagesButton_ = nullptr;
    QToolButton* triedButton_ = nullptr;
    TriedTable* tried_ = nullptr;
    bool chartChosen_ = false;  ///< by a person, who keeps it
    QTextBrowser* details_ = nullptr;
    QString detailsHtml_;  ///< that is laid out
    std::shared_ptr<const PlanRun> selected_;
    std::vector<int> ids_;     ///< by run
    int current_ = 0;          ///< id of the plan that a person or a caller selected last
    std::vector<int> chosen_;  ///< ids of the selected rows, likewise
    bool restoring_ = false;
    int reference_ = 0;
    bool heightChosen_ = false;  ///< a person moved the splitter; it stays there
};

}  // namespace stagecraft::views::compare
