#include "core/planners/vpipe/memory_ladder.h"

#include "core/analysis/evaluation.h"
#include "core/base/indices.h"
#include "core/planners/pipedream/pipedream_planner.h"
#include "core/planners/vpipe/roomy_partitions.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace stagecraft::planners::vpipe {

namespace {

constexpr int rungDigits = 7;
/// A network of more layers has a ladder of half as many rungs.
constexpr int manyLayers = 128;
/// Of the search through all plans at one rung, against where only the limits themselves are left: a network of
/// few layers is searched through, of another one not enough to be worth the time.
constexpr double effortOfRung = 0.05;
constexpr int fewLayers = 6;
/// Rungs one below the other without a plan, after which lower ones are not tried.
constexpr int mostFailures = 2;

double rungAtOrBelow(double bytes, int digits) {
    int exponent = 0;
    const double mantissa = std::frexp(bytes, &exponent);
    return std::ldexp(std::floor(std::ldexp(mantissa, digits)), exponent - digits);
}

double rungBelow(double bytes, int digits) { return rungAtOrBelow(std::nextafter(bytes, 0), digits); }

class Ladder {
public:
    Ladder(const CostModel& costs, const Settings& settings, const WorkContext& context)
        : costs_(costs), settings_(settings), context_(context) {
        const Problem& problem = costs.problem();
        leastLimit_ = problem.leastMemoryLimitBytes();
        for (int device = 0; device < costs.deviceCount(); ++device)
            alike_ = alike_ && problem.memoryLimitBytes(device) == leastLimit_;
        const bool wantsOwn = settings.ownPartition == OwnPartition::always ||
                              (settings.ownPartition == OwnPartition::ifItFits &&
                               settings.parts != Parts::upperSystem);
        if (wantsOwn && settings.system == System::asynchronous) ownStages_ = pipeDreamStages();
    }

    PlannedRounds run() {
        const std::optional<PlannedRounds> onRung =
            settings_.parts == Parts::upperSystem || !std::isfinite(leastLimit_) ? std::nullopt : bestRung();
        PlannedRounds planned = onRung ? *onRung : planAt(leastLimit_, 1);
        addOwnAsItIs(planned);
        for (Round& round : planned.rounds) addOptima(planned.costs, settings_, round);
        return planned;
    }

private:
    std::vector<Stage> pipeDreamStages() const {
        const std::unique_ptr<Planner> planner = makePipeDreamPlanner();
        const PlanningResult result = planner->plan(
            costs_, defaultValues(planner->description().parameters), WorkContext{context_.stop, {}});
        return result.status == PlanStatus::ok ? result.plan.stages : std::vector<Stage>{};
    }

    /// With that much on the device with least memory, and all others in proportion.
    CostModel costsAt(double limitBytes) const {
        if (limitBytes == leastLimit_) return costs_;
        if (alike_) {
            TrainingSetup setup = costs_.problem().setup;
            setup.memoryLimitBytes = limitBytes;
            return costs_.withSetup(setup);
        }
        Problem problem = costs_.problem();
        for (Device& device : problem.cluster.devices) device.memoryBytes *= limitBytes / leastLimit_;
        return CostModel(std::move(problem));
    }

    PlannedRounds planAt(double limitBytes, double effort) {
        Settings settings = settings_;
        settings.searchEffort = effort;
        const WorkContext quiet{context_.stop, {}};
        const WorkContext& context = effort < 1 ? quiet : context_;
        PlannedRounds planned{{}, -1, 0, costsAt(limitBytes)};
        planned.rounds = rounds(planned.costs, settings, context, &known_);
        if (settings.ownPartition == OwnPartition::always && !ownStages_.empty())
            offerOwn(planned, fittedRound(planned.costs, ownStages_, settings, quiet, &known_));
        const bool isSearched = bestRound(planned.rounds) < 0;
        prove(planned);
        if (planned.best < 0 && !isSearched && settings.parts != Parts::upperSystem) {
            addSearched(planned.costs, settings, context, planned.rounds);
            prove(planned);
        }
        return planned;
    }

    void offerOwn(PlannedRounds& planned, Round round) const {
        if (!round.fits) return;
        const bool replicates = std::any_of(ownStages_.begin(), ownStages_.end(),
                                            [](const Stage& stage) { return stage.devices.size() > 1; });
        round.because = replicates ? "PipeDream's own partition, with its replicas."
                                   : "PipeDream's own partition, for which transfers count.";
        planned.rounds.push_back(std::move(round));
    }

    /// Takes the best round on the whole timeline that the plan will be shown with: that of a plan without a
    /// barrier is longer than what the rounds were fitted to.
    void prove(PlannedRounds& planned) {
        const Problem& problem = planned.costs.problem();
        for (int best = bestRound(planned.rounds); best >= 0; best = bestRound(planned.rounds)) {
            Round& round = planned.rounds[at(best)];
            const KnownOutcomes::Outcome& outcome = inTheLongRun(round);
            if (outcome.fits(problem)) {
                planned.best = best;
                planned.iterationTimeS = outcome.iterationTimeS;
                for (int device = 0; device < costs_.deviceCount(); ++device)
                    round.shareNeeded = std::max(
                        round.shareNeeded, outcome.peakBytes[at(device)] / problem.memoryLimitBytes(device));
                return;
            }
            round.fits = false;
            round.shareNeeded = 1;
            round.because += " In the long run it does not fit.";
            round.obstacle = "what fits for a few mini-batches does not fit in the long run";
        }
        planned.best = -1;
    }

    const KnownOutcomes::Outcome& inTheLongRun(const Round& round) {
        const auto [found, isNew] =
            known_.longRun.try_emplace(KnownOutcomes::keyOf(round.stages, round.memory));
        if (!isNew) return found->second;
        SimulationOptions options;
        options.stop = context_.stop;
        Plan plan = planOf(round.stages, round.memory, settings_);
        plan.miniBatch = {};
        const Evaluation evaluation = evaluate(costs_, plan, options);
        for (const MemoryCurve& curve : evaluation.memory)
            found->second.peakBytes.push_back(curve.peakBytes());
        found->second.iterationTimeS = evaluation.metrics.iterationTimeS;
        return found->second;
    }

    bool holdsNothing(const CostModel& costs) const {
        const int stages = std::min(costs.layerCount(), costs.deviceCount());
        const MemoryFloor floor(costs, settings_, stages);
        const std::vector<int> bounds = settings_.parts == Parts::full
                                            ? roomyPartitions(floor, 1).roomiest
                                            : boundsOf(startingStages(costs));
        return worstExcess(floor, bounds) > 0;
    }

    std::optional<PlannedRounds> bestRung() {
        std::optional<PlannedRounds> best;
        int failures = 0;
        const int digits = costs_.layerCount() > manyLayers ? rungDigits - 1 : rungDigits;
        double rung = rungAtOrBelow(leastLimit_, digits);
        while (rung > 0 && failures < mostFailures) {
            context_.throwIfStopped();
            context_.report(1 - rung / leastLimit_);
            PlannedRounds planned = planAt(rung, costs_.layerCount() <= fewLayers ? effortOfRung : 0);
            double needed = 0;
            for (const Round& round : planned.rounds) needed = std::max(needed, round.shareNeeded);
            failures = planned.best < 0 ? failures + 1 : 0;
            if (failures > 0 && holdsNothing(planned.costs)) break;
            if (planned.best >= 0 && (!best || planned.iterationTimeS < best->iterationTimeS))
                best = std::move(planned);
            if (best && cannotBeQuicker(best->iterationTimeS)) break;
            // A little more than was needed may be needed, by rounding.
            rung = rungBelow(rung * std::min(1.0, needed * (1 + 1e-6)), digits);
        }
        return best;
    }

    /// Without a barrier no partition passes microbatches on more quickly than the one whose slowest stage is
    /// as quick as can be.
    bool cannotBeQuicker(double iterationTimeS) const {
        if (settings_.system == System::synchronous || settings_.ownPartition == OwnPartition::always)
            return false;
        double fastest = 0, slowestS = 0;
        for (const Device& device : costs_.problem().cluster.devices)
            fastest = std::max(fastest, device.speed);
        for (const Stage& stage : startingStages(costs_))
            slowestS = std::max(slowestS, costs_.forwardS(stage.firstLayer, stage.lastLayer) +
                                              costs_.backwardS(stage.firstLayer, stage.lastLayer));
        return iterationTimeS <= costs_.problem().setup.microbatches * slowestS / fastest * (1 + 1e-9);
    }

    /// Never slower than PipeDream alone where that fits.
    void addOwnAsItIs(PlannedRounds& planned) {
        if (ownStages_.empty()) return;
        Settings alone = settings_;
        alone.parts = Parts::upperSystem;
        Round round = fittedRound(costs_, ownStages_, alone, context_);
        if (!round.fits) return;
        const KnownOutcomes::Outcome& outcome = inTheLongRun(round);
        if (!outcome.fits(costs_.problem())) return;
        const bool quicker = planned.best < 0 || outcome.iterationTimeS < planned.iterationTimeS;
        offerOwn(planned, std::move(round));
        if (!quicker) return;
        planned.best = static_cast<int>(planned.rounds.size()) - 1;
        planned.iterationTimeS = outcome.iterationTimeS;
    }

    const CostModel& costs_;
    const Settings& settings_;
    const WorkContext& context_;
    double leastLimit_ = 0;
    bool alike_ = true;
    std::vector<Stage> ownStages_;  ///< PipeDream's; empty: not asked for
    KnownOutcomes known_;
};

}  // namespace


PlannedRounds planOnLadder(const CostModel& costs, const Settings& settings, const WorkContext& context) {
    return Ladder(costs, settings, context).run();
}

}  // namespace stagecraft::planners::vpipe
