#pragma once

#include "core/base/rooms.h"

#include <string>
#include <string_view>

namespace stagecraft::base {

/// A number of things in words: "1 layer", "2 layers", "1,024 GPUs".
/// @param one the word for one; @param many the word for any other number; empty: `one` with an s
std::string counted(long long count, std::string_view one, std::string_view many = {});
/// The number alone: "1,024".
std::string grouped(long long count);
/// The word alone, where something comes between it and the number.
std::string_view oneOrMany(long long count, std::string_view one, std::string_view many);

}  // namespace stagecraft::base
