#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/formats/configurations/torchtitan_schedules.h"
#include "core/formats/orders/pipelining_csv.h"
#include "core/programs/engine_files.h"
#include "core/schedules/families.h"
#include "core/schedules/schedule_shape.h"

#include <algorithm>
#include <stdexcept>

namespace stagecraft::programs {

namespace {

constexpr const char* titanOrderFile = "order.csv";

/// PyTorch's name of the plan's schedule; nothing where its order is one of its own.
const TitanSchedule* namedSchedule(const EngineLayout& layout) {
    if (layout.family.empty()) return nullptr;
    for (const auto& [name, value] : layout.schedule.parameters)
        if (name != "chunks" && value != 0) return nullptr;
    const auto* found = std::ranges::find_if(
        titanSchedules, [&](const TitanSchedule& each) { return layout.family == each.family; });
    return found == std::end(titanSchedules) ? nullptr : found;
}

/// torchtitan puts stage i on rank i mod p, or in a V under two schedules (distributed/pipeline_parallel.py).
void requireTitanPlaces(const EngineLayout& layout, const TitanSchedule* named) {
    const Placement placement = named ? findScheduleFamily(named->family)->placement : Placement::ring;
    for (int stage = 0; stage < layout.stages(); ++stage) {
        const int expected =
            expectedRank(stage, layout.ranks, layout.stages() == layout.ranks ? Placement::ring : placement);
        if (layout.rankOf[at(stage)] != expected)
            throw std::invalid_argument(
                "stage " + std::to_string(stage) + " is on rank " + std::to_string(layout.rankOf[at(stage)]) +
                " of the pipeline; torchtitan has it on rank " + std::to_string(expected) +
                (named ? "" : ", and stages in a V under ZBVZeroBubble and DualPipeV alone"));
    }
    if (layout.stages() % layout.ranks != 0)
        throw std::invalid_argument("there are " + counted(layout.stages(), "stage") + " on " +
                                    counted(layout.ranks, "rank") + "; torchtitan has as many on each");
}

void requireTitanSetup(const EngineLayout& layout, const TrainingSetup& setup) {
    const Group& group = layout.group;
    if (layout.predictions > 0)
        throw std::invalid_argument("the model has layers of multi-token prediction; torchtitan's have none");
    if (group.sequenceParallel != (group.tensor > 1))
        throw std::invalid_argument(
            "tensor-parallel GPUs do not divide the tokens; with torchtitan's tensor parallelism they do");
    if (setup.precision == StatePrecision::fp8)
        throw std::invalid_argument("states are those of FP8; torchtitan's are in 32 bits");
    if (setup.precision == StatePrecision::mixed && setup.gradients == GradientPrecision::half)
        throw std::invalid_argument("gradients are summed in 16 bits; torchtitan sums them in 32");
    if (setup.zero == ZeroStage::gradients && layout.ranks > 1)
        throw std::invalid_argument(
            "copies share out gradients and no weights; with a pipeline torchtitan shares out states alone "
            "or all");
    if (layout.memory.memory == LayerMemory::selective || layout.memory.firstBlocks > 0)
        throw std::invalid_argument(
            "parts of blocks, or the first of each stage, are recomputed; torchtitan "
            "recomputes each so-many-th block");
}

std::string modulesText(const EngineLayout& layout) {
    std::string text = "[\n";
    int block = 0;
    for (const StageContent& content : layout.contents) {
        std::string part = content.embedding ? "\"tok_embeddings\"" : "";
        const auto add = [&part](const std::string& module) {
            part += (part.empty() ? "\"" : ", \"") + module + "\"";
        };
        for (int i = 0; i < content.blocks; ++i) add("layers." + std::to_string(block++));
        if (content.head) add("norm"), add("output");
        text += "  [" + part + "],\n";
    }
    return text + "]";
}

std::string titanParallelism(const EngineLayout& layout, const TrainingSetup& setup,
                             const std::string& schedule) {
    const bool isShared = setup.zero != ZeroStage::off;
    std::string text = "[parallelism]\n";
    const auto set = [&text](const std::string& name, const std::string& value) {
        text += name + " = " + value + "\n";
    };
    set("data_parallel_replicate_degree", std::to_string(isShared ? 1 : layout.copies));
    set("data_parallel_shard_degree", std::to_string(isShared ? layout.copies : 1));
    if (setup.zero == ZeroStage::weights) set("fsdp_reshard_after_forward", "\"always\"");
    if (setup.zero == ZeroStage::gradients || (setup.zero == ZeroStage::optimizer && layout.ranks == 1))
        set("fsdp_reshard_after_forward", "\"never\"");
    set("tensor_parallel_degree", std::to_string(layout.group.tensor));
    set("context_parallel_degree", std::to_string(layout.group.context));
    if (layout.group.expert > 1) set("expert_parallel_degree", std::to_string(layout.group.expert));
    set("pipeline_parallel_degree", std::to_string(layout.ranks));
    if (layout.ranks == 1) return text;
    set("pipeline_parallel_schedule", "\"" + schedule + "\"");
    if (std::ranges::any_of(titanFileSchedules, [&](const auto& each) { return schedule == each.name; }))
        set("pipeline_parallel_schedule_csv", std::string("\"") + titanOrderFile + "\"");
    set("pipeline_parallel_microbatch_size", std::to_string(layout.samples));
    set("module_fqns_per_model_part", modulesText(layout));
    return text;
}

std::string titanJob(const EnginePlan& plan, const EngineLayout& layout, const std::string& schedule) {
    const TrainingSetup& setup = plan.problem().setup;
    const int local = layout.ranks > 1 ? layout.samples * layout.microbatches : layout.samples;
    std::string text =
        "# " + plan.title() + " of " + plan.problem().profile.name +
        ". Add [model], [optimizer].lr and data.\n\n[training]\nlocal_batch_size = " + std::to_string(local) +
        "\nglobal_batch_size = " + std::to_string(layout.batch()) + "\nmixed_precision_param = \"" +
        (setup.precision == StatePrecision::uniform ? "float32" : "bfloat16") +
        "\"\n\n[optimizer]\nname = \"AdamW\"\n\n" + titanParallelism(layout, setup, schedule) +
        "\n[activation_checkpoint]\n";
    if (layout.memory.memory == LayerMemory::keep) return text + "mode = \"none\"\n";
    if (layout.memory.every == 1) return text + "mode = \"full\"\n";
    return text + "mode = \"selective\"\nselective_ac_option = \"" + std::to_string(layout.memory.every) +
           "\"\n";
}

/// The order of one copy of the pipeline.
std::string titanOrder(const EnginePlan& plan) {
    Plan one = plan.ordered;
    for (Stage& stage : one.stages) stage.devices.resize(1);
    return writePipeliningCsv(rankOrders(one), PipeliningForm::computeOnly);
}

std::vector<EngineFile> writeTorchtitanFiles(const EnginePlan& plan) {
    const EngineLayout layout = engineLayout(plan.problem(), plan.plan(), "torchtitan");
    requireTitanSetup(layout, plan.problem().setup);
    requireLayers(layout, "torchtitan");
    const TitanSchedule* named = namedSchedule(layout);
    requireTitanPlaces(layout, named);
    const bool isOfFile = !named && layout.ranks > 1;
    const std::string schedule =
        named ? named->name : titanFileSchedules[layout.stages() > layout.ranks ? 1 : 0].name;
    std::vector<EngineFile> files = {{"job.toml", titanJob(plan, layout, schedule)}};
    if (isOfFile) files.push_back({titanOrderFile, titanOrder(plan)});
    files.push_back(readmeOf(
        plan.title() + " for torchtitan",
        {"Start it: `CONFIG_FILE=job.toml ./run_train.sh`, in a checkout of torchtitan (v0.2), or "
         "`torchrun " +
             launchText(layout, plan.problem().cluster) + " -m torchtitan.train --job.config_file job.toml`.",
         "To be added in job.toml: `[model]` with name and flavor, learning rate, data.",
         processText(layout, plan.problem().cluster),
         counted(layout.stages(), "stage") + " on " + counted(layout.ranks, "rank") + " of the pipeline.",
         isOfFile ? "The order is in order.csv, whose path torchtitan takes from where it is started."
                  : "The schedule is torchtitan's " + schedule + ".",
         plan.problem().setup.optimizer != Optimizer::adam ? plainOptimizerText : "",
         "Modules are named as in torchtitan's Llama models; other models may name them otherwise.",
         counted(layout.microbatches, "microbatch", "microbatches") + " of " +
             counted(layout.samples, "sample") + " on " + counted(layout.copies, "copy", "copies") + ".",
         "torch.compile, asynchronous tensor parallelism and float8 are torchtitan's own; the plan counts "
         "none.",
         "Read back: `stagecraft configuration job.toml --model M --machines W`.",
         isOfFile ? "The order: `stagecraft import order.csv --profile F --cluster F --out PLAN`." : ""}));
    return files;
}

}  // namespace

EngineFormat torchtitanEngine() { return {"torchtitan", "torchtitan", &writeTorchtitanFiles}; }

}  // namespace stagecraft::programs
