#pragma once

#include "core/runs/reference_plan.h"
#include "views/rooms.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

#include <optional>
#include <string_view>

namespace stagecraft::views::compare {

/// The plans of a project as rows, what is compared as columns.
class CompareModel : public QAbstractTableModel {
    Q_OBJECT
public:
    static constexpr int planColumn = 0, statusColumn = 1;
    /// The columns after these are the metrics that the catalogue has for the comparison.
    static int columnOf(std::string_view metric);
    /// null for the columns that are no metric
    static const Metric* metricOf(int column);

    enum Role {
        sortRole = Qt::UserRole,  ///< double or string; invalid where there is no value
        barRole,                  ///< iteration time as a share of the slowest; invalid elsewhere
        bestRole,  ///< whether the value is the best of its column (and not all are equal), of plans that fit
        rankRole,  ///< the plan's rank, 0: the best
        copyRole,  ///< the text where nobody can point at it: the status says why there is no plan
    };

    explicit CompareModel(QObject* parent = nullptr);
    /// @param reference index of the plan that a person measures the others against; -1: none was chosen
    /// @param ids by run, below 0 for plans that are not part of the project; empty: all are
    void setRuns(PlanRuns runs, int reference = -1, std::vector<int> ids = {});
    /// Index of the plan that speed-ups and percentages are against; -1: none.
    int reference() const { return reference_; }
    const PlanRuns& runs() const { return runs_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const PlanRun& run(int row) const { return *runs_[static_cast<std::size_t>(row)]; }
    MeasuredPlan measured(int row) const;
    std::optional<double> value(int row, int column) const;
    std::optional<double> share(int row) const;
    QString text(int row, int column) const;
    QVariant font(int row, int column) const;
    bool isOfProject(int row) const { return ids_.empty() || ids_[static_cast<std::size_t>(row)] >= 0; }
    QString exactText(int row, int column) const;
    QString statusText(int row) const;
    QVariant foreground(int row, int column) const;
    bool isBest(int row, int column) const;

    PlanRuns runs_;
    std::vector<int> ids_;
    std::vector<std::vector<std::optional<double>>> values_;  ///< by run and column, after the status
    double slowestS_ = 0;                                     ///< of the runs that are compared
    int reference_ = -1;
    std::string referenceTitle_;
    std::optional<MeasuredPlan> measuredReference_;
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

}  // namespace stagecraft::views::compare
