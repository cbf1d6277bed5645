#pragma once

#include "core/model/cluster.h"
#include "core/planners/vpipe/migration_rates.h"

#include <string>

namespace stagecraft::app {

/// Data rates and utilisation over time as a table (FORMATS.md). @param windowS as migrationRates takes it
std::string migrationRatesCsv(const vpipe::Migration& migration, double windowS, const Cluster& cluster);

}  // namespace stagecraft::app
