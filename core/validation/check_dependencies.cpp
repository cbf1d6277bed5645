#include "core/validation/checks.h"

namespace stagecraft::validation {

namespace {

class DependencyCheck {
public:
    explicit DependencyCheck(const Context& context) : context_(context) {}

    void run() {
        for (std::uint32_t block = 0; block < context_.timeline.blockCount(); ++block) checkOrigin(block);
        for (int iteration = 0; iteration < context_.index.iterations(); ++iteration)
            for (int stage = 0; stage < context_.stageCount(); ++stage)
                for (int ordinal = 0; ordinal < context_.facts.passesOf(stage); ++ordinal)
                    checkMicrobatch(stage, iteration, ordinal);
    }

private:
    void checkOrigin(std::uint32_t block) {
        if (!(context_.start(block) < -slackAt(0))) return;
        context_.report.add(Rule::dataDependency, block, [&] {
            return "The " + context_.name(block) + " starts at " + seconds(context_.start(block)) +
                   "; expected no block before 0 s.";
        });
    }

    void require(std::uint32_t earlier, std::uint32_t later) { context_.requireEnded(earlier, later); }

    std::uint32_t at(BlockKind kind, int stage, int lane = 0) const {
        return context_.index.block(kind, stage, iteration_, ordinal_, lane);
    }

    void checkMicrobatch(int stage, int iteration, int ordinal) {
        iteration_ = iteration;
        ordinal_ = ordinal;
        const int slices = context_.facts.slices;
        const int slice = ordinal % slices;
        for (int kind = 0; kind < blockKindCount; ++kind) checkTogether(BlockKind(kind), stage);
        for (int lane = 0; lane < context_.index.laneCount(stage); ++lane) {
            const std::uint32_t forward = at(BlockKind::forward, stage, lane);
            const std::uint32_t backward = at(BlockKind::backward, stage, lane);
            const std::uint32_t recompute = at(BlockKind::recompute, stage, lane);
            const std::uint32_t swapOut = at(BlockKind::swapOut, stage, lane);
            const std::uint32_t swapIn = at(BlockKind::swapIn, stage, lane);
            require(forward, backward);
            require(forward, recompute);
            require(recompute, backward);
            require(forward, swapOut);
            require(swapOut, swapIn);
            require(swapIn, backward);
            if (context_.facts.stages[static_cast<std::size_t>(stage)].evicts()) require(swapIn, recompute);
            require(backward, at(BlockKind::weightGradient, stage, lane));
            // What weights a pass uses is there before it (ZeRO-3).
            checkGather(stage, ordinal, forward, false);
            checkGather(stage, ordinal, recompute != noBlock ? recompute : backward, true);
            // A slice reads the keys and values of those before it, which get their gradients from it.
            const auto beside = [&](BlockKind kind, int by) {
                return context_.index.block(kind, stage, iteration, ordinal + by, lane);
            };
            if (slice > 0) require(beside(BlockKind::forward, -1), forward);
            if (slice + 1 < slices) require(beside(BlockKind::backward, 1), backward);
        }
        for (int edge : context_.facts.stages[static_cast<std::size_t>(stage)].outgoing) checkEdge(edge);
    }

    /// And not gathered ahead: after what its device did before the pass or, where devices take what is
    /// ready, after the pass of the microbatch before and its own forward.
    void checkGather(int stage, int ordinal, std::uint32_t pass, bool backward) {
        const std::uint32_t gather = context_.index.gatherBefore(backward, stage, iteration_, ordinal);
        if (gather == noBlock || pass == noBlock) return;
        require(gather, pass);
        const auto* policy = std::get_if<FamilySchedule>(&context_.plan.schedule.order);
        if (!policy || policy->name != "greedy") {
            const int lane = context_.timeline.laneOf(pass);
            const std::uint32_t first = context_.timeline.lanes[static_cast<std::size_t>(lane)].firstBlock;
            std::uint32_t before = pass;
            do before = before == first ? noBlock : before - 1;
            while (before != noBlock && isOutOfTurn(context_.timeline.kind[before]));
            return require(before, gather);
        }
        if (backward) require(context_.index.block(BlockKind::forward, stage, iteration_, ordinal), gather);
        if (ordinal == 0) return;
        const BlockKind kind = context_.timeline.kind[pass];
        require(context_.index.block(kind, stage, iteration_, ordinal - 1), gather);
    }

    /// Replicas that split a microbatch work at the same time.
    void checkTogether(BlockKind kind, int stage) {
        const std::uint32_t first = at(kind, stage);
        if (first == noBlock || kind == BlockKind::swapOut || kind == BlockKind::swapIn) return;
        for (int lane = 1; lane < context_.index.laneCount(stage); ++lane) {
            const std::uint32_t other = at(kind, stage, lane);
            if (other == noBlock || (!isBefore(context_.start(first), context_.start(other)) &&
                                     !isBefore(context_.start(other), context_.start(first))))
                continue;
            context_.report.add(Rule::dataDependency, other, [&] {
                return "The " + context_.name(other) + " starts at " + seconds(context_.start(other)) +
                       " and its other part, the " + context_.name(first) + ", at " +
                       seconds(context_.start(first)) + "; expected one instant.";
            });
        }
    }

    /// An activation goes up the edge, its gradient comes back.
    void checkEdge(int number) {
        const EdgeFacts& edge = context_.facts.edges[static_cast<std::size_t>(number)];
        const std::uint32_t up = context_.index.transfer(false, number, iteration_, ordinal_);
        const std::uint32_t down = context_.index.transfer(true, number, iteration_, ordinal_);
        for (int from = 0; from < context_.index.laneCount(edge.from); ++from) {
            require(at(BlockKind::forward, edge.from, from), up);
            require(down, at(BlockKind::backward, edge.from, from));
        }
        for (int to = 0; to < context_.index.laneCount(edge.to); ++to) {
            require(up, at(BlockKind::forward, edge.to, to));
            require(at(BlockKind::backward, edge.to, to), down);
        }
        if (edge.transfers) return;
        for (int from = 0; from < context_.index.laneCount(edge.from); ++from)
            for (int to = 0; to < context_.index.laneCount(edge.to); ++to) {
                require(at(BlockKind::forward, edge.from, from), at(BlockKind::forward, edge.to, to));
                require(at(BlockKind::backward, edge.to, to), at(BlockKind::backward, edge.from, from));
            }
    }

    const Context& context_;
    int iteration_ = 0;
    int ordinal_ = 0;
};

}  // namespace

void checkDependencies(const Context& context) { DependencyCheck(context).run(); }

}  // namespace stagecraft::validation
