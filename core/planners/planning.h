#pragma once

#include "core/base/work_context.h"

// One clone of a function for machines with AVX2, chosen when the program is loaded. Neither has fused
// multiply-add, so both round alike. Sanitizers are not ready that early.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define STAGECRAFT_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define STAGECRAFT_CLONES
#endif

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

/// A context whose progress 0..1 is from..to of the whole.
inline WorkContext part(const WorkContext& whole, double from, double to) {
    return {whole.stop, [whole, from, to](double fraction) { whole.report(from + fraction * (to - from)); }};
}

}  // namespace stagecraft::planners
