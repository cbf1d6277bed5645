#pragma once

#include "core/base/rooms.h"

namespace stagecraft::app {

/// For so long a message stays in the status line, milliseconds.
inline constexpr int messageMs = 10'000;

}  // namespace stagecraft::app
