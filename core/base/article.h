#pragma once

#include "core/base/rooms.h"

#include <string>

namespace stagecraft::base {

/// "a V100", "an H100", "an MI300X": letters in front of a number are read one by one.
std::string withArticle(const std::string& name);

}  // namespace stagecraft::base
