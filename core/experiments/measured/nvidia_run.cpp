#include "core/experiments/measured/nvidia_run.h"

#include "core/experiments/measured/block_stages.h"
#include "core/formats/configurations/configuration_formats.h"
#include "core/generation/asked_machines.h"
#include "core/programs/configured_plan.h"

#include <map>

namespace stagecraft::experiments {

namespace {

/// As Megatron-LM's arguments.
struct NvidiaModel {
    int layers;
    std::string arguments;
};

const std::map<std::string, NvidiaModel>& nvidiaModels() {
    static const std::string withoutBiases =
                                 " --disable-bias-linear --untie-embeddings-and-output-weights "
                                 "--position-embedding-type rope --attention-dropout 0 --hidden-dropout 0",
                             llama = withoutBiases + " --swiglu --normalization RMSNorm",
                             grouped = " --group-query-attention --num-query-groups 8",
                             llama3 = llama + grouped + " --vocab-size 128256",
                             nemotron = withoutBiases + " --squared-relu --vocab-size 256000",
                             gpt = " --vocab-size 50304",
                             llama405b =
                                 "--hidden-size 16384 --ffn-hidden-size 53248 --num-attention-heads 128";
    static const std::map<std::string, NvidiaModel> models = {
        {"gpt3-5b", {24, "--hidden-size 4096 --num-attention-heads 32" + gpt}},
        {"gpt3-20b", {44, "--hidden-size 6144 --num-attention-heads 48" + gpt}},
        {"gpt3-175b", {96, "--hidden-size 12288 --num-attention-heads 96" + gpt}},
        {"llama2-7b",
         {32,
          "--hidden-size 4096 --ffn-hidden-size 11008 --num-attention-heads 32 --vocab-size 32000" + llama}},
        {"llama2-13b",
         {40,
          "--hidden-size 5120 --ffn-hidden-size 13824 --num-attention-heads 40 --vocab-size 32000" + llama}},
        {"llama2-70b",
         {80, "--hidden-size 8192 --ffn-hidden-size 28672 --num-attention-heads 64 --vocab-size 32000" +
                  grouped + llama}},
        {"nemotron-8b",
         {32, "--hidden-size 4096 --ffn-hidden-size 16384 --num-attention-heads 32" + nemotron}},
        {"nemotron-15b",
         {32, "--hidden-size 6144 --ffn-hidden-size 24576 --num-attention-heads 48" + grouped + nemotron}},
        {"nemotron-22b",
         {40, "--hidden-size 6144 --ffn-hidden-size 24576 --num-attention-heads 48" + nemotron}},
        {"nemotron-340b",
         {96, "--hidden-size 18432 --ffn-hidden-size 73728 --num-attention-heads 96" + grouped + nemotron}},
        {"llama3-8b", {32, "--hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32" + llama3}},
        {"llama3-70b", {80, "--hidden-size 8192 --ffn-hidden-size 28672 --num-attention-heads 64" + llama3}},
        {"llama3-405b",
         {126, llama405b + " --account-for-embedding-in-pipeline-split --account-for-loss-in-pipeline-split" +
                   llama3}},
        // GPT-2's words, and no stage with less for embedding or head.
        {"llama3-405b-gpt2", {126, llama405b + llama + grouped + gpt}}};
    return models;
}

std::string argumentsOf(const NvidiaRun& run) {
    const NvidiaModel& model = nvidiaModels().at(run.model);
    std::string text =
        "--num-layers " + std::to_string(run.layers > 0 ? run.layers : model.layers) + " " + model.arguments +
        " --bf16" + (run.precision == "bf16" ? "" : " --fp8-format hybrid") + " --use-flash-attn" +
        (run.sharded ? " --use-megatron-fsdp --data-parallel-sharding-strategy optim_grads_params"
                     : " --use-distributed-optimizer");
    const auto add = [&](const char* name, int number) { text += name + std::to_string(number); };
    add(" --seq-length ", run.tokens);
    add(" --max-position-embeddings ", run.tokens);
    add(" --micro-batch-size ", run.microbatch);
    add(" --global-batch-size ", run.samples);
    add(" --tensor-model-parallel-size ", run.tensor);
    add(" --pipeline-model-parallel-size ", run.stages);
    add(" --context-parallel-size ", run.context);
    if (run.tensor > 1) text += " --sequence-parallel";
    if (run.chunks > 1) add(" --num-virtual-stages-per-pipeline-rank ", run.chunks);
    return text;
}

}  // namespace

std::string NvidiaRun::words() const {
    std::string text = model + ", ";
    if (layers > 0) text += std::to_string(layers) + " layers, ";
    text += std::to_string(gpus) + " " + gpu + ", " + precision + ", tensor " + std::to_string(tensor) +
            ", stages " + std::to_string(stages);
    if (chunks > 1) text += " x " + std::to_string(chunks);
    if (context > 1) text += ", context " + std::to_string(context);
    return text + (sharded ? ", FSDP" : "") + ", batch " + std::to_string(samples);
}

MeasuredProject projectOfNvidiaRun(const NvidiaRun& run, const CalibratedShares& shares) {
    const std::string file = "Megatron-LM's arguments";
    const Configuration configuration = readConfiguration(argumentsOf(run), file);
    const ConfiguredLayout layout = layoutOn(configuration, run.gpus, file);
    LayerProfile profile = calibratedProfile(configuration.model->model, run.tokens, "fused", run.gpu, shares,
                                             run.microbatch, layout.copies);
    const int machines = (run.gpus + run.gpusOfMachine - 1) / run.gpusOfMachine;
    ConfiguredPlan planned =
        configuredPlan(configuration, layout, std::move(profile),
                       machinesAsked(std::to_string(machines) + "x " + run.machine).make(), file);
    planned.problem.setup.collectiveStartS = startOfAllReduceS;
    if (run.sharded) planned.problem.setup.zeroOverlap = overlapOfFsdp(planned.problem.profile);
    return {std::move(planned.problem), std::move(planned.plan)};
}

}  // namespace stagecraft::experiments
