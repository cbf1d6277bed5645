// Planners on large problems are asked to stop at random instants: what they compute from then on takes 100
// ms at most. STAGECRAFT_CANCELS says how often each is asked, STAGECRAFT_SEED which instants are drawn.

#include "core/formats/files/project_file.h"
#include "core/planners/automatic/auto_search.h"
#include "core/planners/planned_run.h"
#include "tests/support/cancelled_work.h"

#include <gtest/gtest.h>

#include <iostream>

namespace stagecraft {
namespace {

using namespace testing;

struct LargeProblem {
    std::string name;
    Problem problem;
};

std::vector<LargeProblem> largeProblems() {
    const auto sample = [](const char* name) {
        return openProject(std::string(STAGECRAFT_SOURCE_DIR "/samples/") + name + ".stagecraft.json")
            .problem;
    };
    std::vector<LargeProblem> all;
    all.push_back({"BERT-large, 32 GPUs, 1024 microbatches", sample("bert-large-8x4")});
    all.back().problem.setup.microbatches = 1024;
    all.push_back({"the same with shared links, 64 microbatches", all.front().problem});
    all.back().problem.setup.microbatches = 64;
    all.back().problem.setup.network = LinkSharing::shared;
    all.push_back({"four times as many layers, without a barrier", sample("bert-large-8x4")});
    Problem& deep = all.back().problem;
    const std::vector<Layer> layers = deep.profile.layers;
    for (int copy = 0; copy < 3; ++copy)
        deep.profile.layers.insert(deep.profile.layers.end() - 1, layers.begin() + 1, layers.end() - 1);
    deep.profile.edges.clear();
    deep.profile.otherSizes.clear();
    deep.setup.mode = TrainingMode::asynchronous;
    return all;
}

TEST(Cancel, EveryPlannerAnswersWithin100ms) {
    const int times = cancelCount(1);
    std::mt19937 random = cancelInstants();
    double longestMs = 0;
    int count = 0;
    for (const LargeProblem& large : largeProblems()) {
        const auto costs = std::make_shared<const CostModel>(large.problem);
        for (const auto& planner : allPlanners()) {
            double mostMs = times > 1 ? 4000 : 120;
            for (int time = 0; time < times; ++time) {
                const double atMs = std::uniform_real_distribution<double>(0, mostMs)(random);
                const Answer answer = leastOf(
                    [&](const WorkContext& context) { runAndEvaluate(*planner, costs, {}, context); }, atMs);
                if (times > 1 && answer.tookMs > 30)
                    std::cerr << planner->description().id << " on " << large.name << ": asked at "
                              << answer.askedAtMs << " ms, " << answer.tookMs << " ms more\n";
                EXPECT_LT(answer.tookMs, answerLimitMs)
                    << planner->description().id << " on " << large.name << ", asked at " << answer.askedAtMs;
                longestMs = std::max(longestMs, answer.tookMs);
                count += answer.cancelled ? 1 : 0;
                // Nothing is left to be stopped later.
                if (!answer.cancelled) mostMs = std::min(mostMs, answer.askedAtMs);
            }
        }
    }
    EXPECT_GT(count, 0);
    std::cerr << count << " cancelled, the longest took " << longestMs << " ms of CPU\n";
}

/// On a busy machine, whose clock of CPU time counts waiting for memory, at twice the limit at most.
TEST(Cancel, AutoAnswersSoon) {
    constexpr double mostMs = 2 * answerLimitMs;
    const Problem problem = openProject(STAGECRAFT_SOURCE_DIR "/samples/llama-3-70b.stagecraft.json").problem;
    const int times = cancelCount(3);
    std::mt19937 random = cancelInstants();
    for (int time = 0; time < times; ++time) {
        const double atMs = std::uniform_real_distribution<double>(0, times > 3 ? 3000 : 600)(random);
        const Answer answer = leastOf(
            [&](const WorkContext& context) {
                AutoSearch(problem, scaledProfiles(problem.profile), 512, 1).best({}, context);
            },
            atMs, mostMs);
        EXPECT_LT(answer.tookMs, mostMs) << "asked at " << answer.askedAtMs;
        if (times > 3)
            std::cerr << "auto: asked at " << answer.askedAtMs << " ms, " << answer.tookMs << " ms more\n";
    }
}

}  // namespace
}  // namespace stagecraft
