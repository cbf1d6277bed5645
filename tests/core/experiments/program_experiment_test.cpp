// An experiment may name a custom program. Reading one starts nothing; running it does.
#include "core/experiments/content_key.h"
#include "core/experiments/experiment_draft.h"
#include "core/experiments/result_cache.h"
#include "core/experiments/runner.h"
#include "tests/core/programs/custom_program.h"

#include <gtest/gtest.h>

using namespace stagecraft;

namespace {

using custom_program::Folder;

std::string withPlanner(const std::string& planner) {
    return R"({"format": "stagecraft/experiment", "version": 1, "name": "e",
        "base": {"profile": {"generate": "vgg-16"}, "cluster": {"template": "pcie"}, "setup": {"microbatches": 2}},
        "axes": [{"name": "depth", "pointer": "/planners/mine.sh/depth", "values": [1, 2]}],
        "planners": [)" +
           planner + "]}";
}

/// It notes each start in a file beside it, and refuses.
void addProgram(const Folder& folder) {
    folder.add("mine.sh",
               "#!/bin/sh\necho started >> " + (folder.path() / "starts").string() +
                   "\nif [ \"$1\" = --describe ]; then echo '{\"title\": \"Mine\", \"parameters\": "
                   "[{\"name\": \"depth\", \"default\": 3}]}'; else cat >/dev/null; echo "
                   "'{\"refused\": \"too deep\"}'; fi\n");
}

int starts(const Folder& folder) {
    std::ifstream file(folder.path() / "starts");
    int count = 0;
    for (std::string line; std::getline(file, line);) ++count;
    return count;
}

}  // namespace

TEST(ProgramExperiment, ReadingAndWritingStartsNothing) {
    const Folder folder;
    addProgram(folder);
    const std::string text = withPlanner(R"("exec:./mine.sh")");
    const Experiment experiment = readExperiment(text, "e.json", folder.path());
    ASSERT_EQ(experiment.planners.size(), 1u);
    EXPECT_EQ(experiment.planners[0].label, "mine.sh");
    EXPECT_EQ(experiment.planners[0].planner, "exec:" + (folder.path() / "mine.sh").string());
    const std::string written = writeExperiment(experiment);
    EXPECT_NE(written.find(R"("exec:mine.sh")"), std::string::npos) << written;
    EXPECT_EQ(writeExperiment(readExperiment(written, "e.json", folder.path())), written);
    const Experiment labelled = readExperiment(
        withPlanner(
            R"({"label": "mine.sh", "planner": "exec:mine.sh", "parameters": {"depth": 4, "x": 0.5, "y": "z"}})"),
        "e.json", folder.path());
    EXPECT_EQ(labelled.planners[0].values.at("depth"), ParameterValue(4));
    EXPECT_EQ(writeExperiment(readExperiment(writeExperiment(labelled), "e.json", folder.path())),
              writeExperiment(labelled));
    // Elsewhere it is named by its whole path.
    EXPECT_NE(
        writeExperiment(movedTo(experiment, "/nowhere")).find("exec:" + (folder.path() / "mine.sh").string()),
        std::string::npos);
    const Grid grid(experiment);
    EXPECT_GT(estimatedCosts(grid).size(), 0u);
    EXPECT_THROW(runOfCell(grid, 0), std::runtime_error);
    EXPECT_EQ(starts(folder), 0);
}

TEST(ProgramExperiment, RunningItAsksTheProgramAtEachPointAndKeepsNothing) {
    const Folder folder;
    addProgram(folder);
    const Grid grid(readExperiment(withPlanner(R"("exec:mine.sh")"), "e.json", folder.path()));
    ResultCache cache(folder.path() / "cache.jsonl", "revision");
    SweepOptions options;
    options.jobs = 2;
    options.cache = &cache;
    options.knownOnly = true;
    for (const CellResult& cell : runCells(grid, allCells(grid), options))
        EXPECT_EQ(cell.status, CellStatus::open);
    EXPECT_EQ(starts(folder), 0);
    options.knownOnly = false;
    for (const CellResult& cell : runCells(grid, allCells(grid), options)) {
        EXPECT_EQ(cell.status, CellStatus::infeasible);
        EXPECT_EQ(cell.reason, "too deep");
    }
    EXPECT_EQ(starts(folder), 3);  // once for its description
    EXPECT_EQ(cache.size(), 0u);
    runCells(grid, allCells(grid), options);
    EXPECT_EQ(starts(folder), 5);
    EXPECT_EQ(runOfCell(grid, 1).result.reason, "too deep");
}

TEST(ProgramExperiment, WhatIsWrongIsInItsCells) {
    const Folder folder;
    const auto reasonOf = [&](const std::string& planner) {
        const Grid grid(readExperiment(withPlanner(planner), "e.json", folder.path()));
        return runCells(grid, {0}).front().reason;
    };
    EXPECT_EQ(reasonOf(R"({"label": "mine.sh", "planner": "exec:missing.sh"})"),
              (folder.path() / "missing.sh").string() + ": no such file; expected a program that can be run");
    folder.script("plain.sh", "echo '{}'");
    EXPECT_NE(
        reasonOf(R"({"label": "mine.sh", "planner": "exec:plain.sh"})").find("/planners/mine.sh/depth: "),
        std::string::npos);
}
