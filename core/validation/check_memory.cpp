#include "core/base/indices.h"
#include "core/validation/group_parts.h"
#include "core/validation/weight_versions.h"

#include <algorithm>
#include <map>

namespace stagecraft::validation {

namespace {

struct Change {
    double atS;
    double bytes;
    std::uint32_t block;
};

/// MODEL.md section 2 for one device: what it holds throughout, and what comes and goes.
class DeviceMemory {
public:
    DeviceMemory(const Context& context, const WeightVersions& versions, int device)
        : context_(context), versions_(versions), device_(device) {}

    /// All devices of a set that hold the same stages, split, hold the same bytes; the least limit decides.
    void check(const std::vector<int>& stages, int smallest) {
        for (int stage : stages) addStage(stage);
        steady_ += context_.problem.setup.reservedBytes;
        std::sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) {
            return a.atS != b.atS ? a.atS < b.atS : a.block < b.block;
        });
        const double limit = context_.problem.memoryLimitBytes(smallest);
        const double allowed = limit * (1 + 1e-9);
        double held = steady_;
        if (held > allowed) report(smallest, held, limit, 0, noBlock);
        for (std::size_t next = 0; next < changes_.size() && held <= allowed;) {
            const double atS = changes_[next].atS;
            std::uint32_t block = noBlock;  // the one that takes most
            double most = 0;
            // What leaves at an instant makes room for what comes then.
            for (; next < changes_.size() && changes_[next].atS == atS; ++next) {
                held += changes_[next].bytes;
                if (changes_[next].bytes <= most) continue;
                most = changes_[next].bytes;
                block = changes_[next].block;
            }
            if (held > allowed) report(smallest, held, limit, atS, block);
        }
    }

private:
    void report(int device, double held, double limit, double atS, std::uint32_t block) {
        context_.report.add(Rule::memoryLimit, block, [&] {
            return "The " + deviceNames(context_.problem, {device}) + " holds " + bytes(held) + " at " +
                   seconds(atS) + (block == noBlock ? "" : ", when the " + context_.name(block) + " starts") +
                   "; the plan claims to fit, so at most " + bytes(limit) + " were expected.";
        });
    }

    void take(double atS, double amount, std::uint32_t block) {
        if (amount != 0) changes_.push_back({atS, amount, block});
    }

    /// What leaves at an instant makes room for what comes then, though the two times were added up in
    /// another order and rounded apart: it leaves at the earliest time that may be meant. What is held for no
    /// longer than that leaves as the timeline says.
    void leave(double heldFromS, double atS, double amount, std::uint32_t block) {
        const double earliestS = atS - context_.roundingAt(atS);
        take(earliestS > heldFromS ? earliestS : atS, -amount, block);
    }

    void addStage(int stage) {
        const StageFacts& facts = context_.facts.stages[static_cast<std::size_t>(stage)];
        addWeights(stage, facts);
        addLent(stage);
        for (int iteration = 0; iteration < context_.index.iterations(); ++iteration)
            for (int ordinal = 0; ordinal < context_.facts.passesOf(stage); ++ordinal) {
                const int replica = context_.facts.replicaOf(stage, iteration, ordinal);
                if (facts.roundRobin && facts.devices[static_cast<std::size_t>(replica)] != device_) continue;
                addActivations(stage, facts, iteration, ordinal);
                if (!context_.plan.memory.reserveBuffers) addBuffers(facts, iteration, ordinal);
            }
        if (context_.plan.memory.reserveBuffers) reserveBuffers(facts);
    }

    /// What the stages that this one lends to have put here.
    void addLent(int lender) {
        for (int stage = 0; stage < context_.stageCount(); ++stage) {
            const EvictionFacts& eviction = context_.facts.stages[static_cast<std::size_t>(stage)].eviction;
            if (eviction.lender != lender) continue;
            for (int iteration = 0; iteration < context_.index.iterations(); ++iteration)
                for (int ordinal = 0; ordinal < context_.facts.passesOf(stage); ++ordinal) {
                    const std::uint32_t out =
                        context_.index.block(BlockKind::swapOut, stage, iteration, ordinal);
                    const std::uint32_t in =
                        context_.index.block(BlockKind::swapIn, stage, iteration, ordinal);
                    if (out == noBlock || in == noBlock) continue;
                    take(context_.start(out), eviction.bytesOfLender, out);
                    leave(context_.start(out), context_.end(in), eviction.bytesOfLender, in);
                }
        }
    }

    void addWeights(int stage, const StageFacts& facts) {
        const WeightPolicy& policy = context_.plan.weights;
        double versions = 1;
        if (static_cast<std::size_t>(stage) < policy.versions.size())
            versions = policy.versions[static_cast<std::size_t>(stage)];
        else if (policy.kind == WeightPolicyKind::doubleBuffer)
            versions = 2;
        else
            for (const WeightVersions::Kept& kept : versions_.kept(stage, replicaHere(facts))) {
                take(kept.fromS, facts.versionBytes, noBlock);
                leave(kept.fromS, kept.untilS, facts.versionBytes, noBlock);
            }
        steady_ += versions * facts.versionBytes + facts.besidesBytes;
    }

    /// The replica that the device is; 0 for a split stage, all of whose devices are one.
    int replicaHere(const StageFacts& facts) const {
        if (!facts.roundRobin) return 0;
        return static_cast<int>(std::find(facts.devices.begin(), facts.devices.end(), device_) -
                                facts.devices.begin());
    }

    void addActivations(int stage, const StageFacts& facts, int iteration, int ordinal) {
        const auto find = [&](BlockKind kind) {
            return context_.index.block(kind, stage, iteration, ordinal);
        };
        const std::uint32_t forward = find(BlockKind::forward), backward = find(BlockKind::backward);
        const std::uint32_t weightGradient = find(BlockKind::weightGradient),
                            recompute = find(BlockKind::recompute);
        const std::uint32_t swapOut = find(BlockKind::swapOut), swapIn = find(BlockKind::swapIn);
        // In place of what will be recomputed only the stage's input stays.
        const bool recomputes = recompute != noBlock && facts.recomputedBytes > 0;
        const double input = recomputes && facts.fromInput ? facts.inputBytes : 0;
        const double later = recomputes ? facts.recomputedBytes : 0;
        const double whole = facts.keptBytes + facts.swappedBytes + facts.recomputedBytes;
        if (forward != noBlock) take(context_.start(forward), whole - later + input, forward);
        if (recomputes && later >= input) take(context_.start(recompute), later - input, recompute);
        if (recomputes && later < input && forward != noBlock)
            leave(context_.start(forward), context_.start(recompute), input - later, recompute);
        const double swapped = facts.evicts() ? facts.eviction.bytesOfEach : facts.swappedBytes;
        if (swapIn != noBlock) take(context_.start(swapIn), swapped, swapIn);
        const double deferred = weightGradient != noBlock ? facts.deferredBytes : 0;
        const auto leaveAfter = [&](std::uint32_t block, double amount) {
            if (block != noBlock) leave(context_.start(block), context_.end(block), amount, block);
        };
        leaveAfter(swapOut, swapped);
        leaveAfter(backward, whole - deferred);
        leaveAfter(weightGradient, deferred);
        const std::uint32_t logits = find(BlockKind::headForward), gradients = find(BlockKind::headBackward);
        if (logits != noBlock && gradients != noBlock) {
            take(context_.start(logits), context_.facts.vocabulary.heldBytes, logits);
            leave(context_.start(logits), context_.end(gradients), context_.facts.vocabulary.heldBytes,
                  gradients);
        }
        for (const std::uint32_t block : {forward, recompute}) addLayerAtWork(block, facts.gatheredBytes);
        addLayerAtWork(backward, facts.gatheredBytes + facts.gradientBytes);
        addLayerAtWork(weightGradient, facts.gradientBytes);
    }

    void addLayerAtWork(std::uint32_t block, double bytes) {
        if (block == noBlock) return;
        take(context_.start(block), bytes, block);
        leave(context_.start(block), context_.end(block), bytes, block);
    }

    /// Send and receive buffers while a transfer runs, spread over the devices of each side.
    void addBuffers(const StageFacts& facts, int iteration, int ordinal) {
        const auto addEdge = [&](int number, bool sendsForward) {
            const EdgeFacts& edge = context_.facts.edges[static_cast<std::size_t>(number)];
            if (!edge.transfers) return;
            const Channel& channel = context_.facts.channelOf(number, iteration, ordinal);
            const auto ends = static_cast<double>((sendsForward ? channel.from : channel.to).size());
            const double share =
                ends / (facts.group.tensor * facts.group.context) * passedOnParts(facts.group);
            for (const bool gradient : {false, true}) {
                const std::uint32_t block = context_.index.transfer(gradient, number, iteration, ordinal);
                if (block == noBlock || !(context_.end(block) > context_.start(block))) continue;
                const double moved =
                    (gradient ? edge.backwardBytes : edge.forwardBytes) / (share * context_.facts.slices);
                take(context_.start(block), moved, block);
                leave(context_.start(block), context_.end(block), moved, block);
            }
        };
        for (int edge : facts.outgoing) addEdge(edge, true);
        for (int edge : facts.incoming) addEdge(edge, false);
    }

    /// MadPipe: 2(a_{k-1} + a_l) throughout, where there is a neighbour.
    void reserveBuffers(const StageFacts& facts) {
        const double share = context_.facts.shareOf(facts) * passedOnParts(facts.group);
        for (const std::vector<int>* edges : {&facts.incoming, &facts.outgoing})
            for (int edge : *edges)
                steady_ += 2 * context_.facts.edges[static_cast<std::size_t>(edge)].forwardBytes / share;
    }

    const Context& context_;
    const WeightVersions& versions_;
    int device_;
    double steady_ = 0;
    std::vector<Change> changes_;
};

}  // namespace

void checkMemory(const Context& context) {
    if (!context.plan.claims.fitsMemory) return;
    const WeightVersions versions(context);
    // Devices that hold the same stages, none of which takes turns, hold the same bytes at every instant.
    std::vector<std::vector<int>> held(at(context.problem.cluster.deviceCount()));
    std::vector<bool> takesTurns(held.size(), false);
    for (int stage = 0; stage < context.stageCount(); ++stage) {
        const StageFacts& facts = context.facts.stages[at(stage)];
        for (const int device : facts.devices) {
            if (held[at(device)].empty() || held[at(device)].back() != stage)
                held[at(device)].push_back(stage);
            if (facts.roundRobin) takesTurns[at(device)] = true;
        }
    }
    std::map<std::pair<std::vector<int>, int>, std::vector<int>> alike;
    for (int device = 0; device < context.problem.cluster.deviceCount(); ++device)
        if (!held[at(device)].empty())
            alike[{held[at(device)], takesTurns[at(device)] ? device : -1}].push_back(device);
    for (const auto& [key, devices] : alike) {
        const int smallest = *std::min_element(devices.begin(), devices.end(), [&](int a, int b) {
            return context.problem.memoryLimitBytes(a) < context.problem.memoryLimitBytes(b);
        });
        DeviceMemory(context, versions, devices.front()).check(key.first, smallest);
    }
}

}  // namespace stagecraft::validation
