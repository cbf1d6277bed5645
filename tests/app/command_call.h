#pragma once

#include "app/commands/commands.h"
#include "tests/support/window_rooms.h"

#include <sstream>
#include <string>
#include <vector>

namespace stagecraft::testing {

/// What a command of the program ended with and wrote.
struct Outcome {
    int status;
    std::string out, err;
};

inline Outcome call(const std::vector<std::string>& arguments) {
    std::ostringstream out, err;
    const int status = runCommand(arguments, out, err);
    return {status, out.str(), err.str()};
}

inline bool mentions(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace stagecraft::testing
