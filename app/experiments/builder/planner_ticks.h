#pragma once

#include "app/rooms.h"
#include "core/experiments/experiment.h"

#include <QWidget>

#include <functional>
#include <set>

class QLabel;
class QVBoxLayout;

namespace stagecraft::app::experiments {

/// The planners of an experiment by tick boxes, each with its parameters below it on demand. One may be asked
/// several times, with other parameters under another label.
class PlannerTicks : public QWidget {
    Q_OBJECT
public:
    explicit PlannerTicks(QWidget* parent = nullptr);
    ~PlannerTicks() override;
    void setPlanners(const std::vector<AskedPlanner>& asked);
    /// What is wrong with them; empty: nothing.
    void showError(const QString& sentence);

signals:
    void edited(const std::vector<stagecraft::experiments::AskedPlanner>& asked);
    void renamed(int planner, const QString& label);

private:
    QWidget* makeHead();
    void rebuild();
    QWidget* makeRow(const AskedPlanner& shown, int asked);
    QWidget* makeForm(int asked);
    void change(const std::function<void(std::vector<AskedPlanner>&)>& how);

    std::vector<AskedPlanner> asked_;
    std::set<std::string> open_;  ///< labels of those whose parameters are shown
    QVBoxLayout* rows_;
    QWidget* content_ = nullptr;
    QLabel* error_;
};

}  // namespace stagecraft::app::experiments
