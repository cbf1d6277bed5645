// Numbers that the source prints: their place in the file, beside the results and in claims.

#include "core/experiments/printed.h"
#include "tests/support/every_room.h"
#include "core/experiments/experiment_draft.h"
#include "core/experiments/levels.h"
#include "core/experiments/results.h"
#include "core/formats/input_error.h"
#include "experiment_fixtures.h"

#include <gtest/gtest.h>

namespace stagecraft {
namespace {

constexpr char printedAxes[] = R"([
    {"name": "M", "pointer": "/setup/microbatches", "values": [2, 4, 8]},
    {"name": "network", "cases": [{"label": "slow", "set": {"/cluster/links/0/bandwidth_Bps": 1e9,
                                                          "/setup/optimizer": "adam"}},
                                  {"label": "fast", "set": {"/cluster/links/0/bandwidth_Bps": 4e9}}]}])";
constexpr char table[] = R"({"place": "Table 1", "metric": "iteration_time_s", "along": "M",
    "at": {"network": "slow"}, "values": {"SPP": {"2": 1, "4": 2}, "GPipe": {"2": 3, "4": 2.5, "8": "OOM"}}})";

std::string withPrinted(const std::string& printed, const std::string& claims = "[]") {
    return replaced(smallExperiment(printedAxes, claims), R"("claims": )",
                    "\"printed\": [" + printed + "], \"claims\": ");
}

struct Found {
    explicit Found(const std::string& claims = "[]")
        : grid(readExperiment(withPrinted(table, claims), "e.json", {})), cells(grid.cellCount()) {
        for (std::size_t cell = 0; cell < cells.size(); ++cell)
            cells[cell] = {CellStatus::ok, "", {{"iteration_time_s", 2 + grid.plannerOf(cell) * 1.0}}};
    }
    std::vector<Judgement> judgements() const { return judgeAll(grid, cells); }
    std::vector<Level> levels() const { return levelsOf(grid, cells, judgements()); }

    Grid grid;
    std::vector<CellResult> cells;
};

TEST(Printed, ReadsBackTheSame) {
    const std::string claims = R"([
        {"text": "a", "kind": "ratio", "planner": "SPP", "against": "GPipe", "below": 1, "printed": 0.5},
        {"text": "b", "kind": "ratio", "planner": "GPipe", "against": "SPP", "at_least": 1.5, "printed": [2, 3]},
        {"text": "c", "kind": "ratio", "planner": "GPipe", "against": "SPP", "at_least": 2, "at_most": 15,
         "printed": "bounds"}])";
    const Experiment experiment = readExperiment(withPrinted(table, claims), "e.json", {});
    const std::string text = writeExperiment(experiment);
    const Experiment again = readExperiment(text, "e.json", {});
    EXPECT_EQ(writeExperiment(again), text);
    EXPECT_EQ(again.printed, experiment.printed);
    ASSERT_EQ(again.printed.front().numbers.size(), 5u);
    EXPECT_EQ(again.claims[0].printed, (PrintedRange{0.5, 0.5}));
    EXPECT_EQ(again.claims[1].printed, (PrintedRange{2, 3}));
    EXPECT_EQ(again.claims[2].printed, (PrintedRange{2, 15}));
}

TEST(Printed, WhatItDoesNotKnowIsNamedWithAHint) {
    const auto complaint = [](const std::string& what, const std::string& by) -> std::string {
        try {
            readExperiment(withPrinted(replaced(table, what, by)), "e.json", {});
        } catch (const InputError& error) {
            return error.place() + ": " + error.what();
        }
        return "accepted";
    };
    const auto says = [&](const char* what, const char* by, const char* place, const char* hint) {
        const std::string text = complaint(what, by);
        EXPECT_NE(text.find(place), std::string::npos) << text;
        EXPECT_NE(text.find(hint), std::string::npos) << text;
    };
    says("\"place\"", "\"plac\"", "/printed/0", "did you mean 'place'");
    says("iteration_time_s", "iteration_time", "/printed/0/metric", "iteration_time_s");
    says("\"along\": \"M\"", "\"along\": \"m\"", "/printed/0/along", "did you mean 'M'");
    says("\"network\"", "\"netwrk\"", "/printed/0/at", "did you mean 'network'");
    says("\"slow\"", "\"slo\"", "/printed/0/at/network", "did you mean 'slow'");
    says("\"GPipe\"", "\"Gpipe\"", "/printed/0/values/Gpipe", "did you mean 'GPipe'");
    says("\"8\": \"OOM\"", "\"16\": 3", "/printed/0/values/GPipe/16", "no value 16");
    says("\"OOM\"", "\"oom\"", "/printed/0/values/GPipe/8", "OOM");
    says("\"network\": \"slow\"", "\"M\": \"2\"", "/printed/0/at/M", "another axis");
}

TEST(Printed, IsAtItsCellsAndNoOthers) {
    const Found found;
    const std::vector<CellResult> printed = printedCells(found.grid);
    // Points 0 to 5: (M 2, slow), (2, fast), (4, slow), (4, fast), (8, slow), (8, fast).
    EXPECT_EQ(printed[found.grid.cellOf(0, 0)].metric("iteration_time_s"), 1);
    EXPECT_EQ(printed[found.grid.cellOf(2, 1)].metric("iteration_time_s"), 2.5);
    EXPECT_EQ(printed[found.grid.cellOf(1, 0)].status, CellStatus::open) << "at the other value of network";
    EXPECT_EQ(printed[found.grid.cellOf(4, 0)].status, CellStatus::open) << "nothing printed";
    EXPECT_EQ(printed[found.grid.cellOf(4, 1)].status, CellStatus::infeasible) << "memory ran out";
    EXPECT_EQ(printedTable(found.grid, found.grid.cellOf(0, 0), "iteration_time_s")->place, "Table 1");
    EXPECT_EQ(printedTable(found.grid, found.grid.cellOf(0, 0), "bubble_fraction"), nullptr);
    EXPECT_EQ(printedMetrics(found.grid.experiment()), std::vector<std::string>{"iteration_time_s"});
}

TEST(Printed, StandsBesideTheResultsInTheTable) {
    const Found found;
    const std::string csv = resultsCsv({found.grid.experiment(), found.cells});
    const std::string head = csv.substr(0, csv.find('\n'));
    EXPECT_NE(head.find(",iteration_time_s_printed,iteration_time_s_over_printed,reason"), std::string::npos)
        << head;
    EXPECT_NE(csv.find(",2.5,1.2,"), std::string::npos) << "GPipe at M 4: 3 s found, 2.5 s printed\n" << csv;
}

TEST(Printed, GivesAClaimTheSourcesOwnNumber) {
    const Found found(R"([
        {"text": "from the table", "kind": "ratio", "planner": "GPipe", "against": "SPP", "above": 1,
         "where": {"network": "slow", "M": [2, 4]}},
        {"text": "not all is printed", "kind": "ratio", "planner": "GPipe", "against": "SPP", "above": 1},
        {"text": "stated", "kind": "ratio", "planner": "GPipe", "against": "SPP", "above": 1, "printed": 2},
        {"text": "no such metric", "kind": "ratio", "planner": "GPipe", "over_metric": "predicted_s", "above": 1,
         "where": {"network": "slow", "M": 2}}])");
    const std::vector<Judgement> judgements = found.judgements();
    ASSERT_TRUE(judgements[0].printed);
    EXPECT_EQ(judgements[0].printed->least, 1.25) << "the worst of 3 and 1.25";
    EXPECT_EQ(judgements[0].printedNumbers.size(), 2u);
    EXPECT_NE(judgements[0].because.find("printed 1.25"), std::string::npos) << judgements[0].because;
    EXPECT_FALSE(judgements[1].printed);
    EXPECT_EQ(judgements[2].printed, (PrintedRange{2, 2}));
    EXPECT_FALSE(judgements[3].printed);
}

TEST(Levels, AreEachPrintedNumberOnce) {
    const Found found(R"([
        {"text": "worst", "kind": "ratio", "planner": "GPipe", "against": "SPP", "above": 1,
         "where": {"network": "slow", "M": [2, 4]}},
        {"text": "mean", "kind": "ratio", "planner": "GPipe", "against": "SPP", "above": 1, "aggregate": "mean",
         "where": {"network": "slow", "M": [2, 4]}},
        {"text": "stated", "kind": "ratio", "planner": "GPipe", "against": "SPP", "above": 1, "printed": [2, 3]},
        {"text": "difference", "kind": "difference", "planner": "GPipe", "against": "SPP", "above": 0,
         "printed": -1}])");
    const std::vector<Level> levels = found.levels();
    ASSERT_EQ(levels.size(), 4u + 2 + 2) << "cells with a number, ratios, what claims state";
    EXPECT_EQ(levels[0].ratio(), 2) << levels[0].what;
    EXPECT_EQ(levels[4].what, "GPipe over SPP, iteration_time_s at M 2, network slow");
    EXPECT_DOUBLE_EQ(*levels[4].ratio(), 1.5 / 3);
    EXPECT_DOUBLE_EQ(*levels[6].ratio(), 1.5 / 2) << "the nearest of the range";
    EXPECT_FALSE(levels[7].ratio()) << "a difference has none";
    const LevelCount count = countLevels(levels);
    EXPECT_EQ(count.printed, 8u);
    EXPECT_EQ(count.compared, 7u);
    // 2, 1, 1, 1.2 of cells; 0.5, 1.2 and 0.75 of claims.
    EXPECT_EQ(count.median, 1);
    EXPECT_EQ(count.within10, 2u);
    EXPECT_EQ(count.within25, 4u);
    EXPECT_EQ(count.withinTwice, 7u);
    EXPECT_EQ(levelsText(count),
              "median 1 × of 8 printed numbers (7 compared), 2 within 10 %, 4 within 25 %, 7 within a factor "
              "of 2");
}

TEST(Printed, FollowsADraft) {
    ExperimentDraft draft = draftOf(readExperiment(withPrinted(table), "e.json", {}));
    renamePlanner(draft, 1, "Barrier");
    renameAxis(draft, 0, "microbatches");
    renameAxis(draft, 1, "wire");
    CheckedDraft checked = check(draft);
    ASSERT_TRUE(checked.experiment) << checked.mistakes.front().text;
    ASSERT_EQ(checked.experiment->printed.size(), 1u);
    EXPECT_EQ(checked.experiment->printed.front().along, "microbatches");
    EXPECT_EQ(checked.experiment->printed.front().at.at("wire"), "slow");
    EXPECT_EQ(checked.experiment->printed.front().numbers.front().planner, "Barrier");
    draft.experiment.planners.pop_back();
    checked = check(draft);
    ASSERT_TRUE(checked.experiment) << checked.mistakes.front().text;
    EXPECT_EQ(checked.experiment->printed.front().numbers.size(), 2u) << "those of SPP stay";
    draft.axes.pop_back();
    checked = check(draft);
    ASSERT_TRUE(checked.experiment) << checked.mistakes.front().text;
    EXPECT_TRUE(checked.experiment->printed.empty()) << "they were printed for a value that is gone";
}

}  // namespace
}  // namespace stagecraft
