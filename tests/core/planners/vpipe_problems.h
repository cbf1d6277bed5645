#pragma once

#include "core/planners/planned_run.h"
#include "tests/support/every_room.h"

#include <rapidcheck.h>

#include <memory>
#include <string>

namespace stagecraft::testing {

/// Of each device, more than any of wholeBytesProblem's plans can need.
inline constexpr double plentyOfBytes = 1e6;

inline PlanRun runVpipe(const Problem& problem, const ParameterValues& values = {}) {
    return runAndEvaluate(*findPlanner("vpipe"), std::make_shared<const CostModel>(problem), values);
}

/// A number drawn from low to high, both included.
inline int between(int low, int high) { return *rc::gen::inRange(low, high + 1); }

/// A chain of layers with whole numbers of bytes and seconds on devices that all have the same memory.
inline Problem wholeBytesProblem(int devices, int layers) {
    Problem problem;
    for (int layer = 0; layer < layers; ++layer) {
        const double output = between(0, 8);
        problem.profile.layers.push_back({"l" + std::to_string(layer), double(between(1, 4)),
                                          double(between(1, 6)), double(between(0, 3)), output, output,
                                          double(between(0, 12)), 0.5});
    }
    for (int device = 0; device < devices; ++device) {
        problem.cluster.devices.push_back({"g" + std::to_string(device), "s0", "", plentyOfBytes, 1,
                                           between(0, 1) == 0 ? 0 : double(between(1, 20))});
        for (int other = 0; other < device; ++other)
            problem.cluster.links.push_back(
                {"g" + std::to_string(other), "g" + std::to_string(device), double(between(1, 20)), 0, ""});
    }
    problem.setup.microbatches = between(1, 4);
    problem.setup.mode = between(0, 1) ? TrainingMode::asynchronous : TrainingMode::synchronous;
    problem.setup.optimizer = static_cast<Optimizer>(between(0, 2));
    return problem;
}

}  // namespace stagecraft::testing
