#include "core/planners/vpipe/memory_ladder.h"

#include "core/analysis/evaluation.h"
#include "core/base/indices.h"
#include "core/cost/stage_layout.h"
#include "core/planners/planner.h"
#include "core/planners/vpipe/roomy_partitions.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace stagecraft::planners::vpipe {

namespace {

constexpr int rungDigits = 7;
/// A network of more layers has a ladder of half as many rungs.
constexpr int manyLayers = 128;
/// Of the search through all plans at one rung, against where only the limits themselves are left: a network
/// of few layers is searched through, of another one not enough to be worth the time.
constexpr double effortOfRung = 0.05;
constexpr int fewLayers = 6;
/// Steps up from the lowest rung that may hold something, each twice as wide as the one before.
constexpr int mostStepsUp = 20;
/// Limits below the lowest rung with a plan for which all plans are searched.
constexpr int mostSearchesBelow = 12;

/// By more than numbers of bytes differ by rounding, as those do that stand in proportion to other limits:
/// what is found under such a limit does not depend on which ones it was worked out from.
double justBelow(double bytes) { return bytes * (1 - 1e-6); }

/// Numbers of bytes of so many binary digits, in ascending order.
class Rungs {
public:
    explicit Rungs(int digits) : digits_(digits) {}

    int perDoubling() const { return 1 << (digits_ - 1); }

    int atOrBelow(double bytes) const {
        int exponent = 0;
        const double mantissa = std::frexp(bytes, &exponent);
        return exponent * perDoubling() + static_cast<int>(std::ldexp(mantissa, digits_)) - perDoubling();
    }

    double bytes(int rung) const {
        const int exponent = static_cast<int>(std::floor(static_cast<double>(rung) / perDoubling()));
        return std::ldexp(rung - (exponent - 1) * perDoubling(), exponent - digits_);
    }

private:
    int digits_;
};

class Ladder {
public:
    Ladder(const CostModel& costs, const Settings& settings, const WorkContext& context)
        : costs_(costs),
          settings_(settings),
          context_(context),
          rungs_(costs.layerCount() > manyLayers ? rungDigits - 1 : rungDigits) {
        const Problem& problem = costs.problem();
        leastLimit_ = problem.leastMemoryLimitBytes();
        for (int device = 0; device < costs.deviceCount(); ++device)
            alike_ = alike_ && problem.memoryLimitBytes(device) == leastLimit_;
        const bool wantsOwn =
            settings.ownPartition == OwnPartition::always ||
            (settings.ownPartition == OwnPartition::ifItFits && settings.parts != Parts::upperSystem);
        if (wantsOwn && settings.system == System::asynchronous) ownStages_ = pipeDreamStages();
    }

    PlannedRounds run() {
        PlannedRounds planned = settings_.parts == Parts::upperSystem || !std::isfinite(leastLimit_)
                                    ? planAt(leastLimit_, 1)
                                    : bestOfLimits();
        addOwnAsItIs(planned);
        for (Round& round : planned.rounds) addOptima(planned.costs, settings_, round);
        return planned;
    }

private:
    std::vector<Stage> pipeDreamStages() const {
        const Planner* planner = findPlanner("pipedream");
        const PlanningResult result = planner->plan(costs_, defaultValues(planner->description().parameters),
                                                    WorkContext{context_.stop, {}});
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
        const bool replicates = std::any_of(ownStages_.begin(), ownStages_.end(), [](const Stage& stage) {
            return StageLayout(stage).isReplicated();
        });
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
        const Evaluation evaluation = measure(costs_, plan, options);
        for (const MemoryCurve& curve : evaluation.memory)
            found->second.peakBytes.push_back(curve.peakBytes());
        found->second.iterationTimeS = evaluation.metrics.iterationTimeS;
        return found->second;
    }

    bool holdsNothing(const CostModel& costs) const {
        const int stages = std::min(costs.layerCount(), costs.deviceCount());
        const MemoryFloor floor(costs, settings_, stages);
        const std::vector<int> bounds = settings_.parts == Parts::full ? roomyPartitions(floor, 1).roomiest
                                                                       : boundsOf(startingStages(costs));
        return worstExcess(floor, bounds) > 0;
    }

    PlannedRounds bestOfLimits() {
        if (!holdsNothing(costs_)) {
            const std::optional<Start> start = startAbove(lowestRung());
            if (start) descend(start->rung);
            if (start && !(best_ && cannotBeQuicker(best_->iterationTimeS))) searchBelow(start->need);
        }
        return best_ ? std::move(*best_) : planAt(leastLimit_, 1);
    }

    /// Where plans begin: a rung that has one, and what that needs.
    struct Start {
        int rung;
        double need;
    };

    /// The lowest that may hold anything, for limits that may; of a byte or more.
    int lowestRung() const {
        const int rungOfAByte = rungs_.atOrBelow(1);
        const auto isTooLow = [&](int rung) {
            return rung < rungOfAByte || holdsNothing(costsAt(limitAt(rung)));
        };
        int high = rungs_.atOrBelow(leastLimit_) + 1, low = high - 1;
        for (int step = 1; !isTooLow(low); step *= 2) {
            high = low;
            low -= step;
        }
        while (high - low > 1) {
            const int middle = low + (high - low) / 2;
            (isTooLow(middle) ? low : high) = middle;
        }
        return high;
    }

    /// Plans whose peaks are as round as rungs are would fit there or not by how their limits were rounded.
    double limitAt(int rung) const { return justBelow(rungs_.bytes(rung)); }

    PlannedRounds planAtRung(int rung) {
        context_.throwIfStopped();
        return planAt(limitAt(rung), costs_.layerCount() <= fewLayers ? effortOfRung : 0);
    }

    /// All rungs that the limits hold, down to `lowest`.
    void descend(int lowest) {
        for (int rung = rungs_.atOrBelow(leastLimit_); rung >= lowest;) {
            context_.report(1 - rungs_.bytes(rung) / leastLimit_);
            PlannedRounds planned = planAtRung(rung);
            double share = 0;
            for (const Round& round : planned.rounds) share = std::max(share, round.shareNeeded);
            consider(std::move(planned));
            if (best_ && cannotBeQuicker(best_->iterationTimeS)) break;
            if (!(share > 0)) break;
            // A little more than was needed may be needed, by rounding.
            rung = rungs_.atOrBelow(justBelow(rungs_.bytes(rung) * std::min(1.0, share * (1 + 1e-6))));
        }
    }

    /// The first rung that has a plan on the way up from `lowest` in longer and longer steps, be it above the
    /// limits.
    std::optional<Start> startAbove(int lowest) {
        for (int step = 0; step < mostStepsUp; ++step) {
            const int rung = lowest + (1 << step) - 1;
            PlannedRounds planned = planAtRung(rung);
            if (planned.best < 0) continue;
            const double need = needOf(planned);
            consider(std::move(planned));
            return Start{rung, need};
        }
        return std::nullopt;
    }

    /// Searches for leaner plans than any rung has: at limits further and further below what those need,
    /// then, where nothing is found, just below what was found last.
    void searchBelow(double need) {
        double limit = justBelow(need), stride = need / rungs_.perDoubling();
        bool hastens = true;
        for (int search = 0; need > 0 && search < mostSearchesBelow; ++search) {
            context_.throwIfStopped();
            const CostModel costs = costsAt(limit);
            PlannedRounds planned =
                holdsNothing(costs) ? PlannedRounds{{}, -1, 0, costs} : planAt(limit, effortOfRung);
            if (planned.best >= 0) {
                need = needOf(planned);
                consider(std::move(planned));
            } else if (hastens && limit < justBelow(need)) {
                hastens = false;
            } else {
                return;
            }
            limit = justBelow(need);
            if (!hastens) continue;
            limit = std::min(limit, need - stride);
            stride *= 2;
        }
    }

    /// Bytes on the device with least memory, the others in proportion, that the best of the rounds takes.
    double needOf(const PlannedRounds& planned) {
        const KnownOutcomes::Outcome& outcome = inTheLongRun(planned.rounds[at(planned.best)]);
        double need = 0;
        for (int device = 0; device < costs_.deviceCount(); ++device)
            need = std::max(need, outcome.peakBytes[at(device)] *
                                      (leastLimit_ / costs_.problem().memoryLimitBytes(device)));
        return need;
    }

    /// Takes what is quicker than all before. What was planned for more than there is may need less.
    void consider(PlannedRounds planned) {
        if (planned.best < 0 || (best_ && planned.iterationTimeS >= best_->iterationTimeS)) return;
        if (planned.costs.problem().leastMemoryLimitBytes() > leastLimit_) {
            const Round& best = planned.rounds[at(planned.best)];
            Round round = chosenRound(costs_, best.stages, best.memory, settings_);
            if (!round.fits || !inTheLongRun(round).fits(costs_.problem())) return;
            round.because = "Planned for more than there is, of which it needs no more than there is.";
            planned = {{std::move(round)}, 0, planned.iterationTimeS, costs_};
        }
        best_ = std::move(planned);
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
    Rungs rungs_;
    double leastLimit_ = 0;
    bool alike_ = true;
    std::vector<Stage> ownStages_;  ///< PipeDream's; empty: not asked for
    std::optional<PlannedRounds> best_;
    KnownOutcomes known_;
};

}  // namespace

PlannedRounds planOnLadder(const CostModel& costs, const Settings& settings, const WorkContext& context) {
    return Ladder(costs, settings, context).run();
}

}  // namespace stagecraft::planners::vpipe
