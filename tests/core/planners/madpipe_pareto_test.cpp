#include "core/planners/madpipe/contiguous.h"
#include "tests/support/every_room.h"
#include "core/planners/madpipe/pareto.h"
#include "core/simulation/simulator.h"

#include "tests/core/planners/random_problems.h"
#include "tests/core/support/golden_cases.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace stagecraft {
namespace {

/// Devices and links alike, as the curve takes them.
Problem alike(int maxLayers) {
    testing::RandomShape shape;
    shape.maxLayers = maxLayers;
    shape.maxDevices = 4;
    Problem problem = testing::randomProblem(shape);
    for (Link& link : problem.cluster.links) link.bandwidthBps = 4;
    for (Layer& layer : problem.profile.layers) layer.storedActivationBytes = *rc::gen::inRange(0, 40);
    problem.setup.mode = TrainingMode::asynchronous;
    return problem;
}

std::vector<ParetoPoint> curveOf(const CostModel& costs, MadPipeStages stages) {
    ParetoOptions options;
    options.plans.stages = stages;
    options.plans.secondPhase.solver = PatternSolver::own;
    return paretoCurve(costs, options);
}

TEST(MadPipePareto, EveryPointOfACurveNeedsLessMemoryAndIsSlowerThanTheOneBefore) {
    EXPECT_TRUE(rc::check([] {
        const CostModel costs(alike(7));
        for (const MadPipeStages stages : {MadPipeStages::contiguous, MadPipeStages::madpipe}) {
            const std::vector<ParetoPoint> curve = curveOf(costs, stages);
            RC_ASSERT(!curve.empty());
            for (std::size_t i = 0; i + 1 < curve.size(); ++i) {
                RC_ASSERT(curve[i + 1].memoryBytes < curve[i].memoryBytes);
                RC_ASSERT(curve[i + 1].periodS > curve[i].periodS);
            }
        }
    }));
}

TEST(MadPipePareto, TheContiguousCurveIsCompleteAndTheOtherNeverWorse) {
    EXPECT_TRUE(rc::check([] {
        const CostModel costs(alike(7));
        const MadPipeChain chain = madPipeChain(costs);
        const std::vector<ParetoPoint> contiguous = curveOf(costs, MadPipeStages::contiguous);
        const std::vector<ParetoPoint> madpipe = curveOf(costs, MadPipeStages::madpipe);
        for (int probe = 0; probe < 10; ++probe) {
            const double memory = *rc::gen::inRange(1, 800);
            const double fastest = fastestPartition(chain, costs.deviceCount(), memory).value;
            const ParetoPoint* point = fastestWithin(contiguous, memory);
            RC_ASSERT((point != nullptr) == (fastest < 1e300));
            if (!point) continue;
            RC_ASSERT(std::abs(point->periodS - fastest) <= 1e-9 * fastest);
            // The other curve steps by a hundredth of the memory.
            const ParetoPoint* other = fastestWithin(madpipe, memory / 0.99);
            RC_ASSERT(other && other->periodS <= fastest * (1 + 1e-9));
            const double leanest = leanestPartition(chain, costs.deviceCount(), fastest * (1 + 1e-12)).value;
            RC_ASSERT(leanestWithin(contiguous, fastest)->memoryBytes == leanest);
        }
        RC_ASSERT(leanestWithin(contiguous, contiguous.front().periodS * 0.99) == nullptr);
    }));
}

TEST(MadPipePareto, WithAStageADeviceWhatTheFirstPhaseExpectsIsPossible) {
    EXPECT_TRUE(rc::check([] {
        const CostModel costs(alike(7));
        for (const ParetoPoint& point : curveOf(costs, MadPipeStages::contiguous))
            RC_ASSERT(std::abs(point.expectedS - point.periodS) <= 1e-9 * point.periodS);
    }));
}

TEST(MadPipePareto, APointThatIsFasterTakesThePlaceOfThoseThatNeedMore) {
    const auto point = [](double memoryBytes, double periodS) {
        ParetoPoint it;
        it.memoryBytes = memoryBytes;
        it.periodS = periodS;
        return it;
    };
    std::vector<ParetoPoint> curve;
    for (const auto& [memory, period] : {std::pair(9.0, 1.0), {8.0, 3.0}, {7.0, 4.0}, {6.0, 2.0}})
        keepPareto(curve, point(memory, period));
    ASSERT_EQ(curve.size(), 2u);
    EXPECT_EQ(curve[0].memoryBytes, 9);
    EXPECT_EQ(curve[1].memoryBytes, 6);
}

TEST(MadPipePareto, StaysWithinItsRangeTellsItsPointsAndHeedsAStop) {
    Problem problem;
    problem.profile.layers.assign(8, Layer{"layer", 1, 2, 8, 2, 2, 10, 1});
    problem.cluster = testing::meshCluster({{0, 4, 4}, {4, 0, 4}, {4, 4, 0}});
    const CostModel costs(problem);
    ParetoOptions options;
    options.plans.stages = MadPipeStages::contiguous;
    options.fromBytes = 80;
    options.toBytes = 160;
    std::size_t told = 0;
    options.found = [&](const ParetoPoint& point) {
        ++told;
        EXPECT_LE(point.memoryBytes, 160);
    };
    double progress = 0;
    WorkContext context;
    context.progress = [&](double fraction) {
        EXPECT_GE(fraction, progress);
        progress = fraction;
    };
    const std::vector<ParetoPoint> curve = paretoCurve(costs, options, context);
    EXPECT_GE(curve.size(), 2u);
    EXPECT_EQ(told, curve.size());
    EXPECT_EQ(progress, 1);
    std::stop_source source;
    options.found = [&](const ParetoPoint&) { source.request_stop(); };
    context = {};
    context.stop = source.get_token();
    EXPECT_THROW(paretoCurve(costs, options, context), Cancelled);
}

}  // namespace
}  // namespace stagecraft
