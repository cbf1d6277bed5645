#pragma once

#include <cstdlib>

namespace stagecraft::testing {

/// Whether tests run in full, as `./dev test-all` does before a release: `./dev test` tries fewer cases of
/// those that are much alike.
inline bool inFull() { return std::getenv("STAGECRAFT_IN_FULL") != nullptr; }

}  // namespace stagecraft::testing
