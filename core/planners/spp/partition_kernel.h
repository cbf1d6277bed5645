#pragma once

#include "core/base/rooms.h"

#include <cstddef>

namespace stagecraft::planners {

/// Rows are padded to a multiple of this many numbers.
inline constexpr std::size_t partitionLanes = 8;

/// out[k] = min over rows q of max(rows[q * stride + k], bytes[k] * perByte[q] + fixed[q]) for k < stride, a
/// multiple of partitionLanes. Nine tenths of PRM's time. The same bits on every machine.
void relaxOverSenders(const double* rows, std::size_t stride, int count, const double* bytes,
                      const double* perByte, const double* fixed, double* out);

}  // namespace stagecraft::planners
