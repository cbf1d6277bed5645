#pragma once

#include "core/simulation/execution_graph.h"
#include "core/simulation/flow_network.h"
#include "core/simulation/paced_task.h"
#include "core/simulation/sending_pass.h"

#include <boost/heap/d_ary_heap.hpp>

#include <span>

namespace stagecraft::simulation {

/// Runs the tasks of a graph: everything that completes at one instant is processed before anything starts
/// then (MODEL.md section 3). Completions that differ by rounding alone are of one instant, so that ties are
/// ties in whatever unit the durations come; each block still starts when what it waited for ended, to the
/// bit.
class EventLoop {
public:
    EventLoop(ExecutionGraph graph, std::stop_token stop);
    /// The graph, when the loop has run.
    ExecutionGraph takeGraph() { return std::move(graph_); }
    /// @throws SimulationError on a deadlock, Cancelled
    Timeline run();

private:
    struct Ready {
        double sinceS = 0;      ///< fifo: the instant in which it became ready; greedy: 0
        std::uint8_t rank = 0;  ///< fifo: backward after forward; greedy: backward, forward, weight gradient
        std::uint32_t iteration = 0;
        int microbatch = 0;  ///< as the plan counts them, over all copies of the network
        int stage = 0;
        TaskRef task;
        bool after(const Ready& other) const;
    };
    struct LaneState {
        double busyUntilS = 0;
        bool running = false;
        std::uint32_t lastBlock = noBlock;
        std::uint32_t nextBlock = 0;
        std::uint32_t position = 0;  ///< in the order
        std::vector<Ready> ready;    ///< heap, for fifo and greedy
        bool dirty = false;
        std::uint32_t nextPrefetch = 0;
        std::uint32_t nextFusion = 0;
        const Fusion* fused = nullptr;  ///< the block that is running, if it is of several tasks
        // Of a host link: what it carries, and what goes before that.
        int crossing = 0;                   ///< network transfers under way that use it
        std::uint32_t crossedBy = noBlock;  ///< the last of them to end
        PacedTask paced;                    ///< of a host link or one that carries flows
        SendingPass pass;                   ///< that runs, if its group shares links meanwhile
    };
    enum class Moment : std::uint8_t {
        end,
        flowBegins,    ///< a delay is over
        passContinues  ///< its group begins or ends to send
    };
    struct Completion {
        double atS = 0;
        TaskRef task;
        Moment moment = Moment::end;
        unsigned foreseen = 0;  ///< SendingPass::foreseen
        /// For a heap with the earliest on top; ties by row and entry.
        bool operator<(const Completion& other) const {
            if (atS != other.atS) return atS > other.atS;
            return task.row != other.task.row ? task.row > other.task.row : task.entry > other.task.entry;
        }
    };

    void layOutBlocks();
    void seed();
    void completeInstant();
    void reach(const Completion& completion);
    void complete(TaskRef task);
    void resolve(TaskRef task, std::uint32_t byBlock);
    void becomeReady(TaskRef task);
    /// All entries of the iteration, if there is such a one.
    void resolveAll(int rowIndex, std::uint32_t iteration, std::uint32_t byBlock);
    void releaseBarrier(std::uint32_t iteration, std::uint32_t byBlock);
    void markDirty(int lane);
    void startOn(int lane);
    void startOrdered(int lane);
    void startReady(int lane);
    bool isFree(int lane) const { return !states_[static_cast<std::size_t>(lane)].running; }
    void start(TaskRef task, const TaskVariant& variant);
    /// The fusion that is next in the lane's order, or nullptr.
    const Fusion* fusionAt(int lane) const;
    std::span<const TaskRef> tasksOf(const Fusion& fusion, int lane) const;
    bool isReady(const Fusion& fusion, int lane) const;
    void startFused(const Fusion& fusion, int lane);
    void completeTask(TaskRef task);
    void startFloating();
    /// When the last of what it waited for ended.
    double startOf(TaskRef task, const TaskVariant& variant, bool occupies) const;
    void emit(TaskRef task, const TaskVariant& variant, double startS, bool occupies);
    /// As the task's block, of another kind and length.
    void emit(TaskRef task, const std::vector<int>& lanes, BlockKind kind, double startS, double durationS,
              bool occupies);
    int microbatchOf(TaskRef task) const;
    double endOf(std::uint32_t block) const { return block == noBlock ? -1 : timeline_.endS[block]; }
    const TaskRow& rowOf(TaskRef task) const { return graph_.rows[static_cast<std::size_t>(task.row)]; }
    std::uint32_t iterationOf(TaskRef task) const {
        return graph_.iterations == 1 ? 0 : task.entry / rowOf(task).perIteration;
    }
    void prefetch(int lane);
    /// Of a swap to the host's memory; one to another device's is a transfer like others.
    bool isSwap(TaskRef task) const {
        const bool swaps = rowOf(task).kind == BlockKind::swapOut || rowOf(task).kind == BlockKind::swapIn;
        return swaps && rowOf(task).microbatches.empty();
    }
    int flowOf(TaskRef task) const { return graph_.variant(rowOf(task), task.entry).flow; }
    /// When it ends hangs on what else is under way.
    bool isPaced(TaskRef task) const { return isSwap(task) || (network_ && flowOf(task) >= 0); }
    int laneOf(TaskRef paced) const { return graph_.variant(rowOf(paced), paced.entry).lanes.front(); }
    /// Of a task whose pace changed since its end was foreseen, or that has ended.
    bool isStale(const Completion& completion) const;
    void setSpeed(int lane, double speed, double atS);
    void pause(int hostLink, double fromS);
    void resumeSwap(int hostLink, std::uint32_t crossedBy);
    void changeFlows();
    void beginFlow(TaskRef task, double atS);
    void endFlow(TaskRef task);
    void settleFlows();
    /// A block that began on these lanes, of which ExecutionGraph::sends has what it sends.
    void startPass(TaskRef task, const std::vector<int>& lanes, int sends, double startS, double besidesS,
                   double seconds);
    void continuePass(TaskRef task, double atS);
    void foreseePass(TaskRef task);
    void endPass(const std::vector<int>& lanes);
    /// The blocks that run on these lanes end now.
    void endNow(const std::vector<int>& lanes);
    void addSharedRuns(const std::vector<int>& lanes, double aloneS, std::span<const Pace> paces);
    [[noreturn]] void reportDeadlock() const;
    std::string describe(TaskRef task) const;
    TaskRef firstUnordered() const;  ///< ready, but in no order
    std::optional<TaskRef> headOf(std::size_t lane) const;
    std::optional<TaskRef> unfinishedPredecessor(TaskRef task) const;
    /// What a task waits for, or what another one in its block does.
    std::optional<TaskRef> blockerOf(TaskRef task) const;

    ExecutionGraph graph_;
    std::stop_token stop_;
    Timeline timeline_;
    std::vector<LaneState> states_;
    std::vector<std::uint32_t> remaining_;  ///< completions that a task still waits for
    std::vector<std::uint32_t> block_;  ///< of a started task, else of the last completion that it waited for
    std::vector<bool> done_;
    std::vector<TaskRef> floating_;           ///< to start at this instant
    std::vector<std::uint32_t> updatesDone_;  ///< by iteration
    boost::heap::d_ary_heap<Completion, boost::heap::arity<4>> completions_;
    std::vector<int> dirty_, starting_;  ///< lanes to look at; kept apart so that neither is allocated anew
    double instantS_ = 0;                ///< the first completion of this instant
    double now_ = 0;                     ///< the completion that is being processed
    std::vector<Completion> ending_;     ///< of this instant
    double rounding_ = 0;                ///< how far completions of an instant are apart, in parts of it
    std::uint32_t started_ = 0;
    std::optional<FlowNetwork> network_;  ///< where links are shared
    double flowsChangedS_ = 0;            ///< when a flow began or ended last
};

}  // namespace stagecraft::simulation
