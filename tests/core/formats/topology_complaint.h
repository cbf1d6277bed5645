#pragma once

#include "core/formats/files/import.h"
#include "tests/support/every_room.h"

#include <string>

namespace stagecraft {

/// What an import says of a text that it refuses, or nothing if it takes it. Anything but an InputError comes
/// through and fails the test.
inline std::string topologyComplaint(const std::string& text, const ImportOptions& options = {}) {
    try {
        importCluster(text, "F", options);
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

}  // namespace stagecraft
