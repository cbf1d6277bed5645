#pragma once

#include "views/pareto/frontier_chart.h"

#include <QStringList>

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QStackedWidget;
class QTableWidget;

namespace stagecraft::views::pareto {

/// One search of the frontier, as the table has it.
struct FrontierRow {
    QStringList cells;  ///< as FrontierView's headings
    QString details;    ///< why the plan is what it is, and what is proven; or why there is none
    bool hasPlan = false;
    int mark = -1;  ///< in the chart; -1: none
};

/// The frontier of a search as a chart of plans to select and open, the same plans as a table, and what is
/// known of the one that is selected.
class FrontierView : public QWidget {
    Q_OBJECT
public:
    explicit FrontierView(QWidget* parent = nullptr);

    /// @param axes titles of what time is shown against
    void setAxes(const QStringList& axes);
    int axis() const;
    void setRows(const QStringList& headings, std::vector<FrontierRow> rows, FrontierScene scene);
    void setRunning(bool isRunning);
    void setProgress(double fraction);
    /// @param canOpen whether plans can still be opened
    void setStatus(const QString& text, bool canOpen);
    int selectedRow() const;
    FrontierChart& chart() { return *chart_; }

signals:
    void startRequested();
    void stopRequested();
    void axisChosen();
    void openRequested(int row);

private:
    QWidget* makeStartPage();
    QWidget* makeBar();
    QWidget* makeBelow();
    void selectMark(int mark);
    void showSelected();
    void open(int row);

    std::vector<FrontierRow> rows_;
    bool isRunning_ = false, canOpen_ = true, isShowing_ = false;
    QStackedWidget* pages_;
    FrontierChart* chart_;
    QPushButton *start_ = nullptr, *open_ = nullptr;
    QProgressBar* progress_ = nullptr;
    QLabel *status_ = nullptr, *details_ = nullptr;
    QComboBox* axis_ = nullptr;
    QTableWidget* table_ = nullptr;
};

}  // namespace stagecraft::views::pareto
