#include "samples.h"

#include "core/generation/generated_profile.h"
#include "core/generation/template_catalogue.h"
#include "core/runs/arranged_stages.h"
#include "core/runs/chosen_schedule.h"
#include "core/schedules/families.h"
#include "tests/support/every_room.h"

namespace stagecraft {

namespace {

/// So many stages, each copied over the GPUs that remain, under a schedule; the samples of an iteration stay,
/// in microbatches of which each copy gets one sample. Where a group divides the layers nothing is
/// recomputed.
struct StagesAndCopies {
    int stages;
    const char* schedule;
    const char* name;
    Group group = {};
};

Plan planOf(const Problem& problem, const StagesAndCopies& layout) {
    MiniBatch own;
    if (const int parts = layout.stages * layout.group.ranksOfCopy(); parts > 1) {
        own.microbatchSize = problem.profile.microbatchSize / parts;
        own.microbatches = problem.setup.microbatches * parts;
    }
    Plan asked;
    asked.miniBatch = own;
    const CostModel costs(stagecraft::model::problemOf(asked, problem));
    const ScheduleFamily& family = *findScheduleFamily(layout.schedule);
    Plan stages = inEqualStages(costs, layout.stages);
    for (Stage& stage : stages.stages) stage.group = layout.group;
    Plan plan = arrangedUnder(costs, stages, family, defaultValues(settingsOf(family)));
    plan.miniBatch = own;
    plan.name = layout.name;
    return plan;
}

Project onDgxH100(const char* model, int servers, const std::vector<StagesAndCopies>& layouts,
                  Recomputation recomputation) {
    constexpr int gpusOfAServer = 8, microbatches = 8;
    const ClusterTemplate& dgx = *findClusterTemplate("dgx-h100");
    ParameterValues values = defaultValues(dgx.parameters);
    values["servers"] = servers;
    Project project;
    project.problem.cluster = dgx.make(values);
    project.problem.profile = generatedProfile(model, {{"gpu", std::string("H100-SXM5-80GB")},
                                                       {"precision", std::string("bf16")},
                                                       {"microbatch_size", servers * gpusOfAServer}});
    TrainingSetup& setup = project.problem.setup = usualSetup({}, project.problem.profile);
    setup.microbatches = microbatches;
    setup.zero = ZeroStage::optimizer;
    setup.recomputation = recomputation;
    for (const StagesAndCopies& layout : layouts) {
        Plan plan = planOf(project.problem, layout);
        if (recomputation == Recomputation::full && !layout.group.dividesLayers())
            for (int layer = 0; layer < project.problem.profile.layerCount(); ++layer)
                plan.memory.layers[layer] = LayerMemory::checkpoint;
        project.plans.push_back(std::move(plan));
    }
    return project;
}

}  // namespace

Project llama8bOnTwoServers() {
    Project project = onDgxH100("llama-3-8b", 2,
                                {{2, "1f1b", "2 stages × 8 copies, 1F1B"},
                                 {4, "interleaved", "4 stages × 4 copies, interleaved"},
                                 {8, "zb-h1", "8 stages × 2 copies, ZB-H1"},
                                 {1, "1f1b", "16 copies, no pipeline"}},
                                Recomputation::none);
    project.name = "Llama 3 8B on two DGX H100 (bf16 with ZeRO-1, a million tokens an iteration)";
    return project;
}

Project llama70bOnEightServers() {
    Project project =
        onDgxH100("llama-3-70b", 8,
                  {{4, "1f1b", "4 stages × 2 copies × 8 GPUs, tensor parallel", {8, 1, 1, true}},
                   {8, "1f1b", "8 stages × 8 copies, 1F1B"},
                   {16, "interleaved", "16 stages × 4 copies, interleaved"},
                   {16, "1f1b", "16 stages × 4 copies, 1F1B"},
                   {4, "1f1b", "4 stages × 16 copies, 1F1B"}},
                  Recomputation::full);
    project.name =
        "Llama 3 70B on eight DGX H100 (bf16 with ZeRO-1; without tensor parallelism fully recomputed)";
    return project;
}

}  // namespace stagecraft
