// The planner that tries every schedule, against all of its candidates one by one.
#include "core/base/indices.h"
#include "core/planners/chosen_schedule.h"
#include "core/planners/plan_run.h"
#include "core/planners/planner.h"
#include "core/schedules/families.h"
#include "tests/core/support/random_problem.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace stagecraft {
namespace {

const Planner& schedulePlanner() { return *findPlanner("schedule"); }

bool fits(const PlanRun& run) {
    for (const MemoryCurve& curve : run.evaluation->memory)
        if (curve.limitBytes > 0 && curve.peakBytes() > curve.limitBytes) return false;
    return true;
}

/// The shortest iteration of all schedules of an equal-time partition that fit, or infinity.
double shortestOfAll(const std::shared_ptr<const CostModel>& costs, int mostChunks) {
    double shortest = infinity;
    for (const ScheduleFamily& family : scheduleFamilies())
        for (int chunks = 2; chunks <= (family.placement == Placement::ring ? mostChunks : 2); ++chunks)
            for (const bool recomputes : {false, true}) {
                ParameterValues values = defaultValues(settingsOf(family));
                if (values.contains("chunks")) values["chunks"] = chunks;
                Plan plan;
                try {
                    plan = cutUnder(*costs, family, values, equalTimeCut);
                } catch (const std::invalid_argument&) {
                    continue;
                }
                for (int layer = 0; recomputes && layer < costs->layerCount(); ++layer)
                    plan.memory.layers[layer] = LayerMemory::recompute;
                const PlanRun run = evaluatePlan(costs, plan);
                if (run.ok() && fits(run)) shortest = std::min(shortest, run.iterationTimeS());
            }
    return shortest;
}

RC_GTEST_PROP(BestSchedule, IsTheShortestOfAllThatFit, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Problem problem = random_problem::problem(random, 4 + random_problem::upTo(random, 6), 3);
    problem.setup.mode = TrainingMode::synchronous;
    problem.setup.memoryLimitBytes = 100 + random_problem::upTo(random, 1500);
    const auto costs = std::make_shared<const CostModel>(problem);
    ParameterValues values = defaultValues(schedulePlanner().description().parameters);
    values["max_chunks"] = 3;
    const PlanRun run = runAndEvaluate(schedulePlanner(), costs, values);
    const double shortest = shortestOfAll(costs, 3);
    if (!run.ok()) {
        RC_ASSERT(run.result.status == PlanStatus::infeasible);
        RC_ASSERT(run.result.reason.find("fits into memory; nearest is ") != std::string::npos);
        // Recomputing is not tried of what fits without, so nothing that fits is missed.
        RC_ASSERT(shortest == infinity);
        return;
    }
    RC_ASSERT(run.evaluation->valid());
    RC_ASSERT(fits(run));
    RC_ASSERT(run.iterationTimeS() <= shortest * (1 + 1e-9));
    RC_ASSERT(run.result.predictedS.has_value());
    RC_ASSERT(std::abs(*run.result.predictedS - run.iterationTimeS()) <= 1e-9 * run.iterationTimeS());
}

/// Times at other sizes too, and more of them by the sample the smaller a microbatch is.
LayerProfile measuredAtSizes(LayerProfile profile, const std::vector<int>& sizes, double share) {
    profile.microbatchSize = 4;
    profile.otherSizes.clear();
    for (const int size : sizes) {
        TimesAtSize times{size, {}};
        const double factor = share + (1 - share) * size / 4;
        for (const Layer& layer : profile.layers)
            times.layers.push_back(
                {layer.forwardS * factor, layer.backwardS * factor, layer.weightGradientS * factor});
        profile.otherSizes.push_back(std::move(times));
    }
    return profile;
}

RC_GTEST_PROP(BestSchedule, IsTheShortestOverTheSizesOfMicrobatchesToo, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Problem problem = random_problem::problem(random, 4 + random_problem::upTo(random, 4), 3);
    problem.setup.mode = TrainingMode::synchronous;
    problem.setup.microbatches = 2 + random_problem::upTo(random, 4);
    problem.setup.memoryLimitBytes = 200 + random_problem::upTo(random, 3000);
    problem.profile = measuredAtSizes(problem.profile, {2, 8}, 0.1 * random_problem::upTo(random, 6));
    const auto costs = std::make_shared<const CostModel>(problem);
    ParameterValues values = defaultValues(schedulePlanner().description().parameters);
    values["max_chunks"] = 2;
    const PlanRun run = runAndEvaluate(schedulePlanner(), costs, values);
    double shortest = infinity;
    for (int size = 2; size <= 8; ++size) {  // between those at which it was measured
        Plan plan;
        plan.miniBatch.microbatches = problem.setup.microbatches * 4 / size;
        plan.miniBatch.microbatchSize = size;
        if (plan.miniBatch.microbatches * size != problem.setup.microbatches * 4) continue;
        const auto own = std::make_shared<const CostModel>(problemOf(plan, problem));
        shortest = std::min(shortest, shortestOfAll(own, 2));
    }
    if (!run.ok()) {
        RC_ASSERT(shortest == infinity);
        return;
    }
    RC_ASSERT(run.evaluation->valid());
    RC_ASSERT(fits(run));
    RC_ASSERT(std::abs(run.iterationTimeS() - shortest) <= 1e-9 * shortest);
    const int size = run.result.plan.miniBatch.microbatchSize;
    RC_CLASSIFY(size > 0 && size < 4, "smaller microbatches");
    RC_CLASSIFY(size > 4, "larger microbatches");
    // The plan is the same for whoever opens it, and for the run's own problem.
    RC_ASSERT(evaluatePlan(costs, run.result.plan).iterationTimeS() == run.iterationTimeS());
    RC_ASSERT(evaluatePlan(run.costs, run.result.plan).iterationTimeS() == run.iterationTimeS());
}

TEST(BestSchedule, SmallMicrobatchesAreTriedWhereTheProfileWasMeasuredAtThem) {
    std::mt19937 random(5);
    Problem problem = random_problem::problem(random, 6, 3);
    problem.setup.mode = TrainingMode::synchronous;
    problem.setup.microbatches = 2;
    problem.setup.memoryLimitBytes = 1e9;
    problem.profile = measuredAtSizes(problem.profile, {}, 0);
    ParameterValues values = defaultValues(schedulePlanner().description().parameters);
    const auto best = [&] {
        return runAndEvaluate(schedulePlanner(), std::make_shared<const CostModel>(problem), values);
    };
    const PlanRun alone = best();
    ASSERT_TRUE(alone.ok()) << alone.result.reason;
    EXPECT_EQ(alone.result.plan.miniBatch, MiniBatch{});
    values["microbatch_sizes"] = std::string("any");
    const PlanRun any = best();
    EXPECT_EQ(any.result.plan.miniBatch.microbatchSize, 1) << "times in proportion";
    EXPECT_EQ(any.costs->problem().setup.microbatches, 8);
    EXPECT_EQ(any.costs->problem().samplesPerIteration(), 8);
    EXPECT_EQ(any.measured().perIteration(any.iterationTimeS()), any.iterationTimeS());
    EXPECT_LT(any.iterationTimeS(), alone.iterationTimeS());
    values["microbatch_sizes"] = std::string("measured");
    problem.profile = measuredAtSizes(problem.profile, {2}, 0);
    EXPECT_EQ(best().result.plan.miniBatch.microbatchSize, 2);
    problem.profile = measuredAtSizes(problem.profile, {2}, 0.9);  // nearly as long for half as many
    EXPECT_EQ(best().result.plan.miniBatch, MiniBatch{});
    values["microbatch_sizes"] = std::string("profile");
    problem.profile = measuredAtSizes(problem.profile, {2}, 0);
    EXPECT_EQ(best().result.plan.miniBatch, MiniBatch{});

    // Another mini-batch, that the plan's microbatches do not divide.
    problem.setup.microbatches = 3;
    Plan plan = any.result.plan;
    plan.miniBatch.microbatchSize = 5;
    const PlanRun odd = evaluatePlan(std::make_shared<const CostModel>(problem), plan);
    EXPECT_FALSE(odd.ok());
    EXPECT_EQ(odd.result.reason,
              "the plan's microbatches of 5 samples do not divide an iteration of 12 samples");
}

/// The least time of the slowest stage over all cuts from `begin` on.
double leastSlowest(const CostModel& costs, int begin, const std::vector<double>& speeds, std::size_t part) {
    const int layers = costs.layerCount();
    const auto timeOf = [&](int end) {
        return (costs.forwardS(begin, end - 1) + costs.backwardS(begin, end - 1)) / speeds[part];
    };
    if (part + 1 == speeds.size()) return timeOf(layers);
    double least = infinity;
    for (int end = begin + 1; end < layers; ++end)
        least = std::min(least, std::max(timeOf(end), leastSlowest(costs, end, speeds, part + 1)));
    return least;
}

RC_GTEST_PROP(EqualTimeCut, HasTheFastestSlowestStageOfAllCuts, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const CostModel costs(random_problem::problem(random, 3 + random_problem::upTo(random, 5), 3));
    const std::vector<int> devices = {2, 0, 1};
    std::vector<double> speeds;
    for (const int device : devices)
        speeds.push_back(costs.problem().cluster.devices[static_cast<std::size_t>(device)].speed);
    const std::vector<Stage> stages = equalTimeCut(costs, devices);
    RC_ASSERT(stages.size() == devices.size());
    double slowest = 0;
    int next = 0;
    for (std::size_t s = 0; s < stages.size(); ++s) {
        RC_ASSERT(stages[s].firstLayer == next);
        next = stages[s].lastLayer + 1;
        slowest = std::max(slowest, (costs.forwardS(stages[s].firstLayer, stages[s].lastLayer) +
                                     costs.backwardS(stages[s].firstLayer, stages[s].lastLayer)) /
                                        speeds[s]);
    }
    RC_ASSERT(next == costs.layerCount());
    RC_ASSERT(std::abs(slowest - leastSlowest(costs, 0, speeds, 0)) <= 1e-9 * slowest);
}

TEST(BestSchedule, StopsWhenItIsAsked) {
    std::mt19937 random(3);
    std::stop_source source;
    source.request_stop();
    WorkContext context;
    context.stop = source.get_token();
    const CostModel costs(random_problem::problem(random, 8, 3));
    EXPECT_THROW(
        schedulePlanner().plan(costs, defaultValues(schedulePlanner().description().parameters), context),
        Cancelled);
}

}  // namespace
}  // namespace stagecraft
