// Yeung et al., MLSys 2025, once more: from the shapes of the model in place of measured passes, with memory.
#include "core/experiments/measured/block_stages.h"
#include "core/experiments/measured/calibrated_shares.h"
#include "core/experiments/measured/measured_data.h"
#include "core/experiments/measured/sets.h"
#include "core/generation/asked_machines.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::experiments {

namespace {

constexpr int stagesOfVocabularyRuns = 8, blocksOfVocabularyRuns = 32, microbatchesOfVocabularyRuns = 128;
constexpr double widthOfVocabularyRuns = 3072;
constexpr double peakOfVocabularyRuns = 312e12;  ///< FLOP/s of a GPU, as the source counts

/// Attention's share is that of mpt's A100, that of memory SimuMax's of an A100.
constexpr CalibratedShares vocabularyShares{
    .products = 0.7875, .attention = 0.6375, .memory = 0.91, .operationS = 156.25e-6};

/// A row of vocabulary-runs.csv.
struct VocabularyRun {
    int tokens = 0, vocabulary = 0;
    std::string method;
    double utilisation = 0, gib = 0;

    std::string name() const {
        return method + ", " + std::to_string(tokens) + " tokens, " + std::to_string(vocabulary) + " words";
    }
    bool isCalibratedOn() const { return vocabulary == 32000 && (method == "baseline" || method == "redis"); }
    /// FLOP of the head over those of a block, as the source counts them.
    double headInBlocks() const { return vocabulary / (12 * widthOfVocabularyRuns + 2 * tokens); }
    /// As the source counts FLOP: products of blocks and head, three times the forward's, nothing recomputed.
    double seconds() const {
        const double samples = microbatchesOfVocabularyRuns * double(tokens), width = widthOfVocabularyRuns;
        const double block = samples * (24 * width * width + 4 * tokens * width);
        const double flop = 3 * block * (blocksOfVocabularyRuns + headInBlocks());
        return flop / (stagesOfVocabularyRuns * peakOfVocabularyRuns * utilisation);
    }
};

std::vector<VocabularyRun> vocabularyRuns() {
    std::vector<VocabularyRun> runs;
    for (const MeasuredCells& cells : measuredTable("measured/published/vocabulary-runs.csv"))
        runs.push_back({std::stoi(cells.at("tokens")), std::stoi(cells.at("vocabulary")), cells.at("method"),
                        std::stod(cells.at("mfu_percent")) / 100, std::stod(cells.at("gib"))});
    return runs;
}

/// Blocks of each stage. With "redis" the last one has what its head leaves of an even share of both, rounded
/// up, and those before it what it gives away: as the published passes of its stages say where there are any
/// (vocabulary-parallelism.json).
std::vector<int> blocksOfRun(const VocabularyRun& run) {
    constexpr int others = stagesOfVocabularyRuns - 1;
    int last = blocksOfVocabularyRuns / stagesOfVocabularyRuns;
    if (run.method == "redis") {
        const double share = (blocksOfVocabularyRuns + run.headInBlocks()) / stagesOfVocabularyRuns;
        last = std::max(0, static_cast<int>(std::ceil(share - run.headInBlocks())));
    }
    std::vector<int> blocks(static_cast<std::size_t>(others), (blocksOfVocabularyRuns - last) / others);
    for (int more = 0; more < (blocksOfVocabularyRuns - last) % others; ++more)
        ++blocks[static_cast<std::size_t>(others - 1 - more)];
    blocks.push_back(last);
    return blocks;
}

TransformerModel modelOfRun(const VocabularyRun& run) {
    TransformerModel model;
    model.title = "GPT of 32 layers, " + std::to_string(run.vocabulary) + " words";
    model.layers = blocksOfVocabularyRuns;
    model.hidden = static_cast<int>(widthOfVocabularyRuns);
    model.heads = model.keyValueHeads = 24;
    model.headWidth = 128;
    model.ffn = 4 * model.hidden;
    model.vocabulary = run.vocabulary;
    model.tied = false;
    model.biases = {true, true, true};
    model.embedding.positions = run.tokens;
    return model;
}

MeasuredProject projectOfVocabularyRun(const VocabularyRun& run, const CalibratedShares& shares) {
    MeasuredProject made;
    Problem& problem = made.problem;
    problem.profile = calibratedProfile(modelOfRun(run), run.tokens, "fused", "A100-SXM4-80GB", shares, 1, 1);
    problem.cluster = machinesAsked("dgx-a100").make();
    problem.setup = {.microbatches = microbatchesOfVocabularyRuns,
                     .optimizer = Optimizer::adam,
                     .precision = StatePrecision::mixed,
                     .collectiveStartS = startOfAllReduceS};
    made.plan = planOfBlocks({blocksOfRun(run), 1}, problem.profile.layerCount());
    if (run.method != "baseline" && run.method != "redis")
        made.plan.schedule.order = FamilySchedule{run.method, {}};
    return made;
}

std::vector<MeasuredRow> measuredVocabularyRuns(const CalibratedShares& shares, bool ofMemory) {
    std::vector<MeasuredRow> rows;
    for (const VocabularyRun& run : vocabularyRuns())
        rows.push_back({.name = run.name(),
                        .measured = ofMemory ? run.gib : run.seconds(),
                        .isCalibratedOn = !ofMemory && run.isCalibratedOn(),
                        .project = [run, shares] { return projectOfVocabularyRun(run, shares); }});
    return rows;
}

}  // namespace

std::vector<RowCalibration> vocabularyCalibrations() {
    return {{"vocabulary-runs",
             MeasuredQuantity::iterationS,
             vocabularyShares,
             {{&CalibratedShares::products, 0.0125}, {&CalibratedShares::operationS, 6.25e-6}},
             [](const CalibratedShares& shares) {
                 std::vector<MeasuredRow> rows = measuredVocabularyRuns(shares, false);
                 std::erase_if(rows, [](const MeasuredRow& row) { return !row.isCalibratedOn; });
                 return rows;
             }}};
}

MeasuredSet vocabularyRunsSet() {
    MeasuredSet set;
    set.id = "vocabulary-runs";
    set.title = "Shared output layers on 8 A100, from the model's shapes";
    set.source =
        "Yeung et al., Balancing Pipeline Parallelism with Vocabulary Parallelism, MLSys 2025; "
        "sail-sg/VocabularyParallelism, artifact/example-results/full-exp.txt at 71f0727";
    set.licence = "BSD-type";
    set.basis =
        "The model's shapes on a DGX A100; what attention reaches is mpt's, what memory does SimuMax's of "
        "an A100. Which blocks were moved for \"redis\" follows from the published passes of another run, "
        "and where there are none from the rule that those keep. Seconds follow from the utilisation in the "
        "table and the FLOP that its script counts.";
    set.calibration =
        "The share of the peak, and what each operation that memory bounds takes, on the four rows of 1F1B "
        "with 32,000 words, which are not judged.";
    set.rows = measuredVocabularyRuns(vocabularyShares, false);
    return set;
}

MeasuredSet vocabularyMemorySet() {
    MeasuredSet set = vocabularyRunsSet();
    set.id = "vocabulary-memory";
    set.title = "Shared output layers on 8 A100: memory of the fullest GPU";
    set.quantity = MeasuredQuantity::peakGib;
    set.basis =
        "As the times, with 18 bytes for each number that a GPU has weights of. Measured is what PyTorch's "
        "allocator reserved, which is more than what it gave out.";
    set.calibration = "Nothing is calibrated on memory.";
    set.rows = measuredVocabularyRuns(vocabularyShares, true);
    return set;
}

}  // namespace stagecraft::experiments
