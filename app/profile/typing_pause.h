#pragma once

#include "core/base/rooms.h"

namespace stagecraft::app {

/// After this long without a key typing has ended and what was typed is worked out, milliseconds.
inline constexpr int typingPauseMs = 120;

}  // namespace stagecraft::app
