#include "core/validation/checks.h"

#include <algorithm>

namespace stagecraft::validation {

namespace {

/// The promise of BPipe (Kim et al., ICML 2023): no device ever has more than (p+2)/2 microbatches, rounded
/// up, those counted that it keeps for another and those that are on their way.
class EvictionCheck {
public:
    explicit EvictionCheck(const Context& context) : context_(context) {}

    void check(int stage) {
        changes_.clear();
        addOwn(stage);
        for (int other = 0; other < context_.stageCount(); ++other)
            if (context_.facts.stages[static_cast<std::size_t>(other)].eviction.lender == stage)
                addLent(other);
        std::sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) {
            return a.atS != b.atS ? a.atS < b.atS : a.by < b.by;
        });
        const int most = (context_.facts.stages[static_cast<std::size_t>(stage)].pipelineStages + 3) / 2;
        int held = 0;
        for (const Change& change : changes_) {
            held += change.by;
            if (held <= most) continue;
            context_.report.add(Rule::orderRespected, change.block, [&] {
                return "With the " + context_.name(change.block) + " at " + seconds(change.atS) +
                       " the devices of stage " + std::to_string(stage) + " have " + std::to_string(held) +
                       " microbatches in memory; bpipe has " + std::to_string(most) + " at most.";
            });
            return;
        }
    }

private:
    struct Change {
        double atS;
        int by;
        std::uint32_t block;
    };

    template <typename Visit>
    void forEachPass(int stage, Visit visit) const {
        for (int iteration = 0; iteration < context_.index.iterations(); ++iteration)
            for (int ordinal = 0; ordinal < context_.facts.passesOf(stage); ++ordinal)
                visit(iteration, ordinal);
    }

    void take(std::uint32_t block) {
        if (block != noBlock) changes_.push_back({context_.start(block), 1, block});
    }
    /// At the earliest instant that rounding may have meant.
    void leave(std::uint32_t block) {
        if (block != noBlock)
            changes_.push_back({context_.end(block) - context_.roundingAt(context_.end(block)), -1, block});
    }

    void addOwn(int stage) {
        forEachPass(stage, [&](int iteration, int ordinal) {
            const auto find = [&](BlockKind kind) {
                return context_.index.block(kind, stage, iteration, ordinal);
            };
            take(find(BlockKind::forward));
            leave(find(BlockKind::swapOut));
            take(find(BlockKind::swapIn));
            leave(context_.lastOfBackward(stage, iteration, ordinal));
        });
    }

    void addLent(int stage) {
        forEachPass(stage, [&](int iteration, int ordinal) {
            take(context_.index.block(BlockKind::swapOut, stage, iteration, ordinal));
            leave(context_.index.block(BlockKind::swapIn, stage, iteration, ordinal));
        });
    }

    const Context& context_;
    std::vector<Change> changes_;
};

}  // namespace

void checkEvictions(const Context& context, const FamilySchedule& policy) {
    if (policy.name != "bpipe") return;
    EvictionCheck check(context);
    for (int stage = 0; stage < context.stageCount(); ++stage) check.check(stage);
}

}  // namespace stagecraft::validation
