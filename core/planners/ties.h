#pragma once

#include "core/base/rooms.h"

namespace stagecraft::planners {

/// Numbers that are equal but for rounding count as a tie, so that the written rules decide and not the order
/// in which something was added up.
inline constexpr double tieWidth = 1e-12;

/// Less by more than rounding; for numbers from 0 to infinity.
inline bool clearlyLess(double a, double b) { return a < b * (1 - tieWidth); }

/// Objectives of plans count as equal up to this share of them. Rounding can part equal ones by some 1e-11:
/// sums over hundreds of layers, and a short stage's time as the difference of two long ones. No profile is
/// known to nine digits.
inline constexpr double objectiveTieWidth = 1e-9;

/// A better objective, not one that only rounding makes less; for numbers from 0 to infinity.
inline bool betterObjective(double a, double b) { return a < b * (1 - objectiveTieWidth); }

}  // namespace stagecraft::planners
