#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/formats/configurations/layout_text.h"
#include "core/programs/engine_files.h"

#include <algorithm>
#include <stdexcept>

namespace stagecraft::programs {

namespace {

constexpr const char* megatronName = "Megatron-LM";

/// "Ettt", with "t*9" for many.
std::string layoutPart(const StageContent& content) {
    constexpr int fewLetters = 3;
    const auto letters = [](char letter, int count) {
        return count > fewLetters ? std::string(1, letter) + "*" + std::to_string(count)
                                  : std::string(static_cast<std::size_t>(count), letter);
    };
    return (content.embedding ? "E" : "") + letters('t', content.blocks) + letters('m', content.predictions) +
           (content.head ? "L" : "");
}

/// Stages of equal content are written once: "Et*3|(tt|)*29L".
std::string layoutText(const EngineLayout& layout) {
    std::vector<std::string> parts;
    for (const StageContent& content : layout.contents) parts.push_back(layoutPart(content));
    std::string text;
    for (std::size_t begin = 0; begin < parts.size();) {
        std::size_t end = begin + 1;
        while (end + 1 < parts.size() && parts[end] == parts[begin]) ++end;
        const std::string border = begin + 1 < parts.size() ? "|" : "";
        if (end - begin > 1)
            text += "(" + parts[begin] + "|)*" + std::to_string(end - begin);
        else
            text += parts[begin] + border;
        begin = end;
    }
    return text;
}

void requireMegatronSchedule(const EngineLayout& layout) {
    if (layout.stages() == 1) return;
    for (int stage = 0; stage < layout.stages(); ++stage)
        if (layout.rankOf[at(stage)] != stage % layout.ranks)
            throw std::invalid_argument(
                "stage " + std::to_string(stage) + " is on rank " + std::to_string(layout.rankOf[at(stage)]) +
                " of the pipeline; Megatron-LM has it on rank " + std::to_string(stage % layout.ranks));
    if (layout.stages() % layout.ranks != 0)
        throw std::invalid_argument("there are " + counted(layout.stages(), "stage") + " on " +
                                    counted(layout.ranks, "rank") + "; Megatron-LM has as many on each");
    if (const auto fault = predictionFault(layout.contents, layout.ranks))
        throw std::invalid_argument("the plan has " + fault->problem + "; Megatron-LM has " +
                                    fault->expected);
    const bool isInterleaved = layout.stages() > layout.ranks;
    const std::string wanted = isInterleaved ? "interleaved" : "1f1b";
    if (layout.ranks == 1 && isInterleaved)
        throw std::invalid_argument(
            "several stages are on one rank; Megatron-LM interleaves on two and more");
    if (layout.family != wanted && layout.family != wanted + "-overlap" &&
        !(layout.family == "1f1b-overlap" && !isInterleaved))
        throw std::invalid_argument(
            (layout.family.empty() ? std::string("the plan has an order of its own")
                                   : "the plan's schedule is '" + layout.family + "'") +
            "; Megatron-LM runs 1F1B with one stage on each rank, and interleaved 1F1B with several");
    for (const auto& [name, value] : layout.schedule.parameters)
        if (name != "group" && name != "chunks" && name != "hidden" && name != "overlap" && value != 0)
            throw std::invalid_argument("the schedule has '" + name + "', which Megatron-LM has no word for");
}

std::vector<std::string> precisionArguments(const TrainingSetup& setup) {
    std::vector<std::string> arguments;
    if (setup.precision != StatePrecision::uniform) arguments.push_back("--bf16");
    if (setup.precision == StatePrecision::fp8) arguments.push_back("--fp8-format hybrid");
    if (setup.precision != StatePrecision::uniform && setup.gradients == GradientPrecision::half)
        arguments.push_back("--grad-reduce-in-bf16");
    if (setup.precision == StatePrecision::uniform && setup.gradients == GradientPrecision::single)
        arguments.push_back("--accumulate-allreduce-grads-in-fp32");
    if (setup.optimizer == Optimizer::momentum) arguments.push_back("--optimizer sgd");
    if (setup.zero == ZeroStage::optimizer) arguments.push_back("--use-distributed-optimizer");
    if (setup.zero == ZeroStage::gradients || setup.zero == ZeroStage::weights)
        arguments.push_back(std::string("--use-megatron-fsdp --data-parallel-sharding-strategy ") +
                            (setup.zero == ZeroStage::weights ? "optim_grads_params" : "optim_grads"));
    return arguments;
}

std::vector<std::string> memoryArguments(const BlockMemory& memory) {
    if (memory.memory == LayerMemory::selective) return {"--recompute-granularity selective"};
    if (memory.memory != LayerMemory::checkpoint) return {};
    if (memory.every > 1)
        throw std::invalid_argument(
            "each " + std::to_string(memory.every) +
            "-th block is recomputed; Megatron-LM recomputes all, or the first of each stage");
    if (memory.firstBlocks == 0)
        return {"--recompute-granularity full --recompute-method uniform --recompute-num-layers 1"};
    return {"--recompute-granularity full --recompute-method block --recompute-num-layers " +
            std::to_string(memory.firstBlocks)};
}

std::vector<std::string> argumentsFor(const EngineLayout& layout, const TrainingSetup& setup) {
    const auto degree = [](const char* name, int value) {
        return value > 1 ? std::string(name) + " " + std::to_string(value) : std::string();
    };
    std::vector<std::string> arguments = {
        "--num-layers " + std::to_string(layout.blocks),
        layout.predictions > 0 ? "--mtp-num-layers " + std::to_string(layout.predictions) : "",
        degree("--tensor-model-parallel-size", layout.group.tensor),
        layout.group.sequenceParallel ? "--sequence-parallel" : "",
        degree("--context-parallel-size", layout.group.context),
        degree("--expert-model-parallel-size", layout.group.expert),
        layout.group.expert > 1 && layout.group.tensor > 1 ? "--expert-tensor-parallel-size 1" : "",
        degree("--pipeline-model-parallel-size", layout.ranks),
        layout.ranks > 1 ? "--pipeline-model-parallel-layout \"" + layoutText(layout) + "\"" : "",
        layout.family.ends_with("-overlap") ? "--overlap-moe-expert-parallel-comm" : "",
        "--micro-batch-size " + std::to_string(layout.samples),
        "--global-batch-size " + std::to_string(layout.batch())};
    const auto group = layout.schedule.parameters.find("group");
    if (layout.stages() > layout.ranks && group != layout.schedule.parameters.end() && group->second > 0)
        arguments.push_back("--microbatch-group-size-per-virtual-pipeline-stage " +
                            std::to_string(static_cast<int>(group->second)));
    for (const auto& more : {precisionArguments(setup), memoryArguments(layout.memory)})
        arguments.insert(arguments.end(), more.begin(), more.end());
    std::erase(arguments, std::string());
    return arguments;
}

std::vector<EngineFile> writeMegatronFiles(const EnginePlan& plan) {
    const EngineLayout layout = engineLayout(plan.problem(), plan.plan(), megatronName);
    requireMegatronSchedule(layout);
    std::string script = "#!/bin/sh\n# " + plan.title() + " of " + plan.problem().profile.name +
                         ". The model's own arguments are those of this script.\ntorchrun " +
                         launchText(layout, plan.problem().cluster) + " pretrain_gpt.py \"$@\"";
    for (const std::string& argument : argumentsFor(layout, plan.problem().setup))
        script += " \\\n    " + argument;
    script += "\n";
    const bool isInterleaved = layout.stages() > layout.ranks;
    return {
        {"megatron.sh", script},
        readmeOf(
            plan.title() + " for Megatron-LM",
            {"Start it in a checkout of Megatron-LM (core v0.15): `sh megatron.sh --hidden-size … "
             "--data-path …`.",
             "What the script does not say are the sizes of the model, its data and its learning rate: they "
             "are its arguments.",
             "On several servers torchrun needs `--node-rank` and `--master-addr` besides.",
             processText(layout, plan.problem().cluster),
             counted(layout.stages(), "stage") + " on " + counted(layout.ranks, "rank") +
                 (isInterleaved ? ", interleaved 1F1B." : ", 1F1B."),
             "E is the embedding, t a block, m a layer of multi-token prediction, L the head with the loss.",
             "Stage i is on rank i mod " + std::to_string(layout.ranks) + " of the pipeline.",
             counted(layout.microbatches, "microbatch", "microbatches") + " of " +
                 counted(layout.samples, "sample") + " on " + counted(layout.copies, "copy", "copies") + ".",
             "Overlap of communication, fused kernels and graphs are Megatron-LM's own; the plan counts "
             "none.",
             plan.problem().setup.optimizer == Optimizer::sgd ? plainOptimizerText : "",
             "Read back: `stagecraft configuration megatron.sh --model M --machines W`."})};
}

}  // namespace

EngineFormat megatronEngine() { return {"megatron", megatronName, &writeMegatronFiles}; }

}  // namespace stagecraft::programs
