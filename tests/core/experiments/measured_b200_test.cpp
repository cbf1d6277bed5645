// Predictions for tensor, expert and context parallelism on 8 B200, from efficiencies measured one by one.
#include "core/base/text_parts.h"
#include "core/formats/files/import.h"
#include "core/formats/text_file.h"
#include "core/generation/template_catalogue.h"
#include "core/planners/planned_run.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <sstream>

namespace stagecraft {
namespace {

/// A row of tests/data/measured/simumax-b200.csv.
struct DividedB200Run {
    std::string model;
    int layers = 0, dense = 0, tokens = 0;
    Group group;
    int stages = 0, copies = 0, microbatches = 0;
    double seconds = 0, allocatedGib = 0;

    std::string text() const {
        return model + ", " + groupText(group) + ", " + std::to_string(tokens) + " tokens, " +
               std::to_string(microbatches) + " microbatches";
    }
};

std::vector<DividedB200Run> dividedB200Runs() {
    std::istringstream table(readTextFile(STAGECRAFT_SOURCE_DIR "/tests/data/measured/simumax-b200.csv"));
    std::string line;
    std::getline(table, line);
    std::vector<DividedB200Run> runs;
    while (std::getline(table, line)) {
        const std::vector<std::string_view> cells = cellsOf(line, ',');
        const auto number = [&](std::size_t cell) { return std::stod(std::string(cells.at(cell))); };
        const auto whole = [&](std::size_t cell) { return static_cast<int>(number(cell)); };
        runs.push_back({std::string(cells.at(0)), whole(1), whole(2), whole(3),
                        Group{whole(4), whole(5), whole(6), whole(4) > 1}, whole(7), whole(8), whole(9),
                        number(10) / 1e3, number(11)});
    }
    return runs;
}

nlohmann::json modelOf(const DividedB200Run& run) {
    nlohmann::json model = nlohmann::json::parse(
        readTextFile(STAGECRAFT_SOURCE_DIR "/tests/data/models/simumax/" + run.model + ".json"));
    model["layer_num"] = run.layers;
    if (run.dense > 0) model["dense_layers"] = run.dense;
    return model;
}

/// Numbers that Transformer Engine keeps a placeholder for: the matrices of blocks, each shape once.
double placeholders(const DividedB200Run& run) {
    const nlohmann::json model = modelOf(run);
    const auto size = [&](const char* name) { return model.value(name, 0LL); };
    const long long hidden = size("hidden_size"), heads = size("head_num"), ffn = size("intermediate_size");
    std::set<std::pair<long long, long long>> shapes = {{2 * ffn, hidden}, {hidden, ffn}};
    if (model.value("attention_type", "") == "mla") {
        const long long query = size("q_lora_rank"), keyValue = size("kv_lora_rank"),
                        rotary = size("qk_pos_emb_head_dim"), expert = size("moe_ffn_hidden_size"),
                        shared = size("moe_shared_expert_intermediate_size");
        shapes.insert({{query, hidden},
                       {keyValue + rotary, hidden},
                       {heads * (size("qk_head_dim") + rotary), query},
                       {heads * (size("qk_head_dim") + size("v_head_dim")), keyValue},
                       {hidden, heads * size("v_head_dim")},
                       {2 * expert, hidden},
                       {hidden, expert},
                       {2 * shared, hidden},
                       {hidden, shared}});
    } else {
        const long long width = size("head_size");
        shapes.insert({{(heads + 2 * size("kv_head_num")) * width, hidden}, {hidden, heads * width}});
    }
    double numbers = 0;
    for (const auto& [rows, columns] : shapes)
        numbers += static_cast<double>(rows) * static_cast<double>(columns);
    return numbers / run.group.tensor;
}

/// Of an AllGather: latency_us and fixed_latency_us of the same system file.
constexpr double startOfCollective = 32.3e-6;

/// A sample of each copy a microbatch, ZeRO-1, nothing recomputed, equally many layers in each stage.
PlanRun predictedOnB200(const DividedB200Run& run) {
    ProfileImportOptions options;
    options.described = {
        {"gpu", std::string("B200-SXM-180GB")},
        {"sequence_length", run.tokens},
        {"microbatch_size", run.copies},
        {"experts_on", run.group.expert},
        {"efficiencies", std::string(STAGECRAFT_SOURCE_DIR "/tests/data/measured/simumax-system-b200.json")}};
    if (run.copies > 1) options.described["microbatch_sizes"] = std::string("1");
    Problem problem;
    problem.profile = importProfile(modelOf(run).dump(), run.model, options).profile;
    const ClusterTemplate& machine = *findClusterTemplate("dgx-b200");
    ParameterValues values = defaultValues(machine.parameters);
    values["servers"] = 1;
    problem.cluster = machine.make(values);
    problem.setup = {.microbatches = run.microbatches,
                     .optimizer = Optimizer::adam,
                     .precision = StatePrecision::mixed,
                     .zero = ZeroStage::optimizer,
                     .wholeSamples = true,
                     .reservedBytes = 2 * placeholders(run),
                     .collectiveStartS = startOfCollective};
    const int each = problem.profile.layerCount() / run.stages, ranks = 8 / run.stages;
    Plan plan;
    for (int s = 0; s < run.stages; ++s) {
        Stage stage{s * each, (s + 1) * each - 1, std::vector<int>(static_cast<std::size_t>(ranks))};
        std::iota(stage.devices.begin(), stage.devices.end(), s * ranks);
        stage.group = run.group;
        plan.stages.push_back(stage);
    }
    plan.schedule.order = FamilySchedule{"1f1b", {}};
    return evaluatePlan(std::make_shared<const CostModel>(problem), plan);
}

double fullestGib(const PlanRun& run) {
    double most = 0;
    for (const MemoryCurve& curve : run.evaluation->memory) most = std::max(most, curve.peakBytes());
    return most / (1024.0 * 1024 * 1024);
}

}  // namespace

/// Nothing is calibrated.
TEST(MeasuredB200, MemoryOfDividedLayersIsPredictedOnceThePlaceholdersAreReserved) {
    for (const DividedB200Run& measured : dividedB200Runs()) {
        const PlanRun run = predictedOnB200(measured);
        ASSERT_TRUE(run.ok()) << measured.text() << ": " << run.result.reason;
        EXPECT_NEAR(fullestGib(run) / measured.allocatedGib, 1, 0.03) << measured.text();
    }
}

/// What misses 15 %, and why, is in help, "Measured runs".
TEST(MeasuredB200, IterationsOfDividedLayersArePredictedFromMeasuredEfficiencies) {
    const std::vector<DividedB200Run> runs = dividedB200Runs();
    ASSERT_EQ(runs.size(), 27u);
    int within = 0;
    for (const DividedB200Run& measured : runs) {
        const PlanRun run = predictedOnB200(measured);
        ASSERT_TRUE(run.ok()) << measured.text() << ": " << run.result.reason;
        const double error = run.iterationTimeS() / measured.seconds - 1;
        within += std::abs(error) <= 0.15;
        EXPECT_LE(std::abs(error), measured.group.expert > 1 ? 0.225 : 0.15) << measured.text();
    }
    EXPECT_GE(within, 22);
}

}  // namespace stagecraft
