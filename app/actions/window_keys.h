#pragma once

#include "core/base/rooms.h"

class QWidget;

namespace stagecraft::app {

/// Esc and Ctrl+W close a tool window, unless what has the focus in it wants the key itself.
void closeByKeys(QWidget& window);

}  // namespace stagecraft::app
