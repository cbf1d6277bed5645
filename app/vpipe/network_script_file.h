#pragma once

#include "core/editing/network_change.h"

#include <string>

namespace stagecraft::app {

/// A script as the file that readNetworkScript reads.
std::string networkScriptJson(const NetworkScript& script);

}  // namespace stagecraft::app
