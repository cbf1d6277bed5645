#pragma once

#include "app/commands/arguments.h"
#include "core/formats/topology/import.h"

namespace stagecraft::app {

/// What topologies leave out, each as an option: "pcie_generation" is --pcie-generation.
const std::vector<Option>& topologyOptions();
/// @throws UsageError
ImportOptions topologyOptionsFrom(const Arguments& arguments);

}  // namespace stagecraft::app
