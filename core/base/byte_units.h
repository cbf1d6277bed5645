#pragma once

namespace stagecraft {

/// Bytes in a binary unit.
inline constexpr double kib = 1024, mib = 1024 * kib, gib = 1024 * mib;

}  // namespace stagecraft
