// LiBai's runs of BERT and GPT-2, and Megatron-LM's of the same.
#include "core/experiments/measured/block_stages.h"
#include "core/experiments/measured/calibrated_shares.h"
#include "core/experiments/measured/measured_data.h"
#include "core/experiments/measured/sets.h"
#include "core/generation/server_templates.h"

namespace stagecraft::experiments {

namespace {

constexpr char gpuOfLibai[] = "V100-SXM2-32GB";

/// A program that the table has a column of.
struct LibaiProgram {
    const char* column;
    CalibratedShares shares;
};
constexpr LibaiProgram libaiPrograms[] = {
    {"libai", {.products = 0.6125, .memory = 0.75, .operationS = 43.75e-6}},
    {"megatron", {.products = 0.6, .memory = 0.6625, .operationS = 81.25e-6}}};

/// A row of libai.csv.
struct LibaiRow {
    std::string model;
    int layers = 0, data = 0, tensor = 0, stages = 0, microbatch = 0, samples = 0;
    bool checkpointed = false;
    double samplesPerS = 0;

    int gpus() const { return data * tensor * stages; }
    std::string name() const {
        return (model == "bert" ? "BERT, " : "GPT-2, ") + std::to_string(layers) + " layers, data " +
               std::to_string(data) + ", tensor " + std::to_string(tensor) + ", stages " +
               std::to_string(stages) + ", microbatch " + std::to_string(microbatch) +
               (checkpointed ? ", checkpointed" : "");
    }
};

std::vector<LibaiRow> libaiRows(const char* column) {
    std::vector<LibaiRow> rows;
    for (const MeasuredCells& cells : measuredTable("measured/published/libai.csv")) {
        const auto whole = [&](const char* name) { return std::stoi(cells.at(name)); };
        rows.push_back({cells.at("model"), whole("layers"), whole("data"), whole("tensor"), whole("stages"),
                        whole("microbatch"), whole("samples"), whole("checkpointed") == 1,
                        std::stod(cells.at(column))});
    }
    return rows;
}

/// 1,024 wide, with 16 heads and learned positions; samples of BERT have 512 tokens, those of GPT-2 1,024.
TransformerModel libaiModel(const LibaiRow& row) {
    const bool isBert = row.model == "bert";
    TransformerModel model;
    model.title = (isBert ? "BERT of " : "GPT-2 of ") + std::to_string(row.layers) + " layers";
    model.layers = row.layers;
    model.hidden = 1024;
    model.heads = model.keyValueHeads = 16;
    model.headWidth = 64;
    model.ffn = 4096;
    model.vocabulary = isBert ? 30592 : 50304;  // multiples of 128
    model.biases = {true, true, true};
    model.embedding.positions = isBert ? 512 : 1024;
    model.embedding.tokenTypes = isBert ? 2 : 0;
    model.dropout = true;
    model.causal = !isBert;
    model.head.transform = model.head.pooler = isBert;
    return model;
}

constexpr int gpusOfV100Server = 8;
/// Servers of V100 as DGX-1 joins them, with a card of 100 Gbit/s each; of one with fewer GPUs the others
/// rest.
Cluster serversOfV100(int gpus) {
    ServerSpec server;
    server.gpu = *findGpu(gpuOfLibai);
    server.gpus = gpusOfV100Server;
    server.nvlink = NvlinkShape::cubeMesh;
    server.gpusPerSwitch = 2;
    server.sockets = 2;
    NetworkSpec network;
    network.servers = (gpus + gpusOfV100Server - 1) / gpusOfV100Server;
    network.kind = "infiniband";
    Cluster cluster = serversOnNetwork(server, network);
    cluster.name = std::to_string(network.servers) + " servers of 8 V100";
    return cluster;
}

MeasuredProject projectOfLibai(const LibaiRow& row, const CalibratedShares& shares) {
    MeasuredProject made;
    Problem& problem = made.problem;
    problem.profile = calibratedProfile(libaiModel(row), row.model == "bert" ? 512 : 1024, "stored",
                                        gpuOfLibai, shares, row.microbatch, row.data);
    problem.cluster = serversOfV100(row.gpus());
    problem.setup = {.microbatches = row.samples / (row.microbatch * row.data),
                     .optimizer = Optimizer::adam,
                     .precision = StatePrecision::mixed,
                     .gradients = GradientPrecision::half,
                     .wholeSamples = true,
                     .collectiveStartS = startOfAllReduceS};
    const std::vector<int> blocks(static_cast<std::size_t>(row.stages), row.layers / row.stages);
    made.plan = planOfBlocks({blocks, row.data * row.tensor, {.tensor = row.tensor}, row.checkpointed},
                             problem.profile.layerCount());
    return made;
}

std::vector<MeasuredRow> measuredLibaiRows(const char* column, const CalibratedShares& shares) {
    std::vector<MeasuredRow> rows;
    for (const LibaiRow& row : libaiRows(column))
        rows.push_back({.name = row.name(),
                        .measured = row.samplesPerS,
                        .isCalibratedOn = row.gpus() == 1,
                        .project = [row, shares] { return projectOfLibai(row, shares); }});
    return rows;
}

RowCalibration calibrationOfLibai(const LibaiProgram& program) {
    return {program.column,
            MeasuredQuantity::samplesPerS,
            program.shares,
            {{&CalibratedShares::products, 0.0125},
             {&CalibratedShares::memory, 0.0125},
             {&CalibratedShares::operationS, 6.25e-6}},
            [program](const CalibratedShares& shares) {
                std::vector<MeasuredRow> rows = measuredLibaiRows(program.column, shares);
                std::erase_if(rows, [](const MeasuredRow& row) { return !row.isCalibratedOn; });
                return rows;
            }};
}

MeasuredSet setOnV100(const LibaiProgram& program) {
    return {.id = program.column,
            .source =
                "Oneflow-Inc/libai, docs/source/tutorials/get_started/Benchmark.md at 446f566 (its LiBai at "
                "9fc504c, its Megatron-LM at e156d2f)",
            .licence = "Apache-2.0",
            .quantity = MeasuredQuantity::samplesPerS,
            .basis =
                "The models' shapes, stored scores, 1F1B with equally many blocks in each stage, on servers "
                "of 8 V100 joined as in DGX-1 with a network of 100 Gbit/s; neither is said by the source.",
            .calibration =
                "The share of the peak, that of the memory's bandwidth, and what each operation that memory "
                "bounds takes, on the four rows on one GPU, which are not judged.",
            .rows = measuredLibaiRows(program.column, program.shares)};
}

}  // namespace

std::vector<RowCalibration> libaiCalibrations() {
    return {calibrationOfLibai(libaiPrograms[0]), calibrationOfLibai(libaiPrograms[1])};
}

MeasuredSet libaiSet() {
    MeasuredSet set = setOnV100(libaiPrograms[0]);
    set.title = "LiBai: BERT and GPT-2 on up to 32 V100";
    return set;
}

MeasuredSet megatronOnV100Set() {
    MeasuredSet set = setOnV100(libaiPrograms[1]);
    set.id = "megatron-v100";
    set.title = "Megatron-LM: BERT and GPT-2 on up to 32 V100";
    return set;
}

}  // namespace stagecraft::experiments
