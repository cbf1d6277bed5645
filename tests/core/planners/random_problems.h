#pragma once

#include "core/model/plan.h"
#include "tests/support/every_room.h"
#include "core/model/problem.h"

#include <ostream>
#include <vector>

namespace stagecraft::testing {

struct RandomShape {
    int maxLayers = 6;
    int maxDevices = 5;
    int maxMicrobatches = 6;
    bool latencies = false;
    bool speeds = false;
    bool skips = false;  ///< some layers are read by later ones than the next
    bool sizes = false;  ///< times at several microbatch sizes, in no proportion to one another
};

inline void PrintTo(const RandomShape& shape, std::ostream* out) {
    *out << shape.maxLayers << " layers, " << shape.maxDevices << " devices"
         << (shape.latencies ? ", latencies" : "") << (shape.speeds ? ", speeds" : "")
         << (shape.skips ? ", skips" : "") << (shape.sizes ? ", sizes" : "");
}

/// Layers on a complete graph of devices, all numbers small integers (so that ties are common); for use
/// inside rc::check.
Problem randomProblem(const RandomShape& shape);

/// Stages of consecutive layers on consecutive devices of a random order, all devices used.
std::vector<Stage> randomStages(const Problem& problem);

/// Calls visit(stages) for each way to cut `layers` layers and the devices of `order` into `count` pieces
/// each.
template <typename Visit>
void forEachPartition(int layers, const std::vector<int>& order, int count, Visit visit);

}  // namespace stagecraft::testing

namespace stagecraft::testing {

/// Calls visit(ends) for each way to cut total into `count` positive pieces; ends are where the pieces end.
template <typename Visit>
void forEachCutting(int total, int count, std::vector<int>& ends, Visit& visit) {
    if (count == 1) {
        ends.push_back(total);
        visit(ends);
        ends.pop_back();
        return;
    }
    for (int end = (ends.empty() ? 0 : ends.back()) + 1; end <= total - count + 1; ++end) {
        ends.push_back(end);
        forEachCutting(total, count - 1, ends, visit);
        ends.pop_back();
    }
}

template <typename Visit>
void forEachPartition(int layers, const std::vector<int>& order, int count, Visit visit) {
    const auto withLayers = [&](const std::vector<int>& layerEnds) {
        const auto withDevices = [&](const std::vector<int>& deviceEnds) {
            std::vector<Stage> stages;
            int layer = 0, device = 0;
            for (std::size_t stage = 0; stage < layerEnds.size(); ++stage) {
                stages.push_back({layer,
                                  layerEnds[stage] - 1,
                                  {order.begin() + device, order.begin() + deviceEnds[stage]}});
                layer = layerEnds[stage];
                device = deviceEnds[stage];
            }
            visit(stages);
        };
        std::vector<int> ends;
        forEachCutting(static_cast<int>(order.size()), count, ends, withDevices);
    };
    if (count > layers || count > static_cast<int>(order.size())) return;
    std::vector<int> ends;
    forEachCutting(layers, count, ends, withLayers);
}

}  // namespace stagecraft::testing
