#include "core/planners/recomputation.h"

#include "core/base/indices.h"

#include <algorithm>

namespace stagecraft::planners {

namespace {

/// Of the forward what a backward takes again.
double takenAgain(const Layer& layer, LayerMemory memory) {
    if (memory == LayerMemory::checkpoint) return 1;
    return layer.forwardS > 0 ? layer.scoresRecomputeS / layer.forwardS : 0;
}

}  // namespace

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
    const auto less = [broughtBack](double& bytes) { bytes = std::max(bytes - broughtBack, 1.0); };
    for (Device& device : problem.cluster.devices) less(device.memoryBytes);
    if (problem.setup.memoryLimitBytes) less(*problem.setup.memoryLimitBytes);
    return CostModel(std::move(problem));
}

Plan withRecomputation(Plan plan, int layers, LayerMemory memory) {
    for (int layer = 0; layer < layers; ++layer)
        if (plan.layerMemory(layer) == LayerMemory::keep) plan.memory.layers[layer] = memory;
    return plan;
}

}  // namespace stagecraft::planners
