#include "core/simulation/block_graph.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::simulation {

namespace {

bool holds(const std::vector<int>& lanes, int lane) {
    return std::find(lanes.begin(), lanes.end(), lane) != lanes.end();
}

}  // namespace

BlockGraph::BlockGraph(std::shared_ptr<const TaskGraph> graph, const Timeline& timeline)
    : timeline_(timeline), graph_(std::move(graph)) {
    placeBlocks();
    joinLanes();
    findPrefetches();
    findCrossings();
}

std::uint32_t BlockGraph::taskAt(int index, std::uint32_t block) const {
    return taskAt(index, block,
                  {timeline_.kind[block], timeline_.stage[block], timeline_.microbatch[block],
                   timeline_.sliceOf(block)});
}

std::uint32_t BlockGraph::taskAt(int index, std::uint32_t block, const Pass& pass) const {
    const TaskRow& row = graph_->rows[static_cast<std::size_t>(index)];
    const std::uint32_t first =
        row.firstTask + static_cast<std::uint32_t>(timeline_.iteration[block]) * row.perIteration;
    if (row.firstMicrobatch < 0) return first;
    if (!row.microbatches.empty()) {
        const auto own = std::lower_bound(row.microbatches.begin(), row.microbatches.end(), pass.microbatch);
        return first + static_cast<std::uint32_t>(own - row.microbatches.begin());
    }
    const auto ordinal =
        static_cast<std::uint32_t>((pass.microbatch - row.firstMicrobatch) / row.microbatchStep);
    return first + ordinal * row.slices + static_cast<std::uint32_t>(pass.slice);
}

int BlockGraph::rowOf(std::uint32_t task) const { return graph_->taskOf(task).row; }

std::uint32_t BlockGraph::blockOf(std::uint32_t task) const { return blocks_[slotOf(rowOf(task), task)]; }

void BlockGraph::placeBlocks() {
    std::size_t slots = 0;
    for (const TaskRow& row : graph_->rows) {
        std::size_t widest = 1;
        for (const TaskVariant& variant : row.variants) widest = std::max(widest, variant.lanes.size());
        width_.push_back(static_cast<std::uint32_t>(widest));
        firstSlot_.push_back(slots);
        slots += widest * row.perIteration * static_cast<std::size_t>(graph_->iterations);
    }
    blocks_.assign(slots, noBlock);
    taskOf_.assign(timeline_.blockCount(), 0);
    for (std::size_t lane = 0; lane < timeline_.lanes.size(); ++lane) {
        std::vector<int> rows;
        for (std::size_t row = 0; row < graph_->rows.size(); ++row)
            for (const TaskVariant& variant : graph_->rows[row].variants)
                if (holds(variant.lanes, static_cast<int>(lane))) {
                    rows.push_back(static_cast<int>(row));
                    break;
                }
        const Lane& range = timeline_.lanes[lane];
        for (std::uint32_t block = range.firstBlock; block < range.endBlock; ++block) {
            const int own = rowAt(rows, block);
            const std::uint32_t task = taskOf_[block] = taskAt(own, block);
            std::size_t slot = slotOf(own, task);
            while (blocks_[slot] != noBlock) ++slot;
            blocks_[slot] = block;
            noteMembers(rows, own, block);
        }
    }
    std::sort(heads_.begin(), heads_.end());
    heads_.erase(std::unique(heads_.begin(), heads_.end()), heads_.end());
    for (const auto& [task, head] : heads_) members_.emplace_back(head, task);
    std::sort(members_.begin(), members_.end());
}

/// Transfers from a stage to several on the same devices are on one lane, and what is gathered for a
/// microbatch's forward and for its backward: the one still open that lasts as long is meant.
int BlockGraph::rowAt(const std::vector<int>& rows, std::uint32_t block) const {
    const BlockKind kind = timeline_.kind[block];
    const bool several = kind == BlockKind::transferForward || kind == BlockKind::transferBackward ||
                         kind == BlockKind::allGather;
    int best = -1;
    double bestMissS = 0;
    for (const int row : rows) {
        const TaskRow& each = graph_->rows[static_cast<std::size_t>(row)];
        if (each.stage != timeline_.stage[block] || !runsRow(timeline_, block, each)) continue;
        if (!several) return row;
        const std::uint32_t task = taskAt(row, block);
        const double missS =
            std::abs(graph_->variant(each, task - each.firstTask).durationS - timeline_.durationS(block));
        if (blocks_[slotOf(row, task)] != noBlock || (best >= 0 && bestMissS <= missS)) continue;
        best = row;
        bestMissS = missS;
    }
    return best;
}

/// A pair, or a whole backward where others are split.
void BlockGraph::noteMembers(const std::vector<int>& rows, int head, std::uint32_t block) {
    const BlockKind kind = timeline_.kind[block];
    if (kind != BlockKind::pair &&
        (kind != BlockKind::backward ||
         graph_->rows[static_cast<std::size_t>(head)].kind != BlockKind::inputGradient))
        return;
    for (const int row : rows)
        if (Pass pass;
            row != head && runsRow(timeline_, block, graph_->rows[static_cast<std::size_t>(row)], &pass))
            heads_.emplace_back(taskAt(row, block, pass), taskAt(head, block));
}

std::uint32_t BlockGraph::headOf(std::uint32_t task) const {
    const auto found = std::lower_bound(heads_.begin(), heads_.end(), std::pair(task, 0u));
    return found != heads_.end() && found->first == task ? found->second : task;
}

void BlockGraph::joinLanes() {
    nextOnLane_.assign(timeline_.blockCount(), noBlock);
    for (const Lane& lane : timeline_.lanes) {
        std::uint32_t after = noBlock;
        for (std::uint32_t block = lane.endBlock; block-- > lane.firstBlock;) {
            if (isOutOfTurn(timeline_.kind[block])) continue;
            nextOnLane_[block] = after;
            after = block;
        }
    }
}

void BlockGraph::findPrefetches() {
    for (const Wait& start : graph_->starts) prefetches_.emplace_back(headOf(start.before), start.after);
    std::sort(prefetches_.begin(), prefetches_.end());
}

void BlockGraph::findCrossings() {
    for (const Lane& lane : timeline_.lanes) {
        if (lane.kind != LaneKind::hostLink) continue;
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block)
            if (const std::uint32_t before = timeline_.waitedFor[block];
                before != noBlock && timeline_.waitReason[block] == WaitReason::lane &&
                (before < lane.firstBlock || before >= lane.endBlock))
                crossings_.emplace_back(taskOf_[before], taskOf_[block]);
    }
    std::sort(crossings_.begin(), crossings_.end());
}

std::pair<std::uint32_t, WaitReason> BlockGraph::decisive(std::uint32_t block) const {
    std::pair last{noBlock, timeline_.waitReason[block]};
    forEachBlock(taskOf_[block], [&](std::uint32_t each) {
        const std::uint32_t before = timeline_.waitedFor[each];
        if (before == noBlock || timeline_.waitReason[each] == WaitReason::pattern) return;
        if (last.first == noBlock || timeline_.endS[before] > timeline_.endS[last.first])
            last = {before, timeline_.waitReason[each]};
    });
    return last;
}

std::vector<double> slacksS(const BlockGraph& graph) {
    const Timeline& timeline = graph.timeline();
    const double endS = timeline.lastEndS(), rounding = 1e-9 * endS;
    const std::uint32_t nodes = graph.nodeCount();
    std::vector<std::uint32_t> waitsFor(nodes, 0), order;
    for (std::uint32_t node = 0; node < nodes; ++node)
        graph.forEachSuccessor(node, [&](std::uint32_t next, bool) { ++waitsFor[next]; });
    order.reserve(nodes);
    for (std::uint32_t node = 0; node < nodes; ++node)
        if (waitsFor[node] == 0) order.push_back(node);
    for (std::size_t done = 0; done < order.size(); ++done)
        graph.forEachSuccessor(order[done], [&](std::uint32_t next, bool) {
            if (--waitsFor[next] == 0) order.push_back(next);
        });

    std::vector<double> latestStartS(nodes, endS), slack(timeline.blockCount(), 0);
    for (auto node = order.rbegin(); node != order.rend(); ++node) {
        const std::uint32_t block = *node < graph.taskCount() ? graph.blockOf(*node) : noBlock;
        const double durationS = block == noBlock ? 0 : timeline.durationS(block);
        double latestEndS = endS;
        graph.forEachSuccessor(*node, [&](std::uint32_t next, bool fromStart) {
            latestEndS = std::min(latestEndS, latestStartS[next] + (fromStart ? durationS : 0));
        });
        latestStartS[*node] = latestEndS - durationS;
        if (block == noBlock) continue;
        const double own = latestEndS - timeline.endS[block];
        graph.forEachBlock(*node, [&](std::uint32_t each) { slack[each] = own <= rounding ? 0 : own; });
    }
    return slack;
}

}  // namespace stagecraft::simulation
