// What torchtitan publishes of its runs on up to 256 H100, in 16 bits and with products in 8.
#include "core/experiments/measured/block_stages.h"
#include "core/experiments/measured/calibrated_shares.h"
#include "core/experiments/measured/sets.h"
#include "core/formats/configurations/configuration_formats.h"
#include "core/generation/asked_machines.h"
#include "core/generation/model_rows.h"
#include "core/programs/configured_plan.h"

#include <stdexcept>

namespace stagecraft::experiments {

namespace {

/// What memory gives of 3.35 TB/s: 0.7 of the 2.4 TB/s that these cards have.
constexpr double titanMemory = 0.7 * 2.4 / 3.35;
/// Attention's backward over its forward is that of h100.efficiencies.json.
constexpr CalibratedShares titanIn16{
    .products = 0.4, .attention = 0.6625, .backwardAttention = 0.525, .memory = titanMemory};
constexpr CalibratedShares titanCompiled{
    .products = 0.5, .attention = 0.6625, .backwardAttention = 0.525, .memory = titanMemory};
/// With products of 8 bits, of the peak at 16.
constexpr CalibratedShares titanIn8{
    .products = 0.875, .attention = 0.6625, .backwardAttention = 0.525, .memory = titanMemory};

/// How products are computed.
struct TitanTechnique {
    const char* name;
    const CalibratedShares* shares;
    bool isFp8 = false;
};
constexpr TitanTechnique titanTechniques[] = {{"FSDP", &titanIn16},
                                              {"FSDP, torch.compile", &titanCompiled},
                                              {"FSDP, torch.compile, Float8", &titanIn8, true}};

/// What blocks have again for the backward.
enum class TitanRecomputation {
    operations,  ///< every second product (selective_ac_option "op"), of those in 8 bits each
    blocks,      ///< all of it
};

struct TitanRow {
    const char *table, *model, *title;
    int gpus, tensor, context, tokens, batch;  ///< tokens of a sample, samples of a copy
    const TitanTechnique* technique;
    TitanRecomputation recomputation;
    double tokensPerS;  ///< of a GPU

    int copies() const { return gpus / tensor / context; }
    std::string name() const {
        return std::string(title) + " on " + std::to_string(gpus) + " H100, " + std::to_string(tokens) +
               " tokens, " + technique->name + (tensor > 1 ? ", tensor " + std::to_string(tensor) : "") +
               (context > 1 ? ", context " + std::to_string(context) : "");
    }
    /// On one server, the samples of which are whole.
    bool isCalibratedOn() const { return gpus == 8 && context == 1; }
};

constexpr const char *llama8b = "llama-3-8b", *llama70b = "llama-3-70b", *title8b = "Llama 3.1 8B",
                     *title70b = "Llama 3.1 70B";
constexpr auto someOperations = TitanRecomputation::operations;
constexpr auto wholeBlocks = TitanRecomputation::blocks;
constexpr TitanRow titanRows[] = {
    {"1", llama8b, title8b, 8, 1, 1, 8192, 2, &titanTechniques[0], someOperations, 5762},
    {"1", llama8b, title8b, 8, 1, 1, 8192, 2, &titanTechniques[1], someOperations, 6667},
    {"1", llama8b, title8b, 8, 1, 1, 8192, 2, &titanTechniques[2], someOperations, 8532},
    {"2", llama8b, title8b, 8, 1, 1, 32768, 1, &titanTechniques[2], wholeBlocks, 3890},
    {"2", llama8b, title8b, 8, 1, 2, 65536, 1, &titanTechniques[2], wholeBlocks, 2540},
    {"2", llama8b, title8b, 8, 1, 4, 131072, 1, &titanTechniques[2], wholeBlocks, 1071},
    {"2", llama8b, title8b, 8, 1, 8, 262144, 1, &titanTechniques[2], wholeBlocks, 548},
    {"3", llama8b, title8b, 128, 1, 1, 8192, 2, &titanTechniques[0], someOperations, 5605},
    {"3", llama8b, title8b, 128, 1, 1, 8192, 2, &titanTechniques[1], someOperations, 6514},
    {"3", llama8b, title8b, 128, 1, 1, 8192, 2, &titanTechniques[2], someOperations, 8380},
    {"4", llama70b, title70b, 256, 8, 1, 8192, 16, &titanTechniques[2], wholeBlocks, 829}};

const TransformerModel& modelOfTitan(const TitanRow& row) {
    for (const ModelRow& each : modelRows())
        if (each.name == row.model) return each.model;
    throw std::invalid_argument(std::string("there is no model ") + row.model);
}

std::string jobOfTitan(const TitanRow& row) {
    return "[training]\nlocal_batch_size = " + std::to_string(row.batch) +
           "\nglobal_batch_size = " + std::to_string(row.batch * row.copies()) +
           "\nseq_len = " + std::to_string(row.tokens) +
           "\n[parallelism]\ndata_parallel_shard_degree = " + std::to_string(row.copies()) +
           "\ntensor_parallel_degree = " + std::to_string(row.tensor) +
           "\ncontext_parallel_degree = " + std::to_string(row.context) +
           "\n[activation_checkpoint]\nmode = " +
           (row.recomputation == wholeBlocks ? "\"full\"" : "\"selective\"\nselective_ac_option = \"op\"") +
           "\n";
}

/// Weights of a block whose products are computed again: of queries, keys, values, output, gate, up and down
/// in the order of Llama's forward every second, or all where products are in 8 bits, whose operation is not
/// among those that are kept (torchtitan/models/llama/parallelize_llama.py at 9dec370).
double recomputedWeights(const TransformerModel& model, bool isFp8) {
    const double hidden = model.hidden, width = model.headWidth,
                 products[] = {hidden * model.heads * width,
                               hidden * model.keyValueHeads * width,
                               hidden * model.keyValueHeads * width,
                               hidden * model.heads * width,
                               hidden * model.ffn,
                               hidden * model.ffn,
                               hidden * model.ffn};
    double weights = 0;
    for (std::size_t i = 0; i < std::size(products); ++i)
        if (isFp8 || i % 2 == 1) weights += products[i];
    return weights;
}

/// Adds to each block's backward what its products take a second time.
void addRecomputedProducts(const TitanRow& row, const CalibratedShares& shares, LayerProfile& profile) {
    const double flops = 2 * recomputedWeights(modelOfTitan(row), row.technique->isFp8) * row.tokens;
    const double sampleS = flops / (shares.products * profile.peakFlops.value());
    for (int layer = 1; layer + 1 < profile.layerCount(); ++layer) {
        const auto index = static_cast<std::size_t>(layer);
        profile.layers[index].backwardS += sampleS * profile.microbatchSize;
        for (TimesAtSize& other : profile.otherSizes)
            other.layers[index].backwardS += sampleS * other.microbatchSize;
    }
}

MeasuredProject projectOfTitan(const TitanRow& row, const CalibratedShares& shares) {
    const std::string name = "torchtitan's TOML";
    const Configuration configuration = readConfiguration(jobOfTitan(row), name);
    Cluster cluster = machinesAsked(std::to_string(row.gpus / 8) + "x dgx-h100").make();
    for (Device& device : cluster.devices) device.memoryBytes = 96e9;
    LayerProfile profile = calibratedProfile(modelOfTitan(row), row.tokens, "fused", "H100-SXM5-80GB", shares,
                                             row.batch, row.copies());
    if (row.recomputation == someOperations) addRecomputedProducts(row, shares, profile);
    const ConfiguredLayout layout = layoutOn(configuration, row.gpus, name);
    ConfiguredPlan planned =
        configuredPlan(configuration, layout, std::move(profile), std::move(cluster), name);
    TrainingSetup& setup = planned.problem.setup;
    setup.wholeSamples = true;
    setup.zeroOverlap = overlapOfFsdp(planned.problem.profile);
    setup.collectiveStartS = startOfAllReduceS;
    return {std::move(planned.problem), std::move(planned.plan)};
}

MeasuredRow measuredTitanRow(const TitanRow& row, const CalibratedShares& shares) {
    return {.name = row.name(),
            .measured = row.tokensPerS,
            .isCalibratedOn = row.isCalibratedOn(),
            .project = [row, shares] { return projectOfTitan(row, shares); }};
}

RowCalibration calibrationOfTitan(const char* name, const TitanTechnique& technique) {
    constexpr double step = 0.0125;
    std::vector<CalibratedNumber> chosen = {{&CalibratedShares::products, step}};
    if (technique.isFp8) chosen.push_back({&CalibratedShares::attention, step});
    return {name, MeasuredQuantity::tokensPerSOfGpu, *technique.shares, chosen,
            [shares = technique.shares](const CalibratedShares& tried) {
                std::vector<MeasuredRow> rows;
                for (const TitanRow& row : titanRows)
                    if (row.isCalibratedOn() && row.technique->shares == shares)
                        rows.push_back(measuredTitanRow(row, tried));
                return rows;
            }};
}

}  // namespace

std::vector<RowCalibration> torchtitanCalibrations() {
    return {calibrationOfTitan("torchtitan", titanTechniques[0]),
            calibrationOfTitan("torchtitan, torch.compile", titanTechniques[1]),
            calibrationOfTitan("torchtitan, torch.compile and Float8", titanTechniques[2])};
}

MeasuredSet torchtitanSet() {
    MeasuredSet set{
        .id = "torchtitan",
        .title = "torchtitan: Llama 3.1 8B and 70B on 8 to 256 H100",
        .source = "pytorch/torchtitan, benchmarks/llama3_h100_202412_torchtitan.md at 31a17bf, Tables 1 to 4",
        .licence = "BSD-3-Clause",
        .quantity = MeasuredQuantity::tokensPerSOfGpu,
        .basis =
            "torchtitan's options; cards with 2.4 TB/s, of which memory gives 0.7, in servers as DGX H100. "
            "What "
            "single operations a block has again is added to its backward: every second product, each where "
            "products are in 8 bits. Of what FSDP sends for each pass all but what belongs to embedding and "
            "head overlaps with computing.",
        .calibration =
            "The share of the peak that products reach, with and without torch.compile and with Float8, on "
            "the "
            "rows on 8 GPUs without context parallelism, which are not judged; with Float8 also that of "
            "attention, which then holds for all."};
    for (const TitanRow& row : titanRows) set.rows.push_back(measuredTitanRow(row, *row.technique->shares));
    return set;
}

}  // namespace stagecraft::experiments
