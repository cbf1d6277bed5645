#pragma once

#include "core/base/rooms.h"

#include <string_view>

namespace stagecraft::formats {

/// Whether it is a table of numbers, as many rows as columns, perhaps with names, as readBandwidthMatrix
/// takes it.
bool looksLikeMatrix(std::string_view text);

}  // namespace stagecraft::formats
