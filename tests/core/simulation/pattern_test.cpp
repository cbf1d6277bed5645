#include "core/analysis/evaluation.h"
#include "tests/support/every_room.h"
#include "core/schedules/one_forward_one_backward_star.h"
#include "core/simulation/pattern_unroll.h"

#include "tests/core/support/random_problem.h"
#include "tests/core/validation/validator_cases.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace stagecraft {
namespace {

using random_problem::upTo;

/// One layer per stage, whole seconds and bytes, on a half-duplex mesh, as 1F1B* runs it within its memory.
struct PatternCase {
    Problem problem;
    Plan plan;
    std::vector<PatternTask> path;

    PeriodicSchedule& pattern() { return std::get<PeriodicSchedule>(plan.schedule.order); }
    Evaluation evaluated() const { return evaluate(CostModel(problem), plan); }
};

PatternCase randomCase(std::mt19937& random) {
    PatternCase made;
    const int stages = 1 + upTo(random, 4);
    for (int stage = 0; stage < stages; ++stage) {
        made.problem.profile.layers.push_back({"layer", 1.0 + upTo(random, 5), 1.0 + upTo(random, 5),
                                               1.0 * upTo(random, 9), 1.0 + upTo(random, 4), 0,
                                               1.0 + upTo(random, 20), 0.5});
        made.problem.profile.layers.back().outputGradientBytes = 1.0 + upTo(random, 4);
        made.plan.stages.push_back({stage, stage, {stage}});
        const std::string id = "g" + std::to_string(stage);
        made.problem.cluster.devices.push_back({id, "s", "", 1000, 1, 0});
        for (int other = 0; other < stage; ++other)
            made.problem.cluster.links.push_back({"g" + std::to_string(other), id, 1, 0, ""});
    }
    made.problem.setup.microbatches = 1 + upTo(random, 3);
    made.problem.setup.mode = TrainingMode::asynchronous;
    made.problem.setup.channel = ChannelMode::halfDuplex;
    made.path = batchPath(CostModel(made.problem), made.plan.stages);
    double periodS = 0, wholeS = 0;
    for (std::size_t task = 0; task < made.path.size(); ++task) {
        periodS = std::max(periodS, made.path[task].seconds + made.path[made.path.size() - 1 - task].seconds);
        wholeS += made.path[task].seconds;
    }
    periodS += upTo(random, static_cast<int>(wholeS - periodS));
    made.plan.schedule.order = oneForwardOneBackwardStar(made.path, periodS)->pattern(made.path);
    made.plan.memory.reserveBuffers = made.plan.claims.fitsMemory = true;
    // Two versions each, whichever a pass uses: mini-batches may be shorter than double buffering needs.
    made.plan.weights = {WeightPolicyKind::latest, std::vector<int>(made.plan.stages.size(), 2)};
    return made;
}

double startOf(const PatternCase& made, const PatternTask& task) {
    const auto& pattern = std::get<PeriodicSchedule>(made.plan.schedule.order);
    for (const PatternOperation& operation : pattern.operations)
        if (operation.kind == task.kind && operation.stage == task.stage)
            return operation.shift * pattern.periodS + operation.startS;
    return std::nan("");
}

/// MadPipe's M(k, l, g): what stage s takes with its batches.
double bytesOf(const PatternCase& made, std::size_t stage, int batches) {
    const Layer& layer = made.problem.profile.layers[stage];
    double bytes = 3 * layer.parameterBytes + batches * layer.storedActivationBytes;
    if (stage > 0) bytes += 2 * made.problem.profile.layers[stage - 1].outputBytes;
    if (stage + 1 < made.plan.stages.size()) bytes += 2 * layer.outputBytes;
    return bytes;
}

TEST(PeriodicPattern, OfAStarHoldsAndItsMemoryIsThatOfItsGroupsToTheByte) {
    std::mt19937 random(41);
    for (int round = 0; round < 300; ++round) {
        PatternCase made = randomCase(random);
        const std::vector<int> active =
            activeBatches(CostModel(made.problem), made.plan.stages, made.pattern());
        // Each device has just what it needs.
        for (std::size_t stage = 0; stage < active.size(); ++stage)
            made.problem.cluster.devices[stage].memoryBytes = bytesOf(made, stage, active[stage]);
        const Evaluation evaluation = made.evaluated();
        ASSERT_TRUE(evaluation.valid()) << round << "\n" << test::textOf(evaluation.violations);
        EXPECT_TRUE(evaluation.metrics.fitsMemory) << round;
        for (std::size_t stage = 0; stage < active.size(); ++stage)
            EXPECT_EQ(evaluation.memory[stage].peakBytes(), bytesOf(made, stage, active[stage])) << round;
        EXPECT_DOUBLE_EQ(evaluation.metrics.iterationTimeS,
                         made.pattern().periodS * made.problem.setup.microbatches);
        // A byte less is refused.
        const std::size_t stage = random() % active.size();
        made.problem.cluster.devices[stage].memoryBytes -= 1;
        const Evaluation less = made.evaluated();
        EXPECT_FALSE(less.metrics.fitsMemory);
        EXPECT_TRUE(test::rulesOf(less.violations).count(Rule::memoryLimit)) << round;
    }
}

/// Whether the pattern is right, worked out from starts modulo the period.
bool holds(const PatternCase& made) {
    const double periodS = std::get<PeriodicSchedule>(made.plan.schedule.order).periodS;
    for (std::size_t task = 0; task + 1 < made.path.size(); ++task)
        if (startOf(made, made.path[task + 1]) < startOf(made, made.path[task]) + made.path[task].seconds)
            return false;
    for (std::size_t task = 0; task < made.path.size() / 2; ++task) {
        const PatternTask& up = made.path[task];
        const PatternTask& down = made.path[made.path.size() - 1 - task];
        const double within = std::fmod(startOf(made, down) - startOf(made, up), periodS);
        if (within < up.seconds || within > periodS - down.seconds) return false;
    }
    return true;
}

TEST(PeriodicPattern, IsValidIfAndOnlyIfDependenciesAndResourcesHoldModuloThePeriod) {
    std::mt19937 random(42);
    int broken = 0, whole = 0;
    for (int round = 0; round < 1500; ++round) {
        PatternCase made = randomCase(random);
        made.plan.claims.fitsMemory = false;
        PatternOperation& operation = made.pattern().operations[random() % made.path.size()];
        if (upTo(random, 2) == 0) {
            operation.shift += upTo(random, 1) ? 1 : -1;
        } else {
            const double movedS = operation.startS + upTo(random, 8) - 4;
            const double shift = std::floor(movedS / made.pattern().periodS);
            operation.startS = movedS - shift * made.pattern().periodS;
            operation.shift += static_cast<int>(shift);
        }
        const bool expected = holds(made);
        const Evaluation evaluation = made.evaluated();
        EXPECT_EQ(evaluation.valid(), expected) << round << "\n" << test::textOf(evaluation.violations);
        ++(expected ? whole : broken);
    }
    EXPECT_GT(broken, 300);
    EXPECT_GT(whole, 100);
}

TEST(PeriodicPattern, IsUnrolledUntilEveryPeriodLooksLikeTheOneBefore) {
    std::mt19937 random(43);
    for (int round = 0; round < 100; ++round) {
        PatternCase made = randomCase(random);
        made.problem.setup.microbatches = 1;
        const double periodS = made.pattern().periodS;
        const Timeline timeline = simulate(CostModel(made.problem), made.plan);
        int last = 0;
        for (const PatternOperation& operation : made.pattern().operations)
            last = std::max(last, operation.shift);
        // In the last two periods of the first operation every operation starts once each.
        for (const int back : {1, 0}) {
            const double fromS = (microbatchesToSteadyState(made.pattern()) - 1 - back) * periodS - 1e-9;
            std::set<std::pair<BlockKind, int>> seen;
            std::size_t blocks = 0;
            for (std::uint32_t block = 0; block < timeline.blockCount(); ++block)
                if (timeline.startS[block] >= fromS && timeline.startS[block] < fromS + periodS) {
                    seen.insert({timeline.kind[block], timeline.stage[block]});
                    ++blocks;
                }
            EXPECT_EQ(seen.size(), made.path.size()) << round;
            EXPECT_EQ(blocks, made.path.size()) << round;
        }
    }
}

TEST(PeriodicPattern, EachBlockWaitsForWhatEndedLastOrForThePattern) {
    std::mt19937 random(46);
    for (int round = 0; round < 60; ++round) {
        const PatternCase made = randomCase(random);
        const Evaluation evaluation = made.evaluated();
        const Timeline& timeline = evaluation.timeline;
        for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
            const std::uint32_t other = timeline.waitedFor[block];
            const double readyS = other == noBlock ? 0 : timeline.endS[other];
            ASSERT_LE(readyS, timeline.startS[block] + 1e-9);
            EXPECT_EQ(timeline.waitReason[block] == WaitReason::pattern,
                      readyS < timeline.startS[block] - 1e-9);
            EXPECT_EQ(other == noBlock, timeline.kind[block] == BlockKind::forward &&
                                            timeline.stage[block] == 0 && timeline.microbatch[block] == 0 &&
                                            timeline.iteration[block] == 0);
        }
        // So that the critical path leads from the first start to the last end.
        const CriticalPath& path = evaluation.metrics.criticalPath;
        EXPECT_EQ(timeline.startS[path.blocks.front()], 0);
        EXPECT_NEAR(path.computeS + path.communicationS + path.waitingS, timeline.lastEndS(), 1e-6);
    }
}

TEST(PeriodicPattern, OperationsThatAreMissingOrTwiceThereAreRefused) {
    std::mt19937 random(44);
    PatternCase made = randomCase(random);
    while (made.plan.stages.size() < 3) made = randomCase(random);
    made.plan.claims.fitsMemory = false;
    const Timeline timeline = simulate(CostModel(made.problem), made.plan);
    const std::vector<PatternOperation> all = made.pattern().operations;
    for (std::size_t i = 0; i < all.size(); ++i) {
        made.pattern().operations = all;
        made.pattern().operations.erase(made.pattern().operations.begin() + static_cast<std::ptrdiff_t>(i));
        EXPECT_TRUE(test::rulesOf(validate(made.problem, made.plan, timeline)).count(Rule::periodicPattern));
        EXPECT_THROW(simulate(CostModel(made.problem), made.plan), SimulationError);
        made.pattern().operations = all;
        made.pattern().operations.push_back(all[i]);
        EXPECT_TRUE(test::rulesOf(validate(made.problem, made.plan, timeline)).count(Rule::periodicPattern));
    }
}

TEST(PeriodicPattern, ATimelineOfStartUpAloneIsRefused) {
    std::mt19937 random(45);
    PatternCase made = randomCase(random);
    while (made.plan.stages.size() < 3) made = randomCase(random);
    made.problem.setup.microbatches = 1;
    made.plan.claims.fitsMemory = false;
    const Timeline timeline = simulate(CostModel(made.problem), made.plan);
    // One microbatch alone, though the pattern takes several periods.
    Timeline one = timeline;
    for (std::uint32_t block = one.blockCount(); block-- > 0;)
        if (timeline.iteration[block] > 0) {
            std::uint32_t current = 0;
            for (; current < one.blockCount(); ++current)
                if (one.iteration[current] > 0) break;
            test::editBlocks(one, current, 0);
        }
    EXPECT_TRUE(test::rulesOf(validate(made.problem, made.plan, timeline)).empty());
    EXPECT_EQ(test::rulesOf(validate(made.problem, made.plan, one)), std::set<Rule>{Rule::periodicPattern});
}

}  // namespace
}  // namespace stagecraft
