#include "core/validation/weight_versions.h"

#include "core/base/enum_names.h"

namespace stagecraft::validation {

namespace {

constexpr EnumName<WeightPolicyKind> policyNames[] = {
    {WeightPolicyKind::single, "a single version"},
    {WeightPolicyKind::stashing, "weight stashing"},
    {WeightPolicyKind::verticalSync, "vertical sync"},
    {WeightPolicyKind::doubleBuffer, "double buffering"},
    {WeightPolicyKind::predicted, "weight prediction"},
    {WeightPolicyKind::latest, "whatever version is current"}};

const char* policyName(WeightPolicyKind kind) { return nameOf(policyNames, kind); }

void checkStatement(const Context& context) {
    const WeightPolicy& policy = context.plan.weights;
    if (context.problem.setup.mode == TrainingMode::synchronous && policy.kind != WeightPolicyKind::single)
        context.report.add(Rule::weightVersion, noBlock, [&] {
            return std::string("Training is synchronous, but the weight policy is ") +
                   policyName(policy.kind) + "; expected a single version.";
        });
    for (std::size_t s = 0; s < policy.versions.size() && s < context.facts.stages.size(); ++s)
        if (policy.versions[s] < 1)
            context.report.add(Rule::weightVersion, noBlock, [&] {
                return "Stage " + std::to_string(s) + " keeps " + std::to_string(policy.versions[s]) +
                       " weight versions; expected at least 1.";
            });
}

/// One version, updated in place: a microbatch whose stage is updated while it is under way
/// loses its weights.
void checkInPlace(const Context& context, const WeightVersions& versions, int stage, int iteration,
                  int ordinal) {
    const std::uint32_t forward = context.index.block(BlockKind::forward, stage, iteration, ordinal);
    const std::uint32_t backward = context.index.block(BlockKind::backward, stage, iteration, ordinal);
    if (forward == noBlock || backward == noBlock) return;
    const int used = versions.newestAt(stage, context.start(forward));
    // A backward without duration ends in the very instant in which the update that waited for it may end
    // too.
    const double startS = context.start(backward);
    const bool instant = context.end(backward) <= startS;
    const int found = versions.newestAt(stage, instant ? startS - 2 * slackAt(startS) : startS);
    if (found <= used) return;
    context.report.add(Rule::weightVersion, backward, [&] {
        return "The " + context.name(backward) + " starts at " + seconds(context.start(backward)) +
               " with weight version " + std::to_string(found) + "; its forward at " +
               seconds(context.start(forward)) + " used version " + std::to_string(used) +
               ", which a policy of a single version no longer has.";
    });
}

/// Another stage or the delay names the version, so that it might not be here yet.
void checkExists(const Context& context, const WeightVersions& versions, int stage, int iteration,
                 int ordinal) {
    const std::uint32_t forward = context.index.block(BlockKind::forward, stage, iteration, ordinal);
    if (forward == noBlock) return;
    const int named = versions.namedFor(stage, iteration, ordinal);
    const int newest = versions.newestAt(stage, context.start(forward));
    if (named <= newest) return;
    context.report.add(Rule::weightVersion, forward, [&] {
        return "The " + context.name(forward) + " starts at " + seconds(context.start(forward)) +
               " and needs weight version " + std::to_string(named) + "; the newest of its stage then is " +
               std::to_string(newest) + ".";
    });
}

/// The first of a mini-batch predicts for all of it, so that none may come before it. Replicas that take
/// microbatches in turn may overtake each other; the first to come then predicts.
void checkBellwether(const Context& context, int stage, int iteration) {
    if (context.facts.stages[static_cast<std::size_t>(stage)].roundRobin) return;
    for (const BlockKind kind : {BlockKind::forward, BlockKind::backward}) {
        const std::uint32_t first = context.index.block(kind, stage, iteration, 0);
        for (int ordinal = 1; first != noBlock && ordinal < context.facts.passesOf(stage); ++ordinal) {
            const std::uint32_t block = context.index.block(kind, stage, iteration, ordinal);
            if (block == noBlock || !isBefore(context.start(block), context.start(first))) continue;
            context.report.add(Rule::weightVersion, block, [&] {
                return "The " + context.name(block) + " starts at " + seconds(context.start(block)) +
                       ", before its mini-batch's weights are predicted: its bellwether, the " +
                       context.name(first) + ", starts at " + seconds(context.start(first)) + ".";
            });
            return;
        }
    }
}

/// As many sets of weights as the plan says that a stage keeps; 0: as many as it needs.
int setsKept(const WeightPolicy& policy, int stage) {
    const auto index = static_cast<std::size_t>(stage);
    if (index < policy.versions.size()) return policy.versions[index];
    return policy.kind == WeightPolicyKind::doubleBuffer ? 2 : 0;
}

/// Whatever is pushed out while a pass still needs it is gone.
void checkStillThere(const Context& context, const WeightVersions& versions, int stage) {
    const int most = setsKept(context.plan.weights, stage);
    if (most == 0) return;
    const StageFacts& facts = context.facts.stages[static_cast<std::size_t>(stage)];
    for (int replica = 0; replica < facts.replicaCount(); ++replica) {
        const std::optional<WeightVersions::Excess> excess = versions.beyond(stage, replica, most);
        if (!excess) continue;
        context.report.add(Rule::weightVersion, excess->oldest.lastUse, [&] {
            return "The " + context.name(excess->oldest.lastUse) + " ends at " +
                   seconds(context.end(excess->oldest.lastUse)) + " and needs " +
                   (excess->oldest.predicted ? "the prediction from weight version " : "weight version ") +
                   std::to_string(excess->oldest.version) + " until then, which is gone: from " +
                   seconds(excess->atS) + " on, stage " + std::to_string(stage) + " on " +
                   deviceNames(context.problem, facts.workers(replica)) + " needs " +
                   std::to_string(excess->count) + " sets of weights and keeps " + std::to_string(most) + ".";
        });
    }
}

}  // namespace

void checkWeights(const Context& context) {
    checkStatement(context);
    const WeightPolicyKind policy = context.plan.weights.kind;
    if (policy == WeightPolicyKind::latest) return;  // whichever is current will do
    const WeightVersions versions(context);
    for (int stage = 0; stage < context.stageCount(); ++stage) {
        for (int iteration = 0; iteration < context.index.iterations(); ++iteration) {
            if (policy == WeightPolicyKind::predicted) checkBellwether(context, stage, iteration);
            for (int ordinal = 0; ordinal < context.facts.passesOf(stage); ++ordinal) {
                if (policy == WeightPolicyKind::single)
                    checkInPlace(context, versions, stage, iteration, ordinal);
                if (policy == WeightPolicyKind::verticalSync || policy == WeightPolicyKind::doubleBuffer)
                    checkExists(context, versions, stage, iteration, ordinal);
            }
        }
        if (policy != WeightPolicyKind::single) checkStillThere(context, versions, stage);
    }
}

}  // namespace stagecraft::validation
