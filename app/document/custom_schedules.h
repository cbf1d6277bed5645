#pragma once

#include "app/rooms.h"

#include <filesystem>

namespace stagecraft::app::document {

/// Where orders are kept that a person saved under a name, from the window or by a command; may not be there
/// yet.
std::filesystem::path customSchedulesFolder();

}  // namespace stagecraft::app::document
