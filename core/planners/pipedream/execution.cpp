#include "core/planners/pipedream/execution.h"

#include "core/schedules/schedule.h"

#include <algorithm>

namespace stagecraft {

namespace {

int replicasOf(const Stage& stage) {
    return stage.replication == Replication::roundRobin ? static_cast<int>(stage.devices.size()) : 1;
}

WeightPolicyKind policyOf(const std::string& weights) {
    if (weights == "vertical-sync") return WeightPolicyKind::verticalSync;
    if (weights == "none") return WeightPolicyKind::latest;
    if (weights == "2bw") return WeightPolicyKind::doubleBuffer;
    if (weights == "flush") return WeightPolicyKind::single;
    return WeightPolicyKind::stashing;
}

/// Microbatches that a stage holds over all of its replicas, the most of all stages.
int mostHeld(const std::vector<Stage>& stages, const std::vector<int>& perReplica) {
    int most = 1;
    for (std::size_t stage = 0; stage < stages.size(); ++stage)
        most = std::max(most, perReplica[stage] * replicasOf(stages[stage]));
    return most;
}

std::string listed(const std::vector<int>& numbers) {
    std::string text;
    for (const int number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
    return text;
}

void addInFlightNotes(const std::string& weights, const std::vector<int>& perReplica,
                      PlanningResult& result) {
    const int replicas = replicasOf(result.plan.stages.front());
    result.notes.push_back("In flight: " + std::to_string(perReplica.front()) + " microbatch" +
                           (perReplica.front() == 1 ? "" : "es") +
                           (replicas > 1 ? " on each replica of stage 0" : " on stage 0") +
                           " (NOAM); by stage " + listed(perReplica) + ".");
    if (weights == "stashing")
        result.notes.push_back("Weight versions stashed at most, by stage: " + listed(perReplica) +
                               "; replicas beside one another also keep the newest.");
    if (weights == "vertical-sync")
        result.notes.push_back(
            "Weight versions on each stage: up to those that the input stage has in use, and "
            "the newest.");
    if (weights == "2bw") result.notes.push_back("Weight versions on each stage: 2.");
}

}  // namespace

bool replicasTakeTurns(const PipeDreamChoices& choices, TrainingMode mode) {
    if (choices.replication != "automatic") return choices.replication == "round-robin";
    return mode == TrainingMode::asynchronous;
}

std::vector<int> inFlightPerReplica(const std::vector<Stage>& stages, int extra) {
    std::vector<int> inFlight(stages.size());
    int workers = 0;
    for (std::size_t stage = stages.size(); stage-- > 0;) {
        workers += replicasOf(stages[stage]);
        const int behind = static_cast<int>(stages.size() - stage) - 1;
        inFlight[stage] = replicaInFlight({replicasOf(stages[stage]), workers + extra * behind}, {});
    }
    return inFlight;
}

void addExecution(const PipeDreamChoices& choices, const TrainingSetup& setup, PlanningResult& result) {
    Plan& plan = result.plan;
    PolicySchedule schedule{"1f1b", {}};
    if (choices.extraInFlight > 0) schedule.parameters["extra_in_flight"] = choices.extraInFlight;
    plan.schedule.order = schedule;
    if (setup.mode == TrainingMode::synchronous) return;
    const std::vector<int> perReplica = inFlightPerReplica(plan.stages, choices.extraInFlight);
    plan.weights.kind = policyOf(choices.weights);
    plan.miniBatch.barrier = choices.weights == "flush";
    const bool wholeMiniBatch = choices.weights == "flush" || choices.weights == "2bw";
    const int usual = wholeMiniBatch ? setup.microbatches : 1;
    plan.miniBatch.microbatches = choices.updateEvery > 0 ? choices.updateEvery : usual;
    const int held = mostHeld(plan.stages, perReplica);
    if (choices.weights == "2bw" && plan.miniBatch.microbatches < held) {
        result.notes.push_back(
            "An update after " + std::to_string(held) + " microbatches instead of " +
            std::to_string(plan.miniBatch.microbatches) +
            ": two versions suffice only if a mini-batch has as many as the pipeline holds.");
        plan.miniBatch.microbatches = held;
    }
    addInFlightNotes(choices.weights, perReplica, result);
}

}  // namespace stagecraft
