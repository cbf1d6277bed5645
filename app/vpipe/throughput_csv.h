#pragma once

#include "core/planners/vpipe/changing_network.h"

#include <string>

namespace stagecraft::app {

/// The throughput over time as a table (FORMATS.md), the same from the window and the command line.
std::string throughputCsv(const std::vector<vpipe::ThroughputPoint>& points);

}  // namespace stagecraft::app
