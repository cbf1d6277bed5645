#include "core/validation/checks.h"

#include "core/base/enum_names.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

namespace stagecraft::validation {

namespace {

/// The block that is microbatch `number` of the operation, or noBlock.
std::uint32_t blockOf(const Context& context, const PatternOperation& operation, int number) {
    const int count = context.facts.passesOf(operation.stage);
    const int iteration = number / count, ordinal = number % count;
    if (operation.kind == BlockKind::forward || operation.kind == BlockKind::backward)
        return context.index.block(
            operation.kind == BlockKind::forward ? BlockKind::forward : BlockKind::backward, operation.stage,
            iteration, ordinal);
    // Both directions belong to the stage below; MadPipe's networks are chains.
    for (int edge : context.facts.stages[static_cast<std::size_t>(operation.stage)].outgoing)
        if (context.facts.edges[static_cast<std::size_t>(edge)].to == operation.stage + 1)
            return context.index.transfer(operation.kind == BlockKind::transferBackward, edge, iteration,
                                          ordinal);
    return noBlock;
}

constexpr EnumName<BlockKind> kindNames[] = {{BlockKind::forward, "forward"},
                                             {BlockKind::backward, "backward"},
                                             {BlockKind::transferForward, "forward transfer"},
                                             {BlockKind::transferBackward, "backward transfer"}};

const char* kindName(BlockKind kind) { return nameOf(kindNames, kind); }

/// Each stage's forward and backward and each transfer that is needed, once.
void checkOperations(const Context& context, const PeriodicSchedule& pattern) {
    std::map<std::pair<int, BlockKind>, int> counts;
    for (int stage = 0; stage < context.stageCount(); ++stage) {
        counts[{stage, BlockKind::forward}] = counts[{stage, BlockKind::backward}] = 0;
        for (int edge : context.facts.stages[static_cast<std::size_t>(stage)].outgoing)
            if (context.facts.edges[static_cast<std::size_t>(edge)].transfers)
                counts[{stage, BlockKind::transferForward}] = counts[{stage, BlockKind::transferBackward}] =
                    0;
    }
    for (const PatternOperation& operation : pattern.operations)
        if (const auto found = counts.find({operation.stage, operation.kind}); found != counts.end())
            ++found->second;
    for (const auto& [operation, count] : counts)
        if (count != 1)
            context.report.add(Rule::periodicPattern, noBlock, [&, &operation = operation, &count = count] {
                return std::string("The pattern has the ") + kindName(operation.second) + " of stage " +
                       std::to_string(operation.first) + " " + std::to_string(count) +
                       " times; expected once.";
            });
}

/// Start-up proves nothing: the timeline must hold a period in which every operation runs.
void checkSteadyState(const Context& context, const PeriodicSchedule& pattern) {
    if (pattern.operations.empty()) return;
    std::int64_t least = pattern.operations.front().shift, most = least;
    for (const PatternOperation& operation : pattern.operations) {
        least = std::min<std::int64_t>(least, operation.shift);
        most = std::max<std::int64_t>(most, operation.shift);
    }
    const int shown = context.facts.passesOf(0) * context.index.iterations();
    const std::int64_t needed = most - least + 1;
    if (shown < needed)
        context.report.add(Rule::periodicPattern, noBlock, [&] {
            return "The timeline shows " + std::to_string(shown) +
                   " microbatches of the pattern, whose shifts span " + std::to_string(most - least) +
                   "; expected at least " + std::to_string(needed) + ", until it is in steady state.";
        });
}

}  // namespace

void checkPattern(const Context& context, const PeriodicSchedule& pattern) {
    const auto refuse = [&](const std::string& message) {
        context.report.add(Rule::periodicPattern, noBlock, [&] { return message; });
    };
    if (!(pattern.periodS > 0)) {
        refuse("The pattern's period is " + seconds(pattern.periodS) + "; expected more than 0.");
        return;
    }
    checkOperations(context, pattern);
    checkSteadyState(context, pattern);
    // The timeline begins with the first operation of microbatch 0.
    double originS = std::numeric_limits<double>::infinity();
    for (const PatternOperation& operation : pattern.operations)
        originS = std::min(originS, operation.shift * pattern.periodS + operation.startS);

    for (const PatternOperation& operation : pattern.operations) {
        if (operation.stage < 0 || operation.stage >= context.stageCount()) {
            refuse("The pattern names stage " + std::to_string(operation.stage) +
                   "; the plan has stages 0 to " + std::to_string(context.stageCount() - 1) + ".");
            continue;
        }
        if (!(operation.startS >= 0) || operation.startS >= pattern.periodS + slackAt(pattern.periodS))
            refuse("An operation of stage " + std::to_string(operation.stage) + " starts at " +
                   seconds(operation.startS) + " of the period; expected from 0 to " +
                   seconds(pattern.periodS) + ".");
        const int numbers = context.facts.passesOf(operation.stage) * context.index.iterations();
        for (int number = 0; number < numbers; ++number) {
            const std::uint32_t block = blockOf(context, operation, number);
            if (block == noBlock) continue;
            const double expected = (static_cast<double>(number) + operation.shift) * pattern.periodS +
                                    operation.startS - originS;
            if (std::fabs(context.start(block) - expected) <= slackAt(expected + std::fabs(originS)))
                continue;
            context.report.add(Rule::periodicPattern, block, [&] {
                return "The " + context.name(block) + " starts at " + seconds(context.start(block)) +
                       "; the pattern expects it at " + seconds(expected) + ".";
            });
        }
    }
}

}  // namespace stagecraft::validation
