#pragma once

#include "core/base/rooms.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace stagecraft::formats {

/// Whole file as text, in whatever encoding plainText() knows. @throws InputError if it cannot be read or is larger than 1 GiB.
std::string readTextFile(const std::filesystem::path& path);
/// Writes beside the target and renames, so that a crash leaves the old file. @throws InputError
void writeFileAtomically(const std::filesystem::path& path, std::string_view bytes);

}  // namespace stagecraft::formats
