#include "core/planners/planning_costs.h"

#include "core/base/indices.h"

#include <algorithm>

namespace stagecraft::planners {

namespace {

/// From each device; something is left, so that planners say that nothing fits.
void takeMemory(Problem& problem, double bytes) {
    const auto take = [bytes](double& from) { from = std::max(from - bytes, 1.0); };
    for (Device& device : problem.cluster.devices) take(device.memoryBytes);
    if (problem.setup.memoryLimitBytes) take(*problem.setup.memoryLimitBytes);
}

}  // namespace

double takenAgain(const Layer& layer, LayerMemory memory) {
    switch (memory) {
        case LayerMemory::recompute:
        case LayerMemory::checkpoint:
            return 1;
        case LayerMemory::selective:
            return layer.forwardS > 0 ? layer.scoresRecomputeS / layer.forwardS : 0;
        case LayerMemory::keep:
        case LayerMemory::swap:
            break;
    }
    return 0;
}

std::optional<LayerMemory> askedRecomputation(const TrainingSetup& setup) {
    switch (setup.recomputation) {
        case Recomputation::none:
            break;
        case Recomputation::selective:
            return LayerMemory::selective;
        case Recomputation::full:
            return LayerMemory::checkpoint;
    }
    return std::nullopt;
}

CostModel underRecomputation(const CostModel& costs) {
    const std::optional<LayerMemory> asked = askedRecomputation(costs.problem().setup);
    if (!asked) return costs;
    Problem problem = costs.problem();
    double broughtBack = 0;
    for (int layer = 0; layer < costs.layerCount(); ++layer) {
        const Layer& before = costs.problem().profile.layers[at(layer)];
        Layer& after = problem.profile.layers[at(layer)];
        broughtBack = std::max(broughtBack, costs.broughtBackBytes(layer, *asked));
        after.storedParts.clear();
        after.storedActivationBytes = costs.keptBytes(layer, *asked);
        after.backwardS += takenAgain(before, *asked) * before.forwardS;
        for (TimesAtSize& size : problem.profile.otherSizes)
            size.layers[at(layer)].backwardS += takenAgain(before, *asked) * size.layers[at(layer)].forwardS;
    }
    takeMemory(problem, broughtBack);
    return CostModel(std::move(problem));
}

CostModel withoutReserved(const CostModel& costs) {
    if (costs.problem().setup.reservedBytes == 0) return costs;
    Problem problem = costs.problem();
    takeMemory(problem, problem.setup.reservedBytes);
    problem.setup.reservedBytes = 0;
    return CostModel(std::move(problem));
}

Plan withRecomputation(Plan plan, int layers, LayerMemory memory) {
    for (int layer = 0; layer < layers; ++layer)
        if (plan.layerMemory(layer) == LayerMemory::keep) plan.memory.layers[layer] = memory;
    return plan;
}

}  // namespace stagecraft::planners
