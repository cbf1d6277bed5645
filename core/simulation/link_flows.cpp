#include "core/simulation/link_flows.h"

#include <cmath>

namespace stagecraft::simulation {

int LinkFlows::addTransfer(const std::vector<HandOver>& pairs, bool back, double bytes, double seconds,
                           double delayS) {
    BytesByWay ways;
    for (const HandOver& pair : pairs)
        send(back ? pair.to : pair.from, back ? pair.from : pair.to, pair.share * bytes, ways);
    return add(ways, pairs.empty() ? 0 : pairs.front().share * bytes, seconds, delayS);
}

int LinkFlows::addSync(const DataParallelGroup& group, const StateSync& sync, double seconds) {
    BytesByWay ways;
    for (const RankHop& hop : group.hopsOf(sync, net_)) send(hop.from, hop.to, hop.bytes, ways, hop.way);
    return add(ways, group.costOf(sync).bytes, seconds, 0);
}

int LinkFlows::addTogether(const VocabularyCost& vocabulary, const Stage& stage, BlockKind kind,
                           double seconds) {
    BytesByWay ways;
    for (const RankHop& hop : vocabulary.hopsOf(kind, stage.devices)) send(hop.from, hop.to, hop.bytes, ways);
    return add(ways, vocabulary.bytesOf(kind), seconds, 0);
}

int LinkFlows::addInside(const Plan& plan, int stage, const InsideStep& step, double seconds) {
    const auto [found, isNew] = insides_.try_emplace({stage, step.kind, step.by, step.severalRings});
    if (isNew) found->second = waysInside(plan.stages[static_cast<std::size_t>(stage)], step);
    BytesByWay ways = found->second;
    for (auto& [way, bytes] : ways) bytes *= step.bytes;
    return add(ways, step.bytes, seconds, 0);
}

/// For a byte of the rank that sends most.
LinkFlows::BytesByWay LinkFlows::waysInside(const Stage& stage, InsideStep step) {
    step.bytes = 1;
    BytesByWay ways;
    for (const RankHop& hop : hopsOfStep(costs_, stage, step))
        send(hop.from, hop.to, hop.bytes, ways, hop.way);
    return ways;
}

void LinkFlows::send(int from, int to, double bytes, BytesByWay& ways, int way) {
    if (from == to || !(bytes > 0)) return;
    for (const LinkStep& step : routes_.onceBetween(from, to, way))
        ways[2 * step.link + (step.back ? 1 : 0)] += bytes;
}

int LinkFlows::add(const BytesByWay& ways, double flowBytes, double seconds, double delayS) {
    const double fullBps = flowBytes / (seconds - delayS);
    if (ways.empty() || !(flowBytes > 0) || !(fullBps > 0) || !std::isfinite(fullBps)) return -1;
    LinkFlow flow{fullBps, delayS, {}};
    for (const auto& [way, bytes] : ways) flow.crossings.push_back({way, bytes / flowBytes});
    flows_.push_back(std::move(flow));
    return static_cast<int>(flows_.size()) - 1;
}

}  // namespace stagecraft::simulation
