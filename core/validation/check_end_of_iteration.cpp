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

/// An optimizer's step that takes time comes when its devices have nothing else left of the iteration.
bool sharesStep(const Context& context, int stage, int other) {
    if (!(context.facts.stages[static_cast<std::size_t>(stage)].updateS > 0)) return false;
    const std::vector<int>& own = context.facts.stages[static_cast<std::size_t>(stage)].devices;
    const std::vector<int>& theirs = context.facts.stages[static_cast<std::size_t>(other)].devices;
    return std::any_of(own.begin(), own.end(), [&](int device) {
        return std::find(theirs.begin(), theirs.end(), device) != theirs.end();
    });
}

/// The update comes after all that makes the gradients of the stage, and what copies do with them.
void requireGradients(const Context& context, int stage, int iteration, std::uint32_t last,
                      std::uint32_t update) {
    require(context, Rule::updateAfterAllReduce, last, update);
    for (int ordinal = 0; context.facts.vocabulary.isShared() && ordinal < context.facts.passesOf(stage);
         ++ordinal)
        for (const BlockKind kind : {BlockKind::headBackward, BlockKind::embeddingBackward})
            require(context, Rule::updateAfterAllReduce, context.index.block(kind, stage, iteration, ordinal),
                    update);
    const int group = context.facts.groupOf[static_cast<std::size_t>(stage)];
    if (group < 0) return;
    for (const std::uint32_t sync :
         {context.index.allReduce(group, iteration), context.index.gather(group, iteration)})
        require(context, Rule::updateAfterAllReduce, sync, update);
    for (int ordinal = 0; ordinal < context.index.scatterCount(group); ++ordinal)
        require(context, Rule::updateAfterAllReduce, context.index.scatter(group, iteration, ordinal),
                update);
}

}  // namespace

void checkEndOfIteration(const Context& context) {
    const bool overlaps = context.problem.setup.allreduceOverlaps;
    std::vector<std::uint32_t> last(context.facts.stages.size());
    for (int iteration = 0; iteration < context.index.iterations(); ++iteration) {
        for (int stage = 0; stage < context.stageCount(); ++stage)
            last[static_cast<std::size_t>(stage)] = lastBackward(context, stage, iteration);
        for (int g = 0; g < static_cast<int>(context.facts.groups.size()); ++g) {
            const std::vector<int>& own = context.facts.groups[static_cast<std::size_t>(g)].stages;
            const bool scattersOnce = context.facts.zero == ZeroStage::optimizer;
            const std::uint32_t reduce =
                scattersOnce ? context.index.scatter(g, iteration, 0) : context.index.allReduce(g, iteration);
            for (int stage = 0; stage < context.stageCount(); ++stage)
                if (!overlaps || std::binary_search(own.begin(), own.end(), stage))
                    require(context, Rule::allReduceAfterBackward, last[static_cast<std::size_t>(stage)],
                            reduce);
            for (int ordinal = 0; ordinal < context.index.scatterCount(g); ++ordinal) {
                const std::uint32_t scatter = context.index.scatter(g, iteration, ordinal);
                for (const int stage : own)
                    if (!scattersOnce && ordinal < context.facts.passesOf(stage))
                        require(context, Rule::allReduceAfterBackward,
                                context.lastOfBackward(stage, iteration, ordinal), scatter);
                require(context, Rule::allReduceAfterBackward, scatter, context.index.gather(g, iteration));
            }
        }
        for (int stage = 0; stage < context.stageCount(); ++stage)
            for (int lane = 0; lane < context.index.updateCount(stage); ++lane) {
                const std::uint32_t update = context.index.update(stage, iteration, lane);
                for (int other = 0; other < context.stageCount(); ++other)
                    if (other == stage || sharesStep(context, stage, other))
                        requireGradients(context, other, iteration, last[static_cast<std::size_t>(other)],
                                         update);
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
