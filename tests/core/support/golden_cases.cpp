#include "tests/core/support/golden_cases.h"
#include "tests/support/every_room.h"

#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>

namespace stagecraft::testing {

GoldenCase goldenCase(const std::string& id) {
    std::ifstream file(std::filesystem::path(STAGECRAFT_SOURCE_DIR) / "tests/data/cases" / (id + ".json"));
    if (!file) throw std::runtime_error("no golden case " + id);
    const nlohmann::json json = nlohmann::json::parse(file);
    return {json.at("input"), json.at("expected")};
}

Cluster meshCluster(const std::vector<std::vector<double>>& bandwidthBps) {
    Cluster cluster;
    for (std::size_t a = 0; a < bandwidthBps.size(); ++a) {
        Device device;
        device.id = "d" + std::to_string(a);
        device.server = "s0";
        device.memoryBytes = 1e12;
        cluster.devices.push_back(device);
        for (std::size_t b = 0; b < a; ++b)
            if (bandwidthBps[a][b] > 0)
                cluster.links.push_back({"d" + std::to_string(b), device.id, bandwidthBps[a][b], 0, "mesh"});
    }
    return cluster;
}

Problem problemOf(const nlohmann::json& input, ChannelMode channel) {
    Problem problem;
    const nlohmann::json& profile = input.at("profile");
    const int layers = profile.at("L");
    for (int l = 0; l < layers; ++l) {
        Layer layer;
        layer.name = "layer " + std::to_string(l);
        layer.forwardS = profile.at("pf").at(l);
        layer.backwardS = profile.at("pb").at(l);
        layer.parameterBytes = profile.at("alpha").at(l);
        if (l + 1 < layers) {
            layer.outputBytes = profile.at("df").at(l);
            layer.outputGradientBytes = profile.at("db").at(l);
        }
        problem.profile.layers.push_back(layer);
    }
    problem.cluster = meshCluster(input.at("topology").at("bandwidth"));
    if (input.contains("servers"))
        for (std::size_t server = 0; server < input.at("servers").size(); ++server)
            for (const std::size_t device : input.at("servers").at(server))
                problem.cluster.devices[device].server = "s" + std::to_string(server);
    problem.setup.microbatches = input.at("M");
    problem.setup.channel = channel;
    return problem;
}

std::vector<Stage> stagesOf(const nlohmann::json& plan) {
    std::vector<Stage> stages;
    for (const nlohmann::json& stage : plan)
        stages.push_back(
            {stage.at("first").get<int>() - 1, stage.at("last").get<int>() - 1, stage.at("gpus")});
    return stages;
}

double numberOrInfinity(const nlohmann::json& value) {
    return value.is_null() ? std::numeric_limits<double>::infinity() : value.get<double>();
}

}  // namespace stagecraft::testing
