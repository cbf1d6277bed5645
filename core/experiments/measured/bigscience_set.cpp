// BigScience's runs before BLOOM was trained.
#include "core/base/units.h"
#include "core/experiments/measured/block_stages.h"
#include "core/experiments/measured/calibrated_shares.h"
#include "core/experiments/measured/measured_data.h"
#include "core/experiments/measured/sets.h"
#include "core/generation/asked_machines.h"

#include <algorithm>

namespace stagecraft::experiments {

namespace {

constexpr char gpuOfBigscience[] = "A100-SXM4-80GB";
/// Four Omni-Path links of 100 Gbit/s a server, drawn as a card for each of its eight GPUs.
constexpr double omniPathBps = 50e9 / 8;

constexpr CalibratedShares bigscienceShares{.products = 0.7125, .memory = 0.4, .operationS = 162.5e-6};
/// Chosen by the least squares of relative errors as well, of the four rows that have memory.
constexpr double bigscienceReservedBytes = 10.7 * gib;

/// A row of bigscience.csv.
struct BigscienceRow {
    int number = 0;    ///< from 1; some runs were made twice
    std::string date;  ///< in February 2022; "17b": in bf16, as all of the 28th
    int layers = 0, hidden = 0, heads = 0, data = 0, tensor = 0, stages = 0, microbatch = 0, samples = 0;
    double seconds = 0;
    double allocatedGib = 0;  ///< 0: not known

    std::string name() const {
        return "run " + std::to_string(number) + ": " + std::to_string(layers) + " layers of " +
               std::to_string(hidden) + ", " + std::to_string(heads) + " heads, tensor " +
               std::to_string(tensor) + ", data " + std::to_string(data) + ", stages " +
               std::to_string(stages) + ", microbatch " + std::to_string(microbatch) +
               (samples == 2048 ? "" : ", batch " + std::to_string(samples));
    }
    bool isCalibratedOn() const { return layers == 80 && hidden == 13824; }
    /// DeepSpeed's BF16_Optimizer, which sums gradients in fp32.
    bool sumsInSingle() const { return date == "28"; }
};

std::vector<BigscienceRow> bigscienceRows() {
    std::vector<BigscienceRow> rows;
    for (const MeasuredCells& cells : measuredTable("measured/published/bigscience.csv")) {
        const auto whole = [&](const char* name) { return std::stoi(cells.at(name)); };
        const std::string& allocated = cells.at("gib");
        rows.push_back({static_cast<int>(rows.size()) + 1, cells.at("date"), whole("layers"), whole("hidden"),
                        whole("heads"), whole("data"), whole("tensor"), whole("stages"), whole("microbatch"),
                        whole("samples"), std::stod(cells.at("seconds")),
                        allocated.empty() ? 0 : std::stod(allocated)});
    }
    return rows;
}

/// GPT with ALiBi and a norm behind the embedding.
TransformerModel bigscienceModel(const BigscienceRow& row) {
    TransformerModel model;
    model.title = "GPT of " + std::to_string(row.layers) + " layers, " + std::to_string(row.hidden) + " wide";
    model.layers = row.layers;
    model.hidden = row.hidden;
    model.heads = model.keyValueHeads = row.heads;
    model.headWidth = row.hidden / row.heads;
    model.ffn = 4 * row.hidden;
    model.vocabulary = 250880;
    model.biases = {true, true, true};
    model.embedding.norm = true;
    model.dropout = true;
    return model;
}

/// As DeepSpeed shares them out: equally many, of which the last stage lacks what does not divide; where
/// that divides all, embedding and head count as a block each ("type:transformer|embedding").
std::vector<int> blocksOf(const BigscienceRow& row) {
    const bool endsCount = row.layers % row.stages != 0 && (row.layers + 2) % row.stages == 0;
    const int shared = row.layers + (endsCount ? 2 : 0), each = (shared + row.stages - 1) / row.stages;
    std::vector<int> blocks(static_cast<std::size_t>(row.stages), each);
    blocks.back() = shared - each * (row.stages - 1);
    if (endsCount) {
        --blocks.front();
        --blocks.back();
    }
    return blocks;
}

Cluster jeanZay(int servers) {
    const ClusterTemplate& kind = *machinesAsked("dgx-a100").kind;
    ParameterValues values = defaultValues(kind.parameters);
    values["servers"] = servers;
    values["network_bandwidth"] = omniPathBps;
    Cluster cluster = kind.make(values);
    cluster.name = std::to_string(servers) + " servers of 8 A100 on Omni-Path";
    return cluster;
}

/// Of the numbers that the fullest GPU has weights for.
double mostWeightBytes(const LayerProfile& profile, const Plan& plan) {
    double most = 0;
    for (const Stage& stage : plan.stages) {
        double bytes = 0;
        for (int layer = stage.firstLayer; layer <= stage.lastLayer; ++layer)
            bytes += profile.layers[static_cast<std::size_t>(layer)].parameterBytes;
        most = std::max(most, bytes / stage.group.tensor);
    }
    return most;
}

MeasuredProject projectOfBigscience(const BigscienceRow& row, const CalibratedShares& shares) {
    MeasuredProject made;
    Problem& problem = made.problem;
    problem.profile = calibratedProfile(bigscienceModel(row), 2048, "stored", gpuOfBigscience, shares,
                                        row.microbatch, row.data);
    const int ranks = row.tensor * row.data;
    problem.cluster = jeanZay(ranks * row.stages / 8);
    made.plan =
        planOfBlocks({blocksOf(row), ranks, {.tensor = row.tensor}, true}, problem.profile.layerCount());
    // Sums in fp32 were kept beside gradients of 2 bytes.
    const double sums = row.sumsInSingle() ? mostWeightBytes(problem.profile, made.plan) : 0;
    problem.setup = {.microbatches = row.samples / (row.microbatch * row.data),
                     .optimizer = Optimizer::adam,
                     .precision = StatePrecision::mixed,
                     .gradients = row.sumsInSingle() ? GradientPrecision::single : GradientPrecision::half,
                     .zero = ZeroStage::optimizer,
                     .wholeSamples = true,
                     .reservedBytes = bigscienceReservedBytes + sums,
                     .collectiveStartS = startOfAllReduceS};
    return made;
}

std::vector<MeasuredRow> measuredBigscienceRows(const CalibratedShares& shares, bool ofMemory) {
    std::vector<MeasuredRow> rows;
    for (const BigscienceRow& row : bigscienceRows()) {
        if (ofMemory && row.allocatedGib == 0) continue;
        rows.push_back({.name = row.name(),
                        .measured = ofMemory ? row.allocatedGib : row.seconds,
                        .isCalibratedOn = row.isCalibratedOn(),
                        .project = [row, shares] { return projectOfBigscience(row, shares); }});
    }
    return rows;
}

MeasuredSet setOfBigscience() {
    return {.source =
                "bigscience-workshop/bigscience, train/tr11-176B-ml/chronicles-prequel.md at 053adaf; "
                "dropout, ALiBi, words and machines as the README.md beside it has them",
            .licence = "Apache-2.0"};
}

}  // namespace

std::vector<RowCalibration> bigscienceCalibrations() {
    return {{"bigscience",
             MeasuredQuantity::iterationS,
             bigscienceShares,
             {{&CalibratedShares::products, 0.0125},
              {&CalibratedShares::memory, 0.0125},
              {&CalibratedShares::operationS, 6.25e-6}},
             [](const CalibratedShares& shares) {
                 std::vector<MeasuredRow> rows = measuredBigscienceRows(shares, false);
                 std::erase_if(rows, [](const MeasuredRow& row) { return !row.isCalibratedOn; });
                 return rows;
             }}};
}

MeasuredSet bigscienceSet() {
    MeasuredSet set = setOfBigscience();
    set.id = "bigscience";
    set.title = "BigScience: GPT of 18B to 205B on 8 to 384 A100";
    set.basis =
        "The model's shapes on servers of 8 A100 with four Omni-Path links of 100 Gbit/s, 1F1B, ZeRO-1, full "
        "recomputation, stored scores. Of the products alike all, so that a width or heads that tiles do not "
        "fill are predicted too fast. The source took the second iteration of each run.";
    set.calibration =
        "The share of the peak, that of the memory's bandwidth, and what each operation that memory bounds "
        "takes, on the five rows with 80 layers of 13,824, which are not judged.";
    set.rows = measuredBigscienceRows(bigscienceShares, false);
    return set;
}

MeasuredSet bigscienceMemorySet() {
    MeasuredSet set = setOfBigscience();
    set.id = "bigscience-memory";
    set.title = "BigScience: memory of the fullest A100";
    set.quantity = MeasuredQuantity::peakGib;
    set.basis =
        "As the times. Measured is what nvidia-smi shows, with the CUDA context and all that PyTorch's "
        "allocator keeps, in whole GB.";
    set.calibration =
        "10.7 GiB are reserved, chosen on the four rows with 80 layers of 13,824, which are not judged.";
    set.rows = measuredBigscienceRows(bigscienceShares, true);
    return set;
}

}  // namespace stagecraft::experiments
