#include "core/memory/memory_rules.h"

#include "core/cost/stage_layout.h"
#include "core/cost/state_bytes.h"
#include "core/cost/update_cost.h"
#include "core/model/vocabulary.h"

#include <algorithm>

namespace stagecraft::memory {

MemoryRules::MemoryRules(const CostModel& costs, const Plan& plan, SharedStageEdges edges)
    : costs_(costs),
      plan_(plan),
      vocabulary_(vocabularyCost(costs, plan)),
      edges_(costs, plan, std::move(edges)) {
    sharesLayers_ = costs.problem().setup.zero >= ZeroStage::gradients;
    for (int stage = 0; stage < plan.stageCount(); ++stage) {
        throughout_.push_back(throughoutOf(stage));
        holdings_.push_back(holdingOf(stage));
    }
}

bool MemoryRules::stashes() const {
    return plan_.weights.versions.empty() && plan_.weights.kind != WeightPolicyKind::doubleBuffer;
}

double MemoryRules::share(int index) const {
    return costs_.dividedBy(StageLayout(plan_.stages[static_cast<std::size_t>(index)]).sharers());
}

std::array<double, memoryKindCount> MemoryRules::throughoutOf(int index) {
    const Stage& stage = plan_.stages[static_cast<std::size_t>(index)];
    const Problem& problem = costs_.problem();
    const double bytes = costs_.heldParameterBytes(plan_, index);
    const StateBytes state(problem, copiesOf(index));
    const WeightPolicy& weights = plan_.weights;
    const int versions = !weights.versions.empty() ? weights.versions[static_cast<std::size_t>(index)]
                         : weights.kind == WeightPolicyKind::doubleBuffer ? 2
                                                                          : 1;
    std::array<double, memoryKindCount> held{};
    const auto of = [&held](MemoryKind kind) -> double& { return held[static_cast<std::size_t>(kind)]; };
    versionBytes_.push_back(state.weights * bytes);
    of(MemoryKind::parameters) = state.weights * bytes;
    of(MemoryKind::gradients) = state.gradients * bytes;
    of(MemoryKind::masterWeights) = state.master * bytes;
    of(MemoryKind::optimizerState) = state.moments * bytes;
    of(MemoryKind::weightVersions) = (versions - 1) * state.weights * bytes;
    if (!plan_.memory.reserveBuffers) return held;
    // MadPipe: 2(a_{k-1} + a_l) throughout, where there is a neighbour (MadPipe 4.2).
    double buffers = 0;
    if (stage.firstLayer > 0) buffers += 2 * costs_.cutForwardBytes(stage.firstLayer - 1);
    if (stage.lastLayer + 1 < costs_.layerCount()) buffers += 2 * costs_.cutForwardBytes(stage.lastLayer);
    of(MemoryKind::buffers) = buffers / (share(index) * StageLayout(stage).boundaryDivision());
    return held;
}

MemoryRules::Holding MemoryRules::holdingOf(int index) const {
    const Stage& stage = plan_.stages[static_cast<std::size_t>(index)];
    const double parts = share(index) * plan_.schedule.slices();
    Holding holding;
    double largest = 0, back = 0;  // of layers that are recomputed by themselves
    bool fromInput = false;
    const LayerSpan own = passLayers(costs_.problem().profile, plan_, index);
    if (vocabulary_.isShared())
        holding.vocabulary = vocabulary_.shares[static_cast<std::size_t>(index)].heldBytes;
    for (int layer = own.first; layer <= own.last; ++layer) {
        const LayerMemory memory = plan_.layerMemory(layer);
        const double bytes = costs_.storedActivationBytes(layer, layer, stage.group) / parts;
        holding.kept += costs_.keptBytes(layer, memory, stage.group) / parts;
        if (memory == LayerMemory::swap) holding.swapped += bytes;
        if (memory == LayerMemory::recompute) holding.recomputed += bytes;
        fromInput = fromInput || holding.recomputed > 0;
        const double broughtBack = costs_.broughtBackBytes(layer, memory, stage.group) / parts;
        back += broughtBack;
        largest = std::max(largest, broughtBack);
    }
    holding.recomputed += largest;
    holding.neverTogether = back - largest;
    if (plan_.schedule.splits())
        holding.deferred = costs_.keptForWeightGradient(own.first, own.last, stage.group) / parts;
    if (fromInput)
        holding.input = edges_.inputBytes(index) / (share(index) * StageLayout(stage).boundaryDivision());
    addLayerAtWork(index, holding);
    return holding;
}

/// Layers are gathered and scattered one by one: the largest decides (FSDP; Rajbhandari et al., Sec. 5.3).
/// Where that goes on beside computing, one layer more is there: the next, or the last.
void MemoryRules::addLayerAtWork(int index, Holding& holding) const {
    const Problem& problem = costs_.problem();
    if (!sharesLayers_) return;
    const Stage& stage = plan_.stages[static_cast<std::size_t>(index)];
    const double copies = copiesOf(index);
    const int ahead = problem.setup.zeroOverlap > 0 ? 1 : 0;
    double largest = 0;
    for (int layer = stage.firstLayer; layer <= stage.lastLayer; ++layer)
        largest = std::max(
            largest, costs_.parameterBytes(layer, std::min(layer + ahead, stage.lastLayer), stage.group));
    const StateBytes state(problem);
    holding.wholeGradients = (1 - 1 / copies) * state.gradients * largest;
    if (problem.setup.zero == ZeroStage::weights)
        holding.gatheredWeights = (1 - 1 / copies) * state.sentWeights * largest;
}

/// Devices that hold a stage's layers, the mean over its parameters' bytes.
double MemoryRules::copiesOf(int index) const { return sharersOfStates(costs_, plan_, index); }

}  // namespace stagecraft::memory
