#pragma once

#include "core/model/cluster.h"
#include "tests/support/every_room.h"

#include <random>

namespace stagecraft {

/// Kinds of servers below leaves of any number below spines; some leaves have fewer servers, some servers a
/// number of their own.
inline Cluster largeCluster(std::mt19937& random) {
    const auto upTo = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
    Cluster cluster;
    const int servers = 97 + upTo(100), perLeaf = 1 + upTo(15), spines = upTo(12), kinds = 1 + upTo(2);
    const int leaves = (servers + perLeaf - 1) / perLeaf;
    std::vector<int> gpus(static_cast<std::size_t>(kinds));
    for (int& each : gpus) each = 1 + upTo(7);
    const auto add = [&](const std::string& a, const std::string& b, double rate, const char* kind) {
        cluster.links.push_back({a, b, rate, 0, kind, ""});
    };
    for (int s = 0; s < servers; ++s) {
        const std::string name = "s" + std::to_string(s);
        const int kind = upTo(kinds - 1);
        cluster.switches.push_back({name + "nic0", name});
        for (int g = 0; g < gpus[static_cast<std::size_t>(kind)]; ++g) {
            cluster.devices.push_back(
                {name + "g" + std::to_string(g), name, kind == 0 ? "H100" : "A100", 80e9, 1, 5e10});
            add(cluster.devices.back().id, name + "nic0", 5e10, "pcie");
        }
        if (upTo(40) == 0) cluster.links.back().bandwidthBps = 1e9 * (1 + upTo(5));
        if (upTo(3) > 0) add(name + "nic0", "leaf" + std::to_string(s / perLeaf), 5e10, "infiniband");
    }
    for (int leaf = 0; leaf < leaves; ++leaf) {
        cluster.switches.push_back({"leaf" + std::to_string(leaf), ""});
        for (int spine = 0; spine < spines; ++spine)
            add("leaf" + std::to_string(leaf), "spine" + std::to_string(spine), 1e11, "infiniband");
    }
    for (int spine = 0; spine < spines; ++spine)
        cluster.switches.push_back({"spine" + std::to_string(spine), ""});
    return cluster;
}

}  // namespace stagecraft
