#pragma once

#include <cstddef>

namespace stagecraft::testing {

/// An index of the model, which counts in int, as one of a vector.
inline std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace stagecraft::testing
