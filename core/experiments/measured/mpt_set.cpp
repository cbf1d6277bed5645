// MosaicML's runs of MPT with FSDP.
#include "core/experiments/measured/block_stages.h"
#include "core/experiments/measured/calibrated_shares.h"
#include "core/experiments/measured/measured_data.h"
#include "core/experiments/measured/sets.h"
#include "core/generation/asked_machines.h"

#include <algorithm>

namespace stagecraft::experiments {

namespace {

/// Shapes of scripts/train/yamls/pretrain/mpt-*.yaml.
struct MptSize {
    const char* name;
    int layers, hidden, heads;
};
constexpr MptSize mptSizes[] = {{"125m", 12, 768, 12}, {"350m", 24, 1024, 16}, {"760m", 24, 1536, 12},
                                {"1b", 24, 2048, 16},  {"3b", 32, 2560, 20},   {"7b", 32, 4096, 32},
                                {"13b", 40, 5120, 40}, {"30b", 48, 7168, 56},  {"70b", 80, 8192, 64}};

/// The start of an operation that memory bounds is SimuMax's, of an A100 on PCIe; attention's backward over
/// its forward on an H100 is that of h100.efficiencies.json.
constexpr CalibratedShares mptOnA100{
    .products = 0.7, .attention = 0.6375, .memory = 0.4125, .operationS = 40e-6};
constexpr CalibratedShares mptOnH100{
    .products = 0.5125, .attention = 0.5625, .backwardAttention = 0.525, .memory = 0.575};
/// With products of 8 bits, of the peak at 16.
constexpr CalibratedShares mptInFp8{
    .products = 0.725, .attention = 0.5625, .backwardAttention = 0.525, .memory = 0.575};

/// What ran them, by the table's "gpu" and "precision".
struct MptMachine {
    const char *gpu, *machine, *name;
    const CalibratedShares* shares;
    bool isFp8 = false;

    bool ran(const MeasuredCells& cells) const {
        return cells.at("gpu") == gpu && (cells.at("precision") == "amp_fp8") == isFp8;
    }
};
constexpr MptMachine mptMachines[] = {{"h100", "dgx-h100", "H100-SXM5-80GB", &mptOnH100},
                                      {"h100", "dgx-h100", "H100-SXM5-80GB", &mptInFp8, true},
                                      {"a100-80", "dgx-a100", "A100-SXM4-80GB", &mptOnA100},
                                      {"a100-40", "nd-a100-v4", "A100-SXM4-40GB", &mptOnA100}};

/// GPT-2's decoder, with a position for each token of a sample.
TransformerModel mptModel(const std::string& name, int tokens) {
    const MptSize& size =
        *std::ranges::find_if(mptSizes, [&](const MptSize& one) { return one.name == name; });
    TransformerModel model;
    model.title = "MPT " + name;
    model.layers = size.layers;
    model.hidden = size.hidden;
    model.heads = model.keyValueHeads = size.heads;
    model.headWidth = size.hidden / size.heads;
    model.ffn = 4 * size.hidden;
    model.vocabulary = 50368;
    model.biases = {true, true, true};
    model.embedding.positions = tokens;
    return model;
}

/// A row of mpt.csv.
struct MptRow {
    std::string model;
    MptMachine machine;
    int tokens = 0, gpus = 0, microbatch = 0, accumulated = 0;
    bool checkpointed = false, halfGradients = false;
    double tokensPerS = 0;  ///< of a GPU

    std::string name() const {
        return "MPT " + model + ", " + std::to_string(tokens) + " tokens, " + std::to_string(gpus) + " " +
               machine.name + ", microbatch " + std::to_string(microbatch) +
               (checkpointed ? ", checkpointed" : "") + (machine.isFp8 ? ", FP8" : "");
    }
    bool isCalibratedOn() const { return model == "1b" && gpus == 8 && machine.gpu != mptMachines[3].gpu; }
    /// Whether that machine's numbers are chosen by it.
    bool choosesOf(const MptMachine& one) const { return isCalibratedOn() && machine.shares == one.shares; }
};

std::vector<MptRow> mptRows() {
    std::vector<MptRow> rows;
    for (const MeasuredCells& cells : measuredTable("measured/published/mpt.csv")) {
        const auto whole = [&](const char* name) { return std::stoi(cells.at(name)); };
        const MptMachine& machine =
            *std::ranges::find_if(mptMachines, [&](const MptMachine& one) { return one.ran(cells); });
        const int gpus = whole("gpus");
        rows.push_back({cells.at("model"), machine, whole("tokens"), gpus, whole("microbatch"),
                        whole("accumulated"), whole("checkpointed") == 1, cells.at("precision") == "bf16",
                        std::stod(cells.at("tokens_per_s")) / gpus});
    }
    return rows;
}

MeasuredProject projectOfMpt(const MptRow& row, const CalibratedShares& shares) {
    MeasuredProject made;
    Problem& problem = made.problem;
    problem.profile = calibratedProfile(mptModel(row.model, row.tokens), row.tokens, "fused",
                                        row.machine.name, shares, row.microbatch, row.gpus);
    problem.cluster =
        machinesAsked(std::to_string(row.gpus / 8) + "x " + std::string(row.machine.machine)).make();
    problem.setup = {.microbatches = row.accumulated,
                     .optimizer = Optimizer::adam,
                     .precision = StatePrecision::mixed,
                     .gradients = row.halfGradients ? GradientPrecision::half : GradientPrecision::single,
                     .zero = ZeroStage::weights,
                     .wholeSamples = true,
                     .zeroOverlap = overlapOfFsdp(problem.profile),
                     .collectiveStartS = startOfAllReduceS};
    const int layers = problem.profile.layerCount();
    made.plan = planOfBlocks({{layers - 2}, row.gpus, {}, row.checkpointed}, layers);
    return made;
}

MeasuredRow measuredMptRow(const MptRow& row, const CalibratedShares& shares) {
    return {.name = row.name(),
            .measured = row.tokensPerS,
            .isCalibratedOn = row.isCalibratedOn(),
            .project = [row, shares] { return projectOfMpt(row, shares); }};
}

RowCalibration calibrationOfMpt(const char* name, const MptMachine& machine) {
    constexpr double step = 0.0125;
    std::vector<CalibratedNumber> chosen = {{&CalibratedShares::products, step}};
    if (!machine.isFp8) {
        chosen.push_back({&CalibratedShares::attention, step});
        chosen.push_back({&CalibratedShares::memory, step});
    }
    return {name, MeasuredQuantity::tokensPerSOfGpu, *machine.shares, chosen,
            [machine](const CalibratedShares& shares) {
                std::vector<MeasuredRow> rows;
                for (const MptRow& row : mptRows())
                    if (row.choosesOf(machine)) rows.push_back(measuredMptRow(row, shares));
                return rows;
            }};
}

}  // namespace

std::vector<RowCalibration> mptCalibrations() {
    return {calibrationOfMpt("mpt, H100", mptMachines[0]),
            calibrationOfMpt("mpt, H100 in FP8", mptMachines[1]),
            calibrationOfMpt("mpt, A100", mptMachines[2])};
}

MeasuredSet mptSet() {
    MeasuredSet set{
        .id = "mpt",
        .title = "MosaicML: MPT of 125M to 70B on 8 to 128 A100 and H100",
        .source = "mosaicml/llm-foundry, scripts/train/benchmarking/README.md at 061f2c7",
        .licence = "Apache-2.0",
        .quantity = MeasuredQuantity::tokensPerSOfGpu,
        .basis =
            "The shapes of scripts/train/yamls/pretrain, one stage of all layers with ZeRO-3 on DGX H100, "
            "DGX "
            "A100 and servers of 8 A100 of 40 GB with 1,600 Gbit/s. Of what FSDP sends "
            "for each pass all but what belongs to embedding and head overlaps with computing.",
        .calibration =
            "The shares of the peak that products and attention reach, and that of the memory's bandwidth, "
            "on "
            "the rows of 1B on 8 A100 of 80 GB and on 8 H100, which are not judged; in FP8 that of products "
            "alone, of the peak at 16 bits."};
    for (const MptRow& row : mptRows()) set.rows.push_back(measuredMptRow(row, *row.machine.shares));
    return set;
}

}  // namespace stagecraft::experiments
