// A sweep over large problems is asked to stop at random instants, and answers within 100 ms of CPU.
#include "core/experiments/experiment_json.h"
#include "core/experiments/result_cache.h"
#include "core/experiments/runner.h"
#include "core/formats/text_file.h"
#include "core/planners/planner.h"
#include "tests/support/cancelled_work.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <filesystem>
#include <iostream>

namespace stagecraft {
namespace {

using namespace testing;

/// Every planner at 512 and 1,024 microbatches of BERT-large on 32 GPUs.
Grid largeGrid() {
    const auto project =
        nlohmann::json::parse(readTextFile(STAGECRAFT_SOURCE_DIR "/samples/bert-large-8x4.stagecraft.json"));
    nlohmann::json experiment = {{"format", "stagecraft/experiment"},
                                 {"version", 1},
                                 {"name", "large"},
                                 {"claims", nlohmann::json::array()}};
    for (const char* part : {"profile", "cluster", "setup"}) experiment["base"][part] = project.at(part);
    experiment["axes"].push_back(
        {{"name", "microbatches"}, {"pointer", "/setup/microbatches"}, {"values", {512, 1024}}});
    for (const auto& planner : allPlanners()) experiment["planners"].push_back(planner->description().id);
    return Grid(readExperiment(experiment.dump(), "large", {}));
}

TEST(Cancel, ASweepAnswersWithin100ms) {
    const int times = cancelCount(3);
    std::mt19937 random = cancelInstants();
    const Grid grid = largeGrid();
    const auto folder =
        std::filesystem::temp_directory_path() / ("stagecraft-cancel-" + std::to_string(::getpid()));
    for (int time = 0; time < times; ++time) {
        const double atMs = std::uniform_real_distribution<double>(0, times > 3 ? 8000 : 300)(random);
        const Answer answer = leastOf(
            [&](const WorkContext& context) {
                std::filesystem::remove_all(folder);
                std::filesystem::create_directories(folder);
                ResultCache cache(folder / "cache", "a revision");
                SweepOptions options;
                options.jobs = 1;
                options.stop = context.stop;
                options.cache = &cache;
                runCells(grid, allCells(grid), options);
                context.throwIfStopped();
            },
            atMs);
        EXPECT_TRUE(answer.cancelled);
        EXPECT_LT(answer.tookMs, answerLimitMs) << "asked at " << answer.askedAtMs;
        if (times > 3)
            std::cerr << "sweep: asked at " << answer.askedAtMs << " ms, " << answer.tookMs << " ms more\n";
    }
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace stagecraft
