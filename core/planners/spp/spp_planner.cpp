#include "core/base/counted.h"
#include "core/base/units.h"
#include "core/planners/planner.h"
#include "core/planners/planning.h"
#include "core/planners/spp/device_order.h"
#include "core/planners/spp/guarantees.h"
#include "core/planners/spp/partition_table.h"
#include "core/runs/device_list.h"
#include "core/simulation/simulator.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stagecraft::planners {

namespace {

/// Shares of the progress bar, roughly as the time goes.
constexpr double progressAtPartition = 0.3, progressAtExecution = 0.7;
/// PRM's tables may take this much: 98 layers on 1,024 devices take a twentieth of it.
constexpr double tablesLimitBytes = 4.0 * 1024 * 1024 * 1024;

PlannerDescription describeSpp() {
    PlannerDescription description;
    description.id = "spp";
    description.title = "SPP";
    description.paper =
        "Luo, Yi, Long, Fan, Wu, Yang, Lin: Efficient Pipeline Planning for Expedited Distributed DNN "
        "Training, IEEE INFOCOM 2022";
    description.summary =
        "Orders the devices by recursive minimum cuts, finds the best partition with replicated stages "
        "for every number of stages, and keeps the one that its pipeline execution finishes first.";
    description.parameters = {
        {.name = "max_stages",
         .label = "Stages at most",
         .description =
             "The largest number of stages tried (Alg. 3, line 4); 0: as many as there are devices "
             "or layers.",
         .defaultValue = 0,
         .maximum = 4096,
         .zeroMeans = "no limit"},
        {"device_order",
         "Device order",
         "How devices are lined up before they are cut into stages: rdo is the paper's recursive minimum cut "
         "(Alg. 2), "
         "as-numbered takes them as the cluster lists them.",
         std::string("rdo"),
         0,
         0,
         {"rdo", "as-numbered"}},
    };
    description.claims = {.oneStagePerDevice = true, .usesEveryDevice = true};
    description.effort = {.search = 1, .simulation = 1, .oncePerStageCount = true};
    return description;
}

Plan planOf(std::vector<Stage> stages) {
    Plan plan;
    plan.planner = "spp";
    plan.stages = std::move(stages);
    plan.schedule.order = FamilySchedule{"pe", {}};
    return plan;
}

/// "40.0 s", "12 min", "3.5 h".
std::string roughly(double seconds) {
    constexpr double minute = 60, hour = 3600;
    if (seconds < 2 * minute) return formatSeconds(seconds);
    return seconds < 2 * hour ? formatNumber(std::round(seconds / minute)) + " min"
                              : formatNumber(seconds / hour) + " h";
}

/// Why the tables for that many stages are too large, and how many are not; or nothing.
std::string whyTooLarge(const CostModel& costs, int stages) {
    const auto effort = [&](int most) {
        return PartitionTable::effort(costs.layerCount(), costs.deviceCount(), most);
    };
    if (effort(stages).bytes <= tablesLimitBytes) return {};
    int fitting = 0;
    while (effort(fitting + 1).bytes <= tablesLimitBytes) ++fitting;
    const auto told = [&](int most) {
        return formatBytes(effort(most).bytes) + " and up to " + roughly(effort(most).seconds);
    };
    return "SPP's tables for up to " + counted(stages, "stage") + " of " +
           counted(costs.layerCount(), "layer") + " on " + counted(costs.deviceCount(), "device") + " need " +
           told(stages) + "; they may take " + formatBytes(tablesLimitBytes) + ", which is enough for " +
           (fitting > 0 ? "max_stages = " + std::to_string(fitting) + " (" + told(fitting) + ")"
                        : "fewer devices alone");
}

/// PE's peak in closed form (MODEL.md section 5), beside 1F1B's.
std::string memoryNote(int stages, int microbatches) {
    const int ofPe = std::min(microbatches, 4 * (stages - 1) + 1);
    const int ofOneForwardOneBackward = std::min(microbatches, stages);
    return "SPP does not plan for memory: its execution order keeps up to " +
           counted(ofPe, "microbatch", "microbatches") +
           " in flight on the first stage, where 1F1B would keep " + std::to_string(ofOneForwardOneBackward) +
           ".";
}

/// Lemma 1 speaks of any chain of stages under PE, whoever made the plan.
bool runsPipelineExecution(const Plan& plan) {
    const auto* policy = std::get_if<FamilySchedule>(&plan.schedule.order);
    const bool split = std::all_of(plan.stages.begin(), plan.stages.end(), [](const Stage& stage) {
        return stage.replication == Replication::split;
    });
    return policy && policy->name == "pe" && plan.pipelineCount() == 1 && split && plan.memory.layers.empty();
}

/// SPP, Alg. 3: RDO orders the devices, PRM partitions for every number of stages, PE's simulated time
/// chooses. W of the chosen plan is its prediction.
class SppPlanner final : public Planner {
public:
    const PlannerDescription& description() const override { return description_; }

    std::vector<Guarantee> provenFor(const CostModel& costs, const Plan& plan) const override {
        if (!runsPipelineExecution(plan)) return {};
        return {lemma1(costs, plan.stages)};
    }

    PlanningResult plan(const CostModel& costs, const ParameterValues& values,
                        const WorkContext& context) const override {
        PlanningResult result;
        const int possible = std::min(costs.layerCount(), costs.deviceCount());
        const int asked = std::get<int>(values.at("max_stages"));
        const int most = asked == 0 ? possible : std::min(asked, possible);
        result.reason = whyTooLarge(costs, most);
        if (!result.reason.empty()) return result;

        const bool recursive = std::get<std::string>(values.at("device_order")) == "rdo";
        result.deviceOrder = deviceOrder(costs, recursive, part(context, 0, progressAtPartition));
        const PartitionTable table(costs, result.deviceOrder, most,
                                   part(context, progressAtPartition, progressAtExecution),
                                   PartitionTable::Extent::partitions);
        SppOutcome outcome{std::numeric_limits<double>::infinity(), 0, most == possible, recursive};
        tryStageNumbers(costs, table, part(context, progressAtExecution, 1), result, outcome);

        result.status = PlanStatus::ok;
        result.guarantees = {lemma1(costs, result.plan.stages), lemma2(costs, outcome),
                             theorem1(costs, outcome)};
        result.notes.emplace_back(
            "The prediction is W, the most that one stage or channel works in an iteration.");
        result.notes.emplace_back(memoryNote(result.plan.stageCount(), costs.problem().setup.microbatches));
        if (!costs.problem().profile.isChain())
            result.notes.emplace_back(
                "The network is not a chain: between two neighbouring stages SPP counts all bytes that "
                "cross the cut, those on their way to a later stage too. The simulation sends each "
                "straight to the stage that reads it.");
        return result;
    }

private:
    static std::vector<int> deviceOrder(const CostModel& costs, bool recursive, const WorkContext& context) {
        if (recursive) return recursiveCuts(bandwidthGraph(costs.interconnect()), context).order;
        return devicesAsNumbered(costs.deviceCount());
    }

    /// Alg. 3, lines 4 to 11.
    static void tryStageNumbers(const CostModel& costs, const PartitionTable& table,
                                const WorkContext& context, PlanningResult& result, SppOutcome& outcome) {
        SimulationOptions options;
        options.stop = context.stop;
        std::size_t chosen = 0;
        for (int stages = 1; stages <= table.maxStages(); ++stages) {
            context.throwIfStopped();
            Plan plan = planOf(table.partition(stages));
            Attempt attempt;
            attempt.stages = stages;
            attempt.objectiveS = planLoad(costs, plan.stages).maximumS;
            attempt.iterationTimeS = simulatedLastEndS(costs, plan, options);
            attempt.partition = plan.stages;
            outcome.leastMaximumS = std::min(outcome.leastMaximumS, attempt.objectiveS);
            // On equal times the smallest number of stages is kept (E-SPP-14).
            if (result.attempts.empty() ||
                clearlyLess(attempt.iterationTimeS, result.attempts[chosen].iterationTimeS)) {
                chosen = result.attempts.size();
                result.plan = std::move(plan);
            }
            result.attempts.push_back(std::move(attempt));
            context.report(double(stages) / table.maxStages());
        }
        result.attempts[chosen].chosen = true;
        result.predictedS = result.attempts[chosen].objectiveS;
        outcome.iterationTimeS = result.attempts[chosen].iterationTimeS;
    }

    PlannerDescription description_ = describeSpp();
};

}  // namespace

std::unique_ptr<Planner> makeSppPlanner() { return std::make_unique<SppPlanner>(); }

}  // namespace stagecraft::planners
