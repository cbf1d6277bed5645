#pragma once

#include "core/simulation/execution_graph.h"
#include "core/simulation/lane_layout.h"

#include <algorithm>
#include <string>
#include <vector>

namespace stagecraft::simulation {

/// The rows of a stage; -1: there is none.
struct StageRows {
    int forward = -1, backward = -1, weightGradient = -1, recompute = -1, swapOut = -1, swapIn = -1;
    int wholeBackwardSends = -1;  ///< ExecutionGraph::sends of a whole backward where others are split
    // Of its share of the vocabulary's layers.
    int headForward = -1, headBackward = -1, embeddingForward = -1, embeddingBackward = -1;
    /// Of the row that gives the gradient on: whole backwards or, where the plan has any, input gradients.
    int lastBackward() const { return weightGradient >= 0 ? weightGradient : backward; }
    int firstOfBackward() const { return recompute >= 0 ? recompute : backward; }
    /// That which runs a task of an order; a whole backward has that of the gradient, what lends and fetches
    /// that of what ran the forward.
    int of(TaskKind kind) const;
    /// What a device that shares the head with others does with all of them at once, right before or after a
    /// pass of it: where it is in the order of each (VocabularyPasses::interlaced).
    int headInput = -1, headBarrier = -1, headGradient = -1;
    int togetherBefore(TaskKind kind) const { return kind == TaskKind::headForward ? headInput : -1; }
    int togetherAfter(TaskKind kind) const {
        return kind == TaskKind::headForward    ? headBarrier
               : kind == TaskKind::headBackward ? headGradient
                                                : -1;
    }
};

/// How often a row has an entry, and so when it can run.
enum class RowTrigger {
    pass,        ///< once for each pass of its stage: each slice of each microbatch
    microbatch,  ///< once for each microbatch, whatever its slices
    iteration,   ///< once in an iteration
};

/// A graph while it is made, and what those need who add to it: the plan, what it costs, its lanes, the rows
/// of its stages.
class GraphDraft {
public:
    GraphDraft(const CostModel& costs, const Plan& plan, const LoweredPlan& lowered, int iterations);

    const CostModel& costs() const { return costs_; }
    const Plan& plan() const { return plan_; }
    const LoweredPlan& lowered() const { return lowered_; }
    const TrainingSetup& setup() const { return costs_.problem().setup; }
    const Stage& stage(int index) const { return plan_.stages[static_cast<std::size_t>(index)]; }
    const std::string& deviceId(int device) const;
    bool roundRobin(int stage) const;
    int replicas(int stage) const;  ///< that take turns
    LaneLayout& lanes() { return lanes_; }
    /// What tasks send over links that are shared; nullptr where each counts as alone.
    LinkFlows* flows() { return flows_ ? &*flows_ : nullptr; }
    ExecutionGraph& graph() { return graph_; }
    const ExecutionGraph& graph() const { return graph_; }

    TaskRow& row(int index) { return graph_.rows[static_cast<std::size_t>(index)]; }
    const TaskRow& row(int index) const { return graph_.rows[static_cast<std::size_t>(index)]; }
    StageRows& rowsOf(int stage) { return stageRows_[static_cast<std::size_t>(stage)]; }
    const StageRows& rowsOf(int stage) const { return stageRows_[static_cast<std::size_t>(stage)]; }
    /// @returns its index
    int addRow(BlockKind kind, int stage, std::vector<TaskVariant> variants, RowTrigger trigger);
    /// Each entry of `later` waits for the same entry of `earlier`.
    void follow(int earlier, int later);
    /// Each entry of `later` waits for all entries of `earlier` in its iteration.
    void gather(int earlier, int later);
    /// On the devices of the stage, as long as `seconds` says of what the stage costs on each replica.
    template <typename Seconds>
    std::vector<TaskVariant> onStage(int stage, Seconds seconds);
    /// What the stage's group sends in a pass of that kind and length, where links are shared.
    /// @returns its place in ExecutionGraph::sends, -1: nothing
    int addSendings(int stage, BlockKind kind, double seconds);

    /// The rows that a task of a device's order is of. @throws SimulationError if the device cannot run it
    const StageRows& rowsOfTask(const Task& task, int device) const;
    /// Of the task's microbatch and slice, in the rows of its stage.
    std::uint32_t entryOf(const Task& task, int iteration) const;

    /// When no row is added any more: numbers the tasks and lays the lanes' programs out.
    /// @throws SimulationError if there are more tasks than a timeline can have
    void closeRows();

private:
    [[noreturn]] void refuseTask(const Task& task, int device) const;
    /// Copy p of n takes microbatches p, p + n, ….
    std::uint32_t microbatchesOf(int pipeline) const;

    const CostModel& costs_;
    const Plan& plan_;
    const LoweredPlan& lowered_;
    const int copies_;
    LaneLayout lanes_;
    std::optional<LinkFlows> flows_;
    std::vector<StageRows> stageRows_;
    ExecutionGraph graph_;
};

// ---- inline ----

inline int StageRows::of(TaskKind kind) const {
    switch (kind) {
        case TaskKind::forward:
        case TaskKind::evict:
        case TaskKind::load:
            return forward;
        case TaskKind::backward:
        case TaskKind::inputGradient:
            return backward;
        case TaskKind::weightGradient:
            return weightGradient;
        case TaskKind::recompute:
            return recompute;
        case TaskKind::headForward:
            return headForward;
        case TaskKind::headBackward:
            return headBackward;
        case TaskKind::embeddingForward:
            return embeddingForward;
        case TaskKind::embeddingBackward:
            return embeddingBackward;
    }
    return -1;
}

inline std::uint32_t GraphDraft::microbatchesOf(int pipeline) const {
    return static_cast<std::uint32_t>((setup().microbatches - pipeline + copies_ - 1) / copies_);
}

inline const StageRows& GraphDraft::rowsOfTask(const Task& task, int device) const {
    if (task.stage < 0 || task.stage >= plan_.stageCount()) refuseTask(task, device);
    const StageRows& rows = rowsOf(task.stage);
    const std::vector<int>& devices = stage(task.stage).devices;
    const int copy = copies_ == 1 ? 0 : task.microbatch % copies_;
    const bool takes = task.microbatch >= 0 && task.microbatch < setup().microbatches &&
                       copy == stage(task.stage).pipeline && task.slice >= 0 &&
                       task.slice < static_cast<int>(graph_.slices);
    if (rows.of(task.kind) < 0 || !takes ||
        std::find(devices.begin(), devices.end(), device) == devices.end())
        refuseTask(task, device);
    return rows;
}

inline std::uint32_t GraphDraft::entryOf(const Task& task, int iteration) const {
    const int pipeline = stage(task.stage).pipeline;
    return (static_cast<std::uint32_t>(iteration) * microbatchesOf(pipeline) +
            static_cast<std::uint32_t>((task.microbatch - pipeline) / copies_)) *
               graph_.slices +
           static_cast<std::uint32_t>(task.slice);
}

template <typename Seconds>
std::vector<TaskVariant> GraphDraft::onStage(int index, Seconds seconds) {
    std::vector<TaskVariant> variants;
    for (int replica = 0; replica < replicas(index); ++replica) {
        const std::vector<int>& own = lanes_.computeLanes(index);
        variants.push_back(
            {roundRobin(index) ? std::vector<int>{own[static_cast<std::size_t>(replica)]} : own,
             seconds(costs_.stage(plan_, index, replica))});
    }
    return variants;
}

}  // namespace stagecraft::simulation
