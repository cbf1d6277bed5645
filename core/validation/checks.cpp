#include "core/validation/checks.h"

namespace stagecraft::validation {

void Context::requireEnded(std::uint32_t earlier, std::uint32_t later) const {
    if (earlier == noBlock || later == noBlock || !isBefore(start(later), end(earlier))) return;
    report.add(Rule::dataDependency, later, [&] {
        return "The " + name(later) + " starts at " + seconds(start(later)) + "; expected not before the " +
               name(earlier) + " ends at " + seconds(end(earlier)) + ".";
    });
}

double Context::barePart(std::uint32_t block) const {
    const GroupFacts& group = facts.groups[static_cast<std::size_t>(index.subject(block))];
    const BlockKind kind = timeline.kind[block];
    if (kind == BlockKind::reduceScatter) return group.scatterPart;
    if (kind != BlockKind::allGather) return 1;
    const int stage = timeline.stage[block],
              ordinal = facts.ordinalOf(timeline.microbatch[block], timeline.sliceOf(block));
    const bool backward = index.gatherBefore(true, stage, timeline.iteration[block], ordinal) == block;
    return group.gatherPart(stage, backward);
}

void Context::requireOrder(const std::string& family, std::uint32_t earlier, std::uint32_t later) const {
    if (earlier == noBlock || later == noBlock || !isBefore(start(later), start(earlier))) return;
    report.add(Rule::orderRespected, later, [&] {
        return "The " + name(later) + " starts at " + seconds(start(later)) + "; in the order of " + family +
               " the " + name(earlier) + ", which starts at " + seconds(start(earlier)) + ", comes first.";
    });
}

}  // namespace stagecraft::validation
