#pragma once

#include "views/experiments/results_model.h"

#include <QWidget>

class QHBoxLayout;
class QLabel;
class QLineEdit;
class QTableView;

namespace stagecraft::views::experiments {

/// The results as a table beside their chart: sorted by a click on a title, filtered by words and bounds, and
/// copied as CSV.
class ResultsTable : public QWidget {
    Q_OBJECT
public:
    explicit ResultsTable(QWidget* parent = nullptr);

    void setResults(std::shared_ptr<const Grid> grid, std::shared_ptr<const ResultsNumbers> numbers);
    /// The numbers have changed.
    void refresh();
    /// The row of that cell, if the filter lets it through, is selected and in view.
    void select(std::size_t cell);
    /// Puts the selected rows, or all that are shown, into the clipboard as CSV with titles.
    void copy();
    ResultsModel& model() { return *model_; }
    QTableView& table() { return *table_; }
    QLineEdit& filter() { return *filter_; }

signals:
    void chosen(std::size_t cell);
    void picked(std::size_t cell);
    void menuWanted(std::size_t cell, const QPoint& globalPosition);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QHBoxLayout* newHead();
    void applyFilter(const QString& text);
    void showCount();

    std::shared_ptr<const Grid> grid_;
    ResultsModel* model_;
    QTableView* table_;
    QLineEdit* filter_;
    QLabel* count_;
    bool selecting_ = false;
};

}  // namespace stagecraft::views::experiments
