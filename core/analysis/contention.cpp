#include "core/analysis/contention.h"

#include "core/analysis/link_curves.h"
#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/base/units.h"
#include "core/cost/inside_steps.h"

#include <algorithm>
#include <map>
#include <utility>

namespace stagecraft::analysis {

namespace {

constexpr double paceRounding = 1e-9;

/// When it first goes slower than alone; infinity: never.
double slowedAtS(const Timeline& timeline, const SharedRun& run) {
    for (const Pace& pace : timeline.pacesOf(run))
        if (pace.rateBps < pace.aloneBps * (1 - paceRounding)) return pace.fromS;
    return infinity;
}

/// The blocks that are under way on a way at an instant.
std::vector<std::uint32_t> blocksOn(const Timeline& timeline, const LinkUse& use, double atS) {
    std::vector<std::uint32_t> blocks;
    for (const LoadSource& source : use.sources) {
        const Lane& lane = timeline.lanes[static_cast<std::size_t>(source.lane)];
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block)
            if (timeline.startS[block] <= atS && atS < timeline.endS[block] && source.isOf(timeline, block) &&
                loadAt(timeline, source, block, atS) > 0)
                blocks.push_back(block);
    }
    std::ranges::sort(blocks);
    return blocks;
}

std::string joined(const std::vector<std::string>& names) {
    constexpr std::size_t mostNames = 2;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), mostNames); ++i)
        text += (i == 0 ? "the " : names.size() == mostNames ? " and the " : ", the ") + names[i];
    return names.size() > mostNames ? text + " and " + std::to_string(names.size() - mostNames) + " more"
                                    : text;
}

}  // namespace

std::optional<Contention> firstContention(const CostModel& costs, const Plan& plan,
                                          const SharedStageEdges& edges, const Timeline& timeline,
                                          bool firstAlone) {
    const auto counts = [&](std::uint32_t block) { return !firstAlone || timeline.iteration[block] == 0; };
    Contention found;
    found.atS = infinity;
    std::uint32_t first = noBlock;
    for (const SharedRun& run : timeline.sharedRuns) {
        // Of as good as the same length where rounding alone made two meet.
        const double tookS = timeline.durationS(run.block);
        if (!counts(run.block) || tookS <= run.aloneS * (1 + paceRounding)) continue;
        ++found.slowedCount;
        found.laterS += tookS - run.aloneS;
        const double atS = slowedAtS(timeline, run);
        if (atS >= found.atS) continue;
        found.atS = atS;
        first = run.block;
    }
    if (first == noBlock) return std::nullopt;
    found.aloneS = timeline.aloneS(first);
    found.tookS = timeline.durationS(first);
    std::map<std::pair<int, BlockKind>, bool> sends;  // by stage, of passes
    for (const Lane& lane : timeline.lanes)
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) {
            if (!counts(block) || timeline.durationS(block) <= 0) continue;
            if (lane.kind == LaneKind::channel || lane.kind == LaneKind::allReduce) ++found.sentCount;
            if (lane.kind != LaneKind::compute || !plan.dividesLayers()) continue;
            const auto [known, isNew] = sends.try_emplace({timeline.stage[block], timeline.kind[block]});
            if (isNew)
                known->second = insideSentS(costs, plan, timeline.stage[block], timeline.kind[block]) > 0;
            found.sentCount += known->second;
            found.countsPasses |= known->second;
        }
    const int lane = timeline.laneOf(first);
    double mostOver = -1;  // even where rounding leaves no demand at that instant
    for (const LinkUse& use : linkUses(costs, plan, edges, timeline)) {
        if (!use.carries(timeline, lane, first)) continue;
        const LoadCurve demand = demandCurve(timeline, use);
        const double over = demand.totalAt(demand.stepAt(found.atS)) / use.bandwidthBps();
        if (over <= mostOver) continue;
        mostOver = over;
        found.link = nameOf(costs.problem().cluster, use.ways.front());
        found.blocks = blocksOn(timeline, use, found.atS);
    }
    if (found.link.empty()) return std::nullopt;
    // That is what goes slower then, also where rounding puts the instant on its end.
    std::erase(found.blocks, first);
    found.blocks.insert(found.blocks.begin(), first);
    return found;
}

std::vector<std::string> Contention::sentences(const Timeline& timeline) const {
    std::vector<std::string> others;
    for (std::size_t i = 1; i < blocks.size(); ++i) others.push_back(describeBlock(timeline, blocks[i]));
    return {"The first link that is contended, from " + formatSeconds(atS) + " on: " + link + ". The " +
                describeBlock(timeline, blocks.front()) + " takes " + formatSeconds(tookS) + " in place of " +
                formatSeconds(aloneS) +
                (others.empty() ? ", as its own flows meet there." : ", beside " + joined(others) + "."),
            grouped(slowedCount) + " of " +
                (countsPasses ? counted(sentCount, "transfer, collective or pass that sends",
                                        "transfers, collectives and passes that send")
                              : counted(sentCount, "transfer and collective", "transfers and collectives")) +
                " took longer than alone, by " + formatSeconds(laterS) + " added up."};
}

}  // namespace stagecraft::analysis
