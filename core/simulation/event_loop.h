#pragma once

#include "core/simulation/execution_graph.h"
#include "core/simulation/simulator.h"

namespace stagecraft {

/// Runs the tasks of a graph: everything that completes at one instant is processed before anything starts then
/// (MODEL.md section 3).
class EventLoop {
public:
    EventLoop(ExecutionGraph graph, std::stop_token stop);
    /// @throws SimulationError on a deadlock, Cancelled
    Timeline run();

private:
    struct Ready {
        double sinceS = 0;        ///< fifo: when it became ready; greedy: 0
        std::uint8_t rank = 0;    ///< fifo: backward after forward; greedy: backward, forward, weight gradient
        std::uint32_t entry = 0;  ///< iteration, then microbatch
        int stage = 0;
        std::uint32_t task = noBlock;
        bool after(const Ready& other) const;
    };
    struct LaneState {
        double busyUntilS = 0;
        std::uint32_t running = noBlock;   ///< task
        std::uint32_t lastBlock = noBlock;
        std::uint32_t nextBlock = 0;
        std::uint32_t position = 0;        ///< in the order
        std::vector<Ready> ready;          ///< heap, for fifo and greedy
        bool dirty = false;
    };
    struct Completion {
        double atS = 0;
        std::uint32_t task = 0;
        int row = 0;
        bool operator<(const Completion& other) const {
            return atS != other.atS ? atS > other.atS : task > other.task;
        }
    };

    void layOutBlocks();
    void seed();
    void complete(const Completion& completion);
    void resolve(int row, std::uint32_t entry, std::uint32_t count, std::uint32_t byBlock);
    void becomeReady(int row, std::uint32_t entry);
    void releaseBarrier(std::uint32_t iteration, std::uint32_t byBlock);
    void markDirty(int lane);
    void startOn(int lane);
    void startOrdered(int lane);
    void startReady(int lane);
    bool isFree(int lane) const { return states_[static_cast<std::size_t>(lane)].running == noBlock; }
    void start(int row, std::uint32_t task, const TaskVariant& variant);
    void startFloating();
    void emit(const TaskRow& row, std::uint32_t task, const TaskVariant& variant, bool occupies);
    void triggerSwapIn(const LaneProgram& program, std::uint32_t position);
    [[noreturn]] void reportDeadlock() const;
    std::string describe(std::uint32_t task) const;
    std::uint32_t unfinishedPredecessor(std::uint32_t task) const;

    ExecutionGraph graph_;
    std::stop_token stop_;
    Timeline timeline_;
    std::vector<LaneState> states_;
    std::vector<std::uint32_t> remaining_;  ///< completions that a task still waits for
    std::vector<std::uint32_t> block_;      ///< of a started task, else of the last completion that it waited for
    std::vector<bool> done_;
    std::vector<std::pair<int, std::uint32_t>> floating_;  ///< rows and entries to start at this instant
    std::vector<std::uint32_t> updatesDone_;   ///< by iteration
    std::vector<Completion> completions_;      ///< heap
    std::vector<int> dirty_;
    double now_ = 0;
    std::uint32_t started_ = 0;
};

}  // namespace stagecraft
