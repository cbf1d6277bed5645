#pragma once

#include "app/rooms.h"

#include <string>

namespace stagecraft::app::commands {

/// Before the work, which may take minutes. @param expected what the folder is for, for the complaint
/// @throws InputError if it is not there and cannot be made
void makeFolder(const std::string& folder, const std::string& expected);

/// @throws UsageError if anything is in the folder, which is there
void requireEmpty(const std::string& folder);

}  // namespace stagecraft::app::commands
