#include "core/analysis/evaluation.h"
#include "tests/support/every_room.h"
#include "core/analysis/link_load.h"
#include "tests/core/support/random_problem.h"

#include <gtest/gtest.h>

namespace stagecraft {
namespace {

TEST(Traffic, TheBytesOfEachLinkAddUpToItsLoad) {
    int shared = 0;
    for (unsigned seed = 0; seed < 300; ++seed) {
        std::mt19937 random(seed);
        const CostModel costs(random_problem::problem(random, 1 + random_problem::upTo(random, 6),
                                                      1 + random_problem::upTo(random, 5)));
        const Plan plan = random_problem::plan(random, costs.problem());
        const Evaluation evaluated = evaluate(costs, plan);
        const double iterationS = evaluated.metrics.iterationTimeS;
        std::vector<double> bytes(costs.problem().cluster.links.size(), 0);
        const std::vector<Traffic> all = traffic(costs, plan, evaluated.lowered(), iterationS);
        for (const Traffic& each : all)
            for (const LinkLoad& load : each.links) {
                EXPECT_GT(load.bytes, 0);
                bytes[static_cast<std::size_t>(load.link)] += load.bytes;
            }
        for (const LinkLoad& load : linkLoads(costs, plan, evaluated.lowered(), iterationS))
            EXPECT_NEAR(bytes[static_cast<std::size_t>(load.link)], load.bytes, 1e-9 * load.bytes + 1e-9)
                << "seed " << seed << ", link " << load.link;
        shared += all.size() > 1;
    }
    EXPECT_GT(shared, 50) << "plans of one stage prove little";
}

/// Each stage alone, and all that share a device group together.
TEST(Traffic, VirtualStagesOnTheSameDevicesAddUpAsWell) {
    for (unsigned seed = 0; seed < 40; ++seed) {
        std::mt19937 random(seed);
        Problem problem = random_problem::problem(random, 8, 4);
        problem.setup.microbatches = 4;
        Plan plan;
        for (int stage = 0; stage < 4; ++stage)
            plan.stages.push_back(
                {2 * stage, 2 * stage + 1, stage % 2 == 0 ? std::vector{0, 1} : std::vector{2, 3}});
        plan.schedule.order = FamilySchedule{"interleaved", {}};
        const CostModel costs(problem);
        const LoweredPlan lowered = lower(costs, plan);
        std::vector<double> bytes(problem.cluster.links.size(), 0);
        int exchanges = 0;
        for (const Traffic& each : traffic(costs, plan, lowered, 1)) {
            exchanges += each.cause == TrafficCause::transfers;
            for (const LinkLoad& load : each.links) bytes[static_cast<std::size_t>(load.link)] += load.bytes;
        }
        EXPECT_EQ(exchanges, 3) << "one between every two stages, though they are on two device groups";
        for (const LinkLoad& load : linkLoads(costs, plan, lowered, 1))
            EXPECT_NEAR(bytes[static_cast<std::size_t>(load.link)], load.bytes, 1e-9 * load.bytes + 1e-9)
                << "seed " << seed << ", link " << load.link;
    }
}

TEST(Traffic, ATransferAndAnAllReduceAreToldApart) {
    Problem problem;
    problem.profile.layers = {{"a", 1, 1, 100, 10, 30, 0, 0.5}, {"b", 1, 1, 100, 0, 0, 0, 0.5}};
    for (const char* id : {"g0", "g1", "g2"}) problem.cluster.devices.push_back({id, "", "", 1e9, 1, 0});
    problem.cluster.links = {{"g0", "g1", 5, 0, ""}, {"g1", "g2", 5, 0, ""}};
    problem.setup.microbatches = 4;
    const CostModel costs(problem);
    Plan plan;
    plan.stages.resize(2);
    plan.stages[0].firstLayer = plan.stages[0].lastLayer = 0;
    plan.stages[0].devices = {0};
    plan.stages[1].firstLayer = plan.stages[1].lastLayer = 1;
    plan.stages[1].devices = {1, 2};
    const std::vector<Traffic> all = traffic(costs, plan, lower(costs, plan), 100);
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].cause, TrafficCause::transfers);
    EXPECT_EQ(all[0].stages, (std::vector<int>{0, 1}));
    EXPECT_DOUBLE_EQ(all[0].bytes, 4 * (10 + 30));
    ASSERT_EQ(all[0].links.size(), 2u);
    EXPECT_DOUBLE_EQ(all[0].links[0].bytes, 4 * (10 + 30));
    EXPECT_DOUBLE_EQ(all[0].links[1].bytes, 4 * (10 + 30) / 2.0) << "half goes on to the farther replica";
    EXPECT_DOUBLE_EQ(all[0].links[0].busyFraction, 4 * 30 / (5 * 100.0));
    EXPECT_EQ(all[1].cause, TrafficCause::allReduce);
    EXPECT_EQ(all[1].stages, std::vector<int>{1});
    ASSERT_EQ(all[1].links.size(), 1u);
    EXPECT_EQ(all[1].links[0].link, 1);
    EXPECT_DOUBLE_EQ(all[1].links[0].bytes, all[1].bytes);
}

}  // namespace
}  // namespace stagecraft
