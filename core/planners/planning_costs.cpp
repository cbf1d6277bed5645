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
        for (RankMeasurement& measured : after.onRanks)
            if (measured.times)
                measured.times->backwardS += takenAgain(before, *asked) * measured.times->forwardS;
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

bool areOfOneType(const CostModel& costs) {
    const ComputePace first = costs.paceOf(0);
    for (int device = 1; device < costs.deviceCount(); ++device)
        if (costs.paceOf(device) != first) return false;
    return first.kind > 0;
}

CostModel withAverageSpeeds(const CostModel& costs) {
    const KindSums* kinds = costs.measuredKinds();
    if (!kinds) return costs;
    Problem problem = costs.problem();
    const bool areAlike = areOfOneType(costs);
    if (areAlike) problem.profile = kinds->profile(costs.paceOf(0).kind);
    for (int device = 0; device < costs.deviceCount(); ++device)
        problem.cluster.devices[at(device)].speed = areAlike ? 1 : costs.speedOf(device);
    problem.profile = withoutMeasuredGpus(std::move(problem.profile));
    return CostModel(std::move(problem));
}

Plan withRecomputation(Plan plan, int layers, LayerMemory memory) {
    for (int layer = 0; layer < layers; ++layer)
        if (plan.layerMemory(layer) == LayerMemory::keep) plan.memory.layers[layer] = memory;
    return plan;
}

}  // namespace stagecraft::planners
