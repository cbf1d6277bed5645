#pragma once

#include "core/base/rooms.h"

class QApplication;

namespace stagecraft::views {

/// Draws a ring around what the keyboard has been moved to by Tab: charts, canvases and lists draw none.
/// For the life of the application; a second call changes nothing.
void markKeyboardFocus(QApplication& application);

}  // namespace stagecraft::views
