#include "core/validation/checks.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace stagecraft::validation {

namespace {

/// What a lane draws is one link, and one link is drawn on one lane: whoever reads a lane sees all that the
/// link does, one thing after the other.
class LaneCheck {
public:
    explicit LaneCheck(const Context& context) : context_(context) {}

    void run() {
        for (std::size_t index = 0; index < context_.timeline.lanes.size(); ++index) {
            const Lane& lane = context_.timeline.lanes[index];
            if (lane.kind == LaneKind::channel) checkEnds(index);
            if (lane.kind == LaneKind::hostLink && lane.blockCount() > 0)
                checkOnly(hostLinks_, sorted(lane.devices), index, lane.firstBlock);
            for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) {
                if (!context_.index.isPlaced(block)) continue;
                const BlockKind kind = context_.timeline.kind[block];
                if (isTransfer(kind) || context_.isEviction(block)) checkTransfer(index, block);
                if (isSync(kind)) checkAllReduce(index, block);
            }
        }
    }

private:
    using Ends = std::pair<std::vector<int>, std::vector<int>>;

    void refuse(std::uint32_t block, const std::string& expected) {
        context_.report.add(Rule::channelExclusive, block, [&] {
            return "The " + context_.name(block) + " at " + seconds(context_.start(block)) +
                   " is drawn on a lane of another link; expected " + expected + ".";
        });
    }

    /// The first block of a link says which lane is its own.
    template <typename Lanes, typename Link>
    void checkOnly(Lanes& laneOf, const Link& link, std::size_t lane, std::uint32_t block) {
        const auto own = laneOf.try_emplace(link, lane).first->second;
        if (own != lane) refuse(block, "lane " + std::to_string(own) + ", which has the others of its link");
    }

    /// From the stage that sends forward to the one that receives, or the other way: an eviction to an
    /// earlier stage begins with the latter.
    bool goesDown(std::uint32_t block) const {
        const bool isUpsideDown = context_.isEviction(block) &&
                                  context_.stageOf(block).eviction.lender < context_.timeline.stage[block];
        return context_.comesBack(block) != isUpsideDown;
    }

    /// A lane lists the devices of the stage that sends forward, then those of the one that receives, and
    /// names two stages that may transfer over it.
    void checkEnds(std::size_t index) {
        const Lane& lane = context_.timeline.lanes[index];
        std::uint32_t placed = lane.firstBlock;
        while (placed < lane.endBlock && !context_.index.isPlaced(placed)) ++placed;
        if (placed == lane.endBlock) return;
        const auto joins = [&](const Channel& channel) {
            const auto middle = lane.devices.begin() + static_cast<std::ptrdiff_t>(channel.from.size());
            return sorted({lane.devices.begin(), middle}) == sorted(channel.from) &&
                   sorted({middle, lane.devices.end()}) == sorted(channel.to);
        };
        for (const EdgeFacts& edge : context_.facts.edges)
            if (edge.from == lane.fromStage && edge.to == lane.toStage &&
                std::any_of(edge.channels.begin(), edge.channels.end(), [&](const Channel& channel) {
                    return channel.from.size() + channel.to.size() == lane.devices.size() && joins(channel);
                }))
                return;
        for (int stage = 0; stage < context_.stageCount(); ++stage) {
            const StageFacts& own = context_.facts.stages[static_cast<std::size_t>(stage)];
            const int lender = own.eviction.lender;
            Channel channel = own.eviction.channel;
            if (lender < stage) std::swap(channel.from, channel.to);
            if (own.evicts() && lane.fromStage == std::min(stage, lender) &&
                lane.toStage == std::max(stage, lender) &&
                channel.from.size() + channel.to.size() == lane.devices.size() && joins(channel))
                return;
        }
        refuse(placed, "the lane to name two stages that it joins, and the devices of either in order");
    }

    void checkTransfer(std::size_t index, std::uint32_t block) {
        const Lane& lane = context_.timeline.lanes[index];
        const bool down = goesDown(block), comesBack = context_.comesBack(block);
        const Direction other = down ? Direction::forward : Direction::backward;
        if (lane.direction == other)
            return refuse(block, down ? "one that carries gradients" : "one that carries activations");
        const Channel& channel = context_.channelOf(block);
        if (!seen_.emplace(index, &channel, comesBack).second) return;  // as the first of them
        Ends ends{sorted(channel.from), sorted(channel.to)};
        if (comesBack) std::swap(ends.first, ends.second);
        if (!context_.facts.fullDuplex && ends.second < ends.first) std::swap(ends.first, ends.second);
        checkOnly(channels_, ends, index, block);
        if (const auto first = linkOf_.try_emplace(index, ends).first; first->second != ends)
            refuse(block, context_.facts.fullDuplex ? "one lane for each direction of a full-duplex link"
                                                    : "one lane for each link");
    }

    std::vector<int> devicesOf(const GroupFacts& group) const {
        std::set<int> devices;
        for (const int stage : group.stages) {
            const std::vector<int>& own = context_.facts.stages[static_cast<std::size_t>(stage)].devices;
            devices.insert(own.begin(), own.end());
        }
        return {devices.begin(), devices.end()};
    }

    /// Of all that sum over the same devices the lane names the lowest stage.
    void checkAllReduce(std::size_t index, std::uint32_t block) {
        const Lane& lane = context_.timeline.lanes[index];
        const std::vector<GroupFacts>& groups = context_.facts.groups;
        const auto own = static_cast<std::size_t>(context_.index.subject(block));
        const std::vector<int> expected = devicesOf(groups[own]);
        int lowest = groups[own].stages.front();
        for (const GroupFacts& other : groups)
            if (other.stages.front() < lowest && devicesOf(other) == expected) lowest = other.stages.front();
        if (lane.kind != LaneKind::allReduce || sorted(lane.devices) != expected || lane.fromStage != lowest)
            return refuse(block, "the AllReduce lane of stage " + std::to_string(lowest) + " on " +
                                     deviceNames(context_.problem, expected));
        checkOnly(reductions_, expected, index, block);
    }

    const Context& context_;
    std::map<Ends, std::size_t> channels_;  // lanes by what they draw
    std::map<std::size_t, Ends> linkOf_;    // by lane
    std::set<std::tuple<std::size_t, const Channel*, bool>> seen_;
    std::map<std::vector<int>, std::size_t> reductions_, hostLinks_;  // by devices
};

}  // namespace

void checkLanes(const Context& context) { LaneCheck(context).run(); }

}  // namespace stagecraft::validation
