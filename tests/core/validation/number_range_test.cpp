// Numbers that overflow or vanish make no plan that takes no time.
#include "core/analysis/evaluation.h"
#include "tests/support/every_room.h"
#include "tests/core/validation/validator_cases.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace stagecraft {
namespace {

const double absurd[] = {1e-300, 1e300, -1, std::nan(""), std::numeric_limits<double>::infinity(), 5e-324};

Problem twoDevices() { return test::smallProblem(2, 2, 3); }

void expectRefused(const Problem& problem) {
    EXPECT_TRUE(whyUnplannable(problem));
    const Plan plan = test::smallPlan(problem, {{0}, {1}});
    EXPECT_THROW(evaluate(CostModel(problem), plan), SimulationError);
    EXPECT_FALSE(validate(problem, plan, {}).empty());
}

TEST(NumberRange, AbsurdBandwidthsAndSpeedsAreRefusedWithTheirNumber) {
    for (const double number : absurd) {
        Problem problem = twoDevices();
        problem.cluster.links[0].bandwidthBps = number;
        expectRefused(problem);
        problem = twoDevices();
        problem.cluster.devices[1].speed = number;
        expectRefused(problem);
        problem = twoDevices();
        problem.cluster.devices[1].hostBandwidthBps = number;
        expectRefused(problem);
    }
    Problem problem = twoDevices();
    problem.cluster.links[0].bandwidthBps = 1e-300;
    EXPECT_EQ(*whyUnplannable(problem),
              "the link between 'g0' and 'hub' has a bandwidth of 1e-300 B/s; expected 1e-12 to 1e+30 B/s");
    problem.cluster.links[0].bandwidthBps = 1e-12;
    EXPECT_FALSE(whyUnplannable(problem));
}

TEST(NumberRange, WhatIsLargestEverywhereStillTakesFiniteTime) {
    Problem problem = twoDevices();
    problem.setup.microbatches = 1000;
    for (Layer& layer : problem.profile.layers)
        layer.forwardS = layer.backwardS = layer.outputBytes = layer.outputGradientBytes = 1e30;
    for (Device& device : problem.cluster.devices) device.speed = 1e-12;
    for (Link& link : problem.cluster.links) link.bandwidthBps = 1e-12;
    const Evaluation evaluation = evaluate(CostModel(problem), test::smallPlan(problem, {{0}, {1}}));
    EXPECT_TRUE(std::isfinite(evaluation.metrics.iterationTimeS));
    EXPECT_GT(evaluation.metrics.iterationTimeS, 1e44);
}

TEST(NumberRange, WorkThatVanishesIsAFailureAndNoPlanWithoutTime) {
    Problem problem = twoDevices();
    for (Layer& layer : problem.profile.layers) {
        layer.forwardS = layer.backwardS = 5e-324;
        layer.weightGradientS = layer.outputBytes = layer.outputGradientBytes = 0;
    }
    const Plan plan = test::smallPlan(problem, {{0}, {1}});
    // One over the time overflows.
    EXPECT_THROW(evaluate(CostModel(problem), plan), SimulationError);
    for (Device& device : problem.cluster.devices) device.speed = 1e30;
    EXPECT_THROW(evaluate(CostModel(problem), plan), SimulationError);
    // What takes no time to begin with is no fault.
    for (Layer& layer : problem.profile.layers) layer.forwardS = layer.backwardS = 0;
    EXPECT_EQ(evaluate(CostModel(problem), plan).metrics.iterationTimeS, 0);
}

TEST(NumberRange, APatternOfNoNumbersIsRefused) {
    test::Case c = test::periodic();
    for (const double number : {std::nan(""), std::numeric_limits<double>::infinity(), 0.0, -1.0}) {
        Plan plan = c.plan;
        std::get<PeriodicSchedule>(plan.schedule.order).periodS = number;
        EXPECT_THROW(simulate(CostModel(c.problem), plan), SimulationError) << number;
        EXPECT_FALSE(validate(c.problem, plan, c.timeline).empty());
        plan = c.plan;
        std::get<PeriodicSchedule>(plan.schedule.order).operations[1].startS = number;
        EXPECT_FALSE(validate(c.problem, plan, c.timeline).empty());
        if (!std::isfinite(number)) {
            EXPECT_THROW(simulate(CostModel(c.problem), plan), SimulationError) << number;
        }
    }
}

}  // namespace
}  // namespace stagecraft
