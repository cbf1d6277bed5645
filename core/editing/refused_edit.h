#pragma once

#include "core/base/rooms.h"

#include <stdexcept>
#include <string>

namespace stagecraft::editing {

/// Why an edit cannot be made, as a sentence. @throws std::invalid_argument
[[noreturn]] inline void refuseEdit(const std::string& sentence) { throw std::invalid_argument(sentence); }

}  // namespace stagecraft::editing
