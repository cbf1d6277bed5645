#include "core/base/counted.h"
#include "core/base/units.h"
#include "core/planners/hetpipe/hetpipe_planner.h"
#include "core/planners/planner.h"
#include "core/schedules/version_difference.h"

#include <algorithm>

namespace stagecraft::planners {

namespace {

std::vector<Parameter> xpipeParameters() {
    return {
        {"method",
         "Method",
         "Whose weights. xpipe: predicted, a mini-batch of T microbatches. spectrain: predicted by the same "
         "differences, an update after every microbatch (Chen et al., arXiv 1809.02839). pipemare: the "
         "newest, "
         "neither stashed nor predicted (Yang et al., MLSys 2021).",
         std::string("xpipe"),
         0,
         0,
         {"xpipe", "spectrain", "pipemare"}},
        {"T",
         "Microbatches per mini-batch",
         "Microbatches between two updates (Sec. III-A's T); 0: the setup's M.",
         0,
         0,
         65536,
         {}},
        {"differences",
         "Version differences",
         "How many updates a bellwether looks ahead. exact: the closed form for passes that take equally "
         "long (E-XP-3). printed: Eq. (1) and (2) as printed. counted: the updates that there are on the "
         "timeline.",
         std::string("exact"),
         0,
         0,
         {"exact", "printed", "counted"}},
        {"partition",
         "Layers",
         "layers: equally many on each GPU, one more on the last ones, as in Sec. IV-B. time: the cuts whose "
         "slowest stage is fastest, the case that the paper leaves to partitioners.",
         std::string("layers"),
         0,
         0,
         {"layers", "time"}},
        {"extra_in_flight",
         "More in flight",
         "Microbatches that a GPU holds for each stage after it, beyond Fig. 1's, which are just enough if "
         "transfers take no time; more of them hide transfers, cost memory and make weights staler.",
         0,
         0,
         64,
         {}},
        {"prediction_s_per_byte",
         "Cost of a prediction",
         "Seconds for each byte of a stage's parameters that the first forward and the first backward of a "
         "mini-batch take besides, where they predict. 0: nothing, as in Fig. 1. Reading Adam's two moments "
         "and the "
         "weights and writing the predicted ones at 900 GB/s is 4.4e-12.",
         0.0,
         0,
         1,
         {}},
    };
}

PlannerDescription describeXPipe() {
    PlannerDescription description;
    description.id = "xpipe";
    description.title = "XPipe";
    description.paper =
        "Guan, Yin, Li, Lu: XPipe: Efficient Pipeline Model Parallelism for Multi-GPU DNN Training, arXiv "
        "1911.04610";
    description.summary =
        "Interleaves the microbatches of several mini-batches without a barrier and predicts the weights "
        "that each mini-batch will meet at its update.";
    description.parameters = xpipeParameters();
    description.plansWithoutBarrier = true;
    description.plansWithBarrier = false;
    return description;
}

VersionDifference differenceOf(const std::string& name) {
    if (name == "printed") return VersionDifference::printed;
    return name == "counted" ? VersionDifference::counted : VersionDifference::exact;
}

/// The last layer of each stage: equally many layers per stage, one more in the last ones (Sec. IV-B).
std::vector<int> equalLayers(int layers, int stages) {
    std::vector<int> lastLayers;
    const int each = layers / stages, shorter = stages - layers % stages;
    for (int stage = 0, end = 0; stage < stages; ++stage) {
        end += each + (stage < shorter ? 0 : 1);
        lastLayers.push_back(end - 1);
    }
    return lastLayers;
}

std::vector<int> leastTime(const CostModel& costs, int stages) {
    std::vector<ComputePace> paces;
    for (int device = 0; device < stages; ++device) paces.push_back(costs.paceOf(device));
    return leastMaximumPartition(costs, paces);
}

/// A mini-batch's forwards, backwards and predictions on the slowest stage. @param costs under the plan's own
/// mini-batches
double slowestStageS(const CostModel& costs, const Plan& plan) {
    double slowest = 0;
    for (int stage = 0; stage < plan.stageCount(); ++stage) {
        const StageCost cost = costs.stage(plan, stage);
        slowest = std::max(slowest, costs.problem().setup.microbatches * (cost.forwardS + cost.backwardS) +
                                        predictionS(costs, plan, stage, false) +
                                        predictionS(costs, plan, stage, true));
    }
    return slowest;
}

/// XPipe: stages without replication on the GPUs as numbered, one forward and one backward in turn over
/// microbatches of any mini-batch (Fig. 1), an update after the T-th backward, weights predicted by
/// bellwethers.
class XpipePlanner final : public Planner {
public:
    const PlannerDescription& description() const override { return description_; }
    bool takesDevicesInOrder() const override { return true; }

    PlanningResult plan(const CostModel& costs, const ParameterValues& values,
                        const WorkContext&) const override {
        PlanningResult result;
        result.status = PlanStatus::ok;
        Plan& plan = result.plan;
        plan.planner = description_.id;
        const std::string method = std::get<std::string>(values.at("method"));
        plan.miniBatch.microbatches = method == "spectrain" ? 1 : std::get<int>(values.at("T"));
        if (method == "pipemare")
            plan.weights.kind = WeightPolicyKind::latest;
        else
            plan.weights = {WeightPolicyKind::predicted,
                            {},
                            differenceOf(std::get<std::string>(values.at("differences")))};
        // Fig. 1's workflow, F1 … F(N-r), B1, F(N-r+1), B2, … on GPU r (E-XP-1), is 1F1B's without a barrier.
        FamilySchedule order{"1f1b", {}};
        if (const int extra = std::get<int>(values.at("extra_in_flight")); extra > 0)
            order.parameters["extra_in_flight"] = extra;
        const double perByte = std::get<double>(values.at("prediction_s_per_byte"));
        if (perByte > 0 && method != "pipemare") order.parameters[predictionParameter] = perByte;
        plan.schedule.order = order;
        const int stages = std::min(costs.layerCount(), costs.deviceCount());
        const bool byTime = std::get<std::string>(values.at("partition")) == "time";
        const std::vector<int> lastLayers =
            byTime ? leastTime(costs, stages) : equalLayers(costs.layerCount(), stages);
        for (int stage = 0, next = 0; stage < stages; ++stage) {
            const int last = lastLayers[static_cast<std::size_t>(stage)];
            plan.stages.push_back({next, last, {stage}});
            next = last + 1;
        }
        const int microbatches = plan.miniBatch.microbatches > 0 ? plan.miniBatch.microbatches
                                                                 : costs.problem().setup.microbatches;
        TrainingSetup own = costs.problem().setup;
        own.microbatches = microbatches;
        result.predictedS = slowestStageS(costs.withSetup(own), plan);
        addNotes(costs, microbatches, result);
        addMethodNote(method, result);
        if (order.parameters.contains("extra_in_flight") &&
            plan.weights.kind == WeightPolicyKind::predicted &&
            plan.weights.difference != VersionDifference::counted)
            result.notes.emplace_back(
                "No formula of the version differences knows of more in flight than Fig. 1 has; "
                "differences=counted does.");
        return result;
    }

private:
    static void addNotes(const CostModel& costs, int microbatches, PlanningResult& result) {
        const std::string samples =
            std::to_string(static_cast<long long>(microbatches) * costs.problem().profile.microbatchSize);
        result.notes.push_back("An update after every " + std::to_string(microbatches) +
                               (microbatches == 1 ? " microbatch" : " microbatches") + ": a mini-batch of " +
                               samples + (samples == "1" ? " sample." : " samples."));
        result.notes.push_back(
            "The prediction is " + formatSeconds(*result.predictedS / microbatches) +
            " for a microbatch on the slowest stage, times " + std::to_string(microbatches) +
            "; XPipe keeps every GPU busy once the pipeline is full and knows of no transfers.");
        const int stages = result.plan.stageCount();
        if (stages < costs.deviceCount())
            result.notes.push_back("XPipe does not replicate stages: " + std::to_string(stages) + " of " +
                                   counted(costs.deviceCount(), "device") + " are used.");
    }

    static void addMethodNote(const std::string& method, PlanningResult& result) {
        if (method == "spectrain")
            result.notes.emplace_back(
                "SpecTrain: XPipe's workflow with an update after every microbatch; it predicts along the "
                "momentum.");
        if (method == "pipemare")
            result.notes.emplace_back(
                "PipeMare: each pass uses the newest weights. Its rescheduled learning rate changes no "
                "timeline; the "
                "running mean of steps by which it corrects a backward's weights is as large as the weights "
                "and not "
                "counted in memory.");
    }

    const PlannerDescription description_ = describeXPipe();
};

}  // namespace

std::unique_ptr<Planner> makeXpipePlanner() { return std::make_unique<XpipePlanner>(); }

}  // namespace stagecraft::planners
