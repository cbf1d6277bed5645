#pragma once

#include "core/experiments/variable_field.h"
#include "core/model/cluster.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace stagecraft::experiments {

// How the values of a VariableField are written in JSON, and how people write them.

/// The parts of a base that make its problem.
nlohmann::json plainBase(const nlohmann::json& base);
/// Kinds of links in the order of the cluster's changes: those that have one, then the others as they come.
std::vector<std::string> linkKindsOf(const nlohmann::json& base, const Cluster* cluster);
/// Empty for what is no value of that parameter.
std::string jsonText(const Parameter& parameter, const nlohmann::json& value);
/// "3x4 pcie + 5x4 nvlink"
std::string mixText(const nlohmann::json& groups);
/// "32-40 Gbit/s"
std::string drawnText(const nlohmann::json& ends);
/// A number of a layer, device or link, by the name of its field. @param of what it belongs to
Parameter numberNamed(const std::string& field, const std::string& of);

}  // namespace stagecraft::experiments
