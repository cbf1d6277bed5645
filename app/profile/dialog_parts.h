#pragma once

#include "app/rooms.h"
#include "core/model/layer_profile.h"

#include <QString>

namespace stagecraft::app::profile {

/// Layers, times and bytes of a whole profile, as a table in rich text.
QString totalsText(const LayerProfile& profile);

/// After this long without a key typing has ended and what was typed is worked out, milliseconds.
inline constexpr int typingPauseMs = 120;

}  // namespace stagecraft::app::profile
