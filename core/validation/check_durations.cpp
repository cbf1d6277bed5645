#include "core/validation/host_links.h"
#include "core/validation/weight_versions.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::validation {

namespace {

/// How much of what goes to experts and back in one pass is sent while another computes, at most.
double besides(const PairTimes& times, double toExperts, double pass, double sentInPass) {
    return std::min(times.hidden * toExperts, pass - sentInPass);
}

/// A time of its own, or a share of what its forward and its backward take apart, less what one sends to
/// experts while the other computes, but no less than the longer of them.
double pairSeconds(const Context& context, const Durations& own, std::uint32_t block) {
    const PairTimes times = context.plan.schedule.pairTimes();
    const auto stage = static_cast<std::size_t>(context.timeline.stage[block]);
    if (stage < times.byForwardS.size()) return times.byForwardS[stage];
    const PairedBackward& other = *context.timeline.pairedWith(block);
    const int replica = context.facts.replicaOf(other.stage, context.timeline.iteration[block],
                                                context.facts.ordinalOf(other.microbatch, 0));
    const Durations& durations = context.facts.stages[static_cast<std::size_t>(other.stage)]
                                     .replicas[static_cast<std::size_t>(replica)];
    const double hidden = besides(times, own.expertsForward, durations.backward, durations.sentBackward) +
                          besides(times, durations.expertsBackward, own.forward, own.sentForward);
    return std::max(
        {times.share * (own.forward + durations.backward - hidden), own.forward, durations.backward});
}

/// Under predicted weights whoever comes first of a mini-batch makes the weights that all of it use, where a
/// later update is expected to find them changed: so many seconds for each byte of them as the plan says.
/// Where a backward recomputes, that is before it does.
double predictionSeconds(const Context& context, std::uint32_t block, int ordinal) {
    const BlockKind kind = context.timeline.kind[block];
    const bool backward = kind != BlockKind::forward;
    const auto* policy = std::get_if<FamilySchedule>(&context.plan.schedule.order);
    if (!policy || context.plan.weights.kind != WeightPolicyKind::predicted || context.facts.pipelines != 1 ||
        ordinal != 0 || (kind == BlockKind::backward && context.stageOf(block).recomputes))
        return 0;
    const auto said = policy->parameters.find("prediction_s_per_byte");
    const double perByte = said == policy->parameters.end() ? 0 : said->second;
    const bool printed = context.plan.weights.difference == VersionDifference::printed;
    const bool changes =
        WeightVersions::aheadByFormula(context.facts, context.timeline.stage[block], printed, backward) > 0;
    return perByte > 0 && changes ? perByte * context.stageOf(block).parameterBytes : 0;
}

/// MODEL.md sections 1 and 2: what the block should take, in seconds.
double expectedSeconds(const Context& context, const HostLinks& hostLinks, std::uint32_t block) {
    const Timeline& timeline = context.timeline;
    const int stage = timeline.stage[block], iteration = timeline.iteration[block];
    const int ordinal = context.facts.ordinalOf(timeline.microbatch[block], timeline.sliceOf(block));
    switch (timeline.kind[block]) {
        case BlockKind::update:
            return context.facts.stages[static_cast<std::size_t>(stage)].updateS;
        case BlockKind::gradientPass:
            return context.facts.stages[static_cast<std::size_t>(stage)].gradientPassS;
        case BlockKind::allReduce:
            return context.facts.groups[static_cast<std::size_t>(context.index.subject(block))].allReduceS;
        case BlockKind::reduceScatter:
            return context.facts.groups[static_cast<std::size_t>(context.index.subject(block))].scatterS *
                   context.barePart(block);
        case BlockKind::allGather:
            return context.facts.groups[static_cast<std::size_t>(context.index.subject(block))].gatherS *
                   context.barePart(block);
        case BlockKind::transferForward:
            return context.facts.channelOf(context.index.subject(block), iteration, ordinal).forwardS;
        case BlockKind::transferBackward:
            return context.facts.channelOf(context.index.subject(block), iteration, ordinal).backwardS;
        default:
            break;
    }
    const VocabularyFacts& vocabulary = context.facts.vocabulary;
    if (isOfVocabularyLink(timeline.kind[block])) return vocabulary.secondsOf(timeline.kind[block]);
    const int replica = context.facts.replicaOf(stage, iteration, ordinal);
    const Durations& durations =
        context.facts.stages[static_cast<std::size_t>(stage)].replicas[static_cast<std::size_t>(replica)];
    switch (timeline.kind[block]) {
        case BlockKind::forward:
            return durations.forward + predictionSeconds(context, block, ordinal);
        case BlockKind::backward:
            return durations.backward + predictionSeconds(context, block, ordinal);
        case BlockKind::inputGradient:
            return durations.backward - durations.weightGradient;
        case BlockKind::pair:
            return pairSeconds(context, durations, block);
        case BlockKind::weightGradient:
            return durations.weightGradient;
        case BlockKind::headForward:
            return vocabulary.parts[static_cast<std::size_t>(stage)].headForward;
        case BlockKind::headBackward:
            return vocabulary.parts[static_cast<std::size_t>(stage)].headBackward;
        case BlockKind::embeddingForward:
            return vocabulary.parts[static_cast<std::size_t>(stage)].embeddingForward;
        case BlockKind::embeddingBackward:
            return vocabulary.parts[static_cast<std::size_t>(stage)].embeddingBackward;
        case BlockKind::recompute:
            return durations.recompute + predictionSeconds(context, block, ordinal);
        default: {
            if (context.isEviction(block)) return context.channelOf(block).forwardS;
            const StageFacts& facts = context.facts.stages[static_cast<std::size_t>(stage)];
            return durations.swap +
                   hostLinks.heldUpS(facts.workers(replica), context.start(block), context.end(block));
        }
    }
}

}  // namespace

void checkDurations(const Context& context) {
    const HostLinks hostLinks(context);
    const bool shares = context.sharesLinks();
    for (std::uint32_t block = 0; block < context.timeline.blockCount(); ++block) {
        const double startS = context.start(block), endS = context.end(block);
        if (endS < startS) {
            context.report.add(Rule::blockDuration, block, [&] {
                return "The " + context.name(block) + " runs from " + seconds(startS) + " to " +
                       seconds(endS) + "; expected two instants, the second not before the first.";
            });
            continue;
        }
        if (!context.index.isPlaced(block)) continue;
        // It may have taken longer than alone; checkSharedLinks() says whether it had to.
        const double tookS = shares ? context.timeline.aloneS(block) : endS - startS;
        const double expected = expectedSeconds(context, hostLinks, block);
        // Both instants are rounded sums, so that the difference carries their rounding.
        const double allowed = 1e-9 * expected + 1e-12 + context.roundingAt(endS);
        if (std::fabs(tookS - expected) <= allowed) continue;
        context.report.add(Rule::blockDuration, block, [&] {
            return "The " + context.name(block) + " runs from " + seconds(startS) + " to " + seconds(endS) +
                   ", which is " + seconds(tookS) + (shares ? " alone" : "") + "; expected " +
                   seconds(expected) + ".";
        });
    }
}

}  // namespace stagecraft::validation
