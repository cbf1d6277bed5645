#pragma once

#include "core/base/rooms.h"

#include <map>
#include <string>
#include <string_view>

namespace stagecraft::experiments {

/// What CMake compiles in for measuredData(), by name.
const std::map<std::string, std::string_view>& measuredDataFiles();

}  // namespace stagecraft::experiments
