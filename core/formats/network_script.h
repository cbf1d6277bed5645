#pragma once

#include "core/model/network_change.h"

#include <string>
#include <string_view>

namespace stagecraft {

/// Reads "stagecraft/network-script" (FORMATS.md). @throws InputError
NetworkScript readNetworkScript(std::string_view text, const std::string& file);

}  // namespace stagecraft
