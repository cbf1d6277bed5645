#pragma once

#include "core/base/rooms.h"

namespace stagecraft::app {

/// Whether a window can be shown at all: a display is named and answers. Asked before a QApplication is made,
/// which would abort.
bool hasDisplay();

}  // namespace stagecraft::app
