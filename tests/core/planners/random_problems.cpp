#include "tests/core/planners/random_problems.h"

#include "tests/core/support/golden_cases.h"
#include "tests/support/every_room.h"

#include <rapidcheck.h>

#include <algorithm>
#include <numeric>

namespace stagecraft::testing {

namespace {
int drawnFrom(int low, int high) { return *rc::gen::inRange(low, high + 1); }
}  // namespace

Problem randomProblem(const RandomShape& shape) {
    Problem problem;
    const int layers = drawnFrom(1, shape.maxLayers), devices = drawnFrom(1, shape.maxDevices);
    for (int l = 0; l < layers; ++l) {
        Layer layer;
        layer.name = "layer " + std::to_string(l);
        layer.forwardS = drawnFrom(1, 9);
        layer.backwardS = drawnFrom(1, 18);
        layer.parameterBytes = drawnFrom(0, 60);
        layer.outputBytes = drawnFrom(0, 40);
        layer.outputGradientBytes = drawnFrom(0, 40);
        problem.profile.layers.push_back(layer);
    }
    if (shape.sizes) {
        problem.profile.microbatchSize = 4;
        for (const int size : {1, 3, 6}) {
            TimesAtSize& times = problem.profile.otherSizes.emplace_back();
            times.microbatchSize = size;
            for (int l = 0; l < layers; ++l)
                times.layers.push_back({double(drawnFrom(1, 9)), double(drawnFrom(1, 18)), 0});
        }
    }
    if (shape.skips)
        for (int to = 1; to < layers; ++to) {
            problem.profile.edges.push_back({to - 1, to});
            const int from = drawnFrom(0, to - 1);
            if (from < to - 1) problem.profile.edges.push_back({from, to});
        }
    std::vector<std::vector<double>> bandwidth(static_cast<std::size_t>(devices),
                                               std::vector<double>(static_cast<std::size_t>(devices), 0));
    for (std::size_t a = 0; a < bandwidth.size(); ++a)
        for (std::size_t b = 0; b < a; ++b) bandwidth[a][b] = bandwidth[b][a] = drawnFrom(1, 20);
    problem.cluster = meshCluster(bandwidth);
    if (shape.latencies)
        for (Link& link : problem.cluster.links) link.latencyS = drawnFrom(0, 5);
    if (shape.speeds)
        for (Device& device : problem.cluster.devices) device.speed = drawnFrom(1, 4);
    problem.setup.microbatches = drawnFrom(1, shape.maxMicrobatches);
    return problem;
}

std::vector<Stage> randomStages(const Problem& problem) {
    const int layers = problem.profile.layerCount(), devices = problem.cluster.deviceCount();
    std::vector<int> order(static_cast<std::size_t>(devices));
    std::iota(order.begin(), order.end(), 0);
    for (int last = devices - 1; last > 0; --last)
        std::swap(order[static_cast<std::size_t>(last)], order[static_cast<std::size_t>(drawnFrom(0, last))]);
    const int count = drawnFrom(1, std::min(layers, devices));
    std::vector<Stage> stages;
    int layer = 0, device = 0;
    for (int left = count; left > 0; --left) {
        const int layerEnd = left == 1 ? layers : drawnFrom(layer + 1, layers - left + 1);
        const int deviceEnd = left == 1 ? devices : drawnFrom(device + 1, devices - left + 1);
        stages.push_back({layer, layerEnd - 1, {order.begin() + device, order.begin() + deviceEnd}});
        layer = layerEnd;
        device = deviceEnd;
    }
    return stages;
}

}  // namespace stagecraft::testing
