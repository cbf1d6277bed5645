#include "core/simulation/validation/weight_versions.h"

namespace stagecraft::validation {

namespace {

const char* policyName(WeightPolicyKind kind) {
    switch (kind) {
        case WeightPolicyKind::single:
            return "a single version";
        case WeightPolicyKind::stashing:
            return "weight stashing";
        case WeightPolicyKind::verticalSync:
            return "vertical sync";
        case WeightPolicyKind::doubleBuffer:
            return "double buffering";
        case WeightPolicyKind::predicted:
            return "weight prediction";
        case WeightPolicyKind::latest:
            return "whatever version stands";
    }
    return "?";
}

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

/// Another stage or the delay names the version, so that it might not stand here yet.
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

}  // namespace

void checkWeights(const Context& context) {
    checkStatement(context);
    const WeightPolicy& policy = context.plan.weights;
    // The newest version, and under prediction a guess made from it.
    if (policy.kind == WeightPolicyKind::predicted || policy.kind == WeightPolicyKind::latest) return;
    if (context.facts.periodic) return;  // a pattern does not say when weights are updated
    const WeightVersions versions(context);
    for (int stage = 0; stage < context.stageCount(); ++stage) {
        for (int iteration = 0; iteration < context.index.iterations(); ++iteration)
            for (int ordinal = 0; ordinal < context.facts.microbatchesOf(stage); ++ordinal) {
                if (policy.kind == WeightPolicyKind::single)
                    checkInPlace(context, versions, stage, iteration, ordinal);
                else
                    checkExists(context, versions, stage, iteration, ordinal);
            }
        if (policy.kind == WeightPolicyKind::single) continue;
        int kept = policy.kind == WeightPolicyKind::doubleBuffer ? 2 : 0;
        if (static_cast<std::size_t>(stage) < policy.versions.size())
            kept = policy.versions[static_cast<std::size_t>(stage)];
        const WeightVersions::Peak peak = versions.peak(stage);
        if (kept == 0 || peak.count <= kept) continue;
        context.report.add(Rule::weightVersion, noBlock, [&] {
            return "Stage " + std::to_string(stage) + " on " +
                   deviceNames(context.problem,
                               context.facts.stages[static_cast<std::size_t>(stage)].devices) +
                   " needs " + std::to_string(peak.count) + " weight versions at " + seconds(peak.atS) +
                   "; expected at most " + std::to_string(kept) + ".";
        });
    }
}

}  // namespace stagecraft::validation
