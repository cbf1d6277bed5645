#include "core/validation/flow_facts.h"

#include "core/base/indices.h"
#include "core/validation/layer_work.h"

#include <algorithm>
#include <set>

namespace stagecraft::validation {

const FlowFacts* BlockFlows::of(std::uint32_t block) {
    const BlockKind kind = context_.timeline.kind[block];
    const bool sends = isTransfer(kind) || context_.isEviction(block), sums = isSync(kind);
    const bool isTogether = isOfVocabularyLink(kind);
    if (!sends && !sums && !isTogether) return nullptr;
    const GroupFacts* group = sums ? &context_.facts.groups[at(context_.index.subject(block))] : nullptr;
    const void* subject = group        ? static_cast<const void*>(group)
                          : isTogether ? static_cast<const void*>(&context_.facts.vocabulary)
                                       : &context_.channelOf(block);
    const double part = sums ? context_.barePart(block) : 1;
    const auto [found, isNew] = known_.try_emplace({subject, kind, part});
    if (isNew)
        found->second = group              ? sync(*group, kind, part)
                        : isTogether       ? together(block)
                        : isTransfer(kind) ? transfer(block)
                                           : eviction(block);
    return found->second.ways.empty() ? nullptr : &found->second;
}

const std::vector<PassStep>& BlockFlows::stepsOf(std::uint32_t block) {
    static const std::vector<PassStep> none;
    const BlockKind kind = context_.timeline.kind[block];
    const bool sends = kind == BlockKind::forward || kind == BlockKind::backward ||
                       kind == BlockKind::inputGradient || kind == BlockKind::recompute;
    const int stage = context_.timeline.stage[block];
    if (!sends || !context_.plan.stages[at(stage)].group.dividesLayers()) return none;
    const auto [found, isNew] = steps_.try_emplace({stage, kind});
    if (isNew) found->second = steps(stage, kind);
    return found->second;
}

std::vector<PassStep> BlockFlows::steps(int index, BlockKind kind) const {
    const Stage& stage = context_.plan.stages[at(index)];
    const StageFacts& facts = context_.facts.stages[at(index)];
    const Durations& whole = facts.replicas.front();
    const StageWork work(context_.problem, context_.plan, stage, facts.devices, context_.facts.slices,
                         network_);
    const bool again = kind == BlockKind::recompute, goesUp = again || kind == BlockKind::forward;
    const double bare = again ? whole.bareRecompute : goesUp ? whole.bareForward : whole.bareBackward;
    std::vector<PassStep> steps;
    for (int place = 0; place < stage.layerCount(); ++place) {
        const int layer = goesUp ? stage.firstLayer + place : stage.lastLayer - place;
        if (isSharedOut(context_.problem, context_.plan, layer)) continue;
        const LayerWork own = work.of(layer);
        steps.push_back({again                              ? own.recompute
                         : goesUp                           ? own.forward
                         : kind == BlockKind::inputGradient ? own.backward - own.weightGradient
                                                            : own.backward,
                         {}});
        if (again && !own.isComputedAgain) continue;
        for (const auto sent : {&SendingTimes::tensor, &SendingTimes::context, &SendingTimes::experts}) {
            const double seconds = (goesUp ? (own.sends.*sent).forward : (own.sends.*sent).backward) * bare;
            if (!(seconds > 0)) continue;
            FlowFacts flow = inside(index, layer, work.part() / context_.facts.slices, sent, !goesUp);
            flow.bytes *= bare;
            flow.fullBps = flow.bytes / seconds;
            steps.push_back({seconds, std::move(flow)});
        }
    }
    const bool any = std::ranges::any_of(steps, [](const PassStep& each) { return !each.flow.ways.empty(); });
    return any ? steps : std::vector<PassStep>();
}

/// @returns bytes of the rank that sends most, and who sends how much of that
FlowFacts BlockFlows::inside(int stage, int layer, double part, SendingTimes::Passes SendingTimes::*kind,
                             bool backward) const {
    const SentBetween sent =
        sentInside(context_.problem, context_.plan.stages[at(stage)], layer, network_, part, kind, backward);
    FlowFacts flow;
    flow.bytes = sent.each;
    for (const auto& [ends, bytes] : sent.pairs) send(ends.first, ends.second, bytes / sent.each, flow);
    for (const auto& [way, bytes] : sent.ways) flow.ways[way] += bytes / sent.each;
    return flow;
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

/// As fast all the time as it takes alone, round each copy's devices, by their numbers. What the last stage
/// hands out does not come back to it, nor what comes from the first to that.
FlowFacts BlockFlows::together(std::uint32_t block) const {
    const VocabularyFacts& vocabulary = context_.facts.vocabulary;
    const BlockKind kind = context_.timeline.kind[block];
    const bool handsOut = kind == BlockKind::headInput || kind == BlockKind::embeddingReturn;
    const std::vector<int>& ends = kind == BlockKind::headInput ? context_.plan.stages.back().devices
                                                                : context_.plan.stages.front().devices;
    FlowFacts flow;
    const auto sent = vocabulary.sentBytes.find(kind);
    if (sent == vocabulary.sentBytes.end() || !(sent->second > 0)) return flow;
    flow.bytes = sent->second;
    flow.fullBps = flow.bytes / vocabulary.secondsOf(kind);
    for (const std::vector<int>& copy : vocabulary.copies)
        for (std::size_t place = 0; place < copy.size(); ++place) {
            const int to = copy[(place + 1) % copy.size()];
            if (!handsOut || std::ranges::find(ends, to) == ends.end()) send(copy[place], to, 1, flow);
        }
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
