#pragma once

#include "core/base/rooms.h"

namespace stagecraft::base {

/// The numbers that measurements are taken from: within them no quotient, no sum over layers and no number of
/// microbatches overflows or vanishes, so that a plan never takes no time, or all of it, by rounding.
inline constexpr double largestAmount = 1e30;  ///< seconds, bytes, bytes per second, speeds
inline constexpr double leastRate = 1e-12;     ///< what is divided by: bytes per second, speeds

/// Seconds or bytes: from 0 to largestAmount. False for NaN.
inline bool isAmount(double value) { return value >= 0 && value <= largestAmount; }
/// Bandwidth or speed: from leastRate to largestAmount. False for NaN.
inline bool isRate(double value) { return value >= leastRate && value <= largestAmount; }

}  // namespace stagecraft::base
