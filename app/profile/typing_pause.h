#pragma once

namespace stagecraft {

/// After so long without a key nobody types any more, and what was typed is worked out, milliseconds.
inline constexpr int typingPauseMs = 120;

}  // namespace stagecraft
