#pragma once

#include "app/rooms.h"
#include "core/formats/configurations/configuration.h"
#include "core/planners/planning_goal.h"

#include <QWidget>

#include <memory>

class QButtonGroup;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QPlainTextEdit;
class QRadioButton;

namespace stagecraft::app::start {

/// What a search over layouts is for.
enum class LayoutAim { fastest, cheapest, fastestOfPlannersToo };

/// What is wanted of a new plan: one of the goals of planning, a search over layouts, or the plan that a
/// configuration describes.
class GoalChoice : public QWidget {
    Q_OBJECT

public:
    explicit GoalChoice(QWidget* parent = nullptr);

    /// Of what no planner makes the one that asks none.
    const PlanningGoal& goal() const;
    /// Whether layouts are to be searched (AutoSearch),
    bool searchesLayouts() const;
    /// and then what for,
    LayoutAim layoutAim() const;
    /// and how many seconds an iteration of the cheapest plan takes at most.
    double mostSeconds() const;
    /// Offers its plan, and chooses it. @param name of its file
    void setConfiguration(std::shared_ptr<const Configuration> configuration, const QString& name);
    /// Null unless its plan is chosen.
    std::shared_ptr<const Configuration> configuration() const;
    const QString& configurationName() const { return name_; }
    /// What became of each argument, those that were not understood first.
    void showItems(const std::vector<ConfigurationItem>& items);

signals:
    void changed();
    /// Another plan is wanted than planners make, or one that they make again.
    void configuredChanged();

private:
    void setUpItems();
    QWidget* makeSearched();
    void showSearched();
    void showConfigured();

    QButtonGroup* goals_;
    QRadioButton *layouts_, *configured_;
    QWidget* searched_;  ///< what layouts are searched for
    QComboBox* objective_;
    QLabel* withinLabel_;
    QDoubleSpinBox* within_;
    QLabel *about_, *counts_;
    QPlainTextEdit* items_;
    std::shared_ptr<const Configuration> configuration_;
    QString name_;
};

}  // namespace stagecraft::app::start
