#include "core/validation/checks.h"

#include <algorithm>
#include <map>

namespace stagecraft::validation {

namespace {

/// No two blocks of `blocks` at once. Blocks without length never conflict.
void checkOneAtATime(const Context& context, std::vector<std::uint32_t>& blocks, Rule rule,
                     const std::string& resource) {
    std::erase_if(blocks, [&](std::uint32_t block) { return !(context.end(block) > context.start(block)); });
    const auto earlier = [&](std::uint32_t a, std::uint32_t b) {
        return context.start(a) < context.start(b);
    };
    if (!std::is_sorted(blocks.begin(), blocks.end(), earlier))
        std::stable_sort(blocks.begin(), blocks.end(), earlier);
    std::uint32_t latest = noBlock;  // of those so far, the one to end last
    for (std::uint32_t block : blocks) {
        if (latest != noBlock && isBefore(context.start(block), context.end(latest)))
            context.report.add(rule, block, [&] {
                return "The " + context.name(block) + " starts at " + seconds(context.start(block)) +
                       " while the " + context.name(latest) + " runs until " + seconds(context.end(latest)) +
                       "; expected " + resource + " to do one thing at a time.";
            });
        if (latest == noBlock || context.end(block) > context.end(latest)) latest = block;
    }
}

void checkEachLane(const Context& context) {
    std::vector<std::uint32_t> blocks;
    for (const Lane& lane : context.timeline.lanes) {
        if (lane.kind == LaneKind::channel) continue;
        blocks.clear();
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) blocks.push_back(block);
        if (lane.kind == LaneKind::compute)
            checkOneAtATime(context, blocks, Rule::deviceExclusive,
                            deviceNames(context.problem, lane.devices));
        else
            checkOneAtATime(context, blocks, Rule::channelExclusive,
                            "the link of " + deviceNames(context.problem, lane.devices));
    }
}

/// A channel is known by the devices at its ends, whichever lane or stages use it.
void checkChannels(const Context& context) {
    using Ends = std::pair<std::vector<int>, std::vector<int>>;
    const bool fullDuplex = context.facts.fullDuplex;
    std::map<Ends, int> numbers;
    std::map<std::pair<const Channel*, bool>, int> numberOf;
    std::vector<std::vector<std::uint32_t>> blocks;
    for (std::size_t l = 0; l < context.timeline.lanes.size(); ++l) {
        const Lane& lane = context.timeline.lanes[l];
        if (lane.kind != LaneKind::channel) continue;
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) {
            if (!context.index.isPlaced(block)) continue;
            const bool comesBack = context.comesBack(block);
            const Channel& channel = context.channelOf(block);
            const auto [known, isNew] = numberOf.try_emplace({&channel, comesBack}, 0);
            if (isNew) {
                Ends ends{channel.from, channel.to};
                if (comesBack) std::swap(ends.first, ends.second);
                if (!fullDuplex && ends.second < ends.first) std::swap(ends.first, ends.second);
                known->second =
                    numbers.try_emplace(std::move(ends), static_cast<int>(numbers.size())).first->second;
                blocks.resize(numbers.size());
            }
            blocks[static_cast<std::size_t>(known->second)].push_back(block);
        }
    }
    for (const auto& [ends, number] : numbers)
        checkOneAtATime(
            context, blocks[static_cast<std::size_t>(number)], Rule::channelExclusive,
            "the " + std::string(fullDuplex ? "full-duplex channel from " : "half-duplex channel between ") +
                deviceNames(context.problem, ends.first) + (fullDuplex ? " to " : " and ") +
                deviceNames(context.problem, ends.second));
}

}  // namespace

void checkExclusive(const Context& context) {
    checkEachLane(context);
    checkChannels(context);
}

}  // namespace stagecraft::validation
