#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/formats/configurations/speed_partition.h"
#include "core/programs/configured_layers.h"
#include "core/programs/engine_files.h"

#include <nlohmann/json.hpp>

#include <stdexcept>

namespace stagecraft::programs {

namespace {

constexpr const char* deepSpeedName = "DeepSpeed";

/// TrainSchedule is 1F1B, a rank has one stage, and ZeRO goes no further than its first stage with a pipeline
/// (runtime/pipe/engine.py).
void requireDeepSpeed(const EngineLayout& layout, const TrainingSetup& setup) {
    if (layout.stages() != layout.ranks)
        throw std::invalid_argument(counted(layout.stages(), "stage") + " are on " +
                                    counted(layout.ranks, "rank") + "; DeepSpeed has one on each");
    if (layout.ranks > 1 && layout.family != "1f1b")
        throw std::invalid_argument((layout.family.empty()
                                         ? std::string("the plan has an order of its own")
                                         : "the plan's schedule is '" + layout.family + "'") +
                                    "; DeepSpeed's pipeline runs 1F1B");
    if (layout.group.context > 1 || layout.group.expert > 1 || layout.group.sequenceParallel)
        throw std::invalid_argument(
            "stages divide tokens or experts; DeepSpeed's pipeline goes with tensor parallelism alone");
    if (layout.ranks > 1 && setup.zero > ZeroStage::optimizer)
        throw std::invalid_argument(
            "copies share out gradients or weights; DeepSpeed's pipeline goes with ZeRO-1");
    if (layout.memory.memory == LayerMemory::selective || layout.memory.firstBlocks > 0 ||
        layout.memory.every > 1)
        throw std::invalid_argument(
            "some activations are recomputed; DeepSpeed's pipeline recomputes every block or none");
}

nlohmann::ordered_json deepSpeedJson(const EngineLayout& layout, const TrainingSetup& setup,
                                     const std::optional<std::string>& method) {
    nlohmann::ordered_json json = {{"train_batch_size", layout.batch()},
                                   {"train_micro_batch_size_per_gpu", layout.samples},
                                   {"gradient_accumulation_steps", layout.microbatches}};
    json["pipeline"] = {{"stages", layout.ranks}, {"parts", layout.bounds}};
    if (method) json["pipeline"]["partition_method"] = *method;
    if (layout.memory.memory == LayerMemory::checkpoint)
        json["pipeline"]["activation_checkpoint_interval"] = 1;
    if (layout.group.tensor > 1) json["tensor_parallel"] = {{"autotp_size", layout.group.tensor}};
    if (setup.precision != StatePrecision::uniform) json["bf16"] = {{"enabled", true}};
    json["data_types"] = {
        {"grad_accum_dtype", setup.gradients == GradientPrecision::single ? "fp32" : "bf16"}};
    json["zero_optimization"] = {{"stage", static_cast<int>(setup.zero)}};
    json["optimizer"] = {{"type", setup.optimizer == Optimizer::adam ? "Adam" : "SGD"}};
    return json;
}

/// PipelineModule has partitions by number, by parameters and by a layer's class; others are a method that
/// sets the bounds (runtime/pipe/module.py).
constexpr const char* partitionModule = R"(import json

from deepspeed.pipe import PipelineModule


class PlannedPipeline(PipelineModule):
    """A PipelineModule whose stages are those of the plan: pipeline.parts in ds_config.json.

    Stage s has the layers parts[s] to parts[s + 1] - 1 of the list that it is given.
    """

    def __init__(self, layers, config="ds_config.json", **others):
        with open(config) as file:
            pipeline = json.load(file)["pipeline"]
        self.planned_parts = pipeline["parts"]
        if len(layers) != self.planned_parts[-1]:
            raise ValueError(f"{len(layers)} layers; the plan is for {self.planned_parts[-1]}")
        interval = pipeline.get("activation_checkpoint_interval", 0)
        super().__init__(layers=layers, num_stages=pipeline["stages"], activation_checkpoint_interval=interval, **others)

    def _partition_layers(self, method="uniform"):
        stage = self._topo.get_coord(self.global_rank).pipe
        self.parts = self.planned_parts
        self._set_bounds(start=self.parts[stage], stop=self.parts[stage + 1])
)";

std::string methodText(const std::optional<std::string>& method) {
    if (!method) return "No `partition_method` of DeepSpeed's gives these stages.";
    const std::string same =
        "PipelineModule's own `partition_method=\"" + *method + "\"` gives the same stages";
    if (*method == "parameters") return same + ", if layers have the profile's parameters.";
    if (method->starts_with("type:")) return same + ", if classes are called as in Megatron-DeepSpeed.";
    return same + ".";
}

std::vector<EngineFile> writeDeepSpeedFiles(const EnginePlan& plan) {
    const EngineLayout layout = engineLayout(plan.problem(), plan.plan(), deepSpeedName);
    requireDeepSpeed(layout, plan.problem().setup);
    requireLayers(layout, deepSpeedName);
    const std::optional<std::string> method =
        partitionMethod(layout.contents, parametersOf(plan.problem().profile));
    return {
        {"ds_config.json", deepSpeedJson(layout, plan.problem().setup, method).dump(2) + "\n"},
        {"planned_pipeline.py", partitionModule},
        readmeOf(
            plan.title() + " for DeepSpeed",
            {"In the training script: `model = PlannedPipeline(layers, loss_fn=…)` of `planned_pipeline.py`.",
             "Start it: `deepspeed --num_gpus N train.py --deepspeed_config ds_config.json`.",
             "`layers` is the list of all layers, " + grouped(layout.bounds.back()) +
                 " of them as in the profile: embedding, blocks, head.",
             processText(layout, plan.problem().cluster),
             counted(layout.ranks, "stage") + ", one on each rank; 1F1B.",
             counted(layout.microbatches, "microbatch", "microbatches") + " of " +
                 counted(layout.samples, "sample") + " on " + counted(layout.copies, "copy", "copies") + ".",
             "`pipeline.parts` is read by the module alone: DeepSpeed has no such field. " +
                 methodText(method),
             "The learning rate and what else the optimizer takes is to be added in `optimizer.params`.",
             plan.problem().setup.optimizer == Optimizer::sgd ? plainOptimizerText : "",
             "Written for DeepSpeed v0.16; overlap and buffers are its own, and the plan counts none.",
             "Read back: `stagecraft configuration ds_config.json --model M --machines W`."})};
}

}  // namespace

EngineFormat deepSpeedEngine() { return {"deepspeed", deepSpeedName, &writeDeepSpeedFiles}; }

}  // namespace stagecraft::programs
