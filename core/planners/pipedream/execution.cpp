#include "core/planners/pipedream/execution.h"

#include "core/base/counted.h"
#include "core/cost/stage_layout.h"
#include "core/schedules/one_forward_one_backward.h"

#include <algorithm>

namespace stagecraft::planners {

namespace {

WeightPolicyKind policyOf(const std::string& weights) {
    if (weights == "vertical-sync") return WeightPolicyKind::verticalSync;
    if (weights == "none") return WeightPolicyKind::latest;
    if (weights == "2bw") return WeightPolicyKind::doubleBuffer;
    if (weights == "flush") return WeightPolicyKind::single;
    return WeightPolicyKind::stashing;
}

std::string listed(const std::vector<int>& numbers) {
    std::string text;
    for (const int number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
    return text;
}

void addInFlightNotes(const PipeDreamChoices& choices, const std::vector<int>& perReplica,
                      PlanningResult& result) {
    const std::string& weights = choices.weights;
    const int replicas = replicasInTurn(result.plan.stages.front());
    result.notes.push_back("In flight: " + std::to_string(perReplica.front()) + " microbatch" +
                           (perReplica.front() == 1 ? "" : "es") +
                           (replicas > 1 ? " on each replica of stage 0" : " on stage 0") +
                           (choices.extraInFlight > 0 ? ", more than NOAM" : " (NOAM)") + "; by stage " +
                           listed(perReplica) + ".");
    if (weights == "stashing")
        result.notes.push_back("Weight versions stashed at most, by stage: " + listed(perReplica) +
                               "; replicas beside one another also keep the newest.");
    if (weights == "vertical-sync")
        result.notes.push_back(
            "Weight versions on each stage: up to those that the input stage has in use, and "
            "the newest.");
    if (weights == "2bw") result.notes.push_back("Weight versions on each stage: 2.");
}

int mostReplicas(const std::vector<Stage>& stages) {
    int most = 1;
    for (const Stage& stage : stages) most = std::max(most, StageLayout(stage).rankCount());
    return most;
}

}  // namespace

bool replicasTakeTurns(const PipeDreamChoices& choices, TrainingMode mode) {
    if (choices.replication != "automatic") return choices.replication == "round-robin";
    return mode == TrainingMode::asynchronous;
}

int microbatchesPerUpdate(const PipeDreamChoices& choices, const TrainingSetup& setup) {
    if (setup.mode == TrainingMode::synchronous) return setup.microbatches;
    if (choices.updateEvery > 0) return choices.updateEvery;
    return choices.weights == "flush" || choices.weights == "2bw" ? setup.microbatches : 1;
}

std::vector<int> inFlightPerReplica(const std::vector<Stage>& stages, int extra) {
    std::vector<int> inFlight;
    for (int stage = 0; stage < static_cast<int>(stages.size()); ++stage)
        inFlight.push_back(replicaInFlight(replicaPlaceOf(stages, stage),
                                           {{"extra_in_flight", static_cast<double>(extra)}}));
    return inFlight;
}

void addExecution(const PipeDreamChoices& choices, const TrainingSetup& setup, PlanningResult& result) {
    Plan& plan = result.plan;
    FamilySchedule schedule{"1f1b", {}};
    if (choices.extraInFlight > 0) schedule.parameters["extra_in_flight"] = choices.extraInFlight;
    plan.schedule.order = schedule;
    if (setup.mode == TrainingMode::synchronous) return;
    const std::vector<int> perReplica = inFlightPerReplica(plan.stages, choices.extraInFlight);
    plan.weights.kind = policyOf(choices.weights);
    plan.miniBatch.barrier = choices.weights == "flush";
    plan.miniBatch.microbatches = microbatchesPerUpdate(choices, setup);
    if (choices.updatesByRound && choices.updateEvery == 0 && replicasTakeTurns(choices, setup.mode))
        plan.miniBatch.microbatches = std::max(plan.miniBatch.microbatches, mostReplicas(plan.stages));
    const int held = mostInFlight(plan.stages, schedule.parameters);
    if (choices.weights == "2bw" && plan.miniBatch.microbatches < held) {
        result.notes.push_back(
            "An update after " + counted(held, "microbatch", "microbatches") + " instead of " +
            std::to_string(plan.miniBatch.microbatches) +
            ": two versions suffice only if a mini-batch has as many as the pipeline holds.");
        plan.miniBatch.microbatches = held;
    }
    addInFlightNotes(choices, perReplica, result);
}

}  // namespace stagecraft::planners
