// InternLM's runs of its 7B model on up to 1,024 A100.
#include "core/experiments/measured/block_stages.h"
#include "core/experiments/measured/calibrated_shares.h"
#include "core/experiments/measured/measured_data.h"
#include "core/experiments/measured/sets.h"
#include "core/generation/asked_machines.h"

namespace stagecraft::experiments {

namespace {

constexpr char gpuOfInternlm[] = "A100-SXM4-80GB";
/// Four cards of 100 Gbit/s a server, drawn as one for each of its eight GPUs.
constexpr double roceBps = 50e9 / 8;

/// Attention's share is that of mpt's A100, that of memory SimuMax's of an A100.
constexpr CalibratedShares internlmShares{.products = 0.625, .attention = 0.6375, .memory = 0.91};

/// A row of internlm.csv.
struct InternlmRow {
    int gpus = 0, tensor = 0, microbatch = 0, microbatches = 0, tokens = 0;
    std::string zero1;  ///< GPUs that share the optimizer's states out; "all": all copies
    double tokensPerS = 0;

    std::string name() const {
        return std::to_string(gpus) + " A100, tensor " + std::to_string(tensor) + ", states over " + zero1;
    }
    bool isCalibratedOn() const { return gpus == 8 && tensor == 1; }
};

std::vector<InternlmRow> internlmRows() {
    std::vector<InternlmRow> rows;
    for (const MeasuredCells& cells : measuredTable("measured/published/internlm.csv")) {
        const auto whole = [&](const char* name) { return std::stoi(cells.at(name)); };
        rows.push_back({whole("gpus"), whole("tensor"), whole("microbatch"), whole("microbatches"),
                        whole("tokens"), cells.at("zero1"), std::stod(cells.at("tokens_per_s"))});
    }
    return rows;
}

/// configs/7B_sft.py beside the table.
TransformerModel internlm7b() {
    TransformerModel model;
    model.title = "InternLM 7B";
    model.layers = 32;
    model.hidden = 4096;
    model.heads = model.keyValueHeads = 32;
    model.headWidth = 128;
    model.ffn = 11008;
    model.vocabulary = 103168;
    model.tied = false;
    model.norm = NormKind::rms;
    model.activation = Activation::silu;
    model.gated = true;
    model.biases = {true, true, false};
    model.rotary = true;
    return model;
}

Cluster serversOfInternlm(int servers) {
    const ClusterTemplate& kind = *machinesAsked("dgx-a100").kind;
    ParameterValues values = defaultValues(kind.parameters);
    values["servers"] = servers;
    values["network_bandwidth"] = roceBps;
    Cluster cluster = kind.make(values);
    cluster.name = std::to_string(servers) + " servers of 8 A100 with 4x 100 Gbit/s";
    return cluster;
}

MeasuredProject projectOfInternlm(const InternlmRow& row, const CalibratedShares& shares) {
    MeasuredProject made;
    Problem& problem = made.problem;
    const int copies = row.gpus / row.tensor;
    problem.profile =
        calibratedProfile(internlm7b(), row.tokens, "fused", gpuOfInternlm, shares, row.microbatch, copies);
    problem.cluster = serversOfInternlm(row.gpus / 8);
    problem.setup = {.microbatches = row.microbatches,
                     .optimizer = Optimizer::adam,
                     .precision = StatePrecision::mixed,
                     .gradients = GradientPrecision::half,
                     .zero = ZeroStage::optimizer,
                     .wholeSamples = true,
                     .collectiveStartS = startOfAllReduceS};
    made.plan =
        planOfBlocks({{internlm7b().layers}, row.gpus, {.tensor = row.tensor}}, problem.profile.layerCount());
    return made;
}

std::vector<MeasuredRow> measuredInternlmRows(const CalibratedShares& shares) {
    std::vector<MeasuredRow> rows;
    for (const InternlmRow& row : internlmRows())
        rows.push_back({.name = row.name(),
                        .measured = row.tokensPerS,
                        .isCalibratedOn = row.isCalibratedOn(),
                        .project = [row, shares] { return projectOfInternlm(row, shares); }});
    return rows;
}

}  // namespace

std::vector<RowCalibration> internlmCalibrations() {
    return {{"internlm",
             MeasuredQuantity::tokensPerSOfGpu,
             internlmShares,
             {{&CalibratedShares::products, 0.0125}},
             [](const CalibratedShares& shares) {
                 std::vector<MeasuredRow> rows = measuredInternlmRows(shares);
                 std::erase_if(rows, [](const MeasuredRow& row) { return !row.isCalibratedOn; });
                 return rows;
             }}};
}

MeasuredSet internlmSet() {
    return {
        .id = "internlm",
        .title = "InternLM: its 7B on 8 to 1,024 A100",
        .source = "InternLM/InternLM, doc/en/train_performance.md at 20fe5ac, the table of throughput",
        .licence = "Apache-2.0",
        .quantity = MeasuredQuantity::tokensPerSOfGpu,
        .basis =
            "The model's shape on servers with four links of 100 Gbit/s, ZeRO-1 over all copies, nothing "
            "recomputed; what attention reaches is mpt's, what memory does SimuMax's of an A100. InternLM "
            "sends gradients and weights while it computes; nothing overlaps here, nor are states shared "
            "out among some of the copies alone.",
        .calibration =
            "The share of the peak, on the two rows on one server without tensor parallelism, which are not "
            "judged.",
        .rows = measuredInternlmRows(internlmShares)};
}

}  // namespace stagecraft::experiments
