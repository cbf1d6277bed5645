#pragma once

#include "app/rooms.h"
#include "core/editing/network_change.h"
#include "core/model/cluster.h"
#include "core/planners/vpipe/changing_network.h"
#include "core/planners/vpipe/migration_rates.h"

#include <string>

namespace stagecraft::app::vpipe {

/// Data rates and utilisation over time as a table (FORMATS.md). @param windowS as migrationRates takes it
std::string migrationRatesCsv(const planners::vpipe::Migration& migration, double windowS,
                              const Cluster& cluster);

/// The throughput over time as a table (FORMATS.md), the same from the window and the command line.
std::string throughputCsv(const std::vector<planners::vpipe::ThroughputPoint>& points);

/// A script as the file that readNetworkScript reads.
std::string networkScriptJson(const NetworkScript& script);

}  // namespace stagecraft::app::vpipe
