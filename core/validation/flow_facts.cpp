#include "core/validation/flow_facts.h"

#include "core/base/indices.h"
#include "core/validation/group_parts.h"

#include <algorithm>
#include <set>

namespace stagecraft::validation {

const FlowFacts* BlockFlows::of(std::uint32_t block) {
    const BlockKind kind = context_.timeline.kind[block];
    const bool sends = isTransfer(kind) || context_.isEviction(block), sums = isSync(kind);
    if (!sends && !sums) return nullptr;
    const GroupFacts* group = sums ? &context_.facts.groups[at(context_.index.subject(block))] : nullptr;
    const void* subject = group ? static_cast<const void*>(group) : &context_.channelOf(block);
    const double part = sums ? context_.barePart(block) : 1;
    const auto [found, isNew] = known_.try_emplace({subject, kind, part});
    if (isNew)
        found->second = group              ? sync(*group, kind, part)
                        : isTransfer(kind) ? transfer(block)
                                           : eviction(block);
    return found->second.ways.empty() ? nullptr : &found->second;
}

void BlockFlows::send(int from, int to, double flows, FlowFacts& flow) const {
    if (from == to) return;
    for (const int way : network_.route(from, to)) flow.ways[way] += flows;
}

/// By sender, whose ways are found together.
void BlockFlows::sendAll(Pairs pairs, bool back, FlowFacts& flow) const {
    if (back)
        for (auto& [from, to] : pairs) std::swap(from, to);
    std::ranges::sort(pairs);
    for (const auto& [from, to] : pairs) send(from, to, 1, flow);
}

/// Every copy of one stage to every copy of the other. Ranks that have a part each send it to the rank at
/// their place, round and round the smaller side; where each has all, one of a copy does.
BlockFlows::Pairs BlockFlows::sideBySide(int from, int to, const Channel& channel, int fromParts, int toParts,
                                         double& parts) const {
    const Stage &sends = context_.plan.stages[at(from)], &receives = context_.plan.stages[at(to)];
    const bool divides = sends.group.dividesLayers() || receives.group.dividesLayers();
    // Of copies that take turns the channel has the one at work.
    const std::vector<int>& own = divides ? sends.devices : channel.from;
    const std::vector<int>& others = divides ? receives.devices : channel.to;
    const int senders = sends.group.tensor * sends.group.context,
              receivers = receives.group.tensor * receives.group.context, most = std::max(fromParts, toParts);
    const int places = most > 1 ? std::max(senders, receivers) : std::min(senders, receivers);
    Pairs pairs;
    for (std::size_t a = 0; a < own.size(); a += at(senders))
        for (std::size_t b = 0; b < others.size(); b += at(receivers))
            for (int place = 0; place < places; ++place)
                pairs.emplace_back(own[a + at(place % senders)], others[b + at(place % receivers)]);
    parts = double(own.size() / at(senders)) * double(others.size() / at(receivers)) * most;
    return pairs;
}

FlowFacts BlockFlows::transfer(std::uint32_t block) const {
    const EdgeFacts& edge = context_.facts.edges[at(context_.index.subject(block))];
    const Channel& channel = context_.channelOf(block);
    const bool back = context_.comesBack(block);
    const auto partsOf = [&](int stage) {
        return static_cast<int>(passedOnParts(context_.plan.stages[at(stage)].group));
    };
    double parts = 1;
    const Pairs pairs = sideBySide(edge.from, edge.to, channel, partsOf(edge.from), partsOf(edge.to), parts);
    FlowFacts flow;
    flow.delayS = network_.slowest(channel.from, channel.to) + context_.problem.setup.transferOverheadS;
    flow.bytes = (back ? edge.backwardBytes : edge.forwardBytes) / context_.facts.slices / parts;
    flow.fullBps = flow.bytes / ((back ? channel.backwardS : channel.forwardS) - flow.delayS);
    if (flow.bytes > 0) sendAll(pairs, back, flow);
    return flow;
}

FlowFacts BlockFlows::eviction(std::uint32_t block) const {
    const int stage = context_.timeline.stage[block];
    const StageFacts& own = context_.stageOf(block);
    const Channel& channel = own.eviction.channel;
    const auto ranksOf = [&](int each) {
        const Group& group = context_.plan.stages[at(each)].group;
        return group.tensor * group.context;
    };
    double parts = 1;
    const int most = std::max(ranksOf(stage), ranksOf(own.eviction.lender));
    const Pairs pairs = sideBySide(stage, own.eviction.lender, channel, most, most, parts);
    FlowFacts flow;
    flow.delayS = network_.slowest(channel.from, channel.to) + context_.problem.setup.transferOverheadS;
    flow.bytes = own.eviction.bytesOfEach * static_cast<double>(own.devices.size()) / parts;
    flow.fullBps = flow.bytes / (channel.forwardS - flow.delayS);
    const bool back = context_.comesBack(block);
    if (flow.bytes > 0) sendAll(pairs, back, flow);
    return flow;
}

/// As fast all the time as it takes alone, round each set of devices that hold the same, by their numbers.
/// @param part that goes while nothing is computed; the rest loads no link for others
FlowFacts BlockFlows::sync(const GroupFacts& group, BlockKind kind, double part) const {
    const bool sums = kind == BlockKind::allReduce, gathers = kind == BlockKind::allGather;
    const double perByte = gathers ? group.sentBytes : group.gradientBytes;
    const double start = context_.problem.setup.collectiveStartS;
    std::map<int, double> sent;  // by device
    std::map<std::pair<int, int>, double> pairs;
    std::map<int, double> ways;
    for (const auto& [holders, bytes] : group.bytesByHolders) {
        if (!(bytes > 0)) continue;
        const SentBetween own = sentBetween(perByte * bytes, sums, holders, network_, start);
        for (const int device : holders) sent[device] += own.each;
        for (const auto& [ends, each] : own.pairs) pairs[ends] += each;
        for (const auto& [way, each] : own.ways) ways[way] += each;
    }
    FlowFacts flow;
    for (const auto& [device, bytes] : sent) flow.bytes = std::max(flow.bytes, bytes);
    flow.fullBps = flow.bytes / (sums ? group.allReduceS : gathers ? group.gatherS : group.scatterS);
    if (!(flow.bytes > 0) || part == 0) return flow;
    for (const auto& [ends, bytes] : pairs) send(ends.first, ends.second, bytes / flow.bytes, flow);
    for (const auto& [way, bytes] : ways) flow.ways[way] += bytes / flow.bytes;
    flow.bytes *= part;
    return flow;
}

}  // namespace stagecraft::validation
