#include "core/planners/madpipe/pareto.h"

#include "core/memory/memory_peaks.h"
#include "core/planners/madpipe/contiguous.h"
#include "core/simulation/simulator.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::planners {

namespace {

/// Less than a byte of any memory there is.
constexpr double smallestStep = 1e-12;

CostModel withLimit(const CostModel& costs, double bytes) {
    TrainingSetup setup = costs.problem().setup;
    setup.mode = TrainingMode::asynchronous;
    setup.memoryLimitBytes = bytes;
    return costs.withSetup(setup);
}

double peakBytes(const CostModel& costs, const Plan& plan) {
    const CostModel own = costs.withSetup(setupOf(plan, costs.problem().setup));
    double most = 0;
    const SimulatedRun run = simulatedRun(own, plan);
    for (const MemoryPeak& peak : memoryPeaks(own, plan, run.lowered().edges, run.timeline))
        most = std::max(most, peak.bytes);
    return most;
}

/// More than any plan of a sensible depth stores on one device.
double plentyBytes(const MadPipeChain& chain, int devices) {
    double buffers = 0;
    for (const double bytes : chain.bufferBytes) buffers += 2 * bytes;
    return chain.memoryBytes(0, chain.links() - 1, 2 * devices + 2) + buffers;
}

class Walk {
public:
    Walk(const CostModel& costs, const ParetoOptions& options, const WorkContext& context)
        : costs_(costs), options_(options), context_(context), chain_(madPipeChain(costs)) {
        quiet_ = context;
        quiet_.progress = {};
        const bool contiguous = options.plans.stages == MadPipeStages::contiguous;
        step_ = std::max(options.step, contiguous ? smallestStep : options.step > 0 ? 0 : 0.01);
    }

    std::vector<ParetoPoint> curve() {
        double limit = std::min(options_.toBytes, std::max(1.0, plentyBytes(chain_, costs_.deviceCount())));
        const double most = limit;
        while (limit >= options_.fromBytes && limit > 0 && !context_.enough.stop_requested()) {
            context_.throwIfStopped();
            const std::optional<ParetoPoint> point = pointAt(limit);
            if (!point) break;
            keep(*point);
            limit = std::min(limit, point->memoryBytes) * (1 - step_);
            // Nobody knows where it ends; memory falls by a factor much more often than to nothing.
            context_.report(1 - std::max(limit - options_.fromBytes, 0.0) / most);
        }
        context_.report(1);
        return std::move(points_);
    }

private:
    std::optional<ParetoPoint> pointAt(double limitBytes) const {
        const CostModel costs = withLimit(costs_, limitBytes);
        MadPipeOutcome outcome = planMadPipe(costs, options_.plans, quiet_);
        if (!outcome.plan) return std::nullopt;
        ParetoPoint point{peakBytes(costs, *outcome.plan), outcome.periodS, outcome.proven,
                          *std::move(outcome.plan), outcome.expectedS};
        lean(costs, point);
        return point;
    }

    /// A contiguous plan as fast with less memory, if there is one.
    void lean(const CostModel& costs, ParetoPoint& point) const {
        if (options_.plans.stages == MadPipeStages::pipedream) return;
        const ContiguousPartition leanest =
            leanestPartition(chain_, costs.deviceCount(), point.periodS * (1 + 1e-12));
        if (!leanest.found() || !(leanest.value < point.memoryBytes)) return;
        const CostModel tight = withLimit(costs, leanest.value);
        ScheduledPlan scheduled =
            schedulePlan(tight, stagesOf(chain_, leanest.stages), options_.plans.secondPhase, quiet_);
        if (!scheduled.plan || scheduled.periodS > point.periodS * (1 + 1e-9)) return;
        point.memoryBytes = peakBytes(tight, *scheduled.plan);
        point.periodS = scheduled.periodS;
        point.proven = true;
        point.plan = *std::move(scheduled.plan);
    }

    void keep(const ParetoPoint& point) {
        keepPareto(points_, point);
        if (options_.found) options_.found(point);
    }

    const CostModel& costs_;
    const ParetoOptions& options_;
    const WorkContext& context_;
    WorkContext quiet_;
    const MadPipeChain chain_;
    double step_ = 0;
    std::vector<ParetoPoint> points_;
};

}  // namespace

std::vector<ParetoPoint> paretoCurve(const CostModel& costs, const ParetoOptions& options,
                                     const WorkContext& context) {
    return Walk(costs, options, context).curve();
}

void keepPareto(std::vector<ParetoPoint>& curve, const ParetoPoint& point) {
    while (!curve.empty() && curve.back().periodS >= point.periodS * (1 - 1e-9)) curve.pop_back();
    curve.push_back(point);
}

const ParetoPoint* fastestWithin(const std::vector<ParetoPoint>& curve, double memoryBytes) {
    for (const ParetoPoint& point : curve)
        if (point.memoryBytes <= memoryBytes) return &point;
    return nullptr;
}

const ParetoPoint* leanestWithin(const std::vector<ParetoPoint>& curve, double periodS) {
    const ParetoPoint* leanest = nullptr;
    for (const ParetoPoint& point : curve)
        if (point.periodS <= periodS * (1 + 1e-12)) leanest = &point;
    return leanest;
}

}  // namespace stagecraft::planners
