#include "core/formats/recordings/recording_builder.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/base/work_context.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace stagecraft::formats {

namespace {

constexpr double roundingS = 2e-6;  // of timers; what is closer together touches
constexpr double warmUpExcess = 1.03;
constexpr std::size_t longestLabel = 512;
constexpr std::size_t blocksBetweenLooks = 16384;  // at whether to stop

/// Lanes that compute come by their first device, others as they were added.
auto laneOrder(const Lane& lane) {
    const bool computes = lane.kind == LaneKind::compute && !lane.devices.empty();
    return std::pair(lane.kind, computes ? *std::min_element(lane.devices.begin(), lane.devices.end()) : 0);
}

}  // namespace

int RecordingBuilder::addLane(Lane lane) {
    lanes_.push_back(std::move(lane));
    return static_cast<int>(lanes_.size()) - 1;
}

int RecordingBuilder::computeLane(int device) {
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
        if (lanes_[lane].kind == LaneKind::compute && lanes_[lane].devices == std::vector{device})
            return static_cast<int>(lane);
    return addLane({LaneKind::compute, {device}});
}

void RecordingBuilder::throwIfStopped() const {
    if (stop_.stop_requested()) throw Cancelled();
}

std::uint32_t RecordingBuilder::add(int lane, RecordedBlock block) {
    if (blocks_.size() % blocksBetweenLooks == 0) throwIfStopped();
    anySlice_ = anySlice_ || block.slice >= 0;
    anyInput_ = anyInput_ || !block.inputs.empty();
    blocks_.push_back(std::move(block));
    laneOf_.push_back(lane);
    return static_cast<std::uint32_t>(blocks_.size()) - 1;
}

void RecordingBuilder::addInput(std::uint32_t block, std::uint32_t input) {
    anyInput_ = true;
    blocks_[block].inputs.push_back(input);
}

int RecordingBuilder::label(std::string_view text) {
    const auto [known, isNew] = labelNumbers_.try_emplace(std::string(text.substr(0, longestLabel)),
                                                          static_cast<int>(labels_.size()));
    if (isNew) labels_.push_back(known->first);
    return known->second;
}

std::vector<std::vector<std::uint32_t>> RecordingBuilder::sortedLanes() const {
    std::vector<std::vector<std::uint32_t>> lanes(lanes_.size());
    for (std::uint32_t block = 0; block < blocks_.size(); ++block) lanes[at(laneOf_[block])].push_back(block);
    for (std::vector<std::uint32_t>& lane : lanes) {
        throwIfStopped();
        std::stable_sort(lane.begin(), lane.end(), [&](std::uint32_t a, std::uint32_t b) {
            if (blocks_[a].startS != blocks_[b].startS) return blocks_[a].startS < blocks_[b].startS;
            return trimsOverlaps_ && blocks_[a].endS < blocks_[b].endS;
        });
    }
    return lanes;
}

void RecordingBuilder::place(Timeline& timeline, const std::vector<std::uint32_t>& lane, double firstS) {
    for (std::size_t i = 0; i < lane.size(); ++i) {
        if (i % blocksBetweenLooks == 0) throwIfStopped();
        const RecordedBlock& block = blocks_[lane[i]];
        const auto index = static_cast<std::uint32_t>(timeline.startS.size());
        placed_[lane[i]] = index;
        double endS = std::max(block.startS, block.endS);
        if (trimsOverlaps_ && i + 1 < lane.size() && blocks_[lane[i + 1]].startS < endS) {
            if (endS - blocks_[lane[i + 1]].startS > roundingS) ++overlapping_;
            endS = std::max(block.startS, blocks_[lane[i + 1]].startS);
        }
        timeline.startS.push_back(block.startS - firstS);
        timeline.endS.push_back(endS - firstS);
        timeline.kind.push_back(block.kind);
        timeline.stage.push_back(block.stage);
        timeline.microbatch.push_back(block.microbatch);
        timeline.iteration.push_back(block.iteration);
        timeline.waitedFor.push_back(noBlock);
        const bool touches = i > 0 && block.startS - timeline.endS[index - 1] - firstS <= roundingS;
        timeline.waitReason.push_back(block.startS - firstS <= roundingS ? WaitReason::start
                                      : touches                          ? WaitReason::lane
                                                                         : WaitReason::data);
        if (touches && timeline.waitReason.back() == WaitReason::lane) timeline.waitedFor.back() = index - 1;
        if (anySlice_) timeline.slice.push_back(block.slice);
        if (!labels_.empty()) timeline.label.push_back(block.label);
        if (block.kind == BlockKind::pair)
            timeline.pairs.push_back({index, block.backwardStage, block.backwardMicrobatch});
    }
}

void RecordingBuilder::placeInputs(Recording& recording) const {
    if (!anyInput_) return;
    std::vector<std::vector<std::uint32_t>> inputs(blocks_.size());
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
        if (block % blocksBetweenLooks == 0) throwIfStopped();
        for (const std::uint32_t input : blocks_[block].inputs)
            inputs[placed_[block]].push_back(placed_[input]);
    }
    recording.firstInput.push_back(0);
    for (std::vector<std::uint32_t>& each : inputs) {
        if (recording.firstInput.size() % blocksBetweenLooks == 0) throwIfStopped();
        std::sort(each.begin(), each.end());
        each.erase(std::unique(each.begin(), each.end()), each.end());
        recording.inputs.insert(recording.inputs.end(), each.begin(), each.end());
        recording.firstInput.push_back(static_cast<std::uint32_t>(recording.inputs.size()));
    }
}

/// A block that its lane did not keep waited for the last of its inputs.
void RecordingBuilder::tellWaits(Recording& recording) const {
    Timeline& timeline = recording.timeline;
    for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
        if (block % blocksBetweenLooks == 0) throwIfStopped();
        if (timeline.waitReason[block] != WaitReason::data) continue;
        std::uint32_t& last = timeline.waitedFor[block];
        for (const std::uint32_t input : recording.inputsOf(block))
            if (last == noBlock || timeline.endS[input] > timeline.endS[last]) last = input;
    }
}

Recording RecordingBuilder::finish(Recording recording) {
    const std::vector<std::vector<std::uint32_t>> sorted = sortedLanes();
    std::vector<std::size_t> order(lanes_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return laneOrder(lanes_[a]) < laneOrder(lanes_[b]);
    });
    double firstS = infinity;
    for (const RecordedBlock& block : blocks_) firstS = std::min(firstS, block.startS);
    for (const RecordedIteration& each : recording.iterations) firstS = std::min(firstS, each.startS);
    if (firstS == infinity) firstS = 0;
    Timeline& timeline = recording.timeline;
    timeline = {};
    placed_.assign(blocks_.size(), 0);
    std::map<int, std::set<int>> devices;  // by stage
    for (const std::size_t index : order) {
        Lane lane = lanes_[index];
        lane.firstBlock = static_cast<std::uint32_t>(timeline.startS.size());
        place(timeline, sorted[index], firstS);
        lane.endBlock = static_cast<std::uint32_t>(timeline.startS.size());
        if (lane.kind == LaneKind::compute)
            for (const std::uint32_t block : sorted[index])
                if (blocks_[block].stage >= 0 && isPass(blocks_[block].kind))
                    devices[blocks_[block].stage].insert(lane.devices.begin(), lane.devices.end());
        timeline.lanes.push_back(std::move(lane));
    }
    timeline.labels = labels_;
    placeInputs(recording);
    if (anyInput_) tellWaits(recording);
    if (recording.stageDevices.empty() && !devices.empty()) {
        recording.stageDevices.resize(at(devices.rbegin()->first) + 1);
        for (const auto& [stage, held] : devices)
            recording.stageDevices[at(stage)] = {held.begin(), held.end()};
    }
    for (RecordedIteration& each : recording.iterations) each.startS -= firstS, each.endS -= firstS;
    for (RecordedSeries& series : recording.series)
        for (double& time : series.timeS) time -= firstS;
    if (recording.iterations.empty()) recording.iterations = iterationsOf(timeline);
    markWarmUps(recording.iterations);
    if (overlapping_ > 0)
        recording.report.assumed.push_back(counted(overlapping_, "block") +
                                           (overlapping_ == 1 ? " overlaps" : " overlap") +
                                           " the next one of the same lane and " +
                                           (overlapping_ == 1 ? "is" : "are") + " shown as far as that one.");
    return recording;
}

void numberIterations(std::vector<RecordedBlock>& passes) {
    std::map<std::tuple<int, int, int>, int> begun;  // by stage, microbatch, slice
    std::map<std::pair<int, int>, int> lastOf;       // stage, microbatch of a pair's backward
    int latest = -1;
    for (RecordedBlock& pass : passes) {
        const std::tuple key(pass.stage, pass.microbatch, pass.slice);
        if (pass.kind == BlockKind::forward || pass.kind == BlockKind::pair) {
            const auto [known, isNew] = begun.try_emplace(key, -1);
            pass.iteration = ++known->second;
            latest = std::max(latest, pass.iteration);
        } else if (pass.microbatch < 0) {
            pass.iteration = latest;
        } else {
            const auto known = begun.find(key);
            pass.iteration = known == begun.end() ? -1 : known->second;
        }
    }
}

std::vector<RecordedIteration> iterationsOf(const Timeline& timeline) {
    std::map<int, RecordedIteration> found;
    for (const Lane& lane : timeline.lanes) {
        if (lane.kind != LaneKind::compute) continue;
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) {
            if (timeline.iteration[block] < 0 || timeline.kind[block] == BlockKind::other) continue;
            const auto [each, isNew] = found.try_emplace(
                timeline.iteration[block], RecordedIteration{timeline.startS[block], timeline.endS[block]});
            each->second.startS = std::min(each->second.startS, timeline.startS[block]);
            each->second.endS = std::max(each->second.endS, timeline.endS[block]);
        }
    }
    std::vector<RecordedIteration> iterations;
    for (const auto& [number, each] : found) {
        // One that has no block of its own would shift the others' numbers.
        while (static_cast<int>(iterations.size()) < number) iterations.push_back({each.startS, each.startS});
        iterations.push_back(each);
    }
    return iterations;
}

void markWarmUps(std::vector<RecordedIteration>& iterations) {
    if (iterations.size() < 2) return;
    std::vector<double> lengths;
    for (const RecordedIteration& each : iterations) lengths.push_back(each.endS - each.startS);
    std::vector<double> sorted = lengths;
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2),
                     sorted.end());
    const double median = sorted[sorted.size() / 2];
    for (std::size_t i = 0; i + 1 < iterations.size() && lengths[i] > warmUpExcess * median; ++i)
        iterations[i].warmsUp = true;
}

Cluster clusterOfRanks(int ranks) {
    Cluster cluster;
    cluster.name = counted(ranks, "rank");
    cluster.source = "a recording";
    for (int rank = 0; rank < ranks; ++rank)
        cluster.devices.push_back({"rank" + std::to_string(rank), "", "", 0, 1, 0});
    return cluster;
}

}  // namespace stagecraft::formats
