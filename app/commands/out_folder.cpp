#include "app/commands/out_folder.h"

#include "app/commands/arguments.h"
#include "core/formats/input_error.h"

#include <filesystem>

namespace stagecraft::app::commands {

void makeFolder(const std::string& folder, const std::string& expected) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (!std::filesystem::is_directory(folder))
        throw InputError(folder, "", "not a folder, and none can be created here", expected);
}

void requireEmpty(const std::string& folder) {
    if (!std::filesystem::is_empty(folder))
        throw UsageError(
            "--out '" + folder +
            "' is not empty; expected a new or empty folder, or --force, which replaces files of "
            "the same names");
}

}  // namespace stagecraft::app::commands
