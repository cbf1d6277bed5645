#pragma once

#include "core/cost/stage_layout.h"
#include "core/cost/vocabulary_cost.h"
#include "core/memory/memory_kind.h"
#include "core/model/timeline.h"
#include "core/simulation/transfer_edges.h"

#include <array>
#include <vector>

namespace stagecraft::memory {

/// What a block changes: what is held, or what swap and recompute keep out of memory.
enum class MemoryEffect { activations, buffers, savedBySwap, savedByRecompute };

/// How a plan fills memory (MODEL.md section 2): what its stages hold throughout and what each block takes
/// and gives back. The one source of curves, of what was saved, and of what is alive at an instant. Stashed
/// weights are not the blocks' own: see weight_stash.h.
class MemoryRules {
public:
    /// @param edges of the plan
    MemoryRules(const CostModel& costs, const Plan& plan, SharedStageEdges edges);

    /// Bytes that each device of the stage holds from beginning to end, by kind.
    const std::array<double, memoryKindCount>& throughout(int stage) const {
        return throughout_[static_cast<std::size_t>(stage)];
    }
    /// On each device that holds a stage, once, whatever it holds.
    double reservedBytes() const { return costs_.problem().setup.reservedBytes; }
    /// What each device of the stage holds of a version of its weights.
    double versionBytes(int stage) const { return versionBytes_[static_cast<std::size_t>(stage)]; }
    /// Whether versions of the weights come and go (addStashes) on top of those that are held throughout.
    bool stashes() const;

    /// Calls change(devices, atS, effect, bytes) for each change that the block makes; bytes may be 0.
    template <typename Change>
    void eachChange(const Timeline& timeline, const Lane& lane, std::uint32_t block, Change change) const;

private:
    /// What one microbatch in flight, or one slice of it, keeps on each device of a stage.
    struct Holding {
        double kept = 0;        ///< layers that are kept, and what others keep by themselves
        double recomputed = 0;  ///< back at the start of the recompute block
        double input = 0;       ///< held in their stead until then
        /// Of layers that are recomputed by themselves: one after the other comes back, of which the largest
        /// counts with `recomputed`, and this is what the others have more together.
        double neverTogether = 0;
        double swapped = 0;
        double vocabulary = 0;  ///< of a share of the head, from S to the end of T
        double deferred = 0;    ///< of all of it, from the input gradient's end to the weight gradient's
        // Beside a microbatch, while the stage computes:
        double gatheredWeights = 0;  ///< ZeRO-3: the layer at work has its weights whole
        double wholeGradients = 0;   ///< from ZeRO-2 on: the same of its gradients, in backwards
        double atWork(BlockKind pass) const {
            return (pass == BlockKind::weightGradient ? 0 : gatheredWeights) +
                   (endsBackward(pass) || givesGradient(pass) ? wholeGradients : 0);
        }
        double whole() const { return kept + recomputed + swapped; }
    };
    static double bytesOf(Held held, const Holding& holding);

    /// Of an eviction to the mirrored stage's devices, or of the load from there: both sides have the bytes
    /// while they are under way.
    template <typename Change>
    void eachLent(const Timeline& timeline, std::uint32_t block, Change change) const;

    double share(int stage) const;
    std::array<double, memoryKindCount> throughoutOf(int stage);
    Holding holdingOf(int stage) const;
    void addLayerAtWork(int stage, Holding& holding) const;
    double copiesOf(int stage) const;
    /// A send and a receive buffer of the bytes moved, spread over the devices of each side.
    template <typename Change>
    void eachBuffer(const Timeline& timeline, const Lane& lane, std::uint32_t block, Change change) const;

    const CostModel& costs_;
    const Plan& plan_;
    const VocabularyCost vocabulary_;
    TransferEdges edges_;
    std::vector<std::array<double, memoryKindCount>> throughout_;
    std::vector<double> versionBytes_;
    std::vector<Holding> holdings_;
    bool sharesLayers_ = false;  ///< ZeRO-2 and 3: the layer at work is whole, others are not
};

inline double MemoryRules::bytesOf(Held held, const Holding& holding) {
    switch (held) {
        case Held::nothing:
        case Held::buffers:
            return 0;
        case Held::begun:
            return holding.kept + holding.input + holding.swapped;
        case Held::leftOut:
            return holding.recomputed - holding.input;
        case Held::whole:
            return holding.whole();
        case Held::allButDeferred:
            return holding.whole() - holding.deferred;
        case Held::deferred:
            return holding.deferred;
        case Held::swapped:
            return holding.swapped;
        case Held::vocabulary:
            return holding.vocabulary;
    }
    return 0;
}

template <typename Change>
void MemoryRules::eachChange(const Timeline& timeline, const Lane& lane, std::uint32_t block,
                             Change change) const {
    const double startS = timeline.startS[block], endS = timeline.endS[block];
    const PassKind& does = passKind(timeline.kind[block]);
    if (does.role == PassRole::swaps && lane.kind == LaneKind::channel)
        return eachLent(timeline, block, change);
    if (does.takes == Held::buffers) {
        return eachBuffer(timeline, lane, block, change);
    }
    const Holding& holding = holdings_[static_cast<std::size_t>(timeline.stage[block])];
    // Both microbatches of a pair are held until its end.
    const PairedBackward* paired = does.block == BlockKind::pair ? timeline.pairedWith(block) : nullptr;
    const Holding& freed = paired ? holdings_[static_cast<std::size_t>(paired->stage)] : holding;
    if (const double bytes = bytesOf(does.frees, freed); does.frees != Held::nothing) {
        change(lane.devices, endS, MemoryEffect::activations, -bytes);
        if (does.frees == Held::whole || does.frees == Held::allButDeferred)
            change(lane.devices, endS, MemoryEffect::savedByRecompute, -freed.neverTogether);
        if (does.frees == Held::swapped) change(lane.devices, endS, MemoryEffect::savedBySwap, bytes);
    }
    if (does.role == PassRole::computes && sharesLayers_)
        timeline.eachPass(block, [&](const Pass& pass) {
            const double bytes = holdings_[static_cast<std::size_t>(pass.stage)].atWork(pass.kind);
            change(lane.devices, startS, MemoryEffect::buffers, bytes);
            change(lane.devices, endS, MemoryEffect::buffers, -bytes);
        });
    if (does.takes == Held::nothing) return;
    const double leftOut = bytesOf(Held::leftOut, holding);
    change(lane.devices, startS, MemoryEffect::activations, bytesOf(does.takes, holding));
    if (does.takes == Held::begun)
        change(lane.devices, startS, MemoryEffect::savedByRecompute, leftOut + holding.neverTogether);
    if (does.takes == Held::leftOut) change(lane.devices, startS, MemoryEffect::savedByRecompute, -leftOut);
    if (does.takes == Held::swapped)
        change(lane.devices, startS, MemoryEffect::savedBySwap, -holding.swapped);
}

template <typename Change>
void MemoryRules::eachBuffer(const Timeline& timeline, const Lane& lane, std::uint32_t block,
                             Change change) const {
    const double startS = timeline.startS[block], endS = timeline.endS[block];
    if (plan_.memory.reserveBuffers || endS == startS) return;
    const StageEdge* edge = edges_.of(timeline, lane, block);
    if (!edge) return;
    const bool gradient = timeline.kind[block] == BlockKind::transferBackward;
    std::vector<int> some;
    for (const int index : {edge->from, edge->to}) {
        const Stage& stage = plan_.stages[static_cast<std::size_t>(index)];
        const bool hasAll = edges_.hasAllOf(index, lane);
        if (!hasAll) some = edges_.devicesOn(index, lane);
        const std::vector<int>& devices = hasAll ? stage.devices : some;
        const StageLayout layout(stage);
        const double copies = static_cast<double>(devices.size()) / layout.ranksOfCopy();
        const double each =
            (gradient ? edge->backwardBytes : edge->forwardBytes) / (copies * layout.boundaryDivision());
        change(devices, startS, MemoryEffect::buffers, each);
        change(devices, endS, MemoryEffect::buffers, -each);
    }
}

template <typename Change>
void MemoryRules::eachLent(const Timeline& timeline, std::uint32_t block, Change change) const {
    const int stage = timeline.stage[block];
    const std::vector<int>& own = plan_.stages[static_cast<std::size_t>(stage)].devices;
    const std::vector<int>& lender =
        plan_.stages[static_cast<std::size_t>(plan_.mirroredStage(stage))].devices;
    const double bytes = costs_.keptActivationBytes(plan_, stage);
    const double lent = bytes * static_cast<double>(own.size()) / static_cast<double>(lender.size());
    const bool comesBack = timeline.kind[block] == BlockKind::swapIn;
    const auto take = [&](const std::vector<int>& devices, double each) {
        change(devices, timeline.startS[block], MemoryEffect::activations, each);
        change(devices, timeline.startS[block], MemoryEffect::savedBySwap, -each);
    };
    const auto giveBack = [&](const std::vector<int>& devices, double each) {
        change(devices, timeline.endS[block], MemoryEffect::activations, -each);
        change(devices, timeline.endS[block], MemoryEffect::savedBySwap, each);
    };
    take(comesBack ? own : lender, comesBack ? bytes : lent);
    giveBack(comesBack ? lender : own, comesBack ? lent : bytes);
}

}  // namespace stagecraft::memory
