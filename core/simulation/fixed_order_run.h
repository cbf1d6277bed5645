#pragma once

#include "core/simulation/execution_graph.h"
#include "core/simulation/instants.h"

#include <optional>
#include <stop_token>

namespace stagecraft::simulation {

/// Simulates a plan in which the order on every lane is known before anything runs: orders are spelled out,
/// and a channel that serves whoever comes first has one lane that sends, whose own order is known. A block
/// then starts at the later of its lane's last end and its inputs' ends, and no queue of events is needed.
/// Links must not be shared. Updates take no time; those that wait for an AllReduce are put among a device's
/// blocks at the end. The timeline is that of EventLoop, to the bit.
class FixedOrderRun {
public:
    /// @param graph must outlive the run
    FixedOrderRun(const ExecutionGraph& graph, std::stop_token stop);

    /// False if some lane's order depends on when things happen. Then the run must not be started.
    bool applies() const { return applies_; }
    /// @return nothing if the plan deadlocks, which EventLoop explains, or if it is undecided
    /// @throws Cancelled
    std::optional<Timeline> run();
    /// When the last block of that timeline ends, in seconds, without the rest of it. As run(), of which one
    /// or the other may be called, once.
    std::optional<double> lastEndS();
    /// After the run: what is known of the timeline's times.
    TimesOrigin origin() const;
    /// After the run: an update and a block of its device, or two AllReduces of one lane, are so close that
    /// rounding alone parts them, and only EventLoop says which of them comes first.
    bool undecided() const { return undecided_; }

private:
    struct RowFacts {
        std::vector<int> inputs;  ///< rows whose same entry comes before, ascending
        std::vector<int> wakes;   ///< lanes that may continue when an entry ends
        int lane = -1;
        int closes = -1;  ///< which of its lane's updates comes after its last entry of an iteration
    };
    /// The update of a stage comes after its last closing task of an iteration.
    struct UpdateFacts {
        int row = -1, closingRow = -1;
        int reducer = -1;          ///< the AllReduce row before it, -1: none
        std::uint32_t closed = 0;  ///< closing tasks that were emitted
        std::uint32_t done = 0;
    };
    /// An update that comes while its lane may be at work on other stages: where it is among the lane's
    /// blocks is known from the times alone, once all of them are.
    struct Insertion {
        double atS = 0;
        int reducer = -1, row = -1;
        std::uint32_t iteration = 0;
        std::uint32_t block = noBlock;  ///< after all other blocks of the lane, until it is inserted
        bool operator<(const Insertion& other) const;
    };
    /// Where a lane's last blocks go.
    struct Move {
        std::uint32_t first = 0;
        std::vector<std::uint32_t> to;  ///< of `first` and those after it
    };
    /// What each block needs first: it is in one line of the cache.
    struct alignas(64) LaneFacts {
        const TaskRef* order = nullptr;  ///< null: `derived` of several AllReduces, else the only row from 0
        double busyUntilS = 0;
        std::uint32_t length = 0;  ///< updates not counted
        std::uint32_t position = 0;
        std::uint32_t nextBlock = 0;
        std::uint32_t lastBlock = noBlock;
        std::uint32_t awaited = noBlock;  ///< the task that it cannot go on without; noBlock: none or several
        int due = -1;                     ///< of `updates`: what comes next on the lane
        int onlyRow = -1;                 ///< the row from 0, where there is no order
        bool derives = false;             ///< orders AllReduces as they come
        bool queued = false;

        std::vector<TaskRef>
            derived;            ///< a channel's order, from its sender's; of AllReduces as far as known
        std::vector<int> rows;  ///< of a lane that serves whoever comes first
        std::vector<UpdateFacts> updates;
        std::vector<Insertion> insertions;
        std::uint32_t nextInsertion = 0;  ///< block
    };
    /// What running an entry of a row needs, packed: all rows' stay in the cache.
    struct Step {
        double durationS = 0, firstBesidesS = 0;
        std::uint32_t firstTask = 0, perIteration = 1;
        std::uint32_t firstInput = 0, endInput = 0;  ///< in inputs_
        std::uint32_t firstWake = 0, endWake = 0;    ///< in wakes_
        bool closes = false, waitsForBarrier = false, gathers = false, isGathered = false, reduces = false;
    };
    struct Input {
        int row = -1;
        std::uint32_t firstTask = 0;
    };
    /// The input that came last: ties by row, then entry.
    struct Cause {
        double endS = -1;
        int row = -1;
        std::uint32_t block = noBlock;
        void offer(double otherEndS, int otherRow, std::uint32_t otherBlock);
    };
    struct Gathering {
        std::uint32_t left = 0;
        Cause last;
    };

    bool workOutRows();
    bool workOutUpdates();
    bool workOutLanes();
    bool workOutChannel(LaneFacts& lane);
    bool closesInOrder(const LaneFacts& lane, const UpdateFacts& update) const;
    /// Counts a task that may be the last before an update.
    void close(LaneFacts& lane, int rowIndex);
    const TaskRow& row(int index) const { return graph_.rows[static_cast<std::size_t>(index)]; }
    std::uint32_t iterationOf(int rowIndex, std::uint32_t entry) const {
        return graph_.iterations == 1 ? 0 : entry / row(rowIndex).perIteration;
    }
    std::uint32_t tasksOf(int rowIndex) const {
        return row(rowIndex).perIteration * static_cast<std::uint32_t>(graph_.iterations);
    }
    Gathering& gathering(int rowIndex, std::uint32_t iteration) {
        return gatherings_[static_cast<std::size_t>(rowIndex)][iteration];
    }

    /// Whether updates come while their devices may be at work.
    bool inserts() const;
    /// @return false if they do not come to the end, or it is undecided
    bool runTasks();
    void layOut();
    void layOutSteps();
    void describeBlocks();
    void describe(const TaskRow& row, std::uint32_t entryInIteration, std::uint32_t iteration);
    /// All of its entries.
    void describeRow(const TaskRow& row);
    void wake(int lane);
    void advance(int lane);
    bool tryUpdate(LaneFacts& lane);
    TaskRef taskAt(const LaneFacts& lane, std::uint32_t position) const;
    bool deriveReductions(LaneFacts& lane);
    bool tryTask(LaneFacts& lane);
    bool causeOf(LaneFacts& lane, TaskRef task, const Step& step, Cause& cause);
    /// Nothing but that task wakes the lane. @return false
    static bool waitFor(LaneFacts& lane, std::uint32_t task);
    void finish(TaskRef task, const Step& step, double endS, std::uint32_t block);
    void finishGathered(TaskRef task, double endS, std::uint32_t block);
    void putUpdate(int updateRow, TaskRef reduction, double atS, std::uint32_t reductionBlock);
    void passBarrier(std::uint32_t iteration, double atS, int updateRow, std::uint32_t block);
    bool placeInsertions();
    /// @return nothing if rounding alone decides
    std::optional<Move> moveOf(std::size_t lane) const;
    template <typename Column>
    void move(Column& column) const;
    /// @param fromS no block that starts earlier waited for one that was moved
    void renameMoved(double fromS);

    const ExecutionGraph& graph_;
    std::stop_token stop_;
    std::vector<RowFacts> rows_;
    std::vector<LaneFacts> lanes_;
    std::vector<int> sourceLanes_;           ///< that a barrier holds back
    std::vector<std::vector<int>> inserts_;  ///< by row: of an AllReduce, the updates inserted when it ends
    bool applies_ = false;
    bool undecided_ = false;

    Timeline timeline_;
    std::vector<std::uint32_t> block_;                ///< by task
    std::vector<Step> steps_;                         ///< by row
    std::vector<Input> inputs_;                       ///< of steps_
    std::vector<int> wakes_;                          ///< lanes, of steps_
    std::vector<Move> moves_;                         ///< by lane
    std::vector<std::vector<Gathering>> gatherings_;  ///< by row and iteration; AllReduce rows alone
    std::vector<Gathering> barriers_;                 ///< by the iteration that it ends
    std::vector<int> queue_;
    std::uint32_t emitted_ = 0;
};

}  // namespace stagecraft::simulation
