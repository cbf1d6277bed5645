#pragma once

#include "core/base/rooms.h"

#include <cstddef>
#include <limits>

namespace stagecraft::base {

/// An index that the model has as int, as containers want it.
constexpr std::size_t at(int index) { return static_cast<std::size_t>(index); }

inline constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace stagecraft::base
