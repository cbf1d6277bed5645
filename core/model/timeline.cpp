#include "core/model/timeline.h"

#include <algorithm>
#include <cstdlib>

namespace stagecraft::model {

const PairedBackward* Timeline::pairedWith(std::uint32_t block) const {
    const auto found =
        std::lower_bound(pairs.begin(), pairs.end(), block,
                         [](const PairedBackward& each, std::uint32_t b) { return each.block < b; });
    return found != pairs.end() && found->block == block ? &*found : nullptr;
}

const SharedRun* Timeline::sharedRunOf(std::uint32_t block) const {
    const auto found =
        std::lower_bound(sharedRuns.begin(), sharedRuns.end(), block,
                         [](const SharedRun& each, std::uint32_t b) { return each.block < b; });
    return found != sharedRuns.end() && found->block == block ? &*found : nullptr;
}

double Timeline::aloneS(std::uint32_t block) const {
    const SharedRun* run = sharedRunOf(block);
    return run ? run->aloneS : durationS(block);
}

void Timeline::resize(std::uint32_t blocks) {
    startS.resize(blocks);
    endS.resize(blocks);
    kind.resize(blocks);
    stage.resize(blocks);
    microbatch.resize(blocks);
    iteration.resize(blocks);
    waitedFor.resize(blocks, noBlock);
    waitReason.resize(blocks);
    if (!slice.empty()) slice.resize(blocks);
    if (!label.empty()) label.resize(blocks, -1);
}

const char* Timeline::wordOf(std::uint32_t block) const {
    const int own = label.empty() ? -1 : label[block];
    return own < 0 ? blockKindName(kind[block]) : labels[static_cast<std::size_t>(own)].c_str();
}

void Timeline::setLabel(std::uint32_t block, const std::string& text) {
    const auto known = std::find(labels.begin(), labels.end(), text);
    if (label.empty()) label.assign(blockCount(), -1);
    label[block] = static_cast<std::int32_t>(known - labels.begin());
    if (known == labels.end()) labels.push_back(text);
}

int Timeline::laneOf(std::uint32_t block) const {
    // Lanes are in order of their blocks; an empty lane ends where it starts.
    const auto after = std::upper_bound(lanes.begin(), lanes.end(), block,
                                        [](std::uint32_t b, const Lane& lane) { return b < lane.endBlock; });
    return static_cast<int>(after - lanes.begin());
}

double Timeline::firstStartS() const {
    return startS.empty() ? 0 : *std::min_element(startS.begin(), startS.end());
}

double Timeline::lastEndS() const { return endS.empty() ? 0 : *std::max_element(endS.begin(), endS.end()); }

int Timeline::computeLaneOf(int device) const {
    for (std::size_t lane = 0; lane < lanes.size(); ++lane)
        if (lanes[lane].kind == LaneKind::compute &&
            std::find(lanes[lane].devices.begin(), lanes[lane].devices.end(), device) !=
                lanes[lane].devices.end())
            return static_cast<int>(lane);
    return -1;
}

std::uint32_t Timeline::find(BlockKind wanted, int ofStage, int ofMicrobatch, int ofIteration,
                             int ofSlice) const {
    for (std::uint32_t block = 0; block < blockCount(); ++block)
        if (stage[block] == ofStage && microbatch[block] == ofMicrobatch && iteration[block] == ofIteration &&
            (microbatch[block] < 0 || sliceOf(block) == ofSlice) &&
            (kind[block] == wanted || (givesGradient(kind[block]) && givesGradient(wanted)) ||
             (kind[block] == BlockKind::pair && wanted == BlockKind::forward)))
            return block;
    if (givesGradient(wanted))
        for (const PairedBackward& each : pairs)
            if (each.stage == ofStage && each.microbatch == ofMicrobatch &&
                iteration[each.block] == ofIteration)
                return each.block;
    return noBlock;
}

std::size_t Timeline::memoryBytes() const {
    return startS.capacity() * sizeof(double) + endS.capacity() * sizeof(double) + kind.capacity() +
           (stage.capacity() + microbatch.capacity() + iteration.capacity() + waitedFor.capacity() +
            slice.capacity() + label.capacity()) *
               4 +
           waitReason.capacity() + pairs.capacity() * sizeof(PairedBackward) +
           sharedRuns.capacity() * sizeof(SharedRun) + paces.capacity() * sizeof(Pace) +
           lanes.capacity() * sizeof(Lane);
}

namespace {

/// Who sends a transfer and who receives it. A channel between GPUs that hold several stages serves several
/// pairs of them: there the receiver is the nearest stage that computes at its other end.
std::pair<int, int> endsOf(const Timeline& timeline, const Lane& channel, std::uint32_t block) {
    const bool gradient =
        channel.direction == Direction::backward || timeline.kind[block] == BlockKind::transferBackward;
    const int from = gradient ? channel.toStage : channel.fromStage, sender = timeline.stage[block];
    const int to = gradient ? channel.fromStage : channel.toStage;
    if (sender == from) return {from, to};
    int nearest = -1;
    for (const Lane& lane : timeline.lanes) {
        if (lane.kind != LaneKind::compute ||
            std::none_of(lane.devices.begin(), lane.devices.end(), [&](int device) {
                return std::find(channel.devices.begin(), channel.devices.end(), device) !=
                       channel.devices.end();
            }))
            continue;
        for (std::uint32_t each = lane.firstBlock; each < lane.endBlock; ++each) {
            const int stage = timeline.stage[each];
            const bool beyond = gradient ? stage < sender : stage > sender;
            if (beyond && (nearest < 0 || std::abs(stage - sender) < std::abs(nearest - sender)))
                nearest = stage;
        }
    }
    return {sender, nearest < 0 ? to : nearest};
}

}  // namespace

std::string streamTitle(const Lane& stream) {
    const bool isNumber =
        std::ranges::all_of(stream.name, [](char letter) { return letter >= '0' && letter <= '9'; });
    if (!isNumber) return stream.name;
    return stream.name.empty() ? "stream" : "stream " + stream.name;
}

std::string describeBlock(const Timeline& timeline, std::uint32_t block) {
    if (const PairedBackward* backward = timeline.pairedWith(block))
        return "forward of microbatch " + std::to_string(timeline.microbatch[block]) + " on stage " +
               std::to_string(timeline.stage[block]) + " with the backward of microbatch " +
               std::to_string(backward->microbatch) + " on stage " + std::to_string(backward->stage);
    std::string text = timeline.wordOf(block);
    if (timeline.microbatch[block] >= 0 && !timeline.slice.empty())
        text += " of slice " + std::to_string(timeline.slice[block]);
    if (timeline.microbatch[block] >= 0)
        text += " of microbatch " + std::to_string(timeline.microbatch[block]);
    const Lane& lane = timeline.lanes[static_cast<std::size_t>(timeline.laneOf(block))];
    if (lane.kind == LaneKind::stream || timeline.stage[block] < 0) return text;
    if (lane.kind != LaneKind::channel) return text + " on stage " + std::to_string(timeline.stage[block]);
    const auto [from, to] = endsOf(timeline, lane, block);
    return text + " from stage " + std::to_string(from) + " to stage " + std::to_string(to);
}

}  // namespace stagecraft::model
