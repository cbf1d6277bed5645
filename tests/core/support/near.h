#pragma once

#include "tests/support/every_room.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::testing {

/// Whether two numbers are equal, or finite and no further apart than `relative` parts of the larger one: the
/// same sums, added up in another order.
inline bool nearBy(double a, double b, double relative) {
    return a == b || (std::isfinite(a) && std::isfinite(b) &&
                      std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b)));
}
/// The same within 1e-9.
inline bool near(double a, double b) { return nearBy(a, b, 1e-9); }

}  // namespace stagecraft::testing
