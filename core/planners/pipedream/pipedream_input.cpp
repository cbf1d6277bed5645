#include "core/planners/pipedream/pipedream_input.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/base/quantity.h"
#include "core/cost/state_bytes.h"
#include "core/runs/device_list.h"
#include "core/planners/pipedream/execution.h"

#include <stdexcept>

namespace stagecraft::planners {

namespace {

/// Bandwidths as typed, one per level. @throws std::invalid_argument
void overrideBandwidths(const PipeDreamChoices& choices, PipeDreamMachines& machines) {
    if (choices.outerBandwidthBps > 0) machines.levels.back().bandwidthBps = choices.outerBandwidthBps;
    if (choices.bandwidths == "cluster") return;
    std::vector<std::string> typed(1);
    for (const char letter : choices.bandwidths)
        if (letter == ',')
            typed.emplace_back();
        else
            typed.back() += letter;
    if (typed.size() != machines.levels.size())
        throw std::invalid_argument("level_bandwidths names " + counted(typed.size(), "bandwidth") +
                                    "; expected one for each of the " +
                                    counted(machines.levels.size(), "level") + ", innermost first");
    for (std::size_t level = 0; level < typed.size(); ++level)
        if (const double bandwidthBps = parseQuantity(Quantity::bandwidth, typed[level]); bandwidthBps > 0)
            machines.levels[level].bandwidthBps = bandwidthBps;
}

/// @param syncsPerMicrobatch how often the weights are synchronised: 1 as printed, 1/M with a barrier an
/// iteration
/// @param split whether replicas split a microbatch or take whole ones in turn
PipeDreamWork workOf(const CostModel& costs, double syncsPerMicrobatch, bool split) {
    PipeDreamWork work;
    const double speed = costs.slowestSpeed(devicesAsNumbered(costs.deviceCount()));
    for (int layer = 0; layer < costs.layerCount(); ++layer) {
        work.computeS.push_back((costs.forwardS(layer, layer) + costs.backwardS(layer, layer)) / speed);
        work.outputBytes.push_back(costs.cutForwardBytes(layer));
        work.parameterBytes.push_back(costs.synchronisedBytes(layer, layer) * syncsPerMicrobatch);
    }
    if (split && !costs.splitsEvenly())
        for (int replicas = 1; replicas <= costs.deviceCount(); ++replicas) {
            std::vector<double>& together = work.splitComputeS.emplace_back();
            for (int layer = 0; layer < costs.layerCount(); ++layer)
                together.push_back(
                    (costs.forwardS(layer, layer, replicas) + costs.backwardS(layer, layer, replicas)) /
                    speed);
        }
    return work;
}

PipeDreamRules rulesOf(const CostModel& costs, const PipeDreamChoices& choices) {
    PipeDreamRules rules;
    rules.ring = choices.variant == "ring";
    rules.straight = choices.straight;
    if (!choices.checksMemory) return rules;
    const StateBytes whole(costs.problem()), unshared(costs.problem(), infinity);
    PipeDreamMemory& memory = rules.memory.emplace();
    for (int layer = 0; layer < costs.layerCount(); ++layer) {
        memory.activationBytes.push_back(costs.storedActivationBytes(layer, layer));
        memory.weightBytes.push_back(whole.weights * costs.parameterBytes(layer, layer));
    }
    memory.fixedWeights = unshared.besidesWeights() / whole.weights;
    memory.sharedWeights = (whole.besidesWeights() - unshared.besidesWeights()) / whole.weights;
    memory.sharesVersions = unshared.weights < whole.weights;
    memory.limitBytes = costs.problem().leastMemoryLimitBytes();
    return rules;
}

void divideBySpeed(PipeDreamStates& states, double speed) {
    for (double& seconds : states.computeS) seconds /= speed;
}

}  // namespace

ReleasedInput releasedInput(const CostModel& costs, const PipeDreamChoices& choices,
                            const PipeDreamMachines& machines, const WorkContext& context) {
    const LayerProfile& profile = costs.problem().profile;
    const double speed = costs.slowestSpeed(machines.devices);
    ReleasedInput input{antichainStates(profile, mostReleasedStates(machines.levels), context),
                        layerStates(profile),
                        machines.levels,
                        {choices.straight, choices.paysTransfers, {}}};
    if (choices.checksMemory) input.options.memoryLimitBytes = costs.problem().leastMemoryLimitBytes();
    if (input.antichains) divideBySpeed(*input.antichains, speed);
    divideBySpeed(input.layers, speed);
    if (choices.straight && profile.layerCount() < costs.deviceCount())
        input.layerLevels = {{profile.layerCount(), machines.levels.back().bandwidthBps}};
    return input;
}

PipeDreamMachines pipeDreamMachines(const CostModel& costs, const PipeDreamChoices& choices) {
    PipeDreamMachines machines = choices.levels == "flat"      ? flatMachines(costs)
                                 : choices.levels == "servers" ? serverMachines(costs)
                                                               : automaticMachines(costs);
    if (machines.whyNot.empty()) overrideBandwidths(choices, machines);
    return machines;
}

PipeDreamInput pipeDreamInput(const CostModel& costs, const PipeDreamChoices& choices) {
    const TrainingSetup& setup = costs.problem().setup;
    const double syncs = choices.syncsEveryMicrobatch ? 1 : 1.0 / microbatchesPerUpdate(choices, setup);
    return {pipeDreamMachines(costs, choices), workOf(costs, syncs, !replicasTakeTurns(choices, setup.mode)),
            rulesOf(costs, choices)};
}

}  // namespace stagecraft::planners
