#pragma once

#include "core/model/plan.h"
#include "core/model/problem.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

/// Golden cases count layers from 1 and GPUs from 0, and give bandwidths as a full matrix.
namespace golden {

inline std::optional<nlohmann::json> readCase(const std::string& id) {
    const std::filesystem::path path = std::filesystem::path(STAGECRAFT_SHARED_DIR) / "cases" / (id + ".json");
    std::ifstream file(path);
    if (!file) return std::nullopt;
    return nlohmann::json::parse(file);
}

inline stagecraft::LayerProfile profileOf(const nlohmann::json& input) {
    stagecraft::LayerProfile profile;
    const std::size_t layers = input.at("pf").size();
    for (std::size_t layer = 0; layer < layers; ++layer) {
        stagecraft::Layer one;
        one.name = "layer " + std::to_string(layer);
        one.forwardS = input.at("pf")[layer];
        one.backwardS = input.at("pb")[layer];
        one.parameterBytes = input.at("alpha")[layer];
        if (layer + 1 < layers) {
            one.outputBytes = input.at("df")[layer];
            one.outputGradientBytes = input.at("db")[layer];
        }
        profile.layers.push_back(one);
    }
    return profile;
}

/// A link between each two devices with a positive bandwidth; `servers`, if given, lists devices by server.
inline stagecraft::Cluster clusterOf(const nlohmann::json& topology, const nlohmann::json& servers = nullptr) {
    stagecraft::Cluster cluster;
    const auto& bandwidth = topology.at("bandwidth");
    for (std::size_t device = 0; device < bandwidth.size(); ++device)
        cluster.devices.push_back({"g" + std::to_string(device), "s" + std::to_string(device), "", 1e18, 1, 1});
    if (servers.is_array())
        for (std::size_t server = 0; server < servers.size(); ++server)
            for (const std::size_t device : servers[server]) cluster.devices[device].server = "s" + std::to_string(server);
    for (std::size_t a = 0; a < bandwidth.size(); ++a)
        for (std::size_t b = a + 1; b < bandwidth.size(); ++b)
            if (bandwidth[a][b].get<double>() > 0)
                cluster.links.push_back({cluster.devices[a].id, cluster.devices[b].id, bandwidth[a][b], 0, "direct"});
    return cluster;
}

inline stagecraft::Problem problemOf(const nlohmann::json& input) {
    stagecraft::Problem problem;
    problem.profile = profileOf(input.at("profile"));
    problem.cluster = clusterOf(input.at("topology"), input.value("servers", nlohmann::json()));
    problem.setup.microbatches = input.at("M");
    return problem;
}

inline std::vector<stagecraft::Stage> stagesOf(const nlohmann::json& plan) {
    std::vector<stagecraft::Stage> stages;
    for (const auto& entry : plan)
        stages.push_back({entry.at("first").get<int>() - 1, entry.at("last").get<int>() - 1,
                          entry.at("gpus").get<std::vector<int>>()});
    return stages;
}

}  // namespace golden
