#pragma once

#include "app/commands/command.h"

#include <string_view>

namespace stagecraft::app {

/// Makes a plan of an order, with --profile and --cluster, and writes it to --out.
void importOrder(const Arguments& arguments, const std::string& path, std::string_view text,
                 std::ostream& err);

}  // namespace stagecraft::app
