#pragma once

#include "core/simulation/execution_graph.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace stagecraft::simulation {

/// Which blocks of a timeline have to wait for which: for data, barriers and versions of weights as the plan
/// says, and on every lane in the order in which the timeline has them. Blocks that are on several lanes at
/// once are one task; what is one block of several tasks is known as the first of them. Refers to the
/// timeline, which must outlive it.
class BlockGraph {
public:
    /// @param graph that the timeline was run by
    BlockGraph(std::shared_ptr<const TaskGraph> graph, const Timeline& timeline);

    const Timeline& timeline() const { return timeline_; }
    std::uint32_t taskCount() const { return graph_->taskCount; }
    std::uint32_t taskOf(std::uint32_t block) const { return taskOf_[block]; }
    /// A block of the task; noBlock for a task that the timeline does not have.
    std::uint32_t blockOf(std::uint32_t task) const;
    /// `visit(block)` for each of the task's lanes.
    template <typename Visit>
    void forEachBlock(std::uint32_t task, Visit visit) const;

    /// Tasks come first, then a barrier after each iteration.
    std::uint32_t nodeCount() const { return taskCount() + static_cast<std::uint32_t>(graph_->iterations); }
    /// `visit(node, fromStart)`: the node may start once this one has ended, or, with `fromStart`, started.
    template <typename Visit>
    void forEachSuccessor(std::uint32_t node, Visit visit) const;

    /// What the block's task waited for last, and why: over all of its lanes, so that it ends when the block
    /// starts. noBlock where the block waited for nothing or for its turn in a pattern.
    std::pair<std::uint32_t, WaitReason> decisive(std::uint32_t block) const;

private:
    using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

    void placeBlocks();
    /// Of a block of several tasks, `head` the first: notes the others.
    void noteMembers(const std::vector<int>& rows, int head, std::uint32_t block);
    /// Itself, or the first of the tasks that are one block with it.
    std::uint32_t headOf(std::uint32_t task) const;
    template <typename Visit>
    void forEachSuccessorOf(std::uint32_t task, Visit visit) const;
    void joinLanes();
    void findPrefetches();
    void findCrossings();
    std::uint32_t taskAt(int row, std::uint32_t block) const;
    std::uint32_t taskAt(int row, std::uint32_t block, const Pass& pass) const;
    /// Of a lane's rows that which the block is an entry of.
    int rowAt(const std::vector<int>& rows, std::uint32_t block) const;
    int rowOf(std::uint32_t task) const;
    std::uint32_t widthOf(int row) const { return width_[static_cast<std::size_t>(row)]; }
    std::size_t slotOf(int row, std::uint32_t task) const {
        return firstSlot_[static_cast<std::size_t>(row)] +
               std::size_t{task - graph_->rows[static_cast<std::size_t>(row)].firstTask} * widthOf(row);
    }
    template <typename Visit>
    void forEachEntry(int row, std::uint32_t iteration, Visit visit) const;
    template <typename Visit>
    static void forEachPair(const Pairs& pairs, std::uint32_t from, Visit visit);

    const Timeline& timeline_;
    std::shared_ptr<const TaskGraph> graph_;
    std::vector<std::uint32_t> width_;       ///< by row: on how many lanes its tasks are at most
    std::vector<std::size_t> firstSlot_;     ///< by row, in blocks_
    std::vector<std::uint32_t> blocks_;      ///< by task and lane; noBlock
    std::vector<std::uint32_t> taskOf_;      ///< by block
    Pairs heads_;                            ///< task that is not the first of its block, and that one
    Pairs members_;                          ///< the other way round
    std::vector<std::uint32_t> nextOnLane_;  ///< by block: the next that takes a turn; noBlock
    Pairs prefetches_;                       ///< task, swap-in that may start once it has started
    Pairs crossings_;                        ///< transfer, swap that it kept from starting
};

// ---- inline ----

template <typename Visit>
void BlockGraph::forEachBlock(std::uint32_t task, Visit visit) const {
    const int row = rowOf(task);
    const std::size_t slot = slotOf(row, task);
    for (std::uint32_t lane = 0; lane < widthOf(row); ++lane)
        if (blocks_[slot + lane] != noBlock) visit(blocks_[slot + lane]);
}

template <typename Visit>
void BlockGraph::forEachEntry(int row, std::uint32_t iteration, Visit visit) const {
    if (iteration >= static_cast<std::uint32_t>(graph_->iterations)) return;
    const TaskRow& own = graph_->rows[static_cast<std::size_t>(row)];
    for (std::uint32_t entry = 0; entry < own.perIteration; ++entry)
        visit(own.firstTask + iteration * own.perIteration + entry, false);
}

template <typename Visit>
void BlockGraph::forEachPair(const Pairs& pairs, std::uint32_t from, Visit visit) {
    for (auto it = std::lower_bound(pairs.begin(), pairs.end(), std::pair(from, 0u));
         it != pairs.end() && it->first == from; ++it)
        visit(it->second);
}

template <typename Visit>
void BlockGraph::forEachSuccessor(std::uint32_t node, Visit visit) const {
    if (heads_.empty()) return forEachSuccessorOf(node, visit);
    if (headOf(node) != node) return;
    const auto ofBlock = [&](std::uint32_t next, bool fromStart) {
        if (headOf(next) != node) visit(headOf(next), fromStart);
    };
    forEachSuccessorOf(node, ofBlock);
    forEachPair(members_, node, [&](std::uint32_t member) { forEachSuccessorOf(member, ofBlock); });
}

template <typename Visit>
void BlockGraph::forEachSuccessorOf(std::uint32_t node, Visit visit) const {
    if (node >= taskCount()) {
        const std::uint32_t iteration = node - taskCount() + 1;
        for (std::size_t row = 0; row < graph_->rows.size(); ++row)
            if (graph_->rows[row].waitsForBarrier) forEachEntry(static_cast<int>(row), iteration, visit);
        return;
    }
    const int index = rowOf(node);
    const TaskRow& row = graph_->rows[static_cast<std::size_t>(index)];
    const std::uint32_t entry = node - row.firstTask, iteration = entry / row.perIteration;
    for (const int next : row.next) visit(graph_->taskId({next, entry}), false);
    if (const auto next = row.nextSlice(entry)) visit(graph_->taskId({index, *next}), false);
    for (const int gatherer : row.gatheredBy) visit(graph_->taskId({gatherer, iteration}), false);
    for (const int reader : row.readBy) forEachEntry(reader, iteration + 2, visit);
    if (row.outOfTurn) return visit(taskCount() + iteration, false);
    forEachBlock(node, [&](std::uint32_t block) {
        if (nextOnLane_[block] != noBlock) visit(taskOf_[nextOnLane_[block]], false);
    });
    graph_->forEachWaiting(node, [&](std::uint32_t next) { visit(next, false); });
    forEachPair(prefetches_, node, [&](std::uint32_t swapIn) { visit(swapIn, true); });
    forEachPair(crossings_, node, [&](std::uint32_t swap) { visit(swap, false); });
}

/// How much later each block may end while the timeline's last end stays where it is, in seconds: the order
/// on every lane is kept, and what comes after starts as early as it can. 0 on the critical path. Latest
/// times, from the end backwards (Kelley and Walker, Critical-Path Planning and Scheduling, 1959). A swap is
/// taken to last as long as it did, so that a transfer that would hold it up at another instant is not
/// accounted for.
std::vector<double> slacksS(const BlockGraph& graph);

}  // namespace stagecraft::simulation
