// The registry of public measurements, and what is said of their predictions.
#include "core/base/units.h"
#include "core/experiments/measured/measured_project.h"
#include "core/experiments/measured/prediction.h"
#include "core/experiments/measured/sets.h"
#include "core/formats/text_file.h"
#include "core/planners/planned_run.h"
#include "tests/support/every_room.h"
#include "tests/support/test_extent.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>
#include <set>

namespace stagecraft {
namespace {

MeasuredSet madeSet(int rows) {
    MeasuredSet set{.id = "made"};
    for (int i = 0; i < rows; ++i) set.rows.push_back({.name = std::to_string(i), .measured = 10});
    return set;
}

/// Predictions of that many rows, each with that error.
std::vector<MeasuredPrediction> predictionsOf(const MeasuredSet& set, const std::vector<double>& errors) {
    std::vector<MeasuredPrediction> rows = unpredicted({&set});
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].predicted = 10 * (1 + errors[i]);
    return rows;
}

}  // namespace

TEST(MeasuredSets, HaveTheRowsThatWerePublished) {
    const std::map<std::string, std::size_t> rows = {{"vocabulary", 25},
                                                     {"vocabulary-runs", 40},
                                                     {"vocabulary-memory", 40},
                                                     {"zero-bubble", 48},
                                                     {"primus", 1},
                                                     {"two-stages", 3},
                                                     {"simumax", 33},
                                                     {"simumax-memory", 33},
                                                     {"korthikanti", 8},
                                                     {"korthikanti-states", 4},
                                                     {"korthikanti-activations", 8},
                                                     {"vtrain", 72},
                                                     {"published", 4},
                                                     {"torchtitan", 11},
                                                     {"mpt", 201},
                                                     {"bigscience", 128},
                                                     {"bigscience-memory", 92},
                                                     {"libai", 42},
                                                     {"megatron-v100", 42},
                                                     {"nemo", 50},
                                                     {"dgxc", 170},
                                                     {"internlm", 32}};
    std::set<std::string> ids;
    for (const MeasuredSet& set : measuredSets()) {
        SCOPED_TRACE(set.id);
        EXPECT_TRUE(ids.insert(set.id).second) << "twice";
        ASSERT_TRUE(rows.contains(set.id));
        EXPECT_EQ(set.rows.size(), rows.at(set.id));
        std::set<std::string> names;
        for (const MeasuredRow& row : set.rows) {
            EXPECT_TRUE(names.insert(row.name).second) << row.name << " twice";
            EXPECT_GT(row.measured, 0) << row.name;
        }
        for (const std::string* text : {&set.title, &set.source, &set.licence, &set.basis, &set.calibration})
            EXPECT_FALSE(text->empty());
        for (const std::string* sentences : {&set.basis, &set.calibration})
            EXPECT_TRUE(sentences->find(' ') != std::string::npos && sentences->back() == '.') << *sentences;
    }
    EXPECT_EQ(ids.size(), rows.size());
    EXPECT_EQ(findMeasuredSet("zero-bubble")->rows[0].measured, 94.4) << "11.8 of each of 8 GPUs";
    EXPECT_EQ(findMeasuredSet("nothing"), nullptr);
}

/// What is calibrated is calibrated on other rows than those that are judged.
TEST(MeasuredSets, RowsThatWereCalibratedOnAreNotJudged) {
    const std::map<std::string, int> calibratedOn = {
        {"zero-bubble", 12}, {"torchtitan", 4},    {"mpt", 19},  {"bigscience", 5}, {"bigscience-memory", 4},
        {"libai", 4},        {"megatron-v100", 4}, {"nemo", 12}, {"dgxc", 6},       {"vocabulary-runs", 4},
        {"internlm", 2}};
    for (const MeasuredSet& set : measuredSets()) {
        const auto found = calibratedOn.find(set.id);
        EXPECT_EQ(std::ranges::count_if(set.rows, &MeasuredRow::isCalibratedOn),
                  found == calibratedOn.end() ? 0 : found->second)
            << set.id;
        for (const MeasuredRow& row : set.rows) {
            if (set.id != "zero-bubble") break;
            EXPECT_EQ(row.isCalibratedOn, row.name.starts_with("1.5B")) << row.name;
        }
    }
    MeasuredSet set = madeSet(3);
    set.rows[1].isCalibratedOn = true;
    const ErrorSummary summary = summaryOf(predictionsOf(set, {0.1, -0.9, 0.2}));
    EXPECT_EQ(summary.judged, 2);
    EXPECT_NEAR(summary.median, 0.15, 1e-12);
    EXPECT_NEAR(summary.worst, 0.2, 1e-12);
}

TEST(MeasuredSets, AMedianIsOfSizesAndTheWorstHasItsSign) {
    const MeasuredSet three = madeSet(3), four = madeSet(4);
    const ErrorSummary odd = summaryOf(predictionsOf(three, {0.1, -0.3, 0.02}));
    EXPECT_NEAR(odd.median, 0.1, 1e-12);
    EXPECT_NEAR(odd.worst, -0.3, 1e-12);
    EXPECT_NEAR(summaryOf(predictionsOf(four, {0.1, -0.3, 0.02, 0.2})).median, 0.15, 1e-12);
    EXPECT_EQ(summaryOf(unpredicted({&four})).judged, 0) << "nothing is predicted";
}

RC_GTEST_PROP(MeasuredSets, AsManyErrorsAreBelowTheMedianAsAbove, (std::vector<int> percents)) {
    RC_PRE(!percents.empty());
    std::vector<double> errors;
    for (const int percent : percents) errors.push_back(percent % 90 / 100.0);
    const MeasuredSet set = madeSet(static_cast<int>(errors.size()));
    const ErrorSummary summary = summaryOf(predictionsOf(set, errors));
    int below = 0, above = 0;
    for (const double error : errors) {
        below += std::abs(error) < summary.median - 1e-9;
        above += std::abs(error) > summary.median + 1e-9;
        RC_ASSERT(std::abs(error) <= std::abs(summary.worst) + 1e-9);
    }
    RC_ASSERT(2 * below <= set.rows.size());
    RC_ASSERT(2 * above <= set.rows.size());
    RC_ASSERT(summary.judged == static_cast<int>(set.rows.size()));
}

/// In full all; else one of each set, but for thousands of GPUs: others are held by tests of their own.
TEST(MeasuredSets, EachRowOpensAsAProjectThatPlansAsThePageSays) {
    for (const MeasuredSet& set : measuredSets()) {
        if (set.id == "published" && !testing::inFull()) continue;
        for (std::size_t i = 0; i < set.rows.size(); ++i) {
            if (!testing::inFull() && i != set.rows.size() / 2) continue;
            const MeasuredRow& row = set.rows[i];
            SCOPED_TRACE(set.id + ": " + row.name);
            std::vector<MeasuredPrediction> predicted = {{&set, &row, {}, {}, {}}};
            predictRows(predicted, {.jobs = 1});
            ASSERT_TRUE(predicted[0].predicted) << predicted[0].reason;
            const Project project = readProject(writeProject(projectOfRow(set, row)), "row", {});
            ASSERT_EQ(project.plans.size(), 1u);
            const PlanRun run =
                evaluatePlan(std::make_shared<const CostModel>(project.problem), project.plans[0]);
            ASSERT_TRUE(run.ok()) << run.result.reason;
            EXPECT_NEAR(predictedOf(set, row, run), *predicted[0].predicted, 1e-6 * *predicted[0].predicted);
            EXPECT_NE(project.problem.profile.source.find(set.source), std::string::npos);
        }
    }
}

/// The table at the top of the help page; sets that take seconds in full alone.
TEST(MeasuredSets, HelpHasTheMediansAndTheWorst) {
    const std::string help = readTextFile(STAGECRAFT_SOURCE_DIR "/resources/help/MEASURED.md"),
                      readme = readTextFile(STAGECRAFT_SOURCE_DIR "/README.md");
    std::vector<MeasuredPrediction> all;
    const auto isInTable = [&](const std::string& name, const ErrorSummary& summary) {
        const std::string line = "| " + name + " | " + std::to_string(summary.judged) + " | " +
                                 formatFixed(100 * summary.median, 1) + " % | " +
                                 errorPercent(summary.worst) + " |";
        EXPECT_NE(help.find(line), std::string::npos) << line;
    };
    const std::set<std::string> slowSets = {"vtrain", "zero-bubble", "published",         "korthikanti",
                                            "mpt",    "bigscience",  "bigscience-memory", "nemo",
                                            "dgxc"};
    for (const MeasuredSet& set : measuredSets()) {
        EXPECT_NE(help.find("| `" + set.id + "` |"), std::string::npos) << set.id;
        if (slowSets.contains(set.id) && !testing::inFull()) continue;
        std::vector<MeasuredPrediction> rows = unpredicted({&set});
        predictRows(rows, {.jobs = 1});
        isInTable("`" + set.id + "`", summaryOf(rows));
        all.insert(all.end(), rows.begin(), rows.end());
    }
    if (!testing::inFull()) return;
    for (const MeasuredSummary& group : measuredSummaries(all))
        if (group.name.starts_with("all ")) {
            isInTable(group.name, group.summary);
            EXPECT_NE(readme.find(errorPercent(group.summary.worst)), std::string::npos) << group.name;
        }
}

TEST(MeasuredSets, ARowWithoutAPlanSaysWhyAndTheOthersAreThere) {
    MeasuredSet set = madeSet(1);
    set.rows[0].project = []() -> MeasuredProject { throw std::invalid_argument("no such model"); };
    std::vector<MeasuredPrediction> rows = unpredicted({&set, findMeasuredSet("primus")});
    predictRows(rows, {.jobs = 1});
    EXPECT_EQ(rows[0].reason, "no such model");
    EXPECT_FALSE(rows[0].error());
    EXPECT_TRUE(rows[1].predicted);
    const std::string table = measuredCsv(rows);
    EXPECT_NE(table.find("made,0,0,,s,10,,,no,no such model\n"), std::string::npos) << table;
    EXPECT_NE(table.find("primus,0,\"8 stages, 16 microbatches, iterations 13 to 20\",1f1b,s,3.258"),
              std::string::npos)
        << table;
}

TEST(MeasuredSets, ErrorsHaveASignUnlessTheyRoundToNothing) {
    EXPECT_EQ(errorPercent(0.0364), "+3.6 %");
    EXPECT_EQ(errorPercent(-0.0004), "0.0 %");
    EXPECT_EQ(errorPercent(-0.0006), "−0.1 %");
}

TEST(MeasuredSets, APredictionThatIsStoppedLeavesRowsOpen) {
    std::stop_source stop;
    std::vector<MeasuredPrediction> rows = unpredicted({findMeasuredSet("vocabulary")});
    PredictionOptions options{.jobs = 1, .stop = stop.get_token()};
    options.done = [&](std::size_t) { stop.request_stop(); };
    predictRows(rows, options);
    EXPECT_EQ(std::ranges::count_if(rows, [](const auto& row) { return row.predicted.has_value(); }), 1);
}

}  // namespace stagecraft
