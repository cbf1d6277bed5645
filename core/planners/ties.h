#pragma once

namespace stagecraft {

/// Numbers that are equal but for rounding count as a tie, so that the written rules decide and not the order
/// in which something was added up.
inline constexpr double tieWidth = 1e-12;

/// Less by more than rounding; for numbers from 0 to infinity.
inline bool clearlyLess(double a, double b) { return a < b * (1 - tieWidth); }

}  // namespace stagecraft
