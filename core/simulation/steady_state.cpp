#include "core/simulation/steady_state.h"

#include "core/cost/stage_layout.h"
#include "core/schedules/lowering.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace stagecraft::simulation {

namespace {

constexpr int leastMiniBatches = 8;

/// How much two stretches of the same length may differ, at that instant of the timeline.
double roundingS(double stretchS, double atS) { return 1e-9 * stretchS + 1e-12 * atS; }

/// The first end of a last forward over the devices.
double drainStartS(const Timeline& timeline) {
    double first = std::numeric_limits<double>::infinity();
    for (const Lane& lane : timeline.lanes) {
        if (lane.kind != LaneKind::compute) continue;
        double last = -1;
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block)
            if (timeline.kind[block] == BlockKind::forward) last = timeline.endS[block];
        if (last >= 0) first = std::min(first, last);
    }
    return first;
}

/// When each pass starts, by mini-batch: a forward, backward or weight gradient of a microbatch on a stage.
class Course {
public:
    Course(const Timeline& timeline, std::size_t miniBatches) {
        std::map<std::tuple<BlockKind, int, int, int>, std::size_t> places;
        for (std::uint32_t block = 0; block < timeline.blockCount(); ++block)
            timeline.eachPass(block, [&](const Pass& pass) {
                if (!isPass(pass.kind)) return;
                const auto [place, isNew] =
                    places.try_emplace({pass.kind, pass.stage, pass.microbatch, pass.slice}, startS_.size());
                if (isNew) startS_.emplace_back(miniBatches, 0.0);
                startS_[place->second][static_cast<std::size_t>(timeline.iteration[block])] =
                    timeline.startS[block];
            });
    }

    /// Whether each pass of the mini-batches after `first` up to `last` comes that much later than `turn`
    /// mini-batches before.
    bool repeats(int first, int last, int turn, double laterS) const {
        return std::all_of(startS_.begin(), startS_.end(), [&](const std::vector<double>& starts) {
            for (int k = last; k > first; --k) {
                const double atS = starts[std::size_t(k)];
                if (std::abs(atS - starts[std::size_t(k - turn)] - laterS) > roundingS(laterS, atS))
                    return false;
            }
            return true;
        });
    }

    /// Whether no pass falls behind a pace of `paceS` per mini-batch, between `first` and `last`: none is
    /// later against it in the second half of them than in the first half.
    bool keepsPace(int first, int last, double paceS) const {
        const int middle = (first + last) / 2;
        return middle > first && std::all_of(startS_.begin(), startS_.end(), [&](const auto& starts) {
                   const auto latestS = [&](int from, int to) {
                       double latest = -std::numeric_limits<double>::infinity();
                       for (int k = from; k <= to; ++k)
                           latest = std::max(latest, starts[std::size_t(k)] - k * paceS);
                       return latest;
                   };
                   return latestS(middle + 1, last) <=
                          latestS(first, middle) + roundingS(paceS, starts[std::size_t(last)]);
               });
    }

    /// The pass that takes longest from `first` to `last`: its starts there.
    std::pair<double, double> slowest(int first, int last) const {
        std::pair<double, double> found{0, 0};
        for (const std::vector<double>& starts : startS_)
            if (const std::pair own(starts[std::size_t(first)], starts[std::size_t(last)]);
                own.second - own.first > found.second - found.first)
                found = own;
        return found;
    }

private:
    std::vector<std::vector<double>> startS_;  ///< by pass and mini-batch
};

/// The shortest turn that the completions up to and with `last`, and all passes of their mini-batches,
/// repeat: over itself and over half of what has been seen. 0: none.
int cycleUpTo(const std::vector<double>& done, const Course& course, int last) {
    const int count = last + 1;
    for (int turn = 1; 2 * turn < count; ++turn) {
        const auto gap = [&](int k) { return done[std::size_t(k)] - done[std::size_t(k - turn)]; };
        const double whole = gap(last);
        const int compared = std::min(count - turn, std::max(turn, count / 2));
        bool same = true;
        for (int k = last; same && k > last - compared; --k)
            same = std::abs(gap(k) - whole) <= roundingS(whole, done[std::size_t(k)]);
        if (same && course.repeats(last - compared, last, turn, whole)) return turn;
    }
    return 0;
}

/// The last mini-batch that is complete before the pipeline drains.
int lastBeforeDrain(const std::vector<double>& done, double drainS) {
    return static_cast<int>(std::upper_bound(done.begin(), done.end(), drainS) - done.begin()) - 1;
}

/// Whether a lane with work for `loadS` in every mini-batch has no gap through the second half of the time
/// until the pipeline drains.
bool busiestNeverWaits(const Timeline& timeline, double loadS, int miniBatches, double drainS) {
    for (const Lane& lane : timeline.lanes) {
        double busyS = 0, gapS = 0, endS = 0;
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) {
            if (isOutOfTurn(timeline.kind[block])) continue;
            busyS += timeline.durationS(block);
            const double fromS = std::max(endS, drainS / 2), toS = std::min(timeline.startS[block], drainS);
            gapS += std::max(0.0, toS - fromS);
            endS = timeline.endS[block];
        }
        const bool busiest = std::abs(busyS / miniBatches - loadS) <= 1e-9 * loadS;
        if (busiest && endS >= drainS && gapS <= roundingS(drainS, drainS)) return true;
    }
    return false;
}

/// After how many mini-batches the replicas are in turn as at the beginning.
std::int64_t turnOfReplicas(const Plan& plan, int microbatches, std::int64_t most) {
    const int pipelines = plan.pipelineCount();
    std::int64_t turn = 1;
    for (const Stage& stage : plan.stages) {
        const auto replicas = static_cast<std::int64_t>(StageLayout(stage).turns());
        const int own = (microbatches - stage.pipeline + pipelines - 1) / pipelines;
        turn = std::lcm(turn, replicas / std::gcd(replicas, static_cast<std::int64_t>(own)));
        if (turn > most) return most;
    }
    return turn;
}

}  // namespace

std::vector<double> completionsS(const Timeline& timeline) {
    std::vector<double> done;
    for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
        const BlockKind kind = timeline.kind[block];
        if (!endsBackward(kind) && !givesGradient(kind) && kind != BlockKind::update) continue;
        const auto miniBatch = static_cast<std::size_t>(timeline.iteration[block]);
        if (miniBatch >= done.size()) done.resize(miniBatch + 1, 0);
        done[miniBatch] = std::max(done[miniBatch], timeline.endS[block]);
    }
    for (std::size_t next = 1; next < done.size(); ++next) done[next] = std::max(done[next], done[next - 1]);
    return done;
}

std::optional<SteadyState> steadyState(const Timeline& timeline) {
    const std::vector<double> done = completionsS(timeline);
    if (done.size() < 3) return std::nullopt;
    const Course course(timeline, done.size());
    int last = lastBeforeDrain(done, drainStartS(timeline));
    SteadyState state;
    if (const int turn = cycleUpTo(done, course, last)) {
        state.miniBatches = turn;
        state.repeats = true;
        state.toS = done[static_cast<std::size_t>(last)];
        state.fromS = done[static_cast<std::size_t>(last - turn)];
        return state;
    }
    // The pipeline never filled, or hardly: the last mini-batch alone is left out.
    if (last < 2) last = static_cast<int>(done.size()) - 2;
    const int first = std::min(static_cast<int>(last / 2), last - 1);
    state.miniBatches = last - first;
    std::tie(state.fromS, state.toS) = course.slowest(first, last);
    return state;
}

SteadyPace steadyPace(const Timeline& timeline, double leastS) {
    const std::optional<SteadyState> state = steadyState(timeline);
    if (!state) return {};
    constexpr double rounding = 1e-9;
    if (state->repeats && state->miniBatchS() >= leastS * (1 - rounding)) return {state->miniBatchS(), true};
    const std::vector<double> done = completionsS(timeline);
    const double drainS = drainStartS(timeline);
    const int last = lastBeforeDrain(done, drainS), miniBatches = static_cast<int>(done.size());
    if (leastS > 0 && busiestNeverWaits(timeline, leastS, miniBatches, drainS) &&
        Course(timeline, done.size()).keepsPace(last / 2, last, leastS))
        return {leastS, true};
    return {std::max(state->miniBatchS(), leastS), false};
}

int steadyStateMiniBatches(const CostModel& costs, const Plan& plan, std::uint32_t mostBlocks) {
    const int microbatches = costs.problem().setup.microbatches;
    std::int64_t blocks = 0;  // of a mini-batch: a forward, a backward, a transfer each way, an update
    for (std::size_t stage = 0; stage < plan.stages.size(); ++stage)
        blocks += 4 * std::int64_t{microbatches} / plan.pipelineCount() + 1;
    const std::int64_t most =
        std::max<std::int64_t>(leastMiniBatches, mostBlocks / std::max<std::int64_t>(1, blocks));
    const std::int64_t turn = turnOfReplicas(plan, microbatches, most);
    const std::int64_t held = (heldAtOnce(plan) + microbatches - 1) / microbatches;
    const std::int64_t wanted = std::max<std::int64_t>(leastMiniBatches, 2 * held + 4 * turn);
    return static_cast<int>(std::min(most, (wanted + turn - 1) / turn * turn));
}

}  // namespace stagecraft::simulation
