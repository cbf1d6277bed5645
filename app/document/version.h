#pragma once

#include "app/rooms.h"

namespace stagecraft::app::document {

/// "0.1.0"
const char* version();

}  // namespace stagecraft::app::document
