#pragma once

#include "core/base/rooms.h"

class QApplication;

namespace stagecraft::views {

/// Return presses the button that has the focus, as Space does. In dialogs it stays with their default button.
void pressButtonsByReturn(QApplication& application);

}  // namespace stagecraft::views
