// What is known of a plan before it is simulated, against what the engine then makes of it.
#include "core/base/indices.h"
#include "core/memory/memory.h"
#include "core/memory/memory_peaks.h"
#include "core/planners/automatic/held_in_order.h"
#include "core/planners/automatic/passes_in_order.h"
#include "core/planners/automatic/layout_trial.h"
#include "core/planners/automatic/plan_bound.h"
#include "core/simulation/simulator.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <random>

namespace stagecraft {

namespace {

constexpr double boundWithin = 1e-7;

/// Layers and devices of random times and bytes, on links that take part of a pass.
Problem unevenProblem(std::mt19937& random, int layers, int devices) {
    const auto upTo = [&random](int most) { return static_cast<int>(random() % at(most + 1)); };
    Problem problem;
    for (int layer = 0; layer < layers; ++layer) {
        Layer own;
        own.name = "l" + std::to_string(layer);
        own.forwardS = 1 + upTo(3);
        own.backwardS = 2 + upTo(6);
        own.weightGradientS = own.backwardS * 0.25 * (1 + upTo(2));
        own.outputBytes = 1 + upTo(4);
        own.parameterBytes = 1 + upTo(2);
        own.storedActivationBytes = 4 + upTo(8);
        own.weightGradientBytes = upTo(1) * 2;
        problem.profile.layers.push_back(std::move(own));
    }
    for (int device = 0; device < devices; ++device) {
        const std::string id = "g" + std::to_string(device);
        problem.cluster.devices.push_back({id, "s", "", 1e9, device % 3 == 1 ? 0.5 : 1.0, 0});
        for (int other = 0; other < device; ++other)
            problem.cluster.links.push_back({"g" + std::to_string(other), id, 2.0 + upTo(20), 0, ""});
    }
    problem.setup.wholeSamples = true;
    problem.setup.allreduceOverlaps = upTo(1) == 1;
    problem.setup.updateBytesPerS = upTo(2) * 4.0;
    return problem;
}

/// A layout on some ranks, with what tries plans of it.
struct TrialOnRanks {
    Problem problem;
    MachineFacts machines;
    PipelineLayout layout;
    LayoutBound bound;
    RankProblem ranks;
    LayoutTrial trial;

    TrialOnRanks(const Problem& asked, const PipelineLayout& of)
        : problem(asked),
          machines(problem),
          layout(of),
          bound(std::make_shared<const RankLayers>(CostModel(problem), layout.group, machines), machines,
                layout),
          ranks(std::shared_ptr<const RankLayers>(std::shared_ptr<void>(), &bound.layers()), machines, layout,
                CopiesPlace::together),
          trial(bound, ranks) {}
};

PipelineLayout pipelineOf(int ranks, int copies, int microbatches) {
    PipelineLayout layout;
    layout.ranks = ranks;
    layout.copies = copies;
    layout.microbatches = microbatches;
    return layout;
}

/// A problem with room for some, but not for all, and a pipeline on it.
TrialOnRanks anyTriedLayout(std::mt19937& random) {
    const int ranks = 2 + static_cast<int>(random() % 3), copies = 1 + static_cast<int>(random() % 2);
    Problem problem = unevenProblem(random, 5 + static_cast<int>(random() % 4), ranks * copies);
    problem.setup.memoryLimitBytes = 15.0 + static_cast<double>(random() % 90);
    return {problem, pipelineOf(ranks, copies, 1 + static_cast<int>(random() % 8))};
}

}  // namespace

TEST(PlanBound, IsNoMoreThanWhatTheEngineTakes) {
    int tight = 0;
    EXPECT_TRUE(rc::check([&tight] {
        std::mt19937 random(static_cast<unsigned>(*rc::gen::inRange(0, 1 << 30)));
        TrialOnRanks tried = anyTriedLayout(random);
        const auto after = [&tried](const Stage& stage) { return tried.ranks.besidePasses(stage); };
        for (const ScheduleChoice& choice : scheduleChoices(tried.problem.profile, tried.layout.ranks, 3, {}))
            for (const TrialPlan& made : tried.trial.sketches(choice, infinity)) {
                const double leastS = leastOfAnyOrderS(tried.ranks.costs(), made.plan, after);
                RC_ASSERT(leastS <= made.leastS * (1 + boundWithin));
                tight += leastS >= made.leastS * (1 - boundWithin);
            }
    }));
    // Some orders leave no gap.
    EXPECT_GT(tight, 20);
}

TEST(PlanBound, NoFixedOrderThatIsBetterIsLeftOutUnseen) {
    int kept = 0, left = 0;
    EXPECT_TRUE(rc::check([&] {
        std::mt19937 random(static_cast<unsigned>(*rc::gen::inRange(0, 1 << 30)));
        TrialOnRanks tried = anyTriedLayout(random);
        std::vector<std::vector<TrialPlan>> all;
        double leastS = infinity;
        const auto choices = scheduleChoices(tried.problem.profile, tried.layout.ranks, 3, {});
        for (const ScheduleChoice& choice : choices) {
            all.push_back(tried.trial.sketches(choice, infinity));
            for (const TrialPlan& made : all.back()) leastS = std::min(leastS, made.leastS);
        }
        const double worthS = leastS * (1 + 0.1 * static_cast<double>(random() % 3)) + 1;
        for (std::size_t i = 0; i < choices.size(); ++i) {
            const std::vector<TrialPlan> some = tried.trial.sketches(choices[i], worthS);
            for (const TrialPlan& made : all[i]) {
                // Computing again may reorder what is searched for, or comes first, and take less time.
                if (!hasFixedOrders(made.plan)) continue;
                if (made.leastS >= worthS) {
                    ++left;
                    continue;
                }
                ++kept;
                RC_ASSERT(std::ranges::find(some, made.plan, &TrialPlan::plan) != some.end());
            }
        }
    }));
    EXPECT_GT(kept, 50);
    EXPECT_GT(left, 50);
}

/// Threads try plans before it is known what they are worth, and the answer is to be that of one thread.
TEST(PlanBound, ATryThatWasWorthMoreSaysWhatOneThatIsWorthLessComesTo) {
    int kept = 0, givenUp = 0, fewerPasses = 0;
    EXPECT_TRUE(rc::check([&] {
        std::mt19937 random(static_cast<unsigned>(*rc::gen::inRange(0, 1 << 30)));
        TrialOnRanks tried = anyTriedLayout(random);
        double leastS = infinity;
        for (const ScheduleChoice& choice : scheduleChoices(tried.problem.profile, tried.layout.ranks, 3, {}))
            for (std::size_t cut = 0; cut < tried.trial.cutCount(choice); ++cut) {
                const TriedPlan more = tried.trial.ofCut(choice, cut, infinity);
                if (more.plan) leastS = std::min(leastS, more.plan->leastS);
                const double worthS =
                    (leastS < infinity ? leastS : 20) * (0.9 + 0.05 * static_cast<double>(random() % 5));
                const TriedPlan less = tried.trial.ofCut(choice, cut, worthS);
                RC_ASSERT(less.plan.has_value() == more.isWorth(worthS));
                RC_ASSERT(less.passes(worthS) == more.passes(worthS));
                RC_ASSERT(less.wasShort(worthS) == more.wasShort(worthS));
                fewerPasses += less.passes(worthS) < more.passes(infinity);
                givenUp += more.plan && !less.plan;
                if (!less.plan) continue;
                ++kept;
                RC_ASSERT(less.plan->plan == more.plan->plan);
                RC_ASSERT(less.plan->leastS == more.plan->leastS);
            }
    }));
    EXPECT_GT(kept, 50);
    EXPECT_GT(givenUp, 50);
    EXPECT_GT(fewerPasses, 50);
}

TEST(PlanBound, WhatOrdersHoldIsWhatTheEngineHolds) {
    int compared = 0, searched = 0;
    EXPECT_TRUE(rc::check([&] {
        std::mt19937 random(static_cast<unsigned>(*rc::gen::inRange(0, 1 << 30)));
        TrialOnRanks tried = anyTriedLayout(random);
        const CostModel& costs = tried.ranks.costs();
        for (const ScheduleChoice& choice : scheduleChoices(tried.problem.profile, tried.layout.ranks, 3, {}))
            for (const TrialPlan& made : tried.trial.sketches(choice, infinity)) {
                const std::optional<HeldInOrder> held = heldInOrder(costs, made.plan);
                RC_ASSERT(held.has_value() == hasFixedOrders(made.plan));
                searched += !held;
                if (!held) continue;
                const RankCourse course = tried.ranks.courseOf(costs, made.plan);
                RC_ASSERT(held->inFlight == course.passes.held(costs, made.plan).inFlight);
                double most = 0;
                for (int rank = 0; rank < tried.layout.ranks; ++rank) {
                    double bytes = held->bytes[at(rank)];
                    for (const Stage& stage : made.plan.stages)
                        for (int layer = stage.firstLayer; layer <= stage.lastLayer; ++layer)
                            if (stage.devices.front() == rank) bytes += tried.bound.stateBytes(layer);
                    most = std::max(most, bytes);
                }
                RC_ASSERT(most <= course.peakBytes * (1 + boundWithin));
                ++compared;
            }
    }));
    EXPECT_GT(compared, 100);
    EXPECT_GT(searched, 20);
}

TEST(MemoryPeaks, AreThoseOfTheCurvesToTheBit) {
    int buffered = 0, compared = 0;
    EXPECT_TRUE(rc::check([&] {
        std::mt19937 random(static_cast<unsigned>(*rc::gen::inRange(0, 1 << 30)));
        TrialOnRanks tried = anyTriedLayout(random);
        const CostModel& costs = tried.ranks.costs();
        for (const ScheduleChoice& choice : scheduleChoices(tried.problem.profile, tried.layout.ranks, 2, {}))
            for (const TrialPlan& made : tried.trial.sketches(choice, infinity)) {
                const SimulatedRun run = simulatedRun(costs, made.plan);
                const auto curves = memoryCurves(costs, made.plan, run.lowered().edges, run.timeline);
                const auto peaks = memoryPeaks(costs, made.plan, run.lowered().edges, run.timeline);
                RC_ASSERT(peaks.size() == curves.size());
                for (std::size_t device = 0; device < peaks.size(); ++device) {
                    const MemoryCurve& curve = curves[device];
                    double heldBytes = 0;
                    for (std::size_t step = 0; step < curve.timeS().size(); ++step) {
                        double bytes = 0;
                        for (std::size_t kind = 0; kind < curve.bytes().size(); ++kind)
                            if (static_cast<MemoryKind>(kind) != MemoryKind::buffers)
                                bytes += curve.bytes()[kind][step];
                        heldBytes = std::max(heldBytes, bytes);
                    }
                    RC_ASSERT(peaks[device].device == curve.device);
                    RC_ASSERT(peaks[device].limitBytes == curve.limitBytes);
                    RC_ASSERT(peaks[device].bytes == curve.peakBytes());
                    RC_ASSERT(peaks[device].heldBytes == heldBytes);
                    buffered += peaks[device].heldBytes < peaks[device].bytes;
                    ++compared;
                }
            }
    }));
    EXPECT_GT(compared, 500);
    EXPECT_GT(buffered, 100);
}

/// Two layers of 1 s forward and 2 s backward each, of 5 bytes of activations, a rank each: with 1F1B the
/// first rank holds two microbatches.
TEST(PlanBound, CountsWhatIsComputedAgainSoAsToFit) {
    std::mt19937 random(1);
    Problem problem = unevenProblem(random, 2, 2);
    for (Layer& layer : problem.profile.layers) {
        layer.forwardS = 1;
        layer.backwardS = 2;
        layer.storedActivationBytes = 5;
        layer.outputBytes = 0;
    }
    problem.cluster.devices[1].speed = 1;
    TrialOnRanks tried(problem, pipelineOf(2, 1, 4));
    const std::vector<TrialPlan> made =
        tried.trial.sketches(scheduleChoices(problem.profile, 2, 1, {"1f1b"}).front(), infinity);
    ASSERT_FALSE(made.empty());
    const Plan& plan = made.front().plan;
    const CostModel& costs = tried.ranks.costs();
    const std::optional<HeldInOrder> held = heldInOrder(costs, plan);
    ASSERT_TRUE(held);
    EXPECT_EQ(held->inFlight, (std::vector<int>{2, 1}));
    EXPECT_EQ(held->bytes, (std::vector<double>{10, 5}));
    const auto none = [](const Stage&) { return BesidePasses{}; };
    // The second rank waits for a forward, and its last backward for that of the first.
    EXPECT_NEAR(leastOfAnyOrderS(costs, plan, none), 1 + 4 * 3 + 2, boundWithin);
    EXPECT_EQ(leastAgainS(costs, plan, {0, 0}, held->inFlight), (std::vector<double>{0, 0}));
    // Half of what the first rank holds: half a forward again.
    const std::vector<double> againS = leastAgainS(costs, plan, {5, 0}, held->inFlight);
    EXPECT_NEAR(againS[0], 0.5, boundWithin);
    EXPECT_NEAR(leastOfAnyOrderS(costs, plan, none, {2, 0}), 4 * (3 + 2), boundWithin);
    // The first rank ends last, and then has its update; the second, which has more to update, waits for
    // none.
    const auto updates = [](const Stage& stage) {
        return BesidePasses{.updateS = stage.firstLayer == 0 ? 1.0 : 1.5};
    };
    EXPECT_NEAR(leastOfAnyOrderS(costs, plan, updates), 1 + 4 * 3 + 2 + 1, boundWithin);
    EXPECT_EQ(leastAgainS(costs, plan, {11, 0}, held->inFlight)[0], infinity);
}

}  // namespace stagecraft
