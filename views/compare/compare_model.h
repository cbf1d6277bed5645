#pragma once

#include "views/compare/compare_numbers.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

namespace stagecraft {

/// The plans of a project as rows, what is compared as columns.
class CompareModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column {
        planColumn,
        statusColumn,
        timeColumn,
        speedUpColumn,
        againstColumn,
        throughputColumn,
        bubbleColumn,
        memoryColumn,
        boundColumn,
        gapColumn,
        stagesColumn,
        planningColumn,
        columnTotal
    };
    enum Role {
        sortRole = Qt::UserRole,  ///< double or string; invalid where there is no value
        barRole,                  ///< iteration time as a share of the slowest; invalid elsewhere
        bestRole,  ///< whether the value is the best of its column (and not all are equal), of plans that fit
        rankRole,  ///< the plan's rank, 0: the best
    };

    explicit CompareModel(QObject* parent = nullptr);
    /// @param reference index of the plan that a person measures the others against; -1: none was chosen
    void setRuns(PlanRuns runs, int reference = -1);
    const Baselines& baselines() const { return baselines_; }
    const PlanRuns& runs() const { return runs_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::optional<double> value(int row, int column) const;
    QString text(int row, int column) const;
    QString exactText(int row, int column) const;
    bool isBest(int row, int column) const;

    PlanRuns runs_;
    std::vector<CompareNumbers> numbers_;
    Baselines baselines_;
};

/// Sorts by sortRole; rows without a value stay at the end in both directions, ties keep the order of the
/// plans. Until a person sorts, plans that do not fit, do not hold or are out of date come after the others.
class CompareOrder : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit CompareOrder(QObject* parent = nullptr);
    void setRanked(bool on);

protected:
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    bool ranked_ = true;
};

}  // namespace stagecraft
