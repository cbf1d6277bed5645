#pragma once

#include "core/base/work_context.h"
#include "core/validation/block_index.h"

#include <cmath>

namespace stagecraft::validation {

/// What every check reads and where it reports.
struct Context {
    const Problem& problem;
    const Plan& plan;
    const Timeline& timeline;
    const Facts& facts;
    const BlockIndex& index;
    Report& report;
    std::stop_token stop = {};
    double rounding = roundingOf(timeline);

    /// For checks that take long. @throws Cancelled
    void throwIfStopped() const {
        if (stop.stop_requested()) throw base::Cancelled();
    }
    /// How far rounding may have moved that instant; seconds.
    double roundingAt(double seconds) const { return rounding * std::fabs(seconds); }
    std::string name(std::uint32_t block) const { return blockName(problem, timeline, block); }
    double start(std::uint32_t block) const { return timeline.startS[block]; }
    double end(std::uint32_t block) const { return timeline.endS[block]; }
    const StageFacts& stageOf(std::uint32_t block) const {
        return facts.stages[static_cast<std::size_t>(timeline.stage[block])];
    }
    bool isSwap(std::uint32_t block) const {
        return timeline.kind[block] == BlockKind::swapOut || timeline.kind[block] == BlockKind::swapIn;
    }
    /// A swap to the memory of another stage's devices, and not to the host's.
    bool isEviction(std::uint32_t block) const { return isSwap(block) && stageOf(block).evicts(); }
    /// Of a placed transfer or eviction: the links that it uses.
    const Channel& channelOf(std::uint32_t block) const {
        if (isEviction(block)) return stageOf(block).eviction.channel;
        return facts.channelOf(index.subject(block), timeline.iteration[block],
                               facts.ordinalOf(timeline.microbatch[block], timeline.sliceOf(block)));
    }
    /// Of the same: whether it goes from the channel's `to` to its `from`.
    bool comesBack(std::uint32_t block) const {
        return timeline.kind[block] == BlockKind::transferBackward ||
               timeline.kind[block] == BlockKind::swapIn;
    }
    /// What crosses a link at one time shares it. A periodic pattern has times of its own.
    bool sharesLinks() const { return problem.setup.network == LinkSharing::shared && !facts.periodic; }
    /// Of what a placed ReduceScatter or AllGather sends, the part that no pass hides.
    double barePart(std::uint32_t block) const;
    int stageCount() const { return static_cast<int>(facts.stages.size()); }
    /// The block that ends a microbatch's backward pass: the weight gradient where the plan splits it.
    std::uint32_t lastOfBackward(int stage, int iteration, int ordinal) const {
        const std::uint32_t block = index.block(BlockKind::weightGradient, stage, iteration, ordinal);
        return block != noBlock ? block : index.block(BlockKind::backward, stage, iteration, ordinal);
    }
    // A block that is missing is reported elsewhere.
    /// `later` may start once `earlier` has ended.
    void requireEnded(std::uint32_t earlier, std::uint32_t later) const;
    /// `later` starts no sooner than `earlier`, as that family has it.
    void requireOrder(const std::string& family, std::uint32_t earlier, std::uint32_t later) const;
};

// One rule or a family of rules each; MODEL.md section 4. checkPlan() false: the plan is no plan for this
// problem, so that nothing can be said of its timeline.
bool checkPlan(const Problem& problem, const Plan& plan, Report& report);
void checkDurations(const Context& context);
void checkDependencies(const Context& context);
void checkLanes(const Context& context);
void checkExclusive(const Context& context);
void checkPolicyOrder(const Context& context, const FamilySchedule& policy);
void checkDeviceOrders(const Context& context, const FamilySchedule& policy);
void checkEvictions(const Context& context, const FamilySchedule& policy);
void checkVocabulary(const Context& context);
void checkVocabularyOrder(const Context& context, const FamilySchedule& policy);
void checkChannelOrder(const Context& context, const FamilySchedule& policy);
void checkExplicitOrder(const Context& context, const ExplicitSchedule& schedule);
void checkPattern(const Context& context, const PeriodicSchedule& pattern);
void checkEndOfIteration(const Context& context);
void checkBarrier(const Context& context);
void checkWeights(const Context& context);
void checkMemory(const Context& context);
void checkSharedLinks(const Context& context);

}  // namespace stagecraft::validation
