#pragma once

#include "app/actions/action_register.h"
#include "app/shell/workbench.h"

namespace stagecraft {

/// How a plan's chart is looked at, as actions: for menus, palette, help and keys. The keys are those of the
/// plans' views alone.
class PlanActions : public QObject {
    Q_OBJECT

public:
    PlanActions(ActionRegister& actions, Workbench& workbench, QObject* parent);

private:
    /// @param which of the view's own actions does it
    void add(const ActionSpec& spec, std::function<QAction*(const PlanViewActions&)> which);
    PlanView* view() const { return workbench_.planView(workbench_.currentPlan()); }
    bool inMenu(const QKeySequence& key) const;
    /// The plan that is shown now takes the keys; what it cannot do is greyed.
    void update();

    ActionRegister& actions_;
    std::vector<QAction*> commands_;  ///< those of the view's table
    Workbench& workbench_;
    std::vector<std::pair<QAction*, std::function<QAction*(const PlanViewActions&)>>> own_;
};

}  // namespace stagecraft
