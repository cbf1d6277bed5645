#pragma once

#include "core/base/rooms.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::formats {

/// The names in a list as Slurm writes it: "n[001-003,7],login" is n001, n002, n003, n7, login.
/// @return nothing if it is no such list or has more than `most` names
std::vector<std::string> hostsIn(std::string_view list, std::size_t most);

}  // namespace stagecraft::formats
