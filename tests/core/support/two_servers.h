#pragma once

#include "core/simulation/simulator.h"
#include "tests/support/every_room.h"

#include <string>

namespace stagecraft::test {

/// Two servers of two GPUs, each joined to its switch at 100 B/s, and the switches to each other at `nicBps`.
/// Two copies of a network of two layers, one GPU of either server each: a forward of 1 s and a backward of
/// 2 s on every stage, 20 bytes to and fro.
struct TwoServers {
    Problem problem;
    Plan plan;

    explicit TwoServers(double nicBps) {
        for (int layer = 0; layer < 2; ++layer)
            problem.profile.layers.push_back({"layer " + std::to_string(layer), 1, 2, 0,
                                              layer == 0 ? 20.0 : 0, layer == 0 ? 20.0 : 0, 0, 0.5});
        for (const char* server : {"a", "b"}) {
            problem.cluster.switches.push_back({std::string(server) + "-switch", server});
            for (int gpu = 0; gpu < 2; ++gpu) {
                Device device;
                device.id = server + std::to_string(gpu);
                device.server = server;
                device.memoryBytes = 1e6;
                problem.cluster.devices.push_back(device);
                problem.cluster.links.push_back({device.id, std::string(server) + "-switch", 100, 0, "pcie"});
            }
        }
        problem.cluster.links.push_back({"a-switch", "b-switch", nicBps, 0, "ethernet"});
        problem.setup.microbatches = 2;
        problem.setup.network = LinkSharing::shared;
        for (int copy = 0; copy < 2; ++copy)
            for (int stage = 0; stage < 2; ++stage)
                plan.stages.push_back({stage, stage, {2 * stage + copy}, copy});
        plan.schedule.order = FamilySchedule{"1f1b", {}};
    }
    Timeline run() const { return simulate(CostModel(problem), plan); }
};

}  // namespace stagecraft::test
