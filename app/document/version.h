#pragma once

#include "core/base/rooms.h"

namespace stagecraft::app {

/// "0.1.0"
const char* version();

}  // namespace stagecraft::app
