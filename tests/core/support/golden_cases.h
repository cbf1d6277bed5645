#pragma once

#include "core/cost/cost_model.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace stagecraft::testing {

/// One golden case; its numbers are taken as seconds, bytes and bytes per second.
struct GoldenCase {
    nlohmann::json input;
    nlohmann::json expected;
};

GoldenCase goldenCase(const std::string& id);

/// The case's profile on a complete graph of links of its bandwidths, 0 being no link.
Problem problemOf(const nlohmann::json& input, ChannelMode channel = ChannelMode::fullDuplex);
/// A case's "plan": layers from 1, GPUs from 0.
std::vector<Stage> stagesOf(const nlohmann::json& plan);
/// A number, or infinity for null.
double numberOrInfinity(const nlohmann::json& value);

/// A complete graph of links between devices d0, d1, …, all in one server.
Cluster meshCluster(const std::vector<std::vector<double>>& bandwidthBps);

}  // namespace stagecraft::testing
