#pragma once

#include "core/base/rooms.h"

#include <string_view>

namespace stagecraft::training {

/// samples/data/digits.csv, which the build compiles in.
std::string_view digitsCsv();

}  // namespace stagecraft::training
