#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/base/units.h"
#include "core/cost/stage_layout.h"
#include "core/planners/pipedream/execution.h"
#include "core/planners/pipedream/pipedream_input.h"
#include "core/planners/pipedream/released.h"
#include "core/planners/planner.h"
#include "core/runs/device_list.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stagecraft::planners {

namespace {

/// Stages of layers, if all cuts are between layers; else nothing.
std::vector<PipeDreamStage> betweenLayers(const PipeDreamStates& states, std::vector<PipeDreamStage> stages) {
    int next = 0;
    for (PipeDreamStage& stage : stages) {
        const int last = states.lastLayer[static_cast<std::size_t>(stage.lastLayer)];
        if (last < next) return {};
        stage.firstLayer = next;
        stage.lastLayer = last;
        next = last + 1;
    }
    return stages;
}

/// PipeDream: with a barrier after each iteration, as SPP compares with it (Sec. V-A), in synchronous
/// training, and as itself in asynchronous (MODEL.md section 6).
class PipeDreamPlanner final : public Planner {
public:
    const PlannerDescription& description() const override { return description_; }
    bool takesDevicesInOrder() const override { return true; }

    PlanningResult plan(const CostModel& costs, const ParameterValues& values,
                        const WorkContext& context) const override {
        const PipeDreamChoices choices(values);
        const TrainingSetup& setup = costs.problem().setup;
        PlanningResult result;
        const PipeDreamMachines machines = pipeDreamMachines(costs, choices);
        if (!machines.whyNot.empty()) return infeasible(machines.whyNot);
        const PipeDreamPartition partition = choices.variant == "released"
                                                 ? released(costs, choices, machines, context, result)
                                                 : printed(costs, choices, machines, context);
        if (partition.stages.empty()) return infeasible(whyNone(costs, choices));
        const bool inTurn = replicasTakeTurns(choices, setup.mode);
        for (const PipeDreamStage& part : partition.stages) {
            Stage stage{part.firstLayer, part.lastLayer, {}};
            for (const int worker : part.workers)
                stage.devices.push_back(machines.devices[static_cast<std::size_t>(worker)]);
            if (inTurn && StageLayout(stage).isReplicated()) stage.replication = Replication::roundRobin;
            result.plan.stages.push_back(std::move(stage));
        }
        result.status = PlanStatus::ok;
        result.deviceOrder = machines.devices;
        std::vector<std::string> notes = std::move(result.notes);
        result.notes.clear();
        addExecution(choices, setup, result);
        const int microbatches = setupOf(result.plan, setup).microbatches;
        result.predictedS = partition.periodS * microbatches;
        notes.insert(notes.begin(), predictionNote(partition.periodS, microbatches));
        addMachineNotes(costs, machines, notes);
        result.notes.insert(result.notes.begin(), notes.begin(), notes.end());
        return result;
    }

private:
    PlanningResult infeasible(std::string reason) const {
        PlanningResult result;
        result.plan.planner = description_.id;
        result.status = PlanStatus::infeasible;
        result.reason = std::move(reason);
        return result;
    }

    static std::string whyNone(const CostModel& costs, const PipeDreamChoices& choices) {
        if (choices.straight && costs.layerCount() < costs.deviceCount())
            return "a straight pipeline needs a layer for each device; there are " +
                   counted(costs.layerCount(), "layer") + " and " + counted(costs.deviceCount(), "device");
        if (choices.checksMemory)
            return "no partition passes the memory check with " +
                   formatBytes(costs.problem().leastMemoryLimitBytes()) + " per device";
        return "PipeDream has no partition for this cluster";
    }

    static PipeDreamPartition printed(const CostModel& costs, const PipeDreamChoices& choices,
                                      const PipeDreamMachines& machines, const WorkContext& context) {
        const PipeDreamInput input = pipeDreamInput(costs, choices);
        return pipeDreamPartition(input.work, machines.levels, context, input.rules);
    }

    /// The period is that of the best cuts between nodes; where they are not between layers, the stages
    /// are the best of those that do.
    static PipeDreamPartition released(const CostModel& costs, const PipeDreamChoices& choices,
                                       const PipeDreamMachines& machines, const WorkContext& context,
                                       PlanningResult& result) {
        const LayerProfile& profile = costs.problem().profile;
        const ReleasedInput input = releasedInput(costs, choices, machines, context);
        const std::optional<PipeDreamStates>& states = input.antichains;
        PipeDreamPartition partition;
        if (states) {
            const ReleasedPartition found =
                releasedPartition(*states, machines.levels, input.options, context);
            partition.periodS = found.periodS;
            partition.stages = betweenLayers(*states, found.stages);
            result.notes.push_back("The released planner cuts at " + counted(states->count(), "state") +
                                   " (antichains of the graph); its best has " +
                                   counted(found.stages.size(), "stage") + ".");
            if (!partition.stages.empty() || found.stages.empty()) return partition;
        }
        const bool tooFewLayers = choices.straight && profile.layerCount() < costs.deviceCount();
        const ReleasedPartition between = releasedPartition(input.layers, input.layerLevels, input.options,
                                                            states ? WorkContext{context.stop, {}} : context);
        partition.stages = between.stages;
        if (!states) {
            partition.periodS = between.periodS;
            result.notes.push_back("The graph has more than " +
                                   counted(mostReleasedStates(machines.levels), "state") +
                                   " (antichains): only cuts between layers were tried.");
        } else if (!between.stages.empty()) {
            result.notes.push_back(
                "Its best cuts inside of layers, of which stages here are made: the plan is the best "
                "with cuts between layers, " +
                formatSeconds(between.periodS) +
                " per microbatch by "
                "the same formula. Layers can be cut finer in the profile's graph.");
        }
        if (tooFewLayers && !between.stages.empty())
            result.notes.push_back("There are " + std::to_string(profile.layerCount()) + " layers and " +
                                   std::to_string(costs.deviceCount()) +
                                   " devices: in this plan each layer has its own device, and the rest "
                                   "have nothing to do.");
        return partition;
    }

    static std::string predictionNote(double periodS, int microbatches) {
        return "The prediction is PipeDream's objective, " + formatSeconds(periodS) +
               " for the slowest stage or transfer" +
               (microbatches == 1 ? " and one microbatch"
                                  : ", times " + counted(microbatches, "microbatch", "microbatches")) +
               "; it knows of no barrier and no start-up.";
    }

    static void addMachineNotes(const CostModel& costs, const PipeDreamMachines& machines,
                                std::vector<std::string>& notes) {
        for (std::size_t level = 0; level < machines.levels.size(); ++level)
            if (machines.levels[level].components > 1)
                notes.push_back("Planned for " + std::to_string(machines.levels[level].components) + " " +
                                machines.names[level] + ", joined at " +
                                formatBandwidth(machines.levels[level].bandwidthBps) + ".");
        notes.insert(notes.end(), machines.notes.begin(), machines.notes.end());
        const Cluster& cluster = costs.problem().cluster;
        const double slowest = costs.slowestSpeed(machines.devices);
        if (std::any_of(cluster.devices.begin(), cluster.devices.end(),
                        [&](const Device& device) { return device.speed != slowest; }))
            notes.emplace_back("PipeDream assumes equally fast devices: planned with the slowest speed.");
    }

    PlannerDescription description_ = pipeDreamDescription();
};

}  // namespace

std::unique_ptr<Planner> makePipeDreamPlanner() { return std::make_unique<PipeDreamPlanner>(); }

}  // namespace stagecraft::planners
