#pragma once

#include <cstddef>
#include <cstdlib>

namespace stagecraft::testing {

/// Whether tests run in full, as `./dev test-all` does before a release: `./dev test` tries fewer cases of
/// those that are much alike.
inline bool inFull() { return std::getenv("STAGECRAFT_IN_FULL") != nullptr; }

/// Whether case `row` is tried with choice `column`: in full all are, else one of `every` choices with each
/// case, so that each choice meets cases of all sizes.
inline bool isTried(std::size_t row, std::size_t column, std::size_t every = 3) {
    return inFull() || (row + column) % every == 0;
}

}  // namespace stagecraft::testing
