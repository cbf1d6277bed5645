#include "core/planners/vpipe/vpipe_planner.h"

#include "core/base/counted.h"
#include "core/base/units.h"
#include "core/planners/vpipe/memory_ladder.h"

#include <algorithm>

namespace stagecraft::planners::vpipe {

namespace {

PlannerDescription describeVpipe() {
    PlannerDescription description;
    description.id = "vpipe";
    description.title = "vPipe";
    description.paper =
        "Zhao, Li, Chen, Guan, Jiang, Huang, Qing, Wang, Wang, Zhang, Li, Luo, Cui: vPipe: A Virtualized "
        "Acceleration System for Achieving Efficient and Scalable Pipeline Parallel DNN Training, TPDS 2022";
    description.summary =
        "Swaps and recomputes activations stage by stage so that a pipeline fits its memory, and moves "
        "layers "
        "from the stages that this slows down to the others.";
    description.plansForMemory = true;
    description.plansWithoutBarrier = true;
    description.effort = {.search = 200, .simulation = 1000};
    description.parameters = {
        {"over",
         "Over",
         "The system under which vPipe works. pipedream: 1F1B without a barrier, an update for every "
         "microbatch, "
         "weights stashed. gpipe: 1F1B with a barrier after each mini-batch, as the paper applies GPipe "
         "(Sec. 6). "
         "mode: pipedream if the setup is asynchronous, else gpipe.",
         std::string("mode"),
         0,
         0,
         {"mode", "pipedream", "gpipe"}},
        {"parts",
         "Active parts",
         "all: swap, recompute and repartition. swap-recompute: no repartition, the paper's V-SR. none: the "
         "upper system alone, which keeps all activations (PipeDream) or recomputes all (GPipe).",
         std::string("all"),
         0,
         0,
         {"all", "swap-recompute", "none"}},
        {"eager_swap",
         "Swap eagerly",
         "Algorithm 2's first loop swaps as long as the PCIe window has room, as printed; off: only until "
         "the "
         "memory fits. Where that is slower when simulated, less is swapped anyway.",
         true,
         0,
         1,
         {}},
        {"params_resident",
         "Weights stay",
         "Without a barrier m^dependent holds activations and weights, which as printed both leave with a "
         "swap or "
         "recompute. On: the versions of the weights stay, for weights cannot be computed again (E-VP-2).",
         true,
         0,
         1,
         {}},
        {"own_partition",
         "PipeDream's partition",
         "Over PipeDream, whether its own partition is planned for as well, which may replicate stages and "
         "counts "
         "transfers. automatic: where it fits as it is, as the paper has it of small networks (Sec. 6.1). "
         "always: "
         "swapped and recomputed where it does not. none: stages of one device each alone. With parts=none "
         "only if it is always.",
         std::string("automatic"),
         0,
         0,
         {"automatic", "always", "none"}},
        {"exact_local",
         "Exact choice",
         "Instead of Algorithm 2, the exact optimum of the same problem for each stage (E-VP-9).",
         false,
         0,
         1,
         {}},
    };
    return description;
}

/// Under the plan's own mini-batches.
CostModel ownCosts(const CostModel& costs, const Plan& plan) {
    const TrainingSetup own = setupOf(plan, costs.problem().setup);
    return own == costs.problem().setup ? costs : costs.withSetup(own);
}

Attempt attemptOf(const Round& round, int microbatches) {
    Attempt attempt;
    attempt.stages = static_cast<int>(round.stages.size());
    attempt.objectiveS = round.slowestStageS * microbatches;
    attempt.iterationTimeS = round.iterationTimeS;
    attempt.partition = round.stages;
    attempt.memory = round.memory;
    attempt.fits = round.fits;
    attempt.because = round.because;
    return attempt;
}

std::string opsNote(const Round& round) {
    int recomputed = 0, swapped = 0;
    for (const StageRound& stage : round.perStage) {
        recomputed += stage.recomputed;
        swapped += stage.swapped;
    }
    return counted(swapped, "layer is", "layers are") + " swapped and " + std::to_string(recomputed) +
           " recomputed; the slowest stage takes " + formatSeconds(round.slowestStageS) +
           " per microbatch by Eq. (2).";
}

/// How far the greedy choice is from the best one, where it is.
std::string gapNote(const Round& round) {
    std::size_t worst = 0;
    const auto gap = [&](std::size_t s) {
        const StageRound& stage = round.perStage[s];
        return stage.optimumS > 0 ? stage.times.totalS() / stage.optimumS - 1 : 0;
    };
    for (std::size_t s = 1; s < round.perStage.size(); ++s)
        if (gap(s) > gap(worst)) worst = s;
    const auto isCompared = [](const StageRound& stage) {
        return stage.optimumS > 0 || !(stage.times.totalS() > 0);
    };
    if (!std::all_of(round.perStage.begin(), round.perStage.end(), isCompared))
        return "By Eq. (1) not every stage would fit, so that there is no optimum to hold them against "
               "(E-VP-9).";
    if (!(gap(worst) > 1e-9)) return "On every stage that is the exact optimum of its local problem.";
    return std::string("On stage ") + std::to_string(worst) + " it takes " + formatPercent(gap(worst)) +
           (round.perStage[worst].optimumProven ? " more than" : " more than a lower bound of") +
           " the exact optimum of the local problem, on the others no more (E-VP-9).";
}

/// vPipe over GPipe (synchronous) or PipeDream (asynchronous): swap, recompute and repartition by its
/// Algorithm 1 (Zhao et al., TPDS 2021). PlanningResult::rounds has the iteration.
class VpipePlanner final : public Planner {
public:
    const PlannerDescription& description() const override { return description_; }
    bool takesDevicesInOrder() const override { return true; }

    PlanningResult plan(const CostModel& costs, const ParameterValues& values,
                        const WorkContext& context) const override {
        PlanningResult result;
        const TrainingSetup& asked = costs.problem().setup;
        const Settings settings = settingsOf(values, asked.mode);
        const bool wantsBarrier = settings.system == System::synchronous;
        if (!wantsBarrier && asked.mode == TrainingMode::synchronous) {
            result.status = PlanStatus::infeasible;
            result.reason =
                "vPipe over PipeDream trains without a barrier, with weights that may be stale; the setup "
                "asks "
                "for synchronous training (mode)";
            return result;
        }
        Plan skeleton = planOf({}, {}, settings);
        skeleton.miniBatch.barrier = wantsBarrier && asked.mode == TrainingMode::asynchronous;
        const CostModel own = ownCosts(costs, skeleton);
        PlannedRounds planned = planOnLadder(own, settings, context);
        const std::vector<Round>& all = planned.rounds;
        const int microbatches = own.problem().setup.microbatches;
        for (const Round& round : all) result.rounds.push_back(attemptOf(round, microbatches));
        if (planned.best < 0) {
            result.status = PlanStatus::infeasible;
            result.reason = all.back().obstacle;
            return result;
        }
        const Round& chosen = all[static_cast<std::size_t>(planned.best)];
        result.rounds[static_cast<std::size_t>(planned.best)].chosen = true;
        result.status = PlanStatus::ok;
        result.plan = planOf(chosen.stages, chosen.memory, settings);
        result.plan.miniBatch = skeleton.miniBatch;
        result.predictedS = chosen.slowestStageS * microbatches;
        addNotes(costs, settings, planned, result);
        return result;
    }

private:
    static void addNotes(const CostModel& costs, const Settings& settings, const PlannedRounds& planned,
                         PlanningResult& result) {
        const Round& chosen = planned.rounds[static_cast<std::size_t>(planned.best)];
        const int workers = workersOf(chosen.stages);
        const bool replicates = workers > static_cast<int>(chosen.stages.size());
        if (settings.parts != Parts::upperSystem) {
            result.notes.push_back(opsNote(chosen));
            result.notes.push_back(gapNote(chosen));
        }
        if (settings.parts == Parts::full) result.notes.push_back(roundsNote(costs, planned));
        if (replicates)
            result.notes.push_back(
                "These are the stages of PipeDream's own partition: replicas take microbatches in turn.");
        else if (workers < costs.deviceCount())
            result.notes.push_back("vPipe does not replicate stages: " + std::to_string(workers) + " of " +
                                   counted(costs.deviceCount(), "device") + " are used.");
    }

    static std::string roundsNote(const CostModel& costs, const PlannedRounds& planned) {
        std::string note = "Algorithm 1 took " + counted(planned.rounds.size(), "round") + "; round " +
                           std::to_string(planned.best) + " is the quickest that fits.";
        const double planLimit = planned.costs.problem().leastMemoryLimitBytes();
        const double limit = costs.problem().leastMemoryLimitBytes();
        constexpr double rung = 0.03;  // by which two rungs of the ladder differ at most
        if (planLimit < (1 - rung) * limit)
            note += " It was planned for " + formatBytes(planLimit) + " of the " + formatBytes(limit) +
                    ": what Algorithm 1 makes of more is not quicker.";
        return note;
    }

    PlannerDescription description_ = describeVpipe();
};

}  // namespace

Settings settingsOf(const ParameterValues& values, TrainingMode mode) {
    const auto text = [&](const char* name) { return std::get<std::string>(values.at(name)); };
    Settings settings;
    settings.system =
        text("over") == "pipedream" || (text("over") == "mode" && mode == TrainingMode::asynchronous)
            ? System::asynchronous
            : System::synchronous;
    settings.parts = text("parts") == "all"    ? Parts::full
                     : text("parts") == "none" ? Parts::upperSystem
                                               : Parts::swapRecompute;
    settings.eagerSwap = std::get<bool>(values.at("eager_swap"));
    settings.paramsResident = std::get<bool>(values.at("params_resident"));
    settings.ownPartition = text("own_partition") == "none"     ? OwnPartition::none
                            : text("own_partition") == "always" ? OwnPartition::always
                                                                : OwnPartition::ifItFits;
    settings.exactLocal = std::get<bool>(values.at("exact_local"));
    return settings;
}

}  // namespace stagecraft::planners::vpipe

namespace stagecraft::planners {

std::unique_ptr<Planner> makeVpipePlanner() { return std::make_unique<vpipe::VpipePlanner>(); }

}  // namespace stagecraft::planners
