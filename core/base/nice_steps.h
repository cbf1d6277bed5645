#pragma once

#include "core/base/rooms.h"

#include <vector>

namespace stagecraft::base {

/// The least of 1, 2 and 5 times powers of ten that is not below `least`, which is > 0.
double niceStep(double least);

/// 1, 2 and 5 times each power of ten within [from, to], 0 < from; 1 and 3 times, or the powers alone, where
/// those are more than `about` or none.
std::vector<double> logarithmicSteps(double from, double to, int about);

}  // namespace stagecraft::base
