#include "samples.h"

#include "core/generation/generated_profile.h"
#include "core/generation/template_catalogue.h"
#include "core/runs/arranged_stages.h"
#include "core/runs/chosen_schedule.h"
#include "core/schedules/families.h"
#include "tests/support/every_room.h"

#include <numeric>

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

constexpr int gpusOfAServer = 8;

/// A model on servers of 8 GPUs, in bf16, and no plan yet.
Project onServers(const char* machine, int servers, const char* model, ParameterValues profile) {
    const ClusterTemplate& servedBy = *findClusterTemplate(machine);
    ParameterValues values = defaultValues(servedBy.parameters);
    values["servers"] = servers;
    Project project;
    project.problem.cluster = servedBy.make(values);
    profile["gpu"] = project.problem.cluster.devices.front().gpu;
    profile["precision"] = std::string("bf16");
    project.problem.profile = generatedProfile(model, profile);
    project.problem.setup = usualSetup({}, project.problem.profile);
    return project;
}

/// On DGX H100 with ZeRO-1; a microbatch has a sample for each GPU.
Project onDgxH100(const char* model, int servers, const std::vector<StagesAndCopies>& layouts,
                  Recomputation recomputation, ParameterValues profile = {}, int microbatches = 8) {
    profile["microbatch_size"] = servers * gpusOfAServer;
    Project project = onServers("dgx-h100", servers, model, std::move(profile));
    TrainingSetup& setup = project.problem.setup;
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

/// Korthikanti et al., MLSys 2023, Table 3: the embedding, 24 stages of 4 blocks, three on each 8 GPUs, and
/// the head.
Plan interleavedMegatron175b(const char* name, bool sequenceParallel, LayerMemory memory) {
    constexpr int tensor = 8, ranks = 8, stages = 24, blocks = 4;
    Plan plan;
    plan.name = name;
    for (int s = 0; s < stages; ++s) {
        Stage stage{1 + s * blocks, (s + 1) * blocks, std::vector<int>(tensor)};
        if (s == 0) stage.firstLayer = 0;
        if (s + 1 == stages) ++stage.lastLayer;
        std::iota(stage.devices.begin(), stage.devices.end(), s % ranks * tensor);
        stage.group = {tensor, 1, 1, sequenceParallel};
        plan.stages.push_back(stage);
    }
    plan.schedule.order = FamilySchedule{"interleaved", {}};
    for (int layer = 1; layer <= stages * blocks; ++layer) plan.memory.layers[layer] = memory;
    return plan;
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
        "Llama 3 70B on eight DGX H100 (bf16 with ZeRO-1; tensor parallel by 8, or fully recomputed without)";
    return project;
}

Project mixtralOnTwoServers() {
    // Megatron-LM, examples/mixtral/README.md: sequences, batch, 4 stages, and experts on 8, of 64 GPUs.
    Project project =
        onDgxH100("mixtral-8x7b", 2,
                  {{2, "1f1b", "2 stages × 4 copies × 2 GPUs, experts on 8", {2, 1, 8, true}},
                   {2, "1f1b", "2 stages × 8 GPUs, tensor parallel, experts on 8", {8, 1, 8, true}},
                   {2, "1f1b", "2 stages × 8 copies, experts on 8", {1, 1, 8}},
                   {4, "interleaved", "4 stages × 4 copies, experts on 4, interleaved", {1, 1, 4}}},
                  Recomputation::none, {{"sequence_length", 4096}}, 16);
    project.name =
        "Mixtral 8x7B on two DGX H100 (after Megatron-LM's examples/mixtral: bf16 with ZeRO-1, experts "
        "shared out)";
    return project;
}

Project megatron175bOnEightServers() {
    Project project = onServers("dgx-a100", 8, "megatron-175b",
                                {{"microbatch_size", 1}, {"attention", std::string("stored")}});
    project.problem.setup.microbatches = 64;
    project.plans = {
        interleavedMegatron175b("Sequence parallel, selective recomputation", true, LayerMemory::selective),
        interleavedMegatron175b("Full recomputation", false, LayerMemory::checkpoint)};
    project.name = "GPT-3 175B on eight DGX A100 (Korthikanti et al., MLSys 2023, Table 5)";
    return project;
}

}  // namespace stagecraft
