#pragma once

#include "core/experiments/results.h"
#include "views/experiments/results_pane.h"

#include <QWidget>

#include <memory>
#include <vector>

class QLabel;
class QProgressBar;
class QPushButton;
class QToolButton;

namespace stagecraft::views::experiments {

class ClaimsList;

/// One experiment: what it is, a chart of its results so far, and what became of its claims.
class ExperimentView : public QWidget {
    Q_OBJECT
public:
    explicit ExperimentView(QWidget* parent = nullptr);

    /// Another experiment, with nothing run.
    void setGrid(std::shared_ptr<const Grid> grid);
    const std::shared_ptr<const Grid>& grid() const { return grid_; }
    /// By the grid's cells; shows them and judges the claims.
    void setCells(std::vector<CellResult> cells);
    const std::vector<CellResult>& cells() const { return cells_; }
    /// A cell that has just been run; shown with the next refresh().
    void addCell(std::size_t cell, const CellResult& result) {
        cells_[cell] = result;
        results_->addCell(cell, result);
    }
    void refresh();
    void setRunning(bool running);
    void setProgress(double fraction, const QString& text);
    void setStatus(const QString& text);

    const ChartChoice& choice() const { return results_->choice(); }
    ResultsPane& results() { return *results_; }
    ResultsChart& chart() { return results_->chart(); }
    ClaimsList& claims() { return *claims_; }

signals:
    void runRequested();
    void stopRequested();
    void exportRequested();
    /// Its plan is wanted: as a project, or in a window of its own.
    void cellPicked(std::size_t cell);
    void cellPickedBeside(std::size_t cell);

protected:
    void changeEvent(QEvent* event) override;

private:
    QWidget* makeHead();
    QWidget* makeBar();
    void judge();
    void refreshIcons();

    std::shared_ptr<const Grid> grid_;
    std::vector<CellResult> cells_;
    bool running_ = false;

    QLabel* title_ = nullptr;
    QLabel* about_ = nullptr;
    QLabel* differs_ = nullptr;
    QPushButton* run_ = nullptr;
    QProgressBar* progress_ = nullptr;
    QLabel* status_ = nullptr;
    QToolButton* export_ = nullptr;
    ResultsPane* results_ = nullptr;
    QWidget* claimsPart_ = nullptr;
    QLabel* counts_ = nullptr;
    ClaimsList* claims_ = nullptr;
};

}  // namespace stagecraft::views::experiments
