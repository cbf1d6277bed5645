// All planners at all degrees, against each of them run by itself.
#include "core/generation/asked_machines.h"
#include "core/generation/generated_profile.h"
#include "core/model/profile_sizes.h"
#include "core/planners/automatic/planners_at_degrees.h"
#include "core/planners/planned_run.h"
#include "core/planners/planning.h"
#include "core/planners/schedule_search/tried_schedules.h"
#include "tests/core/planners/tiny_problems.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>

namespace stagecraft {

namespace {

constexpr double rounding = 1e-9;
constexpr int batch = 8;

AutoQuestion questionOf(const Problem& problem, int threads = 1) {
    return {problem, scaledProfiles(problem.profile), batch, {}, threads};
}

Problem drawn(unsigned seed) {
    std::mt19937 random(seed);
    Problem problem = tiny(random, {.layers = 5, .devices = 4, .hasSync = true});
    problem.setup.memoryLimitBytes = 30.0 + static_cast<double>(random() % 60);
    problem.setup.updateBytesPerS = static_cast<double>(random() % 4);
    if (seed % 3 == 0) measureTypes(random, problem);
    if (seed % 3 == 1) {
        // Three samples, which copies of eight have where there are three of them, take no longer than one.
        TimesAtSize& three = problem.profile.otherSizes.emplace_back();
        three.microbatchSize = 3;
        for (const Layer& layer : problem.profile.layers)
            three.layers.push_back({layer.forwardS, layer.backwardS, layer.weightGradientS});
    }
    return problem;
}

/// Each plan that a planner has for the batch in each number of microbatches, under each stage of ZeRO.
/// @param isAgain whether activations are computed again too, selectively and fully
void forEachRun(Problem problem, bool isAgain, const std::function<void(const PlanRun&)>& use) {
    const LayerProfile profile = problem.profile;
    for (const int samples : {1, 2, 4, 8})
        for (int zero = 0; zero < 4; ++zero) {
            problem.profile = profileAtSize(profile, samples);
            problem.setup.microbatches = batch / samples;
            problem.setup.zero = static_cast<ZeroStage>(zero);
            for (int again = 0; again <= (isAgain ? 2 : 0); ++again) {
                problem.setup.recomputation = static_cast<Recomputation>(again);
                const auto costs = std::make_shared<const CostModel>(problem);
                for (const auto& planner : allPlanners()) {
                    ParameterValues values;
                    if (planner->description().choosesSchedule)
                        values[microbatchSizesParameter] = std::string(profilesSize);
                    const PlanRun run = runAndEvaluate(*planner, costs, values);
                    if (run.ok()) use(run);
                }
            }
        }
}

}  // namespace

TEST(PlannersAtDegrees, NoPlanOfAPlannerBeatsTheLeastOfItsDegree) {
    int plans = 0;
    for (unsigned seed = 1; seed <= 6; ++seed) {
        const Problem problem = drawn(seed);
        AutoSearch search(problem, scaledProfiles(problem.profile), batch, 1);
        std::map<int, double> leastS;
        for (const Degree& degree : search.degrees({})) {
            EXPECT_EQ(degree.group, Group{});
            leastS[degree.samples] = degree.leastS;
        }
        EXPECT_EQ(leastS.size(), 4U);
        forEachRun(problem, false, [&](const PlanRun& run) {
            ++plans;
            EXPECT_GE(run.iterationTimeS() * (1 + rounding),
                      leastS.at(run.costs->problem().profile.microbatchSize))
                << run.title() << ", seed " << seed;
        });
    }
    EXPECT_GT(plans, 400);
}

namespace {

/// Eight layers of Mixtral on links an eighth as wide as they are.
Problem fewExperts(const char* machines) {
    Problem problem;
    problem.cluster = generation::machinesAsked(machines).make();
    problem.profile = generation::generatedProfile(
        "mixtral-8x7b", {{"gpu", std::string("H100-SXM5-80GB")}, {"precision", std::string("bf16")}});
    problem.profile.layers.resize(8);
    problem.setup = usualSetup({}, problem.profile);
    problem.setup.wholeSamples = true;
    problem.setup.memoryLimitBytes = 400e9;
    for (Link& link : problem.cluster.links) link.bandwidthBps /= 8;
    return problem;
}

}  // namespace

TEST(PlannersAtDegrees, NoPlanOnGroupsBeatsTheLeastOfItsDegree) {
    const Problem problem = fewExperts("1x dgx-h100");
    AutoSearch search(problem, scaledProfiles(problem.profile), 16, 1);
    int plans = 0, near = 0;
    for (const Degree& degree : search.degrees({.mostTensor = 2, .mostContext = 2})) {
        if (degree.samples != 2 && degree.samples != 8) continue;
        const auto costs = std::make_shared<const CostModel>(search.costsAt(degree, ZeroStage::off));
        for (const auto& planner : allPlanners()) {
            const PlanRun run = runAndEvaluate(*planner, costs, {});
            if (!run.ok()) continue;
            ++plans;
            near += run.iterationTimeS() < 1.5 * degree.leastS;
            EXPECT_GE(run.iterationTimeS() * (1 + rounding), degree.leastS)
                << run.title() << ", " << groupText(degree.group) << ", " << degree.samples;
        }
    }
    EXPECT_GT(plans, 100);
    EXPECT_GT(near, 3);
}

/// With many microbatches what is sent to experts is hidden in nearly all of them.
TEST(PlannersAtDegrees, NoScheduleThatHidesWhatExpertsAreSentBeatsTheLeast) {
    const Problem problem = fewExperts("2x dgx-h100");
    AutoSearch search(problem, scaledProfiles(problem.profile), 256, 1);
    const std::vector<Degree> degrees = search.degrees({.tensor = 1, .context = 1, .expert = 8});
    const auto degree = std::ranges::find(degrees, 8, &Degree::samples);
    ASSERT_NE(degree, degrees.end());
    const auto costs = std::make_shared<const CostModel>(search.costsAt(*degree, ZeroStage::off));
    const auto secondsOf = [&](const char* family) {
        const PlanRun run = runAndEvaluate(*findPlanner("schedule"), costs,
                                           {{scheduleFamilyParameter, std::string(family)},
                                            {microbatchSizesParameter, std::string(profilesSize)}});
        return run.ok() ? run.iterationTimeS() : infinity;
    };
    const double hiddenS = secondsOf("1f1b-overlap");
    EXPECT_GE(hiddenS, degree->leastS);
    EXPECT_LT(hiddenS, 0.95 * secondsOf("1f1b"));
}

TEST(PlannersAtDegrees, FindTheFastestOfAllThatPlannersHave) {
    int faster = 0, fitting = 0, again = 0;
    for (unsigned seed = 1; seed <= 4; ++seed) {
        Problem problem = drawn(seed);
        problem.setup.memoryLimitBytes = 22 + 4.0 * seed;
        const AutoQuestion question = questionOf(problem);
        const PlannersAnswer all = plannersAtDegrees(question, infinity);
        EXPECT_EQ(all.degrees, 16);
        EXPECT_EQ(all.left, 0);
        if (!all.faster) continue;
        const double fastestS = all.faster->iterationTimeS();
        EXPECT_TRUE(all.faster->evaluation->valid());
        EXPECT_TRUE(all.faster->evaluation->metrics.fitsMemory);
        again += all.problem.setup.recomputation != Recomputation::none;
        double leastS = infinity;
        forEachRun(problem, true, [&](const PlanRun& run) {
            if (!run.evaluation->metrics.fitsMemory) return;
            ++fitting;
            leastS = std::min(leastS, run.iterationTimeS());
        });
        EXPECT_NEAR(fastestS, leastS, rounding * leastS) << all.faster->title() << ", seed " << seed;
        // Beside the search it is an answer where it is faster alone.
        AutoSearch search(problem, question.source, batch, 1);
        const double foundS = search.best({.differentSizes = false}).bestValue();
        const PlannersAnswer beside = plannersAtDegrees(question, foundS);
        EXPECT_EQ(beside.faster.has_value(), betterObjective(fastestS, foundS));
        // What takes as long, but for the rounding of sums in another order, is no faster.
        EXPECT_FALSE(plannersAtDegrees(question, fastestS * (1 + 1e-13)).faster);
        // Not with stages of different size, which the search tries too.
        EXPECT_FALSE(plannersAtDegrees(question, search.best({}).bestValue()).faster);
        if (beside.faster) {
            EXPECT_EQ(beside.faster->result.plan, all.faster->result.plan);
        }
        faster += beside.faster.has_value();
    }
    EXPECT_GT(fitting, 150);
    EXPECT_GT(faster, 0);
    EXPECT_GT(again, 0);
}

TEST(PlannersAtDegrees, AnswerTheSameWithAnyNumberOfThreads) {
    for (unsigned seed = 1; seed <= 3; ++seed) {
        const Problem problem = drawn(seed);
        const PlannersAnswer one = plannersAtDegrees(questionOf(problem, 1), infinity);
        const PlannersAnswer many = plannersAtDegrees(questionOf(problem, 5), infinity);
        ASSERT_TRUE(one.faster && many.faster);
        EXPECT_EQ(one.faster->result.plan, many.faster->result.plan);
        EXPECT_EQ(one.problem.setup, many.problem.setup);
        EXPECT_EQ(one.noFaster, many.noFaster);
        EXPECT_EQ(one.run(), many.run());
    }
}

/// Two layers of 6 s on one device: all plans take 12 s for a sample.
TEST(PlannersAtDegrees, RunsNoneWhereNothingCanBeFaster) {
    std::mt19937 random(1);
    Problem problem = tiny(random, {.layers = 2, .devices = 1});
    for (Layer& layer : problem.profile.layers) layer.forwardS = 2, layer.backwardS = 4;
    const PlannersAnswer none = plannersAtDegrees(questionOf(problem), batch * 12.0);
    EXPECT_FALSE(none.faster);
    EXPECT_EQ(none.noFaster, none.degrees);
    EXPECT_EQ(none.run(), 0);
    const PlannersAnswer some = plannersAtDegrees(questionOf(problem), batch * 12.0 + 1e-3);
    ASSERT_TRUE(some.faster);
    EXPECT_NEAR(some.faster->iterationTimeS(), batch * 12.0, 1e-6);
}

TEST(PlannersAtDegrees, EndWhenItIsEnoughAndStopWhenToldTo) {
    const Problem problem = drawn(1);
    std::stop_source stop, enough;
    EXPECT_THROW(plannersAtDegrees(questionOf(problem), infinity,
                                   {stop.get_token(), [&](double) { stop.request_stop(); }}),
                 Cancelled);
    WorkContext context;
    context.progress = [&](double) { enough.request_stop(); };
    context.enough = enough.get_token();
    const PlannersAnswer some = plannersAtDegrees(questionOf(problem), infinity, context);
    EXPECT_GT(some.left, 0);
    ASSERT_TRUE(some.faster);
    EXPECT_EQ(some.faster->costs->problem().setup.zero, ZeroStage::optimizer);
    AutoQuestion two = questionOf(problem);
    two.limits.mostDegrees = 2;
    const PlannersAnswer ofTwo = plannersAtDegrees(two, infinity);
    EXPECT_EQ(ofTwo.run(), 2);
    EXPECT_EQ(ofTwo.degrees, 16);
    EXPECT_GT(ofTwo.left, 0);
    AutoQuestion money = questionOf(problem);
    money.limits.objective = AutoObjective::money;
    EXPECT_THROW(plannersAtDegrees(money, infinity), std::invalid_argument);
    AutoQuestion fewer = questionOf(problem);
    fewer.limits.mostDevices = 2;
    EXPECT_THROW(plannersAtDegrees(fewer, infinity), std::invalid_argument);
}

}  // namespace stagecraft
