#pragma once

#include "views/experiments/results_chart.h"

#include <QTimer>
#include <QWidget>

#include <functional>
#include <memory>

class QToolButton;

namespace stagecraft::views::experiments {

class ChartBar;
class ResultsTable;

/// An experiment's results: what is shown, the chart, and beside it, if wanted, the table; what is selected
/// in one is selected in the other.
class ResultsPane : public QWidget {
    Q_OBJECT
public:
    explicit ResultsPane(QWidget* parent = nullptr);

    /// Another experiment, with nothing run.
    void setGrid(std::shared_ptr<const Grid> grid);
    void setCells(const std::vector<CellResult>& cells);
    /// Shown with the next refresh(); in the table a little later, in a frame of its own.
    void addCell(std::size_t cell, const CellResult& result) { numbers_->set(cell, result); }
    void refresh();
    /// Says why a cell has no plan.
    void setReasons(std::function<QString(std::size_t cell)> reasons) {
        chart_->setReasons(std::move(reasons));
    }

    const ChartChoice& choice() const;
    void setChoice(const ChartChoice& choice);
    bool isTableShown() const;
    void showTable(bool shown);
    ResultsChart& chart() { return *chart_; }
    ResultsTable& table() { return *table_; }

signals:
    /// Its plan is wanted: as a project, or beside.
    void cellPicked(std::size_t cell);
    void cellPickedBeside(std::size_t cell);
    void choiceChanged();

private:
    void showMenu(std::size_t cell, const QPoint& globalPosition);
    void select(std::size_t cell);

    std::shared_ptr<const Grid> grid_;
    std::shared_ptr<ResultsNumbers> numbers_;
    ChartBar* bar_;
    QToolButton* tableButton_;
    ResultsChart* chart_;
    ResultsTable* table_;
    QTimer tableRefresh_;
};

}  // namespace stagecraft::views::experiments
