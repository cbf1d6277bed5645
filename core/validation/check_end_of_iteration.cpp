#include "core/validation/checks.h"

#include <algorithm>
#include <limits>

namespace stagecraft::validation {

namespace {

/// The block of a stage's backward passes in an iteration that ends last, or noBlock.
std::uint32_t lastBackward(const Context& context, int stage, int iteration) {
    std::uint32_t last = noBlock;
    for (int ordinal = 0; ordinal < context.facts.passesOf(stage); ++ordinal) {
        const std::uint32_t block = context.lastOfBackward(stage, iteration, ordinal);
        if (block != noBlock && (last == noBlock || context.end(block) > context.end(last))) last = block;
    }
    return last;
}

void require(const Context& context, Rule rule, std::uint32_t earlier, std::uint32_t later) {
    if (earlier == noBlock || later == noBlock || !isBefore(context.start(later), context.end(earlier)))
        return;
    context.report.add(rule, later, [&] {
        return "The " + context.name(later) + " starts at " + seconds(context.start(later)) +
               "; expected not before the " + context.name(earlier) + " ends at " +
               seconds(context.end(earlier)) + ".";
    });
}

/// Whether a device has both stages.
bool shareDevice(const Context& context, int stage, int other) {
    const std::vector<int>& own = context.facts.stages[static_cast<std::size_t>(stage)].devices;
    const std::vector<int>& theirs = context.facts.stages[static_cast<std::size_t>(other)].devices;
    return std::any_of(own.begin(), own.end(), [&](int device) {
        return std::find(theirs.begin(), theirs.end(), device) != theirs.end();
    });
}

/// The blocks of an iteration after which its gradients are there, looked up once.
class GradientEnds {
public:
    GradientEnds(const Context& context, int iteration) : context_(context), iteration_(iteration) {
        for (int stage = 0; stage < context.stageCount(); ++stage)
            lastBackward_.push_back(lastBackward(context, stage, iteration));
        for (int stage = 0; context.facts.clipsByNorm && stage < context.stageCount(); ++stage)
            eachSum(stage, [&](std::uint32_t block) {
                const bool isLater =
                    lastSum_ == noBlock || (block != noBlock && context.end(block) > context.end(lastSum_));
                if (isLater) lastSum_ = block;
            });
    }

    int iteration() const { return iteration_; }
    std::uint32_t lastBackwardOf(int stage) const { return lastBackward_[static_cast<std::size_t>(stage)]; }
    /// Of all stages, where their norm is waited for; else noBlock.
    std::uint32_t lastSum() const { return lastSum_; }

    /// What makes the gradients of the stage on its devices. Some may be noBlock.
    template <typename Visit>
    void eachPass(int stage, Visit visit) const {
        visit(lastBackwardOf(stage));
        for (int ordinal = 0;
             context_.facts.vocabulary.isShared() && ordinal < context_.facts.passesOf(stage); ++ordinal)
            for (const BlockKind kind : {BlockKind::headBackward, BlockKind::embeddingBackward})
                visit(context_.index.block(kind, stage, iteration_, ordinal));
    }

    /// And what is done with them before the update.
    template <typename Visit>
    void eachSum(int stage, Visit visit) const {
        eachPass(stage, visit);
        visit(context_.index.gradientPass(stage, iteration_));
        const int group = groupOf(stage);
        if (group < 0) return;
        visit(context_.index.allReduce(group, iteration_));
        for (int ordinal = 0; ordinal < context_.index.scatterCount(group); ++ordinal)
            visit(context_.index.scatter(group, iteration_, ordinal));
    }

    int groupOf(int stage) const { return context_.facts.groupOf[static_cast<std::size_t>(stage)]; }

private:
    const Context& context_;
    int iteration_;
    std::vector<std::uint32_t> lastBackward_;  ///< by stage
    std::uint32_t lastSum_ = noBlock;
};

/// An update that takes time comes when its devices have nothing else left of the iteration.
void checkUpdates(const Context& context, const GradientEnds& ends, int stage) {
    const bool takesTime = context.facts.stages[static_cast<std::size_t>(stage)].updateS > 0;
    for (int lane = 0; lane < context.index.updateCount(stage); ++lane) {
        const std::uint32_t update = context.index.update(stage, ends.iteration(), lane);
        const auto comesAfter = [&](std::uint32_t block) {
            require(context, Rule::updateAfterAllReduce, block, update);
        };
        for (int other = 0; other < context.stageCount(); ++other) {
            if (other != stage && !(takesTime && shareDevice(context, stage, other))) continue;
            ends.eachSum(other, comesAfter);
            if (const int group = ends.groupOf(other); group >= 0)
                comesAfter(context.index.gather(group, ends.iteration()));
        }
        comesAfter(ends.lastSum());
    }
}

/// When no pass is left on its devices, and before copies sum.
void checkGradientPasses(const Context& context, const GradientEnds& ends, int stage) {
    for (int lane = 0; lane < context.index.updateCount(stage); ++lane) {
        const std::uint32_t pass = context.index.gradientPass(stage, ends.iteration(), lane);
        for (int other = 0; other < context.stageCount(); ++other)
            if (other == stage || shareDevice(context, stage, other))
                ends.eachPass(other, [&](std::uint32_t block) {
                    require(context, Rule::allReduceAfterBackward, block, pass);
                });
        const int group = ends.groupOf(stage);
        if (group < 0) continue;
        for (const std::uint32_t sum : {context.index.allReduce(group, ends.iteration()),
                                        context.index.scatter(group, ends.iteration(), 0)})
            require(context, Rule::allReduceAfterBackward, pass, sum);
    }
}

}  // namespace

void checkEndOfIteration(const Context& context) {
    const bool overlaps = context.problem.setup.allreduceOverlaps;
    for (int iteration = 0; iteration < context.index.iterations(); ++iteration) {
        const GradientEnds ends(context, iteration);
        for (int g = 0; g < static_cast<int>(context.facts.groups.size()); ++g) {
            const std::vector<int>& own = context.facts.groups[static_cast<std::size_t>(g)].stages;
            const bool scattersOnce = context.facts.zero == ZeroStage::optimizer;
            const std::uint32_t reduce =
                scattersOnce ? context.index.scatter(g, iteration, 0) : context.index.allReduce(g, iteration);
            for (int stage = 0; stage < context.stageCount(); ++stage)
                if (!overlaps || std::binary_search(own.begin(), own.end(), stage))
                    require(context, Rule::allReduceAfterBackward, ends.lastBackwardOf(stage), reduce);
            for (int ordinal = 0; ordinal < context.index.scatterCount(g); ++ordinal) {
                const std::uint32_t scatter = context.index.scatter(g, iteration, ordinal);
                for (const int stage : own)
                    if (!scattersOnce && ordinal < context.facts.passesOf(stage))
                        require(context, Rule::allReduceAfterBackward,
                                context.lastOfBackward(stage, iteration, ordinal), scatter);
                require(context, Rule::allReduceAfterBackward, scatter, context.index.gather(g, iteration));
            }
        }
        for (int stage = 0; stage < context.stageCount(); ++stage) {
            if (context.facts.passesOverGradients) checkGradientPasses(context, ends, stage);
            checkUpdates(context, ends, stage);
        }
    }
}

void checkBarrier(const Context& context) {
    if (context.problem.setup.mode != TrainingMode::synchronous) return;
    const Timeline& timeline = context.timeline;
    const auto iterations = static_cast<std::size_t>(context.index.iterations());
    // By iteration: its first block to start, and the update (backward, where a pattern shows no update) that
    // ends last.
    std::vector<std::uint32_t> first(iterations, noBlock), last(iterations, noBlock);
    for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
        const std::int32_t number = timeline.iteration[block];
        if (number < 0 || static_cast<std::size_t>(number) >= iterations) continue;
        const auto iteration = static_cast<std::size_t>(number);
        if (first[iteration] == noBlock || context.start(block) < context.start(first[iteration]))
            first[iteration] = block;
        const BlockKind kind = timeline.kind[block];
        const bool closes =
            kind == BlockKind::update || (context.facts.periodic && kind == BlockKind::backward);
        if (closes && (last[iteration] == noBlock || context.end(block) > context.end(last[iteration])))
            last[iteration] = block;
    }
    for (std::size_t iteration = 0; iteration + 1 < iterations; ++iteration)
        require(context, Rule::synchronousBarrier, last[iteration], first[iteration + 1]);
}

}  // namespace stagecraft::validation
