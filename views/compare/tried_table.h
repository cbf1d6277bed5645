#pragma once

#include "core/model/plan_origin.h"
#include "views/rooms.h"

#include <QTableView>

class QSortFilterProxyModel;
class QStandardItemModel;

namespace stagecraft::views::compare {

/// What a search over schedules tried, a row each, from the best; any column sorts, and a double click or
/// Enter opens a row's plan. What was left out comes last, with the reason.
class TriedTable : public QTableView {
    Q_OBJECT
public:
    enum Column { scheduleColumn, stagesColumn, timeColumn, memoryColumn, remarkColumn, columns };

    explicit TriedTable(QWidget* parent = nullptr);
    /// @param knowsMemory false: the profile does not say what devices hold
    void setTried(const std::vector<TriedSchedule>& tried, bool knowsMemory = true);

signals:
    /// @param index into what was set; one that was simulated
    void triedActivated(int index);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void spread();
    void activate(const QModelIndex& index);

    QStandardItemModel* rows_;
    QSortFilterProxyModel* order_;
    std::vector<TriedSchedule> tried_;
    int wantedSchedule_ = 0, wantedStages_ = 0;  ///< pixels that their contents need
};

}  // namespace stagecraft::views::compare
