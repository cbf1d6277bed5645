#pragma once

#include "core/editing/network_change.h"

#include <string>
#include <string_view>

namespace stagecraft::formats {

class JsonObject;

/// Reads "stagecraft/network-script" (FORMATS.md). @throws InputError
NetworkScript readNetworkScript(std::string_view text, const std::string& file);
/// "duration_s" and "events" of an object that may have other fields. @throws InputError
NetworkScript networkScriptFromJson(const JsonObject& object);

}  // namespace stagecraft::formats
