#include "core/simulation/pattern_unroll.h"

#include "core/simulation/execution_graph.h"
#include "core/simulation/instants.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace stagecraft::simulation {

namespace {

struct Placed {
    int lane = 0;
    double startS = 0, endS = 0;
    BlockKind kind = BlockKind::forward;
    int stage = 0, microbatch = 0, iteration = 0;
};

/// A transfer of the pattern belongs to the stage below the cut; a row of a gradient transfer to the one
/// above.
const TaskRow* findRow(const ExecutionGraph& graph, const PatternOperation& operation) {
    const bool gradient = operation.kind == BlockKind::transferBackward;
    for (const TaskRow& row : graph.rows)
        if (row.kind == operation.kind && row.stage == operation.stage + (gradient ? 1 : 0)) return &row;
    return nullptr;
}

/// Ends that miss the next start by rounding would show as gaps, and as two batches in memory at once.
void joinNeighbours(std::vector<Placed>& sorted) {
    constexpr double rounding = 1e-12;
    for (std::size_t next = 1; next < sorted.size(); ++next) {
        Placed& before = sorted[next - 1];
        const double startS = sorted[next].startS;
        if (before.lane != sorted[next].lane || before.startS >= before.endS) continue;
        if (std::abs(before.endS - startS) <= rounding * (1 + std::abs(startS))) before.endS = startS;
    }
}

/// Of its input and the block before it on its lane, each block waited for the one that ended last; where
/// that ended earlier, the pattern made it wait.
class Waits {
public:
    Waits(const PeriodicSchedule& pattern, int microbatches, Timeline& timeline)
        : timeline_(timeline), microbatches_(static_cast<std::size_t>(microbatches)) {
        // A batch runs its operations one after the other.
        std::vector<PatternOperation> order = pattern.operations;
        std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
            return std::tie(a.shift, a.startS) < std::tie(b.shift, b.startS);
        });
        for (const PatternOperation& operation : order) {
            const bool gradient = operation.kind == BlockKind::transferBackward;
            places_[{operation.kind, operation.stage + (gradient ? 1 : 0)}] =
                static_cast<int>(places_.size());
        }
        for (std::uint32_t block = timeline.blockCount(); block-- > 0;) {
            const std::size_t at = indexOf(block);
            if (at >= blocks_.size()) blocks_.resize(at + 1, noBlock);
            blocks_[at] = block;
        }
    }

    void fill() {
        for (const Lane& lane : timeline_.lanes)
            for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block)
                fill(block, block > lane.firstBlock ? block - 1 : noBlock);
    }

private:
    std::size_t placeOf(std::uint32_t block) const {
        return static_cast<std::size_t>(places_.at({timeline_.kind[block], timeline_.stage[block]}));
    }
    std::size_t indexOf(std::uint32_t block) const {
        const std::size_t number = static_cast<std::size_t>(timeline_.iteration[block]) * microbatches_ +
                                   static_cast<std::size_t>(timeline_.microbatch[block]);
        return number * places_.size() + placeOf(block);
    }

    void fill(std::uint32_t block, std::uint32_t before) {
        const std::uint32_t input = placeOf(block) == 0 ? noBlock : blocks_[indexOf(block) - 1];
        const double startS = timeline_.startS[block], slackS = 1e-9 * (1 + startS);
        std::uint32_t last = noBlock;
        WaitReason reason = WaitReason::start;
        const auto take = [&](std::uint32_t other, WaitReason why) {
            // In a broken pattern it can end too late; then nothing was waited for, and no circle closes.
            if (other == noBlock || timeline_.endS[other] > startS + slackS) return;
            if (last != noBlock && timeline_.endS[other] <= timeline_.endS[last]) return;
            last = other;
            reason = why;
        };
        if (input != noBlock && timeline_.startS[input] <= startS) take(input, WaitReason::data);
        if (before != noBlock && timeline_.startS[before] < startS) take(before, WaitReason::lane);
        timeline_.waitedFor[block] = last;
        if (startS - (last == noBlock ? 0 : timeline_.endS[last]) > slackS) reason = WaitReason::pattern;
        timeline_.waitReason[block] = reason;
    }

    Timeline& timeline_;
    const std::size_t microbatches_;
    std::map<std::pair<BlockKind, int>, int> places_;  // of a batch's operations, from 0
    std::vector<std::uint32_t> blocks_;                // by batch and place
};

void requireNumbers(const PeriodicSchedule& pattern) {
    if (!(pattern.periodS > 0) || !std::isfinite(pattern.periodS))
        throw SimulationError("the pattern's period must be a positive number of seconds");
    for (const PatternOperation& operation : pattern.operations)
        if (!std::isfinite(operation.startS))
            throw SimulationError(std::string("the pattern starts the ") + blockKindName(operation.kind) +
                                  " of stage " + std::to_string(operation.stage) +
                                  " at no finite number of seconds");
}

}  // namespace

int microbatchesToSteadyState(const PeriodicSchedule& pattern) {
    if (pattern.operations.empty()) return 1;
    const auto [least, most] = std::minmax_element(
        pattern.operations.begin(), pattern.operations.end(),
        [](const PatternOperation& a, const PatternOperation& b) { return a.shift < b.shift; });
    // More than any sensible plan has, and few enough to lay out.
    constexpr std::int64_t longest = 10'000;
    return static_cast<int>(std::min(std::int64_t{most->shift} - least->shift, longest)) + 2;
}

int iterationsToUnroll(const PeriodicSchedule& pattern, int microbatches, int asked) {
    requireNumbers(pattern);
    return std::max(asked, (microbatchesToSteadyState(pattern) + microbatches - 1) / microbatches);
}

Timeline unrollPattern(const ExecutionGraph& graph, const PeriodicSchedule& pattern, int perIteration) {
    const int iterations = graph.iterations;
    std::vector<Placed> placed;
    double firstS = std::numeric_limits<double>::infinity();
    std::size_t covered = 0;
    for (const PatternOperation& operation : pattern.operations) {
        const TaskRow* row = findRow(graph, operation);
        if (!row)
            throw SimulationError(std::string("the pattern has a ") + blockKindName(operation.kind) +
                                  " of stage " + std::to_string(operation.stage) +
                                  ", which the plan does not");
        ++covered;
        for (int number = 0; number < perIteration * iterations; ++number) {
            const double startS =
                (static_cast<double>(number) + operation.shift) * pattern.periodS + operation.startS;
            firstS = std::min(firstS, startS);
            const TaskVariant& variant = graph.variant(*row, static_cast<std::uint32_t>(number));
            for (const int lane : variant.lanes)
                placed.push_back({lane, startS, startS + variant.durationS, row->kind, row->stage,
                                  number % perIteration, number / perIteration});
        }
    }
    const auto needed = std::count_if(graph.rows.begin(), graph.rows.end(), [](const TaskRow& row) {
        return row.kind == BlockKind::forward || row.kind == BlockKind::backward ||
               row.kind == BlockKind::transferForward || row.kind == BlockKind::transferBackward;
    });
    if (static_cast<std::ptrdiff_t>(covered) != needed)
        throw SimulationError("the pattern has " + std::to_string(covered) + " operations; the plan needs " +
                              std::to_string(needed));

    std::sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
        return std::tie(a.lane, a.startS, a.endS, a.stage, a.iteration, a.microbatch) <
               std::tie(b.lane, b.startS, b.endS, b.stage, b.iteration, b.microbatch);
    });
    joinNeighbours(placed);
    Timeline timeline;
    timeline.lanes = graph.lanes;
    timeline.resize(static_cast<std::uint32_t>(placed.size()));
    std::uint32_t block = 0;
    for (std::size_t lane = 0; lane < timeline.lanes.size(); ++lane) {
        timeline.lanes[lane].firstBlock = block;
        for (; block < placed.size() && placed[block].lane == static_cast<int>(lane); ++block) {
            timeline.startS[block] = placed[block].startS - firstS;
            timeline.endS[block] = placed[block].endS - firstS;
            timeline.kind[block] = placed[block].kind;
            timeline.stage[block] = placed[block].stage;
            timeline.microbatch[block] = placed[block].microbatch;
            timeline.iteration[block] = placed[block].iteration;
        }
        timeline.lanes[lane].endBlock = block;
    }
    joinInstants(timeline, {.subtractedS = firstS});
    Waits(pattern, perIteration, timeline).fill();
    return timeline;
}

}  // namespace stagecraft::simulation
