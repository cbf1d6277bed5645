#pragma once

#include "core/base/rooms.h"

namespace stagecraft::app {

/// Makes an application for widgets and fonts that needs no display, unless there is one already.
void ensureApplication();

}  // namespace stagecraft::app
