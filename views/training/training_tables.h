#pragma once

#include "core/training/comparison.h"
#include "views/rooms.h"

#include <QWidget>

class QLabel;
class QTableView;
class QTabWidget;

namespace stagecraft::views::common {
class TableColumns;
}

namespace stagecraft::views::training {

class PolicyTable;
class StalenessTable;

/// Below the curves: what came out, how old the weights were, and what the chosen policy does.
class TrainingTables : public QWidget {
    Q_OBJECT
public:
    explicit TrainingTables(QWidget* parent = nullptr);

    /// @param seeds runs that each policy will have
    void setRuns(const std::vector<stagecraft::training::PolicyRuns>& runs, int seeds);
    /// With which no row is out of sight.
    int wantedHeight() const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QTableView* makeTable(const QString& name);
    void describePolicy();

    std::vector<std::pair<stagecraft::training::Policy, std::string>>
        results_;  ///< with the reasons of those left out
    std::vector<stagecraft::training::Policy> trained_;
    int begun_ = 0;  ///< runs with an epoch, when the columns were last measured
    QTabWidget* tabs_;
    PolicyTable* resultsModel_;
    StalenessTable* stalenessModel_;
    QTableView* resultsTable_;
    QTableView* stalenessTable_;
    TableColumns* columns_;
    QLabel* policyText_;
};

}  // namespace stagecraft::views::training
