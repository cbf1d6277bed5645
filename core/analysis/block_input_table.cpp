#include "core/analysis/block_input_table.h"

#include <algorithm>

namespace stagecraft::analysis {
namespace {

/// `visit(input, block)` for each pair of which the second waits for the first.
template <typename Visit>
void forEachInput(const BlockGraph& graph, const std::vector<int>& laneOf, Visit visit) {
    for (std::uint32_t task = 0; task < graph.taskCount(); ++task) {
        const std::uint32_t input = graph.blockOf(task);
        if (input == noBlock) continue;
        graph.forEachSuccessor(task, [&](std::uint32_t next, bool fromStart) {
            if (fromStart || next >= graph.taskCount()) return;
            graph.forEachBlock(next, [&](std::uint32_t block) {
                if (laneOf[block] != laneOf[input]) visit(input, block);
            });
        });
    }
}

std::vector<int> lanesOf(const Timeline& timeline) {
    std::vector<int> lanes(timeline.blockCount());
    for (std::size_t lane = 0; lane < timeline.lanes.size(); ++lane)
        std::fill(lanes.begin() + timeline.lanes[lane].firstBlock,
                  lanes.begin() + timeline.lanes[lane].endBlock, static_cast<int>(lane));
    return lanes;
}

}  // namespace

BlockInputTable::BlockInputTable(const BlockGraph& graph)
    : first_(std::size_t{graph.timeline().blockCount()} + 1) {
    const std::vector<int> lanes = lanesOf(graph.timeline());
    forEachInput(graph, lanes, [&](std::uint32_t, std::uint32_t block) { ++first_[block + 1]; });
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    inputs_.resize(first_.back());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    forEachInput(graph, lanes,
                 [&](std::uint32_t input, std::uint32_t block) { inputs_[next[block]++] = input; });
    for (std::uint32_t block = 0; block < graph.timeline().blockCount(); ++block)
        std::sort(inputs_.begin() + static_cast<std::ptrdiff_t>(first_[block]),
                  inputs_.begin() + static_cast<std::ptrdiff_t>(first_[block + 1]));
}

}  // namespace stagecraft::analysis
