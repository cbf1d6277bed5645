#pragma once

#include "core/base/rooms.h"

namespace stagecraft::views {

/// A progress bar and a future count a part of the work, 0 to 1, in this many steps.
inline constexpr int progressSteps = 1000;

}  // namespace stagecraft::views
