#pragma once

#include "core/training/comparison.h"
#include "views/rooms.h"

#include <QAbstractTableModel>

namespace stagecraft::views::training {

/// What came out, a row for each policy: losses and accuracies over the seeds, and the difference to the
/// synchronous one, seed by seed.
class PolicyTable : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column {
        policyColumn,
        leastLossColumn,
        bestAccuracyColumn,
        lastLossColumn,
        lastAccuracyColumn,
        lossDifferenceColumn,
        accuracyDifferenceColumn,
        runsColumn,
        columnTotal
    };
    explicit PolicyTable(QObject* parent = nullptr);

    /// @param seeds runs that each policy will have
    void setRuns(const std::vector<stagecraft::training::PolicyRuns>& runs, int seeds);
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    /// With tabs between the cells.
    QString text() const;

private:
    struct Row {
        stagecraft::training::PolicySummary summary;
        stagecraft::training::PairedDifference difference;
        bool compares = false;  ///< there is a synchronous run to compare with, and this is none
        int runs = 0;           ///< that have come furthest
        std::string refusal;
    };
    QString cell(const Row& row, int column) const;
    QString exact(const Row& row, int column) const;

    std::vector<Row> rows_;
    int seeds_ = 0;
};

/// How old the weights are that a policy's stages use: a row for each policy, a column for each stage.
class StalenessTable : public QAbstractTableModel {
    Q_OBJECT
public:
    explicit StalenessTable(QObject* parent = nullptr);

    void setRuns(const std::vector<stagecraft::training::PolicyRuns>& runs);
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Row {
        stagecraft::training::Policy policy = stagecraft::training::Policy::synchronous;
        std::vector<stagecraft::training::StageStaleness> stages;
        bool operator==(const Row&) const = default;
    };
    std::vector<Row> rows_;
    int stages_ = 0;
    double oldest_ = 0;  ///< of all weights
};

}  // namespace stagecraft::views::training
