#pragma once

#include "app/actions/action_register.h"
#include "views/common/choice_popup.h"

namespace stagecraft::app::actions {

/// All actions in a list that narrows while one types; Enter carries out the selected one.
class CommandPalette : public ChoicePopup {
    Q_OBJECT

public:
    CommandPalette(const ActionRegister& actions, QWidget* parent);
};

}  // namespace stagecraft::app::actions
