#include "core/planners/vpipe/rounds.h"

#include "core/analysis/metrics.h"
#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/base/units.h"
#include "core/cost/stage_layout.h"
#include "core/cost/state_bytes.h"
#include "core/memory/memory.h"
#include "core/memory/memory_peaks.h"
#include "core/planners/pipedream/execution.h"
#include "core/planners/vpipe/complete_search.h"
#include "core/planners/vpipe/lean_search.h"
#include "core/planners/vpipe/refusal.h"
#include "core/planners/vpipe/repartition.h"
#include "core/simulation/simulator.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

namespace stagecraft::planners::vpipe {

namespace {

constexpr int mostRounds = 10;
constexpr int mostTightenings = 40;
constexpr int mostSearched = 80;  // choices of stages that Algorithm 2 cannot fit

/// How freely Algorithm 2 swaps, from printed to not at all.
enum class SwapUse { eager, asNeeded, none };

class Fitting {
public:
    Fitting(const CostModel& costs, const std::vector<Stage>& stages, const Settings& settings,
            const WorkContext& context, KnownOutcomes* known = nullptr)
        : costs_(costs), stages_(stages), settings_(settings), context_(context), known_(known) {
        inFlight_ = inFlightPerReplica(stages, 0);
        input_.assign(stages.size(), 0);
        for (const StageEdge& edge : costs.stageEdges(planOf(stages, {}, settings)))
            input_[at(edge.to)] += edge.forwardBytes;
    }

    Round fit(SwapUse use) {
        attempts_.assign(stages_.size(), Attempt{use});
        Round round;
        const int mostTrials = mostTightenings + (settings_.searchEffort > 0 ? mostSearched : 0);
        for (int trial = 0; trial < mostTrials; ++trial) {
            context_.throwIfStopped();
            round = {};
            round.shareNeeded = 0;
            round.stages = stages_;
            for (std::size_t s = 0; s < stages_.size(); ++s) decide(s, round);
            if (fitsSimulated(round)) {
                // What is taken off a limit is a number of its own for each limit.
                if (trial > 0 || settings_.exactLocal) round.shareNeeded = 1;
                return round;
            }
            const bool stuck = std::all_of(lacks_.begin(), lacks_.end(),
                                           [&](const Lack& lack) { return attempts_[lack.stage].isOver(); });
            if (stuck && !searchEverywhere()) break;
        }
        for (Lack& lack : lacks_)
            lack.neededBytes = std::min(lack.neededBytes, attempts_[lack.stage].leastPeakBytes);
        round.shareNeeded = 1;
        explain(round, " held at least ", " in all that was tried of swapping and recomputing");
        return round;
    }

    /// The upper system alone.
    Round asIs() {
        Round round;
        round.stages = stages_;
        attempts_.assign(stages_.size(), Attempt{SwapUse::none});
        const LayerMemory op =
            settings_.system == System::asynchronous ? LayerMemory::keep : LayerMemory::recompute;
        for (std::size_t s = 0; s < stages_.size(); ++s) {
            const LocalStage local = localStage(s, 0, SwapUse::none);
            record(s, local, LayerOps(local.layers.size(), op), round);
        }
        if (!fitsSimulated(round)) explain(round, " holds ", " at its peak");
        return round;
    }

    /// With choices that were made elsewhere, simulated there.
    Round asChosen(const MemoryPolicy& memory) {
        Round round;
        round.stages = stages_;
        attempts_.assign(stages_.size(), Attempt{SwapUse::none});
        for (std::size_t s = 0; s < stages_.size(); ++s) {
            const LocalStage local = withHostLink(s);
            LayerOps ops(local.layers.size(), LayerMemory::keep);
            for (std::size_t i = 0; i < ops.size(); ++i)
                if (const auto op = memory.layers.find(stages_[s].firstLayer + static_cast<int>(i));
                    op != memory.layers.end())
                    ops[i] = op->second;
            record(s, local, ops, round);
        }
        fitsSimulated(round);
        return round;
    }

    /// How far Algorithm 2 is from the optimum of what it was asked.
    void addOptima(Round& round) const {
        constexpr std::size_t mostStates = 400;
        for (std::size_t s = 0; s < round.perStage.size(); ++s) {
            StageRound& own = round.perStage[s];
            const LocalOptimum best =
                localOptimum(localStage(s, own.reservedBytes, SwapUse::asNeeded), mostStates);
            // By Eq. (1) alone nothing may fit where the timeline has room.
            if (best.feasible) own.optimumS = std::min(best.lowerBoundS, own.times.totalS());
            own.optimumProven = best.proven;
        }
    }

private:
    /// Batches of which a device of stage s holds something at once.
    int rankOf(std::size_t s) const {
        const TrainingSetup& setup = costs_.problem().setup;
        const int rank = inFlight_[s];
        return setup.mode == TrainingMode::synchronous ? std::min(rank, setup.microbatches) : rank;
    }

    /// A device that none of the stage's is behind in anything; its memory is what it may hold.
    Device weakestOf(std::size_t s) const {
        const Problem& problem = costs_.problem();
        Device weakest = problem.cluster.devices[at(stages_[s].devices.front())];
        weakest.memoryBytes = problem.memoryLimitBytes(stages_[s].devices.front());
        for (const int device : stages_[s].devices) {
            const Device& each = problem.cluster.devices[at(device)];
            weakest.speed = std::min(weakest.speed, each.speed);
            weakest.hostBandwidthBps = std::min(weakest.hostBandwidthBps, each.hostBandwidthBps);
            weakest.memoryBytes = std::min(weakest.memoryBytes, problem.memoryLimitBytes(device));
        }
        return weakest;
    }

    LocalStage localStage(std::size_t s, double reserveBytes, SwapUse use) const {
        const Problem& problem = costs_.problem();
        const Device hardware = weakestOf(s);
        const StateBytes state(problem, static_cast<double>(stages_[s].devices.size()));
        LocalStage local;
        local.rank = rankOf(s);
        for (int layer = stages_[s].firstLayer; layer <= stages_[s].lastLayer; ++layer) {
            LocalLayer& own = local.layers.emplace_back(localLayer(
                costs_.forwardS(layer, layer) / hardware.speed,
                costs_.backwardS(layer, layer) / hardware.speed,
                state.weights * costs_.parameterBytes(layer, layer),
                costs_.storedActivationBytes(layer, layer), settings_.system, settings_.paramsResident));
            own.constantBytes += state.besidesWeights() * costs_.parameterBytes(layer, layer);
        }
        local.limitBytes = hardware.memoryBytes - reserveBytes;
        local.recomputedCopies = 1;
        local.swappedCopies = std::min(2, local.rank);
        // The batch at work has what it recomputed instead of the input.
        local.inputBytes = input_[s] * (local.rank - 1) / local.rank;
        // Two of a swapped layer's copies are on the device while one leaves and the next is fetched: with
        // two batches in flight nothing is saved.
        local.hostBandwidthBps = use == SwapUse::none || local.rank < 3 ? 0 : hardware.hostBandwidthBps;
        return local;
    }

    LayerOps chosenOps(const LocalStage& local, SwapUse use, bool& fits) const {
        if (settings_.exactLocal) {
            LocalOptimum best = localOptimum(local, 2000);
            fits = best.feasible;
            return best.ops;
        }
        SwapRecompute found = swapAndRecompute(local, {.eagerSwap = use == SwapUse::eager});
        fits = found.fits;
        return found.ops;
    }

    /// Swaps less where Algorithm 2 finds nothing that fits, and begins anew with what is reserved there:
    /// what the simulation needed for one choice says nothing about another. At last the simulation alone is
    /// asked.
    void decide(std::size_t s, Round& round) {
        Attempt& attempt = attempts_[s];
        while (!attempt.algorithmIsDone) {
            const LocalStage local = localStage(s, attempt.reserveBytes, attempt.use);
            bool fits = false;
            const LayerOps ops = chosenOps(local, attempt.use, fits);
            if (fits) return record(s, local, ops, round);
            attempt.reserveBytes = 0;
            if (attempt.use == SwapUse::none) {
                attempt.algorithmIsDone = true;
                attempt.search = LeanSearch(withHostLink(s));
            } else {
                attempt.use = attempt.use == SwapUse::eager ? SwapUse::asNeeded : SwapUse::none;
            }
        }
        record(s, withHostLink(s), attempt.search.current(), round);
    }

    /// What other stages do changes when a stage holds what: as a last resort all of them are searched anew.
    /// False: they were already.
    bool searchEverywhere() {
        const auto isSearched = [](const Attempt& attempt) { return attempt.algorithmIsDone; };
        if (std::all_of(attempts_.begin(), attempts_.end(), isSearched)) return false;
        for (std::size_t s = 0; s < attempts_.size(); ++s) {
            attempts_[s].algorithmIsDone = true;
            attempts_[s].reserveBytes = 0;
            attempts_[s].search = LeanSearch(withHostLink(s));
        }
        return true;
    }

    /// Where little is in flight, too: on the timeline a swap may be through before the next forward begins.
    LocalStage withHostLink(std::size_t s) const {
        LocalStage local = localStage(s, 0, SwapUse::asNeeded);
        local.hostBandwidthBps = weakestOf(s).hostBandwidthBps;
        return local;
    }

    void record(std::size_t s, const LocalStage& local, const LayerOps& ops, Round& round) const {
        StageRound own;
        own.times = stageTimes(local, ops);
        own.memoryBytes = memoryBytes(local, ops) + attempts_[s].reserveBytes;
        own.reservedBytes = attempts_[s].reserveBytes;
        for (std::size_t i = 0; i < ops.size(); ++i) {
            own.recomputed += ops[i] == LayerMemory::recompute;
            own.swapped += ops[i] == LayerMemory::swap;
            if (ops[i] != LayerMemory::keep)
                round.memory.layers[stages_[s].firstLayer + static_cast<int>(i)] = ops[i];
        }
        const double turnS = own.times.totalS() / StageLayout(stages_[s]).rankCount();
        round.slowestStageS = std::max(round.slowestStageS, turnS);
        round.perStage.push_back(own);
        noteNeed(round, own.memoryBytes, weakestOf(s).memoryBytes);
    }

    static void noteNeed(Round& round, double bytes, double limitBytes) {
        if (bytes <= limitBytes) round.shareNeeded = std::max(round.shareNeeded, bytes / limitBytes);
    }

    KnownOutcomes::Outcome simulated(const MemoryPolicy& memory) const {
        const Plan plan = planOf(stages_, memory, settings_);
        SimulationOptions options;
        options.stop = context_.stop;
        options.iterations = iterationsFor(costs_, workersOf(stages_));
        const SimulatedRun run = simulatedRun(costs_, plan, options);
        const auto& edges = run.lowered().edges;
        KnownOutcomes::Outcome outcome;
        outcome.iterationTimeS = infinity;
        bool fits = true;
        for (const MemoryPeak& peak : memoryPeaks(costs_, plan, edges, run.timeline, context_.stop)) {
            outcome.peakBytes.push_back(peak.bytes);
            fits = fits && peak.bytes <= costs_.problem().memoryLimitBytes(peak.device);
        }
        if (fits)
            outcome.iterationTimeS =
                computeMetrics(costs_, plan, run, memoryCurves(costs_, plan, edges, run.timeline))
                    .iterationTimeS;
        return outcome;
    }

    KnownOutcomes::Outcome outcomeOf(const MemoryPolicy& memory) const {
        if (!known_) return simulated(memory);
        const auto [found, isNew] = known_->brief.try_emplace(KnownOutcomes::keyOf(stages_, memory));
        if (isNew) found->second = simulated(memory);
        return found->second;
    }

    bool fitsSimulated(Round& round) {
        const KnownOutcomes::Outcome outcome = outcomeOf(round.memory);
        const auto limitOf = [&](int device) { return costs_.problem().memoryLimitBytes(device); };
        const auto excessOf = [&](int device) { return outcome.peakBytes[at(device)] - limitOf(device); };
        round.fits = true;
        lacks_.clear();
        for (std::size_t s = 0; s < stages_.size(); ++s) {
            const std::vector<int>& devices = stages_[s].devices;
            const int fullest = *std::max_element(devices.begin(), devices.end(),
                                                  [&](int a, int b) { return excessOf(a) < excessOf(b); });
            const double excess = excessOf(fullest), peakBytes = outcome.peakBytes[at(fullest)];
            noteNeed(round, peakBytes, limitOf(fullest));
            if (!(excess > 0)) continue;
            round.fits = false;
            attempts_[s].exceeded(peakBytes, excess + 1e-9 * limitOf(fullest));
            lacks_.push_back({s, peakBytes, limitOf(fullest)});
        }
        round.iterationTimeS = round.fits ? outcome.iterationTimeS : infinity;
        return round.fits;
    }

    /// How a stage is being brought under its limit.
    struct Attempt {
        SwapUse use = SwapUse::none;
        double reserveBytes = 0;       ///< of the limit: what Eq. (1) does not know of Algorithm 2's choices
        bool algorithmIsDone = false;  ///< it finds nothing that fits
        LeanSearch search = {};
        double leastPeakBytes = infinity;  ///< simulated, of all choices

        bool isOver() const { return algorithmIsDone && search.isOver(); }
        void exceeded(double peakBytes, double byBytes) {
            leastPeakBytes = std::min(leastPeakBytes, peakBytes);
            if (algorithmIsDone)
                search.exceeded(peakBytes);
            else
                reserveBytes += byBytes;
        }
    };

    /// A stage that has too little memory.
    struct Lack {
        std::size_t stage;
        double neededBytes, limitBytes;
    };

    void explain(Round& round, const char* how, const char* when) const {
        const auto sentence = [&](const Lack& lack) {
            const auto [needed, limit] = distinctBytes(lack.neededBytes, lack.limitBytes);
            return "stage " + std::to_string(lack.stage) + how + needed + when + "; its limit is " + limit;
        };
        for (const Lack& lack : lacks_)
            round.because += (round.because.empty() ? "" : " ") + sentence(lack) + ".";
        const Lack& worst = *std::max_element(lacks_.begin(), lacks_.end(), [](const Lack& a, const Lack& b) {
            return a.neededBytes - a.limitBytes < b.neededBytes - b.limitBytes;
        });
        round.obstacle = sentence(worst);
        if (const std::size_t others = lacks_.size() - 1; others > 0)
            round.obstacle += " (" + std::to_string(others) + " more of the " +
                              counted(stages_.size(), "stage") + " need too much)";
    }

    const CostModel& costs_;
    const std::vector<Stage>& stages_;
    const Settings& settings_;
    const WorkContext& context_;
    KnownOutcomes* known_;
    std::vector<int> inFlight_;  // by stage, without a barrier
    std::vector<double> input_;  // likewise
    std::vector<Attempt> attempts_;
    std::vector<Lack> lacks_;
};

/// What each layer takes on the reference GPU, with what the round adds to it: its recomputation, and its
/// share of the time for which swapping stalls the stage.
std::vector<double> layerTimes(const CostModel& costs, const Round& round) {
    std::vector<double> times;
    for (int layer = 0; layer < costs.layerCount(); ++layer) {
        times.push_back(costs.forwardS(layer, layer) + costs.backwardS(layer, layer));
        const auto op = round.memory.layers.find(layer);
        if (op != round.memory.layers.end() && op->second == LayerMemory::recompute)
            times.back() += costs.forwardS(layer, layer);
    }
    for (std::size_t s = 0; s < round.stages.size(); ++s) {
        if (!(round.perStage[s].times.stallS > 0)) continue;
        double swapped = 0;
        const auto isSwapped = [&](int layer) {
            const auto op = round.memory.layers.find(layer);
            return op != round.memory.layers.end() && op->second == LayerMemory::swap;
        };
        for (int layer = round.stages[s].firstLayer; layer <= round.stages[s].lastLayer; ++layer)
            if (isSwapped(layer)) swapped += costs.storedActivationBytes(layer, layer);
        for (int layer = round.stages[s].firstLayer; layer <= round.stages[s].lastLayer; ++layer)
            if (isSwapped(layer))
                times[at(layer)] +=
                    round.perStage[s].times.stallS * costs.storedActivationBytes(layer, layer) / swapped;
    }
    return times;
}

struct Balance {
    bool balanced = false;
    std::size_t slowest = 0;
    double aboveMean = 0;
};

Balance balanceOf(const Round& round) {
    Balance balance;
    double sum = 0;
    for (std::size_t s = 0; s < round.perStage.size(); ++s) {
        sum += round.perStage[s].times.totalS();
        if (round.perStage[s].times.totalS() > round.perStage[balance.slowest].times.totalS())
            balance.slowest = s;
    }
    const double mean = sum / static_cast<double>(round.perStage.size());
    balance.aboveMean = mean > 0 ? round.slowestStageS / mean - 1 : 0;
    balance.balanced = round.slowestStageS <= balancedWithin * mean;
    return balance;
}

/// The partition of which the stage that fills its device most, with every layer recomputed, fills it least.
std::vector<Stage> roomiestStages(const CostModel& costs, const Settings& settings, int p) {
    const Problem& problem = costs.problem();
    const int layers = costs.layerCount();
    const bool synchronous = problem.setup.mode == TrainingMode::synchronous;
    const StateBytes state(problem);
    std::vector<double> leastWorst(at(layers) + 1, infinity);
    leastWorst[0] = 0;
    std::vector<std::vector<int>> begins;
    for (int s = 0; s < p; ++s) {
        const int rank = synchronous ? std::min(p - s, problem.setup.microbatches) : p - s;
        const double versions = settings.system == System::asynchronous ? rank : 1;
        const double limit = problem.memoryLimitBytes(s);
        std::vector<double> next(at(layers) + 1, infinity);
        std::vector<int>& begin = begins.emplace_back(at(layers) + 1, 0);
        for (int end = s + 1; end <= layers - (p - s - 1); ++end)
            for (int cut = end - 1; cut >= s; --cut) {
                const double own = state.withVersions(versions) * costs.parameterBytes(cut, end - 1) +
                                   costs.storedActivationBytes(cut, end - 1);
                const double input = cut > 0 ? (rank - 1) * costs.cutForwardBytes(cut - 1) : 0;
                if (own / limit >= next[at(end)]) break;
                const double worst = std::max((own + input) / limit, leastWorst[at(cut)]);
                if (worst >= next[at(end)]) continue;
                next[at(end)] = worst;
                begin[at(end)] = cut;
            }
        leastWorst = std::move(next);
    }
    std::vector<int> bounds;
    for (int s = p - 1, end = layers; s > 0; --s) bounds.push_back(end = begins[at(s)][at(end)]);
    std::reverse(bounds.begin(), bounds.end());
    return stagesOf(bounds, layers);
}

}  // namespace

std::vector<Stage> startingStages(const CostModel& costs) {
    std::vector<double> timeS;
    for (int layer = 0; layer < costs.layerCount(); ++layer)
        timeS.push_back(costs.forwardS(layer, layer) + costs.backwardS(layer, layer));
    return stagesOf(balancedBounds(timeS, std::min(costs.layerCount(), costs.deviceCount())),
                    costs.layerCount());
}

Round fittedRound(const CostModel& costs, const std::vector<Stage>& stages, const Settings& settings,
                  const WorkContext& context, KnownOutcomes* known) {
    Fitting fitting(costs, stages, settings, context, known);
    if (settings.parts == Parts::upperSystem) return fitting.asIs();
    std::vector<SwapUse> uses = {SwapUse::asNeeded, SwapUse::none};
    if (settings.eagerSwap && !settings.exactLocal) uses.insert(uses.begin(), SwapUse::eager);
    Round best;
    double shareNeeded = 0;
    for (const SwapUse use : uses) {
        Round round = fitting.fit(use);
        shareNeeded = std::max(shareNeeded, round.shareNeeded);
        const bool first = best.stages.empty();
        if (first || (round.fits && (!best.fits || round.iterationTimeS < best.iterationTimeS)))
            best = std::move(round);
        // What does not fit without swapping at last has been tried by the first already.
        if (!best.fits) break;
    }
    best.shareNeeded = best.fits ? shareNeeded : 1;
    return best;
}

Round chosenRound(const CostModel& costs, const std::vector<Stage>& stages, const MemoryPolicy& memory,
                  const Settings& settings) {
    return Fitting(costs, stages, settings, {}).asChosen(memory);
}

void addOptima(const CostModel& costs, const Settings& settings, Round& round) {
    if (round.fits && settings.parts != Parts::upperSystem)
        Fitting(costs, round.stages, settings, {}).addOptima(round);
}

std::vector<Round> rounds(const CostModel& costs, const Settings& settings, const WorkContext& context,
                          KnownOutcomes* known) {
    return rounds(costs, startingStages(costs), settings, context, known);
}

std::vector<Round> rounds(const CostModel& costs, std::vector<Stage> start, const Settings& settings,
                          const WorkContext& context, KnownOutcomes* known) {
    const auto repartitioned = [&](std::vector<double> timeS, int p) {
        if (!known) return repartition(layerGraph(costs, std::move(timeS)), p);
        const auto [found, isNew] = known->bounds.try_emplace(timeS);
        if (isNew) found->second = repartition(layerGraph(costs, std::move(timeS)), p);
        return found->second;
    };
    const int p = static_cast<int>(start.size());
    std::vector<Round> all;
    std::set<std::vector<int>> seen;
    std::vector<Stage> stages = std::move(start);
    std::string because =
        "The partition that PipeDream's static profile gives, the slowest stage as quick as can be.";
    while (true) {
        seen.insert(boundsOf(stages));
        Round round = fittedRound(costs, stages, settings, context, known);
        round.because = because + (round.because.empty() ? "" : " It does not fit: " + round.because);
        all.push_back(std::move(round));
        context.report(static_cast<double>(all.size()) / mostRounds);
        if (settings.parts != Parts::full || static_cast<int>(all.size()) == mostRounds) break;
        const Balance balance = balanceOf(all.back());
        if (balance.balanced && all.back().fits) break;
        stages = stagesOf(repartitioned(layerTimes(costs, all.back()), p), costs.layerCount());
        if (seen.contains(boundsOf(stages))) break;
        because = balance.balanced ? "Repartitioned, because the round before does not fit."
                                   : "Repartitioned: stage " + std::to_string(balance.slowest) + " took " +
                                         formatPercent(balance.aboveMean) + " more than the mean.";
    }
    if (settings.parts == Parts::full && bestRound(all) < 0) {
        stages = roomiestStages(costs, settings, p);
        if (!seen.contains(boundsOf(stages))) {
            Round round = fittedRound(costs, stages, settings, context, known);
            round.because = "No balanced partition fits: the one with the lowest peak for its limits." +
                            (round.because.empty() ? "" : " It does not fit: " + round.because);
            all.push_back(std::move(round));
        }
    }
    if (settings.parts != Parts::upperSystem && bestRound(all) < 0)
        addSearched(costs, settings, context, all);
    return all;
}

void addSearched(const CostModel& costs, const Settings& settings, const WorkContext& context,
                 std::vector<Round>& all) {
    if (!(settings.searchEffort > 0)) return;
    const std::vector<Stage> start = all.front().stages;
    CompleteSearch search(costs, settings, context);
    const SearchResult found = search.run(static_cast<int>(start.size()),
                                          settings.parts == Parts::full ? std::vector<Stage>{} : start);
    const std::string obstacle = found.fits ? "" : refusalOf(found, settings);
    if (found.simulated > 0) {
        Round round = chosenRound(costs, found.stages, found.memory, settings);
        round.fits = found.fits;
        round.shareNeeded = 1;
        if (!found.fits) round.iterationTimeS = infinity;
        round.because = found.fits ? "No round before fits: the first plan that does, of all, with single "
                                     "layers then treated otherwise where that is quicker."
                                   : "No round before fits, and nothing that was searched does: this came "
                                     "closest.";
        all.push_back(std::move(round));
    }
    all.back().obstacle = obstacle;
}

int bestRound(const std::vector<Round>& rounds) {
    int best = -1;
    for (std::size_t r = 0; r < rounds.size(); ++r)
        if (rounds[r].fits && (best < 0 || rounds[r].iterationTimeS < rounds[at(best)].iterationTimeS))
            best = static_cast<int>(r);
    return best;
}

}  // namespace stagecraft::planners::vpipe
