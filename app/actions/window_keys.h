#pragma once

#include "app/rooms.h"

class QWidget;

namespace stagecraft::app::actions {

/// Esc and Ctrl+W close a tool window, unless what has the focus in it wants the key itself.
void closeByKeys(QWidget& window);

}  // namespace stagecraft::app::actions
