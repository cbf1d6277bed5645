#include "core/analysis/idle_cause.h"

#include "core/base/units.h"

#include <algorithm>

namespace stagecraft::analysis {

namespace {

constexpr double toldEarlierS = 2e-6;  // timers of recordings are no finer

/// The idle stretch of the lane around `timeS`, without a chain. Blocks of a lane do not overlap.
std::optional<IdleCause> stretchAt(const Timeline& timeline, int lane, double timeS) {
    const Lane& range = timeline.lanes[static_cast<std::size_t>(lane)];
    IdleCause cause{lane, 0, timeline.lastEndS(), noBlock, {}, true, false};
    if (timeS < 0 || timeS >= cause.toS) return std::nullopt;
    const auto first = timeline.startS.begin() + range.firstBlock;
    const auto last = timeline.startS.begin() + range.endBlock;
    auto after = static_cast<std::uint32_t>(std::upper_bound(first, last, timeS) - timeline.startS.begin());
    for (std::uint32_t block = after; block-- > range.firstBlock;) {
        if (timeline.durationS(block) <= 0) continue;
        if (timeline.endS[block] > timeS) return std::nullopt;
        cause.fromS = timeline.endS[block];
        break;
    }
    while (after < range.endBlock && isOutOfTurn(timeline.kind[after]) && timeline.durationS(after) <= 0)
        ++after;
    if (after == range.endBlock) return cause;
    cause.next = after;
    cause.toS = timeline.startS[after];
    return cause;
}

std::uint32_t lastToEnd(const Timeline& timeline) {
    return static_cast<std::uint32_t>(std::max_element(timeline.endS.begin(), timeline.endS.end()) -
                                      timeline.endS.begin());
}

/// @param waiting what waited for it. In a run, unlike in a simulation, it may start some time after that.
std::string reasonText(const Timeline& timeline, const IdleLink& link, std::uint32_t waiting) {
    if (link.reason == WaitReason::data) {
        const double earlierS = timeline.startS[waiting] - timeline.endS[link.block];
        return earlierS > toldEarlierS ? "which gave its input " + formatSeconds(earlierS) + " earlier"
                                       : std::string("which gives its input");
    }
    const Lane& lane = timeline.lanes[static_cast<std::size_t>(timeline.laneOf(link.block))];
    return lane.kind == LaneKind::compute ? "which keeps its device busy" : "which keeps its link busy";
}

}  // namespace

std::optional<IdleCause> idleCause(const BlockGraph& graph, int lane, double timeS) {
    const Timeline& timeline = graph.timeline();
    std::optional<IdleCause> cause = stretchAt(timeline, lane, timeS);
    if (!cause) return std::nullopt;
    std::uint32_t block = cause->next;
    if (block == noBlock) {
        block = lastToEnd(timeline);
        cause->chain.push_back({block, WaitReason::start});
    }
    while (timeline.startS[block] > cause->fromS || cause->chain.empty()) {
        const auto [before, reason] = graph.decisive(block);
        if (before == noBlock) {
            cause->heldByPattern = timeline.waitReason[block] == WaitReason::pattern;
            break;
        }
        cause->chain.push_back({before, reason});
        block = before;
    }
    return cause;
}

std::optional<IdleCause> idleCause(const Timeline& timeline, int lane, double timeS) {
    std::optional<IdleCause> cause = stretchAt(timeline, lane, timeS);
    if (!cause || cause->next == noBlock) return cause;
    std::uint32_t block = cause->next;
    while (timeline.startS[block] > cause->fromS || cause->chain.empty()) {
        const std::uint32_t before = timeline.waitedFor[block];
        // Clocks of several machines may have it the wrong way round.
        if (before == noBlock || !(timeline.startS[before] < timeline.startS[block])) {
            cause->known = false;
            break;
        }
        cause->chain.push_back({before, timeline.waitReason[block]});
        block = before;
    }
    return cause;
}

std::vector<std::string> idleCauseText(const Timeline& timeline, const IdleCause& cause,
                                       const std::string& resource,
                                       const std::function<std::string(std::uint32_t)>& describe) {
    const auto name = [&](std::uint32_t block) {
        return "the " + (describe ? describe(block) : describeBlock(timeline, block));
    };
    std::vector<std::string> lines = {resource + " is idle for " + formatSeconds(cause.toS - cause.fromS)};
    lines.front() += cause.next == noBlock ? ": it has nothing more to do" : " before " + name(cause.next);
    for (std::size_t i = 0; i < cause.chain.size(); ++i) {
        const IdleLink& link = cause.chain[i];
        if (cause.next == noBlock && i == 0) {
            lines.push_back("what ends last is " + name(link.block));
            continue;
        }
        lines.push_back((i == 0 ? "it waits for " : "that waits for ") + name(link.block) + ", " +
                        reasonText(timeline, link, i == 0 ? cause.next : cause.chain[i - 1].block));
    }
    const bool underWay =
        !cause.chain.empty() && timeline.startS[cause.chain.back().block] <= cause.fromS && cause.fromS > 0;
    if (!cause.known || (cause.next == noBlock && cause.chain.empty())) {
        if (cause.next != noBlock)
            lines.push_back(cause.chain.empty() ? "what it waited for is not recorded"
                                                : "what that waited for is not recorded");
        return lines;
    }
    lines.push_back(cause.heldByPattern ? "that starts when the periodic pattern says so"
                    : underWay          ? "that was under way when " + resource + " fell idle"
                                        : "that waits for nothing: it is the first of the iteration");
    return lines;
}

}  // namespace stagecraft::analysis
