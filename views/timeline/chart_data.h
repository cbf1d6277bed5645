#pragma once

#include "core/memory/block_bytes.h"
#include "core/runs/shown_run.h"
#include "core/simulation/steady_state.h"
#include "core/weights/weight_trace.h"
#include "views/common/block_numbers.h"
#include "views/figures/inside_marks.h"
#include "views/timeline/busy_levels.h"
#include "views/timeline/memory_series.h"

#include <memory>
#include <optional>
#include <vector>

namespace stagecraft::views::timeline {

/// What is marked in a lane beside its blocks, ascending.
struct LaneMarks {
    std::vector<std::uint32_t> updates;      ///< that take no time and so would not be seen
    std::vector<std::uint32_t> bellwethers;  ///< passes that predict weights for their mini-batch
};

/// Where a block has its weights from, or the update that it predicts.
struct WeightArrow {
    enum class Kind {
        made,        ///< from the update that made the version to a pass that uses it
        kept,        ///< from a forward to the backward that uses the same version
        prediction,  ///< from a pass to the update that it anticipates
    };
    Kind kind = Kind::made;
    std::uint32_t from = noBlock;
    std::uint32_t to = noBlock;
    bool operator==(const WeightArrow&) const = default;
};

/// The blocks of a timeline in the classes of a colouring.
struct ColouredBlocks {
    ColouredBlocks(BlockColouring by, const Timeline& timeline, const std::vector<Stage>& stages,
                   const WeightTrace* weights)
        : classes(by, timeline, stages, weights), busy(timeline, classes) {}

    BlockClasses classes;
    BusyLevels busy;
};

/// What the charts of a plan or of a recording need beside what ran, so that a frame costs what its pixels
/// cost. Made once, off the GUI thread where it takes long; immutable.
struct ChartData {
    explicit ChartData(std::shared_ptr<const PlanRun> planRun);  ///< of a run that is ok()
    explicit ChartData(std::shared_ptr<const RecordedRun> recordedRun);

    std::shared_ptr<const PlanRun> run;           ///< null: a recording is shown
    std::shared_ptr<const RecordedRun> recorded;  ///< null: a plan is
    BusyLevels busy;
    SavedMemories saved;               ///< by device; none if the plan keeps everything
    std::vector<MemorySeries> memory;  ///< by the first stage of their devices, as the rows of the chart
    std::vector<std::vector<std::uint32_t>> criticalByLane;  ///< ascending blocks of the critical path
    double startS =
        0;  ///< of the first block: idle time of any lane counts as a bubble from there, as in figures
    std::optional<BlockBytes> bytes;  ///< of a plan
    double endS = 0;                  ///< last end of a block
    /// So much time can be shown with each block of the busiest stream to be told apart; 0: no streams.
    double readableStreamsS = 0;
    BlockNumbers numbers;
    InsideMarks inside;
    // Only of plans whose mini-batches follow each other without a barrier:
    std::optional<WeightTrace> weights;
    std::optional<SteadyState> steady;
    double startUpEndS = 0;                    ///< the first mini-batch has been through the whole pipeline
    double drainStartS = 0;                    ///< the last forward has left the first stage
    std::vector<LaneMarks> marks;              ///< by lane
    std::vector<PredictionArrow> predictions;  ///< that look ahead, by start
    double longestPredictionS = 0;             ///< from a prediction to its update
    std::vector<std::vector<std::uint32_t>> updates;  ///< by stage, in order: version v is made by the v-1st

    ShownRun shown() const { return run ? ShownRun(*run) : ShownRun(*recorded); }
    const Timeline& timeline() const { return shown().timeline(); }
    const Evaluation& evaluation() const { return *run->evaluation; }  ///< of a plan
    const Cluster& cluster() const { return shown().cluster(); }
    /// Of a recording its stages and their devices alone.
    const Plan& plan() const { return shown().plan(); }
    std::span<const std::uint32_t> criticalPath() const { return shown().criticalPath(); }
    Neighbours neighboursOf(std::uint32_t block) const;
    bool hasStreams() const { return readableStreamsS > 0; }
    /// The first stage that `device` works for, or -1.
    int firstStageOf(int device) const { return firstStage_[static_cast<std::size_t>(device)]; }
    const WeightTrace* weightTrace() const { return weights ? &*weights : nullptr; }
    /// Mini-batches follow each other, so that weights have versions to tell of.
    bool runsOn() const { return weights.has_value(); }
    /// Instants that are no further apart count as one: sums of many durations round.
    double slackS() const { return 1e-9 * endS; }
    /// The block of the lane that runs at `timeS` and goes on after it, or noBlock.
    std::uint32_t running(int lane, double timeS) const;
    /// The forward of the same microbatch, or noBlock.
    std::uint32_t forwardOf(std::uint32_t backward) const;
    /// Of a pass, where its weights come from; of a pass under predicted weights, what its mini-batch's
    /// bellwether predicts; of an update, the predictions that anticipate it.
    std::vector<WeightArrow> weightArrowsOf(std::uint32_t block) const;
    /// Bytes that a transfer, or each device of an AllReduce or a swap, moves; or 0.
    double bytesMoved(std::uint32_t block) const;

private:
    ChartData(std::shared_ptr<const PlanRun> planRun, std::shared_ptr<const RecordedRun> recordedRun);

    std::vector<int> firstStage_;  ///< by device

    std::vector<WeightArrow> predictionsBy(std::uint32_t block) const;
    double readableSpanS() const;
    void followWeights();
    void findPhases();
    void markLanes();
};

}  // namespace stagecraft::views::timeline
