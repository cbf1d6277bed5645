#pragma once

#include "app/actions/action_register.h"
#include "app/shell/workbench.h"

namespace stagecraft::app {

class PlanEditor;

/// Ways of editing the plan that is shown, as actions: for the menu, palette, help and keys.
class EditActions : public QObject {
    Q_OBJECT

public:
    EditActions(ActionRegister& actions, Workbench& workbench, QObject* parent);

private:
    PlanEditor* editor() const;
    /// Of the plan that is shown, once its views are ready; else nullptr.
    PlanPage* preparedPage() const;
    /// The charts that are shown now take the keys.
    void attach();
    void addToMenu(QMenu* menu, quint32 block);

    ActionRegister& actions_;
    Workbench& workbench_;
    std::vector<QAction*> keyed_;  ///< whose keys the charts alone take
};

}  // namespace stagecraft::app
