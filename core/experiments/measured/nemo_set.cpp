// NVIDIA's tables of NeMo and Megatron Bridge with 8-bit products.
#include "core/experiments/measured/block_stages.h"
#include "core/experiments/measured/calibrated_shares.h"
#include "core/experiments/measured/measured_data.h"
#include "core/experiments/measured/sets.h"
#include "core/formats/configurations/configuration_formats.h"
#include "core/generation/asked_machines.h"
#include "core/programs/configured_plan.h"

#include <algorithm>

namespace stagecraft::experiments {

namespace {

/// Shapes as Megatron-LM's arguments, by the table's "model".
const std::map<std::string, std::string>& nemoModels() {
    static const std::string withoutBiases =
                                 " --disable-bias-linear --untie-embeddings-and-output-weights "
                                 "--position-embedding-type rope --attention-dropout 0 --hidden-dropout 0",
                             llama = withoutBiases + " --swiglu --normalization RMSNorm",
                             llama3 =
                                 llama + " --group-query-attention --num-query-groups 8 --vocab-size 128256",
                             nemotron = withoutBiases + " --squared-relu --vocab-size 256000",
                             gpt = " --vocab-size 50304";
    static const std::map<std::string, std::string> models = {
        {"gpt3-5b", "--num-layers 24 --hidden-size 4096 --num-attention-heads 32" + gpt},
        {"gpt3-20b", "--num-layers 44 --hidden-size 6144 --num-attention-heads 48" + gpt},
        {"gpt3-175b", "--num-layers 96 --hidden-size 12288 --num-attention-heads 96" + gpt},
        {"llama2-7b",
         "--num-layers 32 --hidden-size 4096 --ffn-hidden-size 11008 --num-attention-heads 32 "
         "--vocab-size 32000" +
             llama},
        {"llama2-13b",
         "--num-layers 40 --hidden-size 5120 --ffn-hidden-size 13824 --num-attention-heads 40 "
         "--vocab-size 32000" +
             llama},
        {"llama2-70b",
         "--num-layers 80 --hidden-size 8192 --ffn-hidden-size 28672 --num-attention-heads 64 "
         "--group-query-attention --num-query-groups 8 --vocab-size 32000" +
             llama},
        {"nemotron-8b",
         "--num-layers 32 --hidden-size 4096 --ffn-hidden-size 16384 --num-attention-heads 32" + nemotron},
        {"nemotron-22b",
         "--num-layers 40 --hidden-size 6144 --ffn-hidden-size 24576 --num-attention-heads 48" + nemotron},
        {"nemotron-340b",
         "--num-layers 96 --hidden-size 18432 --ffn-hidden-size 73728 --num-attention-heads "
         "96 --group-query-attention --num-query-groups 8" +
             nemotron},
        {"llama3-8b",
         "--num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32" + llama3},
        {"llama3-70b",
         "--num-layers 80 --hidden-size 8192 --ffn-hidden-size 28672 --num-attention-heads 64" + llama3},
        {"llama3-405b",
         "--num-layers 126 --hidden-size 16384 --ffn-hidden-size 53248 --num-attention-heads "
         "128 --account-for-embedding-in-pipeline-split "
         "--account-for-loss-in-pipeline-split" +
             llama3}};
    return models;
}

/// A GPU and what is around it, by the table's "gpu" and "precision".
struct NemoMachine {
    const char *gpu, *precision, *name, *machine;
    int gpusOfMachine;
    CalibratedShares shares;
};
/// Means of samples/measured/h100.efficiencies.json, its memory over the data sheet's 3,350 GB/s.
constexpr double h100Attention = 0.912, h100Backward = 0.525, h100Memory = 0.852;
/// @param products share of the peak at 16 bits
constexpr CalibratedShares nemoShares(double products) {
    return {.products = products,
            .attention = h100Attention,
            .backwardAttention = h100Backward,
            .memory = h100Memory};
}
constexpr NemoMachine nemoMachines[] = {
    {"h100", "fp8", "H100-SXM5-80GB", "dgx-h100", 8, nemoShares(0.9375)},
    {"b200", "fp8", "B200-SXM-180GB", "dgx-b200", 8, nemoShares(1.1)},
    {"b200", "mxfp8", "B200-SXM-180GB", "dgx-b200", 8, nemoShares(1.05)},
    {"gb200", "fp8", "GB200-186GB", "gb200-nvl72", 72, nemoShares(0.9875)},
    {"gb200", "mxfp8", "GB200-186GB", "gb200-nvl72", 72, nemoShares(0.9)},
    {"gb300", "fp8", "GB300-279GB", "gb200-nvl72", 72, nemoShares(1.375)},
    {"gb300", "mxfp8", "GB300-279GB", "gb200-nvl72", 72, nemoShares(1.275)}};

/// A row of nemo.csv.
struct NemoRow {
    std::string release, model;
    NemoMachine machine;
    int gpus = 0, samples = 0, microbatch = 0, tokens = 0, tensor = 0, stages = 0, context = 0, chunks = 0;
    bool sharded = false;
    double tokensPerS = 0;  ///< of a GPU

    std::string name() const {
        std::string text = release + ": " + model + ", " + std::to_string(gpus) + " " + machine.name + ", " +
                           machine.precision + ", tensor " + std::to_string(tensor) + ", stages " +
                           std::to_string(stages);
        if (chunks > 1) text += " x " + std::to_string(chunks);
        if (context > 1) text += ", context " + std::to_string(context);
        return text + (sharded ? ", FSDP" : "") + ", batch " + std::to_string(samples);
    }
    /// Each GPU has all layers whole.
    bool isCalibratedOn() const { return tensor == 1 && stages == 1 && context == 1 && !sharded; }
    std::string arguments() const {
        std::string text =
            nemoModels().at(model) + " --bf16 --fp8-format hybrid --use-flash-attn" +
            (sharded ? " --use-megatron-fsdp --data-parallel-sharding-strategy optim_grads_params"
                     : " --use-distributed-optimizer") +
            " --seq-length " + std::to_string(tokens) + " --max-position-embeddings " +
            std::to_string(tokens) + " --micro-batch-size " + std::to_string(microbatch) +
            " --global-batch-size " + std::to_string(samples) + " --tensor-model-parallel-size " +
            std::to_string(tensor) + " --pipeline-model-parallel-size " + std::to_string(stages) +
            " --context-parallel-size " + std::to_string(context);
        if (tensor > 1) text += " --sequence-parallel";
        if (chunks > 1) text += " --num-virtual-stages-per-pipeline-rank " + std::to_string(chunks);
        return text;
    }
};

std::vector<NemoRow> nemoRows() {
    std::vector<NemoRow> rows;
    for (const MeasuredCells& cells : measuredTable("measured/published/nemo.csv")) {
        const auto whole = [&](const char* name) { return std::stoi(cells.at(name)); };
        const NemoMachine& machine = *std::ranges::find_if(nemoMachines, [&](const NemoMachine& one) {
            return one.gpu == cells.at("gpu") && one.precision == cells.at("precision");
        });
        rows.push_back({cells.at("release"), cells.at("model"), machine, whole("gpus"), whole("samples"),
                        whole("microbatch"), whole("tokens"), whole("tensor"), whole("stages"),
                        whole("context"), whole("chunks"), whole("fsdp") == 1,
                        std::stod(cells.at("tokens_per_s"))});
    }
    return rows;
}

MeasuredProject projectOfNemo(const NemoRow& row, const CalibratedShares& shares) {
    const std::string file = "Megatron-LM's arguments";
    const Configuration configuration = readConfiguration(row.arguments(), file);
    const ConfiguredLayout layout = layoutOn(configuration, row.gpus, file);
    LayerProfile profile = calibratedProfile(configuration.model->model, row.tokens, "fused",
                                             row.machine.name, shares, row.microbatch, layout.copies);
    const int machines = (row.gpus + row.machine.gpusOfMachine - 1) / row.machine.gpusOfMachine;
    ConfiguredPlan planned =
        configuredPlan(configuration, layout, std::move(profile),
                       machinesAsked(std::to_string(machines) + "x " + row.machine.machine).make(), file);
    planned.problem.setup.collectiveStartS = startOfAllReduceS;
    return {std::move(planned.problem), std::move(planned.plan)};
}

std::vector<MeasuredRow> measuredNemoRows(const std::function<CalibratedShares(const NemoRow&)>& sharesOf) {
    std::vector<MeasuredRow> rows;
    for (const NemoRow& row : nemoRows())
        rows.push_back({.name = row.name(),
                        .measured = row.tokensPerS,
                        .isCalibratedOn = row.isCalibratedOn(),
                        .project = [row, shares = sharesOf(row)] { return projectOfNemo(row, shares); }});
    return rows;
}

}  // namespace

std::vector<RowCalibration> nemoCalibrations() {
    std::vector<RowCalibration> all;
    for (const NemoMachine& machine : nemoMachines)
        all.push_back({std::string("nemo, ") + machine.gpu + " " + machine.precision,
                       MeasuredQuantity::tokensPerSOfGpu,
                       machine.shares,
                       {{&CalibratedShares::products, 0.0125}},
                       [machine](const CalibratedShares& shares) {
                           std::vector<MeasuredRow> rows =
                               measuredNemoRows([&](const NemoRow&) { return shares; });
                           const std::string own = std::string(" ") + machine.name + ", " + machine.precision;
                           std::erase_if(rows, [&](const MeasuredRow& row) {
                               return !row.isCalibratedOn || row.name.find(own) == std::string::npos;
                           });
                           return rows;
                       }});
    return all;
}

MeasuredSet nemoSet() {
    return {
        .id = "nemo",
        .title =
            "NVIDIA NeMo: GPT, Llama and Nemotron of 5B to 405B on up to 1,024 H100, B200, GB200 and GB300",
        .source =
            "NVIDIA/NeMo, docs/source/performance/performance_summary.md at 070a0bb (24.07); "
            "NVIDIA-NeMo/Megatron-Bridge, docs/performance-summary-archive.md at 0a25f91 (25.09 to 26.02)",
        .licence = "Apache-2.0",
        .quantity = MeasuredQuantity::tokensPerSOfGpu,
        .basis = "X",
        .calibration = "X",
        .rows = measuredNemoRows([](const NemoRow& row) { return row.machine.shares; })};
}

}  // namespace stagecraft::experiments
