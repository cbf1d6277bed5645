#pragma once

#include "app/actions/action_register.h"
#include "app/shell/workbench.h"

namespace stagecraft::app {

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
    /// The same once it is prepared; else nullptr.
    PlanView* shownView() const;
    bool inMenu(const QKeySequence& key) const;
    /// The plan that is shown now takes the keys.
    void attach();

    ActionRegister& actions_;
    Workbench& workbench_;
    std::vector<QAction*> own_;
};

}  // namespace stagecraft::app
