// Planners on large problems are asked to stop at random instants: what they compute from then on takes 100
// ms at most. STAGECRAFT_CANCELS says how often each is asked, STAGECRAFT_SEED which instants are drawn.

#include "core/formats/files/project_file.h"
#include "core/memory/memory.h"
#include "core/memory/memory_peaks.h"
#include "core/planners/automatic/auto_search.h"
#include "core/planners/planned_run.h"
#include "core/schedules/device_orders.h"
#include "core/schedules/families.h"
#include "core/schedules/lowering.h"
#include "core/simulation/simulator.h"
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

/// Stages as a family wants them, one device a rank.
std::vector<Stage> stagesFor(const ScheduleFamily& family, int ranks) {
    const int stages = family.placement == Placement::onePerRank ? ranks : 2 * ranks;
    std::vector<Stage> all(static_cast<std::size_t>(stages));
    for (int stage = 0; stage < stages; ++stage) {
        Stage& own = all[static_cast<std::size_t>(stage)];
        const bool isSecond = family.placement == Placement::opposite && stage >= ranks;
        own.firstLayer = own.lastLayer = isSecond ? stage - ranks : stage;
        own.pipeline = isSecond ? 1 : 0;
        own.devices = {expectedRank(stage, ranks, family.placement)};
    }
    return all;
}

/// Every maker of orders asks at least once for each device: none goes on when it was asked to stop.
TEST(Cancel, OrdersOfDevicesAreGivenUp) {
    std::stop_source stop;
    stop.request_stop();
    int count = 0;
    for (const ScheduleFamily& family : scheduleFamilies()) {
        if (!family.deviceOrders) continue;
        ScheduleShape shape = shapeOf(stagesFor(family, 4), 16);
        ASSERT_TRUE(whyNotPlaced(shape, family.placement).empty()) << family.id;
        EXPECT_EQ(family.deviceOrders(shape, {}).size(), 4) << family.id;
        shape.stop = stop.get_token();
        EXPECT_THROW(family.deviceOrders(shape, {}), Cancelled) << family.id;
        EXPECT_THROW(spelledOut(family, stagesFor(family, 4), 16, {}, {}, shape.stop), Cancelled)
            << family.id;
        ++count;
    }
    EXPECT_GT(count, 10);
}

/// With thousands of microbatches a device's memory is a table of as many rows, and devices are many.
TEST(Cancel, MemoryOfDevicesIsGivenUp) {
    const Problem problem =
        openProject(STAGECRAFT_SOURCE_DIR "/samples/bert-large-8x4.stagecraft.json").problem;
    const CostModel costs(problem);
    Plan plan;
    plan.stages = {{.firstLayer = 0, .lastLayer = costs.layerCount() - 1, .devices = {0}}};
    plan.schedule.order = FamilySchedule{"1f1b", {}};
    const SimulatedRun run = simulatedRun(costs, plan);
    EXPECT_FALSE(memoryCurves(costs, plan, run.lowered().edges, run.timeline).empty());
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW(memoryCurves(costs, plan, run.lowered().edges, run.timeline, stop.get_token()), Cancelled);
    EXPECT_THROW(memoryPeaks(costs, plan, run.lowered().edges, run.timeline, stop.get_token()), Cancelled);
    EXPECT_THROW(lower(costs, plan, 1, stop.get_token()), Cancelled);
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
