#pragma once

#include "app/rooms.h"
#include "core/base/parameters.h"

#include <nlohmann/json_fwd.hpp>

#include <ostream>
#include <vector>

namespace stagecraft::app::commands {

/// The descriptions as an array, for scripts.
nlohmann::ordered_json parametersJson(const std::vector<Parameter>& parameters);
/// A line each, as it is set: "    --set seed=1  Of the bandwidths that are drawn".
void printParameters(const std::vector<Parameter>& parameters, std::ostream& out);

}  // namespace stagecraft::app::commands
