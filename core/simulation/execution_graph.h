#pragma once

#include "core/cost/cost_model.h"
#include "core/model/timeline.h"
#include "core/schedules/lowering.h"
#include "core/simulation/link_flows.h"

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace stagecraft::simulation {

/// The plan cannot be simulated: it does not fit the problem, or it deadlocks. what() names the blocks.
struct SimulationError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Where and how long a task of a row runs. Tasks of a round-robin stage take the variants in turn.
struct TaskVariant {
    std::vector<int> lanes;  ///< all of them at once; usually one
    double durationS = 0;
    int flow = -1;   ///< in ExecutionGraph::flows, of what may have to share links with others
    int sends = -1;  ///< in ExecutionGraph::sends, of a pass
};

/// A time in a pass in which the stage's group sends, and may have to share links with others.
struct Sending {
    double fromS = 0, toS = 0;  ///< of the pass alone, from its start
    int flow = -1;              ///< in ExecutionGraph::flows
};
struct PassSendings {
    int lane = 0;  ///< the first of the pass
    std::vector<Sending> all;
};

/// All blocks of one kind on one stage, stage edge or AllReduce group, over all microbatches and iterations.
/// Entry e, of iteration e / perIteration, is the slice e mod slices of microbatch firstMicrobatch + (e mod
/// perIteration) / slices * microbatchStep; of a row that has `microbatches` it is of the (e mod
/// perIteration)-th of them.
struct TaskRow {
    BlockKind kind = BlockKind::forward;
    int stage = 0;  ///< as in Timeline::stage
    std::uint32_t firstTask = 0;
    std::uint32_t perIteration = 1;
    int firstMicrobatch = -1;  ///< -1: not of one microbatch
    int microbatchStep = 0;
    std::vector<int> microbatches;  ///< ascending, of evictions and loads, which are of some alone
    std::uint32_t slices = 1;       ///< of a microbatch, which follow each other
    /// Slice j waits for slice j - sliceStep of its microbatch: 1 in forwards, -1 where gradients come back.
    /// 0: for none.
    int sliceStep = 0;
    std::vector<TaskVariant> variants;
    double firstBesidesS = 0;        ///< what the first entry of each iteration takes besides
    std::vector<int> next;           ///< rows whose same entry waits for this one
    std::vector<int> gatheredBy;     ///< rows whose entry of the same iteration waits for all of this row's
    std::uint32_t dependencies = 0;  ///< how many completions an entry waits for
    bool waitsForBarrier =
        false;               ///< entries after the first iteration wait for all updates of the one before
    bool outOfTurn = false;  ///< takes no turn on its lane: begins as soon as it is ready (updates)
    /// Rows whose entries of the iteration after next wait for this one: the forwards that use the version
    /// which an update makes, under double buffering.
    std::vector<int> readBy;
    bool waitsForVersion = false;  ///< entries from the third iteration on wait for such an update

    /// -1: not of one microbatch.
    int microbatchOf(std::uint32_t entry) const {
        if (!microbatches.empty()) return microbatches[entry % perIteration];
        return firstMicrobatch < 0
                   ? -1
                   : firstMicrobatch + static_cast<int>(entry % perIteration / slices) * microbatchStep;
    }
    int sliceOf(std::uint32_t entry) const {
        return firstMicrobatch < 0 ? -1 : static_cast<int>(entry % slices);
    }
    /// The slice of the same microbatch that waits for this one.
    std::optional<std::uint32_t> nextSlice(std::uint32_t entry) const {
        return besideSlice(entry, sliceStep);
    }
    /// The slice of the same microbatch that this one waits for.
    std::optional<std::uint32_t> sliceBefore(std::uint32_t entry) const {
        return besideSlice(entry, -sliceStep);
    }

private:
    std::optional<std::uint32_t> besideSlice(std::uint32_t entry, int step) const {
        const int slice = static_cast<int>(entry % slices) + step;
        if (step == 0 || slice < 0 || slice >= static_cast<int>(slices)) return std::nullopt;
        return static_cast<std::uint32_t>(static_cast<int>(entry) + step);
    }
};

enum class LaneDiscipline : std::uint8_t {
    ordered,  ///< the order says what is next
    fifo,     ///< first come first served; ties forward first, then the lower microbatch
    greedy,   ///< whatever is ready; backward first, then the lower microbatch
};

/// An entry of a row.
struct TaskRef {
    int row = 0;
    std::uint32_t entry = 0;
    bool operator==(const TaskRef&) const = default;
};

/// A swap-in, an eviction or a load, which may start once the task at a position of a lane's order has
/// started.
struct Prefetch {
    std::uint32_t position = 0;
    TaskRef swapIn;
};

/// An entry that waits for one of another number: an eviction or a load, or what waits for it.
struct Wait {
    std::uint32_t before = 0, after = 0;  ///< task ids
    auto operator<=>(const Wait&) const = default;
};

/// Tasks that follow each other in a lane's order and are one block: a whole backward where others are split,
/// or a pair.
struct Fusion {
    std::uint32_t position = 0;  ///< of the first of them in the order
    std::uint32_t count = 0;
    BlockKind kind = BlockKind::backward;
    double durationS = 0;
    /// Of what each of them waits for, how much is in the block itself.
    std::array<std::uint32_t, 3> within{};
    int sends = -1;  ///< in ExecutionGraph::sends; a pair's are not known
};

struct LaneProgram {
    LaneDiscipline discipline = LaneDiscipline::fifo;
    std::vector<TaskRef> order;        ///< for `ordered`
    std::vector<Fusion> fusions;       ///< ascending by position
    std::vector<Prefetch> prefetches;  ///< ascending by position
    std::uint32_t taskCount = 0;       ///< blocks that the lane will carry
};

/// What of a plan waits for what: rows, not tasks, whatever the lanes' orders are. It is kept with the
/// timeline that was run by it. Task ids run row by row.
struct TaskGraph {
    std::vector<TaskRow> rows;
    std::vector<Wait> waits;   ///< ascending
    std::vector<Wait> starts;  ///< ascending: `after` may start once `before` has started (Prefetch)
    /// By lane: host links that pause while it carries something.
    std::vector<std::vector<int>> pausesHostLinks;
    std::uint32_t taskCount = 0;
    int iterations = 1;
    std::uint32_t slices = 1;                    ///< of each microbatch
    int stageCount = 0;                          ///< updates that make up a barrier
    std::shared_ptr<const LoweredPlan> lowered;  ///< what it was made of

    const TaskVariant& variant(const TaskRow& row, std::uint32_t entry) const {
        return row.variants.size() == 1 ? row.variants[0]
                                        : row.variants[entry / row.slices % row.variants.size()];
    }
    double durationS(const TaskRow& row, std::uint32_t entry) const {
        return variant(row, entry).durationS + (entry % row.perIteration == 0 ? row.firstBesidesS : 0);
    }
    std::uint32_t taskId(TaskRef task) const {
        return rows[static_cast<std::size_t>(task.row)].firstTask + task.entry;
    }
    TaskRef taskOf(std::uint32_t id) const;
    /// `visit(id)` for each task that waits for this one.
    template <typename Visit>
    void forEachWaiting(std::uint32_t id, Visit visit) const {
        forEachAfter(waits, id, visit);
    }
    /// `visit(id)` for each task that may start once this one has started.
    template <typename Visit>
    void forEachStarting(std::uint32_t id, Visit visit) const {
        forEachAfter(starts, id, visit);
    }

private:
    template <typename Visit>
    static void forEachAfter(const std::vector<Wait>& all, std::uint32_t id, Visit visit) {
        for (auto it = std::lower_bound(all.begin(), all.end(), Wait{id, 0});
             it != all.end() && it->before == id; ++it)
            visit(it->after);
    }
};

/// A plan worked out into tasks and lanes: what the simulator executes.
struct ExecutionGraph : TaskGraph {
    std::vector<Lane> lanes;  ///< block ranges not yet set
    std::vector<LaneProgram> programs;
    std::vector<LinkFlow> flows;
    std::vector<PassSendings> sends;
    std::vector<double> wayBps;  ///< how wide the ways are that flows cross

    /// The program of a lane that follows an order.
    LaneProgram& ordered(int lane) {
        LaneProgram& program = programs[static_cast<std::size_t>(lane)];
        program.discipline = LaneDiscipline::ordered;
        return program;
    }
    /// To the orders of the lanes that the task is on.
    void append(TaskRef task) {
        for (const int lane : variant(rows[static_cast<std::size_t>(task.row)], task.entry).lanes)
            ordered(lane).order.push_back(task);
    }
};

/// Whether the block is, among others, an entry of the row; `found` is then the pass that it is of.
inline bool runsRow(const Timeline& timeline, std::uint32_t block, const TaskRow& row,
                    Pass* found = nullptr) {
    bool does = false;
    timeline.eachPass(block, [&](const Pass& pass) {
        // A whole backward where others are split is both of their parts.
        const bool part = pass.kind == BlockKind::backward &&
                          (row.kind == BlockKind::inputGradient || row.kind == BlockKind::weightGradient);
        if (pass.stage != row.stage || (pass.kind != row.kind && !part)) return;
        does = true;
        if (found) *found = pass;
    });
    return does;
}

// swap_windows.cpp: what vPipe Sec. 4.2 says of swaps.

/// The rows of a stage that swap-ins have to do with; -1: there is none.
struct FetchedStage {
    int recompute = -1, backward = -1, swapIn = -1;
};
/// A device has swapped activations fetched while it works on the microbatch before: from the start of the
/// backward before theirs, or of the task before where there is none. vPipe's window is that long: one swap
/// out and one swap in fit into a forward and a backward. The orders of the lanes must be there.
void prefetchSwaps(ExecutionGraph& graph, const std::vector<FetchedStage>& stages);
/// Fills in TaskGraph::pausesHostLinks: a host link pauses while a transfer that leaves the server uses
/// it. A transfer among devices of several servers uses the host links of all of them.
void prioritiseTransfers(ExecutionGraph& graph, const Cluster& cluster);

/// No task is in an order twice; `device` is its id. @throws SimulationError
void requireEachOnce(const ExecutionGraph& graph, const std::vector<TaskRef>& order,
                     const std::string& device);

/// The checks that come before: stages, devices and layers exist, each pipeline covers the network in order.
/// @throws SimulationError
void requireWellFormed(const CostModel& costs, const Plan& plan);

}  // namespace stagecraft::simulation
