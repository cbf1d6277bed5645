#include "core/recordings/recorded_passes.h"

#include "core/base/indices.h"

#include <algorithm>

namespace stagecraft::recordings {

namespace {

bool hasPasses(const Timeline& timeline, const Lane& lane) {
    for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block)
        if (isPass(timeline.kind[block])) return true;
    return false;
}

}  // namespace

PassGroup groupOf(BlockKind kind) {
    switch (kind) {
        case BlockKind::forward:
            return PassGroup::forward;
        case BlockKind::backward:
            return PassGroup::backward;
        case BlockKind::inputGradient:
            return PassGroup::inputGradient;
        case BlockKind::weightGradient:
            return PassGroup::weightGradient;
        case BlockKind::recompute:
            return PassGroup::recompute;
        case BlockKind::pair:
            return PassGroup::pair;
        default:
            return PassGroup::other;
    }
}

RecordedPasses::RecordedPasses(const Recording& recording) : recording_(recording) {
    const Timeline& timeline = recording.timeline;
    for (std::size_t lane = 0; lane < timeline.lanes.size(); ++lane) {
        const Lane& own = timeline.lanes[lane];
        if (own.kind == LaneKind::compute && hasPasses(timeline, own))
            lanes_.push_back(static_cast<int>(lane));
        if (own.kind != LaneKind::compute && own.kind != LaneKind::channel) continue;
        for (std::uint32_t block = own.firstBlock; block < own.endBlock; ++block) {
            const BlockKind kind = timeline.kind[block];
            const int iteration = timeline.iteration[block];
            if (kind == BlockKind::transferForward || kind == BlockKind::transferBackward) {
                transfers_.try_emplace({kind == BlockKind::transferBackward, timeline.stage[block],
                                        timeline.microbatch[block], timeline.sliceOf(block), iteration},
                                       block);
            } else if (own.kind == LaneKind::compute) {
                timeline.eachPass(block, [&](const Pass& pass) {
                    if (pass.kind == BlockKind::forward || givesGradient(pass.kind))
                        passes_[{pass.kind != BlockKind::forward, pass.stage, pass.microbatch, pass.slice,
                                 iteration}]
                            .push_back(block);
                });
            }
        }
    }
    for (std::size_t i = 0; i < recording.iterations.size(); ++i)
        if (!recording.iterations[i].warmsUp && recording.iterations[i].endS > recording.iterations[i].startS)
            counted_.push_back(static_cast<int>(i));
}

std::uint32_t RecordedPasses::find(bool gradient, int stage, int microbatch, int slice, int iteration,
                                   int replica) const {
    const auto found = passes_.find({gradient, stage, microbatch, slice, iteration});
    if (found == passes_.end()) return noBlock;
    return found->second[std::min(at(replica), found->second.size() - 1)];
}

int RecordedPasses::replicaOf(int stage, std::uint32_t block) const {
    if (stage < 0 || stage >= recording_.stageCount()) return 0;
    const std::vector<int>& holders = recording_.stageDevices[at(stage)];
    if (holders.size() < 2) return 0;
    const Timeline& timeline = recording_.timeline;
    const int device = timeline.lanes[at(timeline.laneOf(block))].devices.front();
    const auto own = std::find(holders.begin(), holders.end(), device);
    return own == holders.end() ? 0 : static_cast<int>(own - holders.begin());
}

bool RecordedPasses::counts(int iteration) const {
    return std::binary_search(counted_.begin(), counted_.end(), iteration);
}

bool RecordedPasses::isOnLane(std::uint32_t block, int lane) const {
    const Lane& own = recording_.timeline.lanes[at(lane)];
    return block >= own.firstBlock && block < own.endBlock;
}

void RecordedPasses::takeLater(AwaitedInput& input, std::uint32_t producer, std::uint32_t transfer) const {
    const std::vector<double>& endS = recording_.timeline.endS;
    if (producer == noBlock) return;
    const auto cameS = [&](const AwaitedInput& each) {
        return endS[each.transfer == noBlock ? each.producer : each.transfer];
    };
    const AwaitedInput own{producer, transfer};
    if (input.producer == noBlock || cameS(own) > cameS(input)) input = own;
}

AwaitedInput RecordedPasses::recordedInput(std::uint32_t block) const {
    // What ran on its own lane had ended when that was free: it is why a pass waits only where nothing else
    // is.
    AwaitedInput sent, own;
    const Timeline& timeline = recording_.timeline;
    const int lane = timeline.laneOf(block);
    const auto take = [&](std::uint32_t producer, std::uint32_t transfer) {
        takeLater(isOnLane(producer, lane) ? own : sent, producer, transfer);
    };
    const auto kindOfLane = [&](std::uint32_t each) {
        return timeline.lanes[at(timeline.laneOf(each))].kind;
    };
    for (const std::uint32_t each : recording_.inputsOf(block)) {
        if (kindOfLane(each) == LaneKind::compute) take(each, noBlock);
        if (kindOfLane(each) != LaneKind::channel) continue;
        for (const std::uint32_t before : recording_.inputsOf(each))
            if (kindOfLane(before) == LaneKind::compute) take(before, each);
    }
    return sent.producer == noBlock ? own : sent;
}

AwaitedInput RecordedPasses::inputOf(std::uint32_t block) const {
    if (!recording_.firstInput.empty()) return recordedInput(block);
    AwaitedInput input;
    const Timeline& timeline = recording_.timeline;
    const int iteration = timeline.iteration[block];
    timeline.eachPass(block, [&](const Pass& pass) {
        const bool gradient = givesGradient(pass.kind);
        if (pass.kind != BlockKind::forward && !gradient) return;
        const int from = pass.stage + (gradient ? 1 : -1);
        const auto transfer = transfers_.find({gradient, from, pass.microbatch, pass.slice, iteration});
        const int replica = replicaOf(pass.stage, block);
        const std::uint32_t sent = find(gradient, from, pass.microbatch, pass.slice, iteration, replica);
        takeLater(input, sent, transfer == transfers_.end() ? noBlock : transfer->second);
        if (sent == noBlock && gradient)
            takeLater(input, find(false, pass.stage, pass.microbatch, pass.slice, iteration, replica),
                      noBlock);
    });
    return input.producer == block ? AwaitedInput{} : input;
}

void tellWaits(Recording& recording) {
    constexpr double touchingS = 2e-6;  // of clocks
    constexpr double smallGap = 0.05;   // of the pass: it followed what ran before it
    if (!recording.firstInput.empty()) return;
    const RecordedPasses passes(recording);
    Timeline& timeline = recording.timeline;
    const auto tell = [&](std::uint32_t block, std::uint32_t before, WaitReason reason) {
        if (before == noBlock || timeline.waitReason[block] != WaitReason::data ||
            timeline.endS[before] > timeline.startS[block] + touchingS ||
            timeline.startS[before] >= timeline.startS[block])
            return;
        timeline.waitedFor[block] = before;
        timeline.waitReason[block] = reason;
    };
    for (const int lane : passes.lanes()) {
        const Lane& own = timeline.lanes[at(lane)];
        for (std::uint32_t block = own.firstBlock; block < own.endBlock; ++block) {
            const AwaitedInput input = passes.inputOf(block);
            const std::uint32_t came = input.transfer == noBlock ? input.producer : input.transfer;
            const std::uint32_t before = block == own.firstBlock ? noBlock : block - 1;
            const bool follows =
                before != noBlock && (came == noBlock || timeline.endS[came] <= timeline.endS[before]) &&
                timeline.startS[block] - timeline.endS[before] <= smallGap * timeline.durationS(block);
            tell(block, follows ? before : came, follows ? WaitReason::lane : WaitReason::data);
            if (input.transfer != noBlock) tell(input.transfer, input.producer, WaitReason::data);
        }
    }
}

double medianOf(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

std::vector<std::array<RecordedTimes, passGroupCount>> passTimes(const RecordedPasses& passes) {
    return passTimes(passes, {});
}

std::vector<std::array<RecordedTimes, passGroupCount>> passTimes(const RecordedPasses& passes,
                                                                 const std::vector<int>& deviceOfStage) {
    const Timeline& timeline = passes.recording().timeline;
    std::vector<std::array<RecordedTimes, passGroupCount>> times(at(passes.recording().stageCount()));
    std::vector<std::array<std::vector<double>, passGroupCount>> seconds(times.size());
    for (const int lane : passes.lanes()) {
        const Lane& own = timeline.lanes[at(lane)];
        for (std::uint32_t block = own.firstBlock; block < own.endBlock; ++block)
            if (passes.counts(timeline.iteration[block]) && timeline.stage[block] >= 0 &&
                at(timeline.stage[block]) < seconds.size() &&
                (deviceOfStage.empty() || deviceOfStage[at(timeline.stage[block])] == own.devices.front()))
                seconds[at(timeline.stage[block])][static_cast<std::size_t>(groupOf(timeline.kind[block]))]
                    .push_back(timeline.durationS(block));
    }
    for (std::size_t stage = 0; stage < times.size(); ++stage)
        for (std::size_t group = 0; group < passGroupCount; ++group) {
            const std::vector<double>& own = seconds[stage][group];
            if (own.empty()) continue;
            const auto [least, most] = std::minmax_element(own.begin(), own.end());
            times[stage][group] = {static_cast<int>(own.size()), medianOf(own), *least, *most};
        }
    return times;
}

std::vector<TransferLag> transferLags(const RecordedPasses& passes) {
    const Timeline& timeline = passes.recording().timeline;
    struct Lags {
        std::vector<double> waited, sent;
        double leastS = infinity;
        int fromDevice = 0, toDevice = 0;
    };
    std::map<std::tuple<bool, int, int>, Lags> found;  // back, from, to
    for (const int lane : passes.lanes()) {
        const Lane& own = timeline.lanes[at(lane)];
        for (std::uint32_t block = own.firstBlock; block < own.endBlock; ++block) {
            if (!passes.counts(timeline.iteration[block]) || timeline.kind[block] == BlockKind::pair)
                continue;
            const auto [producer, transfer] = passes.inputOf(block);
            if (producer == noBlock || passes.isOnLane(producer, lane)) continue;
            const int from = timeline.stage[producer], to = timeline.stage[block];
            Lags& lags = found[{from > to, from, to}];
            const double lagS = timeline.startS[block] - timeline.endS[producer];
            lags.leastS = std::min(lags.leastS, lagS);
            if (transfer != noBlock) lags.sent.push_back(timeline.durationS(transfer));
            lags.fromDevice = timeline.lanes[at(timeline.laneOf(producer))].devices.front();
            lags.toDevice = own.devices.front();
            if (block == own.firstBlock || timeline.endS[block - 1] <= timeline.endS[producer])
                lags.waited.push_back(std::max(0.0, lagS));
        }
    }
    std::vector<TransferLag> lags;
    for (const auto& [key, each] : found) {
        const auto& [back, from, to] = key;
        lags.push_back({from, to, each.fromDevice, each.toDevice, static_cast<int>(each.waited.size()),
                        each.waited.empty() ? std::max(0.0, each.leastS) : medianOf(each.waited), each.leastS,
                        static_cast<int>(each.sent.size()), medianOf(each.sent)});
    }
    return lags;
}

}  // namespace stagecraft::recordings
