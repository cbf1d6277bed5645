#include "core/planners/madpipe/madpipe_planner.h"

#include "core/planners/madpipe/madpipe.h"

#include <cmath>

namespace stagecraft::planners {

namespace {

PlannerDescription describeMadPipe() {
    PlannerDescription description;
    description.id = "madpipe";
    description.title = "MadPipe";
    description.paper =
        "Beaumont, Eyraud-Dubois, Shilova: MadPipe: Memory Aware Dynamic Programming Algorithm for Pipelined "
        "Model Parallelism, ScaDL 2022";
    description.summary =
        "A periodic pattern that fits into memory: stages by dynamic programming, where one device may hold "
        "several, then the shortest period by exact search or integer programming.";
    description.parameters = {
        {"allocation",
         "Stages",
         "madpipe: one device may hold several stages (Sec. 4.2). contiguous: the fastest plan with one "
         "stage per "
         "device, by 1F1B* (Sec. 4.1). pipedream: PipeDream's partition under 1F1B*, the baseline of Sec. 5.",
         std::string("madpipe"),
         0,
         0,
         {"madpipe", "contiguous", "pipedream"}},
        {"candidates",
         "Allocations scheduled",
         "printed: the one that Algorithm 1 returns, which is the paper's algorithm. several: ours; besides "
         "that the "
         "allocations that it met on its way, those with the special device charged in full, and the best "
         "contiguous "
         "one, so that the plan is never slower than that.",
         std::string("several"),
         0,
         0,
         {"several", "printed"}},
        {"iterations",
         "Iterations of Algorithm 1",
         "Steps of the search for the period (K of Sec. 4.2.3).",
         10,
         1,
         1000,
         {}},
        {"load_values",
         "Values of the load",
         "Grid of t_P from 0 to all compute time (Sec. 5.1).",
         101,
         2,
         100001,
         {}},
        {"memory_values",
         "Values of the memory",
         "Grid of m_P from 0 to a device's memory (Sec. 5.1).",
         11,
         2,
         10001,
         {}},
        {"delay_values",
         "Values of the delay",
         "Grid of V from 0 to all compute and transfer time (Sec. 5.1).",
         51,
         2,
         100001,
         {}},
        {"exact",
         "No rounding",
         "Works with the exact loads, memories and delays that can be reached instead of the grids; may take "
         "long on long chains.",
         false,
         0,
         1,
         {}},
        {"special_memory",
         "Memory of the special device",
         "How many batches of a stage on the special device the first phase counts, g being the batches in "
         "flight "
         "by its delay. printed: g - 1, never too many and often too few for any pattern (Sec. 4.2.1). full: "
         "g, "
         "enough for any order of its stages.",
         std::string("printed"),
         0,
         0,
         {"printed", "full"}},
        {"solver",
         "Second phase",
         "Who looks for the shortest pattern of stages that share a device. own: the built-in search. "
         "cbc: an "
         "integer program for COIN-OR's cbc, a separate program. both: the built-in search, and after a "
         "while "
         "cbc beside it, until one has proven its pattern.",
         std::string("both"),
         0,
         0,
         {"own", "cbc", "both"}},
        {"time_limit_s",
         "Time limit",
         "Seconds for the second phase, after which the best pattern found so far is kept; 0: none, so that "
         "only "
         "stages with a device of their own are scheduled.",
         60.0,
         0,
         86400,
         {}},
    };
    description.plansForMemory = true;
    description.plansWithoutBarrier = true;
    description.plansWithBarrier = false;
    description.effort = {.search = 200, .simulation = 1000};
    return description;
}

}  // namespace

MadPipeOptions madPipeOptions(const ParameterValues& values) {
    const auto text = [&](const char* name) { return std::get<std::string>(values.at(name)); };
    const auto number = [&](const char* name) { return std::get<int>(values.at(name)); };
    MadPipeOptions options;
    options.stages = text("allocation") == "madpipe"      ? MadPipeStages::madpipe
                     : text("allocation") == "contiguous" ? MadPipeStages::contiguous
                                                          : MadPipeStages::pipedream;
    options.severalAllocations = text("candidates") == "several";
    options.iterations = number("iterations");
    options.grid = {number("load_values"), number("memory_values"), number("delay_values"),
                    std::get<bool>(values.at("exact")),
                    text("special_memory") == "full" ? SpecialMemory::full : SpecialMemory::printed};
    options.secondPhase.solver = text("solver") == "own"   ? PatternSolver::own
                                 : text("solver") == "cbc" ? PatternSolver::cbc
                                                           : PatternSolver::both;
    options.secondPhase.timeLimitS = std::get<double>(values.at("time_limit_s"));
    return options;
}

namespace {

/// MadPipe: an allocation by dynamic programming in which one device may hold several stages, and a periodic
/// pattern of it that fits into memory.
class MadPipePlanner final : public Planner {
public:
    const PlannerDescription& description() const override { return description_; }
    bool takesDevicesInOrder() const override { return true; }

    PlanningResult plan(const CostModel& costs, const ParameterValues& values,
                        const WorkContext& context) const override {
        MadPipeOutcome outcome = planMadPipe(costs, madPipeOptions(values), context);
        PlanningResult result;
        result.status = outcome.status;
        result.reason = std::move(outcome.reason);
        result.notes = std::move(outcome.notes);
        if (!outcome.plan) return result;
        result.plan = *std::move(outcome.plan);
        const int own = result.plan.miniBatch.microbatches;
        const int microbatches = own > 0 ? own : costs.problem().setup.microbatches;
        if (std::isfinite(outcome.expectedS)) result.predictedS = outcome.expectedS * microbatches;
        return result;
    }

private:
    const PlannerDescription description_ = describeMadPipe();
};

}  // namespace

std::unique_ptr<Planner> makeMadPipePlanner() { return std::make_unique<MadPipePlanner>(); }

}  // namespace stagecraft::planners
