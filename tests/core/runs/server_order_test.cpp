#include "core/runs/server_order.h"

#include "core/runs/chosen_schedule.h"
#include "core/planners/planned_run.h"
#include "core/schedules/families.h"
#include "tests/core/planners/runs.h"
#include "tests/core/support/random_problem.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

namespace stagecraft {
namespace {

/// Eight equal layers on two servers of four GPUs each, 100 GB/s within and 5 GB/s between them, listed as
/// host files with "slots=1" give them: a server after the other, in turn (Alpa issue 752).
Problem inTurn() {
    Problem problem;
    for (int layer = 0; layer < 8; ++layer)
        problem.profile.layers.push_back({"l" + std::to_string(layer), 1e-3, 2e-3, 1e6, 4e6, 4e6, 4e6, 1e-3});
    problem.cluster.switches = {{"s0sw", "s0"}, {"s1sw", "s1"}, {"net", ""}};
    for (int gpu = 0; gpu < 4; ++gpu)
        for (const char* server : {"s0", "s1"}) {
            const std::string id = std::string(server) + "g" + std::to_string(gpu);
            problem.cluster.devices.push_back({id, server, "X", 16e9, 1, 12e9});
            problem.cluster.links.push_back({id, std::string(server) + "sw", 100e9, 0, "nvlink"});
        }
    problem.cluster.links.push_back({"s0sw", "net", 5e9, 0, "network"});
    problem.cluster.links.push_back({"s1sw", "net", 5e9, 0, "network"});
    problem.setup.microbatches = 8;
    return problem;
}

Problem listedByServer(Problem problem) {
    std::vector<Device> devices;
    for (const int device : runs::devicesByServer(problem.cluster))
        devices.push_back(problem.cluster.devices[static_cast<std::size_t>(device)]);
    problem.cluster.devices = std::move(devices);
    return problem;
}

int crossings(const Problem& problem, const Plan& plan) {
    int count = 0;
    for (std::size_t next = 1; next < plan.stages.size(); ++next)
        if (problem.cluster.devices[static_cast<std::size_t>(plan.stages[next].devices.front())].server !=
            problem.cluster.devices[static_cast<std::size_t>(plan.stages[next - 1].devices.front())].server)
            ++count;
    return count;
}

TEST(ServerOrder, IsTheListsOwnWhereServersAreListedOneAfterTheOther) {
    const Problem listed = listedByServer(inTurn());
    std::vector<int> numbered(8);
    std::iota(numbered.begin(), numbered.end(), 0);
    EXPECT_EQ(runs::devicesByServer(listed.cluster), numbered);
    EXPECT_EQ(runs::devicesByServer(inTurn().cluster), (std::vector{0, 2, 4, 6, 1, 3, 5, 7}));
    EXPECT_EQ(testing::notesOf(testing::runWithDefaults("gpipe", listed)), "");
}

TEST(ServerOrder, GPipeCrossesTheNetworkOnceAndSaysSo) {
    const PlanRun run = testing::runWithDefaults("gpipe", inTurn());
    ASSERT_TRUE(run.ok()) << run.result.reason;
    EXPECT_TRUE(run.evaluation->valid());
    EXPECT_EQ(crossings(inTurn(), run.result.plan), 1);
    EXPECT_NEAR(run.evaluation->metrics.iterationTimeS, 47.1e-3, 0.05e-3);
    EXPECT_NE(
        testing::notesOf(run).find("Devices are taken server by server, not in the order of the list: 1 "
                                   "boundary between stages crosses servers instead of 7."),
        std::string::npos)
        << testing::notesOf(run);
}

TEST(ServerOrder, SchedulesOfEqualLayersAreTheSameHoweverServersAreListed) {
    const auto asFound = std::make_shared<const CostModel>(inTurn());
    const auto listed = std::make_shared<const CostModel>(listedByServer(inTurn()));
    for (const ScheduleFamily& family : scheduleFamilies()) {
        const ParameterValues values = defaultValues(runs::settingsOf(family));
        const auto secondsOn = [&](const std::shared_ptr<const CostModel>& costs) {
            try {
                const PlanRun run = evaluatePlan(costs, runs::equalLayersUnder(*costs, family, values));
                return run.ok() && run.evaluation->valid() ? run.evaluation->metrics.iterationTimeS : -1;
            } catch (const std::invalid_argument&) {
                return 0.0;  // too few layers for it
            }
        };
        EXPECT_EQ(secondsOn(asFound), secondsOn(listed)) << family.id;
    }
    const ScheduleFamily& plain = *findScheduleFamily("1f1b");
    const Plan plan = runs::equalLayersUnder(*asFound, plain, defaultValues(runs::settingsOf(plain)));
    EXPECT_NEAR(evaluatePlan(asFound, plan).evaluation->metrics.iterationTimeS, 50.5e-3, 0.05e-3);
}

TEST(ServerOrder, NoPlannerThatGoesByTheListMindsInWhichOrderServersAreListed) {
    int taking = 0;
    for (const auto& planner : allPlanners()) {
        if (!planner->takesDevicesInOrder()) continue;
        ++taking;
        const std::string& id = planner->description().id;
        for (const TrainingMode mode : {TrainingMode::synchronous, TrainingMode::asynchronous}) {
            Problem problem = inTurn();
            problem.setup.mode = mode;
            if (mode == TrainingMode::synchronous && !planner->description().plansWithBarrier) continue;
            const PlanRun asFound = testing::runWithDefaults(id, problem);
            const PlanRun listed = testing::runWithDefaults(id, listedByServer(problem));
            ASSERT_TRUE(asFound.ok()) << id << ": " << asFound.result.reason;
            ASSERT_TRUE(listed.ok()) << id << ": " << listed.result.reason;
            EXPECT_TRUE(asFound.evaluation->valid()) << id;
            EXPECT_EQ(asFound.evaluation->metrics.iterationTimeS, listed.evaluation->metrics.iterationTimeS)
                << id;
            EXPECT_EQ(crossings(problem, asFound.result.plan),
                      crossings(listedByServer(problem), listed.result.plan))
                << id;
        }
    }
    EXPECT_GE(taking, 5);
}

}  // namespace
}  // namespace stagecraft
