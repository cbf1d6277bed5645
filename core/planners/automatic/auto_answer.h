#pragma once

#include "core/planners/automatic/layout_bound.h"
#include "core/planners/automatic/layout_trial.h"
#include "core/planners/automatic/plan_rates.h"
#include "core/planners/automatic/rank_problem.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft::planners {

/// What is searched. Less of anything never gives a better answer.
struct AutoLimits {
    int mostDevices = 0;   ///< 0: all
    int mostTensor = 0;    ///< ranks that divide a layer; 0: the devices of a server
    int mostContext = 64;  ///< that divide the samples' tokens
    std::optional<int> tensor = {}, context = {}, expert = {};  ///< those degrees alone; nothing: each
    int mostSamples = 64;                                       ///< of a microbatch of a copy
    int mostChunks = 8;                      ///< stages of a rank, where schedules interleave them
    bool sequenceParallel = true;            ///< whether it is tried too
    std::optional<ZeroStage> zero = {};      ///< nothing: each
    std::vector<std::string> families = {};  ///< ids; empty: all that are covered (scheduleChoices)
    double mostPasses = 100e6;               ///< after which nothing more is simulated
    AutoObjective objective = AutoObjective::time;
    double mostSeconds = infinity;  ///< of an iteration
    bool differentSizes = true;     ///< whether SizedStages is tried, where all devices are, for time
    int mostDegrees = 0;            ///< at which planners are run (plannersAtDegrees()); 0: all
};

/// A plan of a layout.
struct AutoPlan {
    PipelineLayout layout;
    ScheduleChoice schedule;
    CopiesPlace place = CopiesPlace::together;
    std::size_t order = 0;  ///< of the machines' orders of devices (MachineFacts::orders)
    Problem problem;        ///< under which it runs
    Plan plan;
    double iterationS = 0;  ///< by the engine, on the cluster's own devices
    double peakBytes = 0;
    double dollarsPerS = 0;  ///< of the devices that have a stage; 0: the price of some device is not known
};

/// A layout that was looked at, and the best that came of it.
struct AutoTried {
    PipelineLayout layout;
    TimeBound bound;
    double iterationS =
        0;  ///< on ranks (RankProblem); infinity: nothing that fits was found, or nothing faster
    std::string family;
    int chunks = 1;
    double peakBytes = 0;
    double value = infinity;  ///< of what is to be least
    bool wasShort = false;    ///< of memory, in a plan that might have been another with more
};

/// A group, and samples of a microbatch over all copies of it: what any layout or planner starts from.
struct Degree {
    Group group;
    int samples = 1;
    /// Seconds of an iteration that no plan takes less than, whatever its stages and its schedule, as long as
    /// its pairs of passes take as long as both: all passes and updates, over all devices. What is sent to
    /// experts is left out, which schedules may hide.
    double leastS = 0;
};

/// How layouts went out.
struct AutoCounts {
    long long layouts = 0;                    ///< in all
    long long noMemory = 0;                   ///< proven not to fit
    std::map<BoundReason, long long> pruned;  ///< proven to be no faster than the best, by what bounds them
    long long tried = 0;                      ///< for which plans were made
    long long open = 0;                       ///< left as the effort was used up
    double passes = 0;
    /// Degrees, each with a stage of ZeRO, at which stages of different size may be faster, as far as work
    /// says, and those of them at which they were looked for (SizedStages).
    long long sizedDegrees = 0, sizedTried = 0;
    double sizedLeastS = 0;  ///< what work says that none of them takes less than
};

struct AutoAnswer {
    std::optional<AutoPlan> best;
    std::string reason;  ///< why there is none
    AutoObjective objective = AutoObjective::time;
    AutoUnit unit = AutoUnit::seconds;
    /// No plan of any layout that was searched takes less: seconds, or GPU seconds or dollars where the
    /// search was for money (AutoUnit).
    double provenS = 0;
    PipelineLayout provenBy;
    BoundReason provenReason = BoundReason::work;
    std::vector<AutoTried> tried;  ///< from the fastest
    AutoCounts counts;

    /// What is to be least of a plan.
    double valueOf(const AutoPlan& plan) const {
        return plan.iterationS * (unit == AutoUnit::dollars      ? plan.dollarsPerS
                                  : unit == AutoUnit::gpuSeconds ? plan.layout.devices()
                                                                 : 1);
    }
    double bestValue() const { return best ? valueOf(*best) : infinity; }
    /// By how much a plan could be faster at most, of its time: 0.07 for "no plan is more than 7 % faster";
    /// of money by how much more this one costs at most.
    double gap() const { return best ? bestValue() / provenS - 1 : infinity; }
};

/// At which planners are run, from that which is most often the fastest.
std::vector<ZeroStage> zeroStagesToPlan(const Problem& problem, const AutoLimits& limits);

}  // namespace stagecraft::planners
