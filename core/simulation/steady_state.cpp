#include "core/simulation/steady_state.h"

#include "core/schedules/in_flight.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

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

/// The shortest turn that the completions up to and with `last` repeat: over itself and over half of what has
/// been seen. 0: none.
int cycleUpTo(const std::vector<double>& done, int last) {
    const int count = last + 1;
    for (int turn = 1; 2 * turn < count; ++turn) {
        const auto gap = [&](int k) { return done[std::size_t(k)] - done[std::size_t(k - turn)]; };
        const double whole = gap(last);
        const int compared = std::min(count - turn, std::max(turn, count / 2));
        bool same = true;
        for (int k = last; same && k > last - compared; --k)
            same = std::abs(gap(k) - whole) <= roundingS(whole, done[std::size_t(k)]);
        if (same) return turn;
    }
    return 0;
}

/// Microbatches under way.
int heldAtOnce(const Plan& plan) {
    const auto* policy = std::get_if<PolicySchedule>(&plan.schedule.order);
    return mostInFlight(plan.stages, policy ? policy->parameters : std::map<std::string, double>{});
}

/// After how many mini-batches the replicas are in turn as at the beginning.
std::int64_t turnOfReplicas(const Plan& plan, int microbatches, std::int64_t most) {
    const int pipelines = plan.pipelineCount();
    std::int64_t turn = 1;
    for (const Stage& stage : plan.stages) {
        if (stage.replication != Replication::roundRobin) continue;
        const int own = (microbatches - stage.pipeline + pipelines - 1) / pipelines;
        const auto replicas = static_cast<std::int64_t>(stage.devices.size());
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
    const double drainS = drainStartS(timeline);
    int last = static_cast<int>(std::upper_bound(done.begin(), done.end(), drainS) - done.begin()) - 1;
    SteadyState state;
    if (const int turn = cycleUpTo(done, last)) {
        state.miniBatches = turn;
        state.repeats = true;
    } else {
        // The pipeline never filled, or hardly: the last mini-batch alone is left out.
        if (last < 2) last = static_cast<int>(done.size()) - 2;
        const int first = std::min(static_cast<int>(last / 2), last - 1);
        state.miniBatches = last - first;
    }
    state.toS = done[static_cast<std::size_t>(last)];
    state.fromS = done[static_cast<std::size_t>(last - state.miniBatches)];
    return state;
}

bool busiestNeverWaits(const Timeline& timeline, double loadS) {
    if (timeline.iteration.empty() || !(loadS > 0)) return false;
    const int miniBatches = 1 + *std::max_element(timeline.iteration.begin(), timeline.iteration.end());
    const double drainS = drainStartS(timeline);
    for (const Lane& lane : timeline.lanes) {
        double busyS = 0, gapS = 0, endS = 0;
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) {
            if (timeline.kind[block] == BlockKind::update) continue;
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
