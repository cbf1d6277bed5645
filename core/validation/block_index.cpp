#include "core/validation/block_index.h"

#include "core/base/indices.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace stagecraft::validation {

namespace {

Rule ruleOfCount(BlockKind kind) {
    return isSync(kind) || kind == BlockKind::gradientPass ? Rule::allReduceAfterBackward
           : kind == BlockKind::update                     ? Rule::updateAfterAllReduce
                                                           : Rule::everyMicrobatchOnce;
}

/// What all who share out a vocabulary's layers do together for each microbatch.
constexpr std::array togetherKinds = {BlockKind::headInput, BlockKind::headBarrier, BlockKind::headGradient,
                                      BlockKind::embeddingOutput, BlockKind::embeddingReturn};

}  // namespace

BlockIndex::BlockIndex(const Problem& problem, const Facts& facts, const Timeline& timeline, Report& report)
    : problem_(problem), facts_(facts), timeline_(timeline), report_(report) {
    findComputeLanes();
    findLinkLanes();
    layOut();
    countIterations();
    table_.assign(base(iterations_), noBlock);
    subject_.assign(timeline.blockCount(), unplaced);
    for (int lane = 0; lane < static_cast<int>(timeline.lanes.size()); ++lane)
        for (std::uint32_t block = laneAt(lane).firstBlock; block < laneAt(lane).endBlock; ++block)
            addBlock(lane, block);
    reportMissing();
}

void BlockIndex::findComputeLanes() {
    std::vector<int> laneOfDevice(problem_.cluster.devices.size(), -1);
    for (int lane = 0; lane < static_cast<int>(timeline_.lanes.size()); ++lane) {
        if (laneAt(lane).kind != LaneKind::compute) continue;
        const std::uint32_t block = laneAt(lane).blockCount() > 0 ? laneAt(lane).firstBlock : noBlock;
        for (int device : laneAt(lane).devices) {
            if (device < 0 || device >= problem_.cluster.deviceCount())
                report_.add(Rule::knownDevices, block, [&] {
                    return "Compute lane " + std::to_string(lane) + " names device " +
                           std::to_string(device) + "; the cluster has " +
                           std::to_string(problem_.cluster.deviceCount()) + ".";
                });
            else if (laneOfDevice[at(device)] >= 0)
                report_.add(Rule::deviceExclusive, block, [&] {
                    return "The " + deviceNames(problem_, {device}) + " is in compute lanes " +
                           std::to_string(laneOfDevice[at(device)]) + " and " + std::to_string(lane) +
                           "; expected one, so that it does one thing at a time.";
                });
            else
                laneOfDevice[at(device)] = lane;
        }
    }
    for (std::size_t s = 0; s < facts_.stages.size(); ++s) {
        const StageFacts& stage = facts_.stages[s];
        std::vector<int> lanes;
        for (int device : stage.devices) lanes.push_back(laneOfDevice[at(device)]);
        if (!stage.roundRobin) {
            lanes = sorted(lanes);
            lanes.erase(std::unique(lanes.begin(), lanes.end()), lanes.end());
        }
        std::size_t covered = 0;
        for (int lane : lanes)
            if (lane >= 0) covered += laneAt(lane).devices.size();
        if (covered != stage.devices.size())
            report_.add(Rule::deviceExclusive, noBlock, [&] {
                return "Stage " + std::to_string(s) + " works on " + deviceNames(problem_, stage.devices) +
                       ", but its compute lanes hold " + std::to_string(covered) + " devices; expected " +
                       std::to_string(stage.devices.size()) + ".";
            });
        stageLanes_.push_back(std::move(lanes));
    }
}

void BlockIndex::findLinkLanes() {
    std::map<std::vector<int>, int> computeLanes;
    std::map<std::vector<int>, std::vector<Candidate>> transfers;
    for (int lane = 0; lane < static_cast<int>(timeline_.lanes.size()); ++lane)
        if (laneAt(lane).kind == LaneKind::compute) computeLanes.emplace(sorted(laneAt(lane).devices), lane);
    for (int edge = 0; edge < static_cast<int>(facts_.edges.size()); ++edge) {
        const EdgeFacts& facts = facts_.edges[at(edge)];
        for (int channel = 0; facts.transfers && channel < static_cast<int>(facts.channels.size());
             ++channel) {
            std::vector<int> ends = facts.channels[at(channel)].from;
            const std::vector<int>& to = facts.channels[at(channel)].to;
            ends.insert(ends.end(), to.begin(), to.end());
            transfers[sorted(ends)].push_back({edge, channel});
        }
    }
    candidates_.resize(timeline_.lanes.size());
    computeLaneOfHostLink_.assign(timeline_.lanes.size(), -1);
    for (std::size_t lane = 0; lane < timeline_.lanes.size(); ++lane) {
        const std::vector<int> devices = sorted(timeline_.lanes[lane].devices);
        const LaneKind kind = timeline_.lanes[lane].kind;
        if (const auto found = transfers.find(devices); kind == LaneKind::channel && found != transfers.end())
            candidates_[lane] = found->second;
        if (const auto found = computeLanes.find(devices);
            kind == LaneKind::hostLink && found != computeLanes.end())
            computeLaneOfHostLink_[lane] = found->second;
    }
}

void BlockIndex::layOut() {
    std::size_t next = 0;
    for (std::size_t s = 0; s < facts_.stages.size(); ++s) {
        const StageFacts& stage = facts_.stages[s];
        StageTable table;
        table.column.fill(-1);
        const auto column = [&](BlockKind kind, bool has) {
            if (has) table.column[static_cast<std::size_t>(kind)] = table.columns++;
        };
        // A periodic pattern says when to compute and to send; nothing else is on its timeline.
        column(BlockKind::forward, true);
        column(BlockKind::backward, true);
        column(BlockKind::weightGradient, facts_.splitBackward);
        column(BlockKind::recompute, stage.recomputes && !facts_.periodic);
        const bool swaps = (stage.swaps || stage.evicts()) && !facts_.periodic;
        column(BlockKind::swapOut, swaps);
        column(BlockKind::swapIn, swaps);
        const VocabularyFacts& vocabulary = facts_.vocabulary;
        column(BlockKind::headForward, vocabulary.isShared());
        column(BlockKind::headBackward, vocabulary.isShared());
        column(BlockKind::embeddingForward, vocabulary.hasEmbedding);
        column(BlockKind::embeddingBackward, vocabulary.hasEmbedding);
        table.lanes = stage.roundRobin ? 1 : static_cast<int>(stageLanes_[s].size());
        table.updates = facts_.periodic ? 0 : static_cast<int>(stageLanes_[s].size());
        table.first = next;
        next += at(facts_.passesOf(static_cast<int>(s)) * table.columns) * at(table.lanes);
        table.firstUpdate = next;
        next += at(facts_.passesOverGradients ? 2 * table.updates : table.updates);
        stages_.push_back(table);
    }
    for (const EdgeFacts& edge : facts_.edges) {
        edgeFirst_.push_back(edge.transfers ? next : nowhere);
        if (edge.transfers) next += 2 * at(facts_.passesOf(edge.from));
    }
    gatherFirst_.assign(facts_.stages.size(), nowhere);
    for (int g = 0; g < static_cast<int>(facts_.groups.size()) && !facts_.periodic; ++g) {
        groupFirst_.push_back(next);
        next += (facts_.zero == ZeroStage::weights ? 0 : 1) + at(scatterCount(g));
        for (const int s : facts_.groups[at(g)].stages) {
            gatherFirst_[at(s)] = next;
            if (facts_.zero == ZeroStage::weights) next += 2 * at(facts_.passesOf(s));
        }
    }
    if (facts_.vocabulary.isShared()) {
        togetherFirst_ = next;
        next += togetherKinds.size() * facts_.stages.size() * at(facts_.passesOf(0));
    }
    perIteration_ = next;
}

void BlockIndex::countIterations() {
    int last = 0;
    for (std::int32_t iteration : timeline_.iteration) last = std::max(last, iteration);
    // A timeline cannot hold more iterations than it has blocks for; a stray number must not cost memory.
    const std::size_t passes = timeline_.blockCount() + timeline_.pairs.size();
    const std::size_t most = passes / std::max<std::size_t>(perIteration_, 1) + 2;
    iterations_ = static_cast<int>(std::min(static_cast<std::size_t>(last) + 1, most));
}

/// Whole backwards and input gradients are in one column: a microbatch has either.
int BlockIndex::columnOf(const StageTable& table, BlockKind kind) {
    return table
        .column[static_cast<std::size_t>(kind == BlockKind::inputGradient ? BlockKind::backward : kind)];
}

std::size_t BlockIndex::slot(BlockKind kind, int stage, int iteration, int ordinal, int lane) const {
    const StageTable& table = stages_[at(stage)];
    const int column = columnOf(table, kind);
    if (column < 0 || lane >= table.lanes) return nowhere;
    return base(iteration) + table.first + at(ordinal * table.columns + column) * at(table.lanes) + at(lane);
}

std::uint32_t BlockIndex::block(BlockKind kind, int stage, int iteration, int ordinal, int lane) const {
    return entry(slot(kind, stage, iteration, ordinal, lane));
}

std::uint32_t BlockIndex::transfer(bool gradient, int edge, int iteration, int ordinal) const {
    if (edgeFirst_[at(edge)] == nowhere) return noBlock;
    return table_[base(iteration) + edgeFirst_[at(edge)] + at(2 * ordinal) + (gradient ? 1 : 0)];
}

/// The first place is that of the AllReduce or, where there is none, of the gather at the end.
std::uint32_t BlockIndex::allReduce(int group, int iteration) const {
    if (facts_.periodic || facts_.zero != ZeroStage::off) return noBlock;
    return table_[base(iteration) + groupFirst_[at(group)]];
}

std::uint32_t BlockIndex::gather(int group, int iteration) const {
    const bool atEnd = facts_.zero == ZeroStage::optimizer || facts_.zero == ZeroStage::gradients;
    return facts_.periodic || !atEnd ? noBlock : table_[base(iteration) + groupFirst_[at(group)]];
}

int BlockIndex::scatterCount(int group) const {
    if (facts_.zero == ZeroStage::off) return 0;
    return facts_.zero == ZeroStage::optimizer ? 1 : facts_.passesOf(facts_.groups[at(group)].stages.front());
}

std::uint32_t BlockIndex::scatter(int group, int iteration, int ordinal) const {
    if (facts_.periodic || ordinal >= scatterCount(group)) return noBlock;
    return table_[scatterSlot(group, iteration, ordinal)];
}

std::size_t BlockIndex::scatterSlot(int group, int iteration, int ordinal) const {
    return base(iteration) + groupFirst_[at(group)] + (facts_.zero == ZeroStage::weights ? 0 : 1) +
           at(ordinal);
}

std::size_t BlockIndex::gatherSlot(bool backward, int stage, int iteration, int ordinal) const {
    if (facts_.zero != ZeroStage::weights || gatherFirst_[at(stage)] == nowhere) return nowhere;
    return base(iteration) + gatherFirst_[at(stage)] + at(2 * ordinal) + (backward ? 1 : 0);
}

std::uint32_t BlockIndex::gatherBefore(bool backward, int stage, int iteration, int ordinal) const {
    return entry(gatherSlot(backward, stage, iteration, ordinal));
}

std::uint32_t BlockIndex::update(int stage, int iteration, int lane) const {
    const StageTable& table = stages_[at(stage)];
    return lane < table.updates ? table_[base(iteration) + table.firstUpdate + at(lane)] : noBlock;
}

std::uint32_t BlockIndex::gradientPass(int stage, int iteration, int lane) const {
    const StageTable& table = stages_[at(stage)];
    if (!facts_.passesOverGradients || lane >= table.updates) return noBlock;
    return table_[base(iteration) + table.firstUpdate + at(table.updates + lane)];
}

int BlockIndex::placesOf(BlockKind kind) const {
    const VocabularyFacts& facts = facts_.vocabulary;
    const bool ofEmbedding = kind == BlockKind::embeddingOutput || kind == BlockKind::embeddingReturn;
    if (!isOfVocabularyLink(kind) || !facts.isShared() || (ofEmbedding && !facts.hasEmbedding)) return 0;
    if (kind == BlockKind::headGradient && facts.passes == VocabularyPasses::oneBarrier) return 0;
    return facts.isInOrders(kind) ? static_cast<int>(facts_.stages.size()) : 1;
}

std::size_t BlockIndex::togetherAt(BlockKind kind, int iteration, int ordinal, int place) const {
    if (place >= placesOf(kind)) return nowhere;
    const auto row = std::find(togetherKinds.begin(), togetherKinds.end(), kind) - togetherKinds.begin();
    return base(iteration) + togetherFirst_ +
           (at(ordinal) * togetherKinds.size() + static_cast<std::size_t>(row)) * facts_.stages.size() +
           at(place);
}

std::uint32_t BlockIndex::together(BlockKind kind, int iteration, int ordinal, int place) const {
    return entry(togetherAt(kind, iteration, ordinal, place));
}

/// It is the last stage's, of whose output it is, or the first stage's.
std::size_t BlockIndex::togetherSlot(int lane, std::uint32_t block, int ordinal) {
    const BlockKind kind = timeline_.kind[block];
    const int places = placesOf(kind);
    const int stages = static_cast<int>(facts_.stages.size());
    const bool ofEmbedding = kind == BlockKind::embeddingOutput || kind == BlockKind::embeddingReturn;
    if (places == 0 || timeline_.stage[block] != (ofEmbedding ? 0 : stages - 1))
        return refuse(Rule::everyMicrobatchOnce, block, "the stage has none");
    int place = 0;
    if (facts_.vocabulary.isInOrders(kind)) {
        while (place < stages && stageLanes_[at(place)].front() != lane) ++place;
        if (place == stages || laneAt(lane).kind != LaneKind::compute)
            return refuse(Rule::deviceExclusive, block, "it is expected in the order of each device");
    } else {
        if (togetherLane_ < 0) togetherLane_ = lane;
        if (laneAt(lane).kind != LaneKind::allReduce || lane != togetherLane_ ||
            sorted(laneAt(lane).devices) != facts_.vocabulary.devices)
            return refuse(Rule::channelExclusive, block,
                          "it is expected on the one lane of " +
                              deviceNames(problem_, facts_.vocabulary.devices) + " together");
    }
    subject_[block] = -1;
    return togetherAt(kind, timeline_.iteration[block], ordinal, place);
}

void BlockIndex::reportMissingTogether(int iteration) {
    for (const BlockKind kind : togetherKinds)
        for (int ordinal = 0; ordinal < facts_.passesOf(0); ++ordinal)
            for (int place = 0; place < placesOf(kind); ++place)
                reportMissing(iteration, togetherAt(kind, iteration, ordinal, place),
                              Rule::everyMicrobatchOnce, kind, placesOf(kind) > 1 ? place : 0, ordinal);
}

std::size_t BlockIndex::refuse(Rule rule, std::uint32_t block, const std::string& reason) {
    report_.add(rule, block, [&] {
        return "The " + blockName(problem_, timeline_, block) + " at " + seconds(timeline_.startS[block]) +
               " has no place in the plan: " + reason + ".";
    });
    return nowhere;
}

void BlockIndex::addBlock(int lane, std::uint32_t block) {
    timeline_.eachPass(block, [&](const Pass& pass) { addPass(lane, block, pass); });
}

void BlockIndex::addPass(int lane, std::uint32_t block, const Pass& pass) {
    const std::size_t found = slotOf(lane, block, pass);
    if (found == nowhere) return;
    if (table_[found] == noBlock) {
        table_[found] = block;
        return;
    }
    subject_[block] = unplaced;
    report_.add(ruleOfCount(timeline_.kind[block]), block, [&] {
        return "The " + blockName(problem_, timeline_, block) + " at " + seconds(timeline_.startS[block]) +
               " comes a second time, after " + seconds(timeline_.startS[table_[found]]) + "; expected once.";
    });
}

std::size_t BlockIndex::slotOf(int lane, std::uint32_t block, const Pass& pass) {
    const BlockKind kind = pass.kind;
    const Rule rule = ruleOfCount(kind);
    const int stage = pass.stage, microbatch = pass.microbatch;
    if (stage < 0 || stage >= static_cast<int>(facts_.stages.size()))
        return refuse(rule, block, "the plan has " + std::to_string(facts_.stages.size()) + " stages");
    if (timeline_.iteration[block] < 0 || timeline_.iteration[block] >= iterations_)
        return refuse(rule, block,
                      "the timeline has blocks for iterations 0 to " + std::to_string(iterations_ - 1));
    if (isSync(kind) && !isOfPass(kind)) return syncSlot(block, 0);
    if (isOutOfTurn(kind)) return updateSlot(lane, block);
    if (kind == BlockKind::other) return refuse(rule, block, "plans have no such blocks");

    const int pipeline = facts_.stages[at(stage)].pipeline;
    if (microbatch < 0 || microbatch >= facts_.microbatches)
        return refuse(rule, block,
                      "an iteration has microbatches 0 to " + std::to_string(facts_.microbatches - 1));
    if (microbatch % facts_.pipelines != pipeline)
        return refuse(rule, block,
                      "microbatch " + std::to_string(microbatch) + " belongs to pipeline copy " +
                          std::to_string(microbatch % facts_.pipelines) + " and the stage to copy " +
                          std::to_string(pipeline));
    if (pass.slice < 0 || pass.slice >= facts_.slices)
        return refuse(rule, block,
                      "a microbatch has slices 0 to " + std::to_string(facts_.slices - 1) +
                          " and this is of " + std::to_string(pass.slice));
    const int ordinal = facts_.ordinalOf(microbatch, pass.slice);
    if (isSync(kind)) return syncSlot(block, ordinal);
    if (isOfVocabularyLink(kind)) return togetherSlot(lane, block, ordinal);
    return isTransfer(kind) ? transferSlot(lane, block, ordinal) : computeSlot(lane, block, pass, ordinal);
}

std::size_t BlockIndex::computeSlot(int lane, std::uint32_t block, const Pass& pass, int ordinal) {
    const BlockKind kind = pass.kind;
    const int stage = pass.stage, iteration = timeline_.iteration[block];
    const bool swap = kind == BlockKind::swapOut || kind == BlockKind::swapIn;
    if (columnOf(stages_[at(stage)], kind) < 0 ||
        (kind == BlockKind::inputGradient && !facts_.splitBackward) ||
        (kind == BlockKind::backward && !facts_.wholeBackward))
        return refuse(Rule::everyMicrobatchOnce, block,
                      "the stage has no " + std::string(blockKindName(kind)));
    if (swap && facts_.stages[at(stage)].evicts()) return evictionSlot(lane, block, pass, ordinal);
    const LaneKind expected = swap ? LaneKind::hostLink : LaneKind::compute;
    const int computeLane = swap ? computeLaneOfHostLink_[at(lane)] : lane;
    const std::vector<int>& lanes = stageLanes_[at(stage)];
    const bool roundRobin = facts_.stages[at(stage)].roundRobin;
    const auto own = roundRobin ? lanes.begin() + facts_.replicaOf(stage, iteration, ordinal)
                                : std::find(lanes.begin(), lanes.end(), computeLane);
    if (laneAt(lane).kind != expected || computeLane < 0 || own == lanes.end() || *own != computeLane)
        return refuse(
            Rule::deviceExclusive, block,
            "it is expected on " + deviceNames(problem_, facts_.stages[at(stage)].workers(
                                                             facts_.replicaOf(stage, iteration, ordinal))));
    subject_[block] = -1;
    return slot(kind, stage, iteration, ordinal, roundRobin ? 0 : static_cast<int>(own - lanes.begin()));
}

std::size_t BlockIndex::evictionSlot(int lane, std::uint32_t block, const Pass& pass, int ordinal) {
    const EvictionFacts& eviction = facts_.stages[at(pass.stage)].eviction;
    if (eviction.microbatches && !eviction.microbatches->contains(pass.microbatch))
        return refuse(Rule::everyMicrobatchOnce, block, "the order does not evict that microbatch");
    std::vector<int> ends = eviction.channel.from;
    ends.insert(ends.end(), eviction.channel.to.begin(), eviction.channel.to.end());
    if (laneAt(lane).kind != LaneKind::channel || sorted(laneAt(lane).devices) != sorted(ends))
        return refuse(Rule::channelExclusive, block,
                      "it is expected on the link between " + deviceNames(problem_, eviction.channel.from) +
                          " and " + deviceNames(problem_, eviction.channel.to));
    subject_[block] = -1;
    return slot(pass.kind, pass.stage, timeline_.iteration[block], ordinal, 0);
}

std::size_t BlockIndex::transferSlot(int lane, std::uint32_t block, int ordinal) {
    const bool gradient = timeline_.kind[block] == BlockKind::transferBackward;
    const int stage = timeline_.stage[block], iteration = timeline_.iteration[block];
    const double taken = timeline_.aloneS(block);
    // Two edges between the same devices share a lane: the one still open whose duration fits best is meant.
    std::size_t best = nowhere;
    double bestMiss = 0;
    int bestEdge = -1;
    for (const Candidate& candidate : candidates_[at(lane)]) {
        const EdgeFacts& edge = facts_.edges[at(candidate.edge)];
        const Channel& channel = edge.channels[at(candidate.channel)];
        if ((gradient ? edge.to : edge.from) != stage) continue;
        if (&facts_.channelOf(candidate.edge, iteration, ordinal) != &channel) continue;
        const std::size_t slot =
            base(iteration) + edgeFirst_[at(candidate.edge)] + at(2 * ordinal) + (gradient ? 1 : 0);
        const double miss = std::fabs(taken - (gradient ? channel.backwardS : channel.forwardS));
        const bool free = table_[slot] == noBlock;
        if (best != nowhere && (!free || (table_[best] == noBlock && bestMiss <= miss))) continue;
        best = slot;
        bestMiss = miss;
        bestEdge = candidate.edge;
    }
    if (best == nowhere)
        return refuse(Rule::channelExclusive, block,
                      "no transfer of that stage and microbatch runs on this lane");
    subject_[block] = bestEdge;
    return best;
}

/// Whether there is one for each pass, and not one an iteration.
bool BlockIndex::isOfPass(BlockKind kind) const {
    return kind == BlockKind::allGather
               ? facts_.zero == ZeroStage::weights
               : kind == BlockKind::reduceScatter && facts_.zero >= ZeroStage::gradients;
}

std::size_t BlockIndex::syncSlot(std::uint32_t block, int ordinal) {
    const BlockKind kind = timeline_.kind[block];
    const int stage = timeline_.stage[block], iteration = timeline_.iteration[block];
    const int group = facts_.periodic ? -1 : facts_.groupOf[at(stage)];
    const bool ofEach = kind == BlockKind::allGather && isOfPass(kind);
    if (group < 0 || (!ofEach && facts_.groups[at(group)].stages.front() != stage))
        return refuse(Rule::allReduceAfterBackward, block, "the stage needs none of its own");
    if ((kind == BlockKind::allReduce) != (facts_.zero == ZeroStage::off))
        return refuse(Rule::allReduceAfterBackward, block,
                      std::string("the setup has ZeRO ") + (facts_.zero == ZeroStage::off ? "off" : "on"));
    subject_[block] = group;
    if (ofEach) {
        const std::size_t first = gatherSlot(false, stage, iteration, ordinal);
        return table_[first] == noBlock ? first : first + 1;
    }
    return kind == BlockKind::reduceScatter ? scatterSlot(group, iteration, ordinal)
                                            : base(iteration) + groupFirst_[at(group)];
}

std::size_t BlockIndex::updateSlot(int lane, std::uint32_t block) {
    const int stage = timeline_.stage[block];
    const std::vector<int>& lanes = stageLanes_[at(stage)];
    const auto own = std::find(lanes.begin(), lanes.end(), lane);
    if (own == lanes.end() || facts_.periodic)
        return refuse(Rule::updateAfterAllReduce, block, "the stage is not updated there");
    const bool isPassOver = timeline_.kind[block] == BlockKind::gradientPass;
    if (isPassOver && !facts_.passesOverGradients)
        return refuse(ruleOfCount(timeline_.kind[block]), block, "the setup has no gradient passes");
    subject_[block] = -1;
    const StageTable& table = stages_[at(stage)];
    const int place = static_cast<int>(own - lanes.begin());
    return base(timeline_.iteration[block]) + table.firstUpdate +
           at(isPassOver ? table.updates + place : place);
}

void BlockIndex::reportMissing(int iteration, std::size_t slot, Rule rule, BlockKind kind, int stage,
                               int ordinal) {
    if (table_[slot] != noBlock) return;
    report_.add(rule, noBlock, [&] {
        std::string text = "Iteration " + std::to_string(iteration) + " lacks the " + blockKindName(kind);
        if (ordinal >= 0 && facts_.slices > 1) text += " of slice " + std::to_string(ordinal % facts_.slices);
        if (ordinal >= 0) text += " of microbatch " + std::to_string(facts_.microbatchOf(stage, ordinal));
        return text + " of stage " + std::to_string(stage) + " on " +
               deviceNames(problem_, facts_.stages[at(stage)].devices) + "; expected exactly one.";
    });
}

/// After a whole backward no weight gradient is; what a family evicts as it likes comes back.
bool BlockIndex::isDue(BlockKind kind, int stage, int iteration, int ordinal) const {
    const EvictionFacts& eviction = facts_.stages[at(stage)].eviction;
    const bool isLoad = kind == BlockKind::swapIn;
    if (eviction.lender >= 0 && (isLoad || kind == BlockKind::swapOut))
        return eviction.microbatches ? eviction.microbatches->contains(facts_.microbatchOf(stage, ordinal))
                                     : block(isLoad ? BlockKind::swapOut : BlockKind::swapIn, stage,
                                             iteration, ordinal) != noBlock;
    if (kind != BlockKind::weightGradient) return true;
    const std::uint32_t backward = block(BlockKind::backward, stage, iteration, ordinal);
    return backward == noBlock || timeline_.kind[backward] == BlockKind::inputGradient;
}

void BlockIndex::reportMissing() {
    for (int iteration = 0; iteration < iterations_; ++iteration) {
        for (int s = 0; s < static_cast<int>(stages_.size()); ++s) {
            const StageTable& table = stages_[at(s)];
            for (int ordinal = 0; ordinal < facts_.passesOf(s); ++ordinal)
                for (int kind = 0; kind < blockKindCount; ++kind)
                    if (table.column[at(kind)] >= 0 && isDue(BlockKind(kind), s, iteration, ordinal))
                        for (int lane = 0; lane < table.lanes; ++lane)
                            reportMissing(iteration, slot(BlockKind(kind), s, iteration, ordinal, lane),
                                          Rule::everyMicrobatchOnce, BlockKind(kind), s, ordinal);
            for (int lane = 0; lane < table.updates; ++lane)
                reportMissing(iteration, base(iteration) + table.firstUpdate + at(lane),
                              Rule::updateAfterAllReduce, BlockKind::update, s, -1);
            for (int lane = 0; facts_.passesOverGradients && lane < table.updates; ++lane)
                reportMissing(iteration, base(iteration) + table.firstUpdate + at(table.updates + lane),
                              ruleOfCount(BlockKind::gradientPass), BlockKind::gradientPass, s, -1);
        }
        for (std::size_t e = 0; e < facts_.edges.size(); ++e) {
            const EdgeFacts& edge = facts_.edges[e];
            for (int entry = 0; edge.transfers && entry < 2 * facts_.passesOf(edge.from); ++entry)
                reportMissing(iteration, base(iteration) + edgeFirst_[e] + at(entry),
                              Rule::everyMicrobatchOnce,
                              entry % 2 ? BlockKind::transferBackward : BlockKind::transferForward,
                              entry % 2 ? edge.to : edge.from, entry / 2);
        }
        if (!facts_.periodic) reportMissingSyncs(iteration);
        if (facts_.vocabulary.isShared()) reportMissingTogether(iteration);
    }
}

void BlockIndex::reportMissingSyncs(int iteration) {
    constexpr Rule rule = Rule::allReduceAfterBackward;
    for (std::size_t g = 0; g < facts_.groups.size(); ++g) {
        const std::vector<int>& stages = facts_.groups[g].stages;
        if (facts_.zero != ZeroStage::weights)
            reportMissing(iteration, base(iteration) + groupFirst_[g], rule,
                          facts_.zero == ZeroStage::off ? BlockKind::allReduce : BlockKind::allGather,
                          stages.front(), -1);
        for (int scatter = 0; scatter < scatterCount(static_cast<int>(g)); ++scatter)
            reportMissing(iteration, scatterSlot(static_cast<int>(g), iteration, scatter), rule,
                          BlockKind::reduceScatter, stages.front(),
                          isOfPass(BlockKind::reduceScatter) ? scatter : -1);
        for (const int s : stages)
            for (int pass = 0; facts_.zero == ZeroStage::weights && pass < 2 * facts_.passesOf(s); ++pass)
                reportMissing(iteration, gatherSlot(pass % 2 == 1, s, iteration, pass / 2), rule,
                              BlockKind::allGather, s, pass / 2);
    }
}

namespace {

/// Every pair has its second pass, and nothing else has.
bool pairsFit(const Timeline& timeline) {
    std::vector<std::uint32_t> blocks;
    for (std::uint32_t block = 0; block < timeline.blockCount(); ++block)
        if (timeline.kind[block] == BlockKind::pair) blocks.push_back(block);
    return std::equal(blocks.begin(), blocks.end(), timeline.pairs.begin(), timeline.pairs.end(),
                      [](std::uint32_t block, const PairedBackward& pair) { return block == pair.block; });
}

}  // namespace

bool checkShape(const Timeline& timeline, Report& report) {
    const std::size_t blocks = timeline.startS.size();
    const std::size_t slices = timeline.slice.empty() ? blocks : timeline.slice.size();
    for (const std::size_t entries : {timeline.endS.size(), timeline.kind.size(), timeline.stage.size(),
                                      timeline.microbatch.size(), timeline.iteration.size(), slices}) {
        if (entries == blocks) continue;
        report.add(Rule::everyMicrobatchOnce, noBlock, [&] {
            return "One of the timeline's columns has " + std::to_string(entries) + " entries; expected " +
                   std::to_string(blocks) + ", one per block.";
        });
        return false;
    }
    std::uint32_t next = 0;
    bool ordered = true;
    for (const Lane& lane : timeline.lanes) {
        ordered = ordered && lane.firstBlock == next && lane.endBlock >= next;
        next = lane.endBlock;
    }
    if (ordered && next == blocks && !pairsFit(timeline)) {
        report.add(Rule::everyMicrobatchOnce, noBlock, [&] {
            return "The timeline's " + std::to_string(timeline.pairs.size()) +
                   " backwards of pairs are not those of its pairs; expected one for each, in their order.";
        });
        return false;
    }
    if (ordered && next == blocks) return true;
    report.add(Rule::everyMicrobatchOnce, noBlock, [&] {
        return "The timeline's lanes do not divide its " + std::to_string(blocks) +
               " blocks among them; expected each to begin where the one before it ends.";
    });
    return false;
}

bool checkNumbers(const Problem& problem, const Timeline& timeline, Report& report) {
    bool finite = true;
    for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
        const double startS = timeline.startS[block], endS = timeline.endS[block];
        if (std::isfinite(startS) && std::isfinite(endS) && std::isfinite(endS - startS)) continue;
        finite = false;
        report.add(Rule::blockDuration, block, [&] {
            return "The " + blockName(problem, timeline, block) + " runs from " + seconds(startS) + " to " +
                   seconds(endS) + "; expected two finite instants.";
        });
    }
    return finite;
}

}  // namespace stagecraft::validation
