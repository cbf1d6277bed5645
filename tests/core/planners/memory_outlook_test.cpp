// What is said of memory before a planner runs: a bound that no plan goes below, a layout that does fit, and
// changes that help.
#include "core/planners/memory_outlook.h"

#include "core/memory/memory.h"
#include "core/planners/planned_run.h"
#include "core/planners/planning_costs.h"
#include "core/planners/planning_goal.h"
#include "core/runs/chosen_schedule.h"
#include "core/validation/validator.h"
#include "tests/core/support/random_problem.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

namespace stagecraft {
namespace {

Problem problemOfToday(std::mt19937& random) {
    Problem problem = random_problem::underSetupOfToday(
        random, random_problem::problem(random, 3 + random_problem::upTo(random, 3),
                                        2 + random_problem::upTo(random, 3)));
    problem.setup.recomputation = static_cast<Recomputation>(random() % 3);
    problem.setup.memoryLimitBytes = 50 + random_problem::upTo(random, 1500);
    return problem;
}

RC_GTEST_PROP(MemoryOutlook, NoPlanHoldsLessThanTheLeast, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const Problem problem = problemOfToday(random);
    const LeastMemory least = leastMemory(problem);
    const auto costs = std::make_shared<const CostModel>(problem);
    for (int number = 0; number < 4; ++number) {
        const PlanRun run = evaluatePlan(costs, random_problem::plan(random, problem));
        if (!run.ok()) continue;
        double all = 0, most = 0;
        for (const MemoryCurve& curve : run.evaluation->memory) {
            const bool isUsed = curve.peakBytes() > 0;
            all += curve.peakBytes() - (isUsed ? problem.setup.reservedBytes : 0);
            most = std::max(most, curve.peakBytes());
        }
        RC_ASSERT(all >= least.statesBytes * (1 - 1e-9));
        RC_ASSERT(most >= least.layerBytes * (1 - 1e-9));
        if (least.isBeyond()) RC_ASSERT(most > *problem.setup.memoryLimitBytes * (1 - 1e-9));
    }
}

/// The validator states what memory a plan takes in words of its own.
RC_GTEST_PROP(MemoryOutlook, WhatIsSaidToFitIsAPlanThatTheValidatorTakes, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const Problem problem = problemOfToday(random);
    const MemoryOutlook outlook = memoryOutlook(problem);
    RC_TAG(outlook.fits() ? "fits" : outlook.cannotFit() ? "cannot" : "open");
    RC_ASSERT(!(outlook.fits() && outlook.cannotFit()));
    if (!outlook.fits()) return;
    const auto costs = std::make_shared<const CostModel>(problem);
    Plan plan = inEqualStages(*costs, outlook.tried->stages);
    if (problem.setup.recomputation != Recomputation::none)
        for (int layer = 0; layer < problem.profile.layerCount(); ++layer)
            plan.memory.layers[layer] = problem.setup.recomputation == Recomputation::full
                                            ? LayerMemory::checkpoint
                                            : LayerMemory::selective;
    plan.claims.fitsMemory = true;
    const PlanRun run = evaluatePlan(costs, plan);
    RC_ASSERT(run.ok());
    for (const Violation& violation : validate(problem, plan, run.evaluation->timeline))
        RC_ASSERT(violation.rule != Rule::memoryLimit);
}

/// So many sets of the same devices, each joined to the first.
std::function<Cluster(int)> timesAsMany(const Cluster& one) {
    return [one](int count) {
        Cluster cluster;
        for (int i = 0; i < count; ++i) {
            for (Device device : one.devices) {
                device.id += "-" + std::to_string(i);
                cluster.devices.push_back(device);
                if (cluster.devices.size() > 1)
                    cluster.links.push_back({cluster.devices[0].id, device.id, 10, 0, ""});
            }
        }
        return cluster;
    };
}

RC_GTEST_PROP(MemoryOutlook, EachRemedyHelpsAndSaysWhatItChanges, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Problem problem = problemOfToday(random);
    if (memoryOutlook(problem).fits()) return;
    const auto more = timesAsMany(problem.cluster);
    const std::vector<MemoryRemedy> remedies = memoryRemedies(problem, {"sets", 1, 6, more});
    for (const MemoryRemedy& remedy : remedies) {
        RC_ASSERT(remedy.machines > 1 || remedy.setup != problem.setup);
        RC_ASSERT(remedy.options.empty() == (remedy.setup == problem.setup));
        Problem changed = problem;
        changed.setup = remedy.setup;
        if (remedy.machines > 0) changed.cluster = more(remedy.machines);
        RC_ASSERT(memoryOutlook(changed).fits());
    }
}

TEST(MemoryOutlook, NoNumberOfMachinesIsPassedOverThatWouldDo) {
    int found = 0, none = 0;
    EXPECT_TRUE(rc::check([&] {
        std::mt19937 random(static_cast<unsigned>(*rc::gen::inRange(0, 1 << 30)));
        Problem problem = problemOfToday(random);
        problem.setup.tensor = problem.setup.context = problem.setup.expert = 1;
        problem.setup.wholeSamples = random() % 2 == 0;
        for (Device& device : problem.cluster.devices)
            device.memoryBytes = problem.cluster.devices.front().memoryBytes;
        if (whyUnplannable(problem) || memoryOutlook(problem).fits()) return;
        constexpr int most = 10;  // eight numbers from 2 on
        const auto more = timesAsMany(problem.cluster);
        // As much as some number of them just takes.
        if (random() % 2 == 0) {
            Problem changed = problem;
            changed.cluster = more(2 + static_cast<int>(random() % 4));
            const MemoryOutlook tight = memoryOutlook(changed);
            if (!tight.tried) return;
            problem.setup.memoryLimitBytes = tight.tried->heldBytes;
            if (memoryOutlook(problem).fits()) return;
        }
        // As remedies are looked for, from where states fit.
        const LeastMemory least = leastMemory(problem);
        const double needed =
            least.limitBytes > 0 ? std::ceil(least.statesBytes / least.limitBytes) : most + 1;
        int number = static_cast<int>(std::clamp(needed, 2.0, most + 1.0)), fits = 0;
        for (; number <= most && fits == 0; number += std::max(1, number / 4)) {
            Problem changed = problem;
            changed.cluster = more(number);
            if (memoryOutlook(changed).fits()) fits = number;
        }
        int said = 0;
        for (const MemoryRemedy& remedy : memoryRemedies(problem, {"sets", 1, most, more}))
            if (remedy.machines > 0 && remedy.setup == problem.setup) said = remedy.machines;
        RC_ASSERT(said == fits);
        ++(fits > 0 ? found : none);
    }));
    EXPECT_GT(found, 5);
    EXPECT_GT(none, 0);
}

TEST(MemoryOutlook, SaysThatItCannotFitOnlyWhereTheBoundSaysSo) {
    Problem problem;
    problem.profile.layers = {{"a", 1, 2, 100, 0, 0, 0, 1}, {"b", 1, 2, 100, 0, 0, 0, 1}};
    problem.cluster.devices = {{"g0", "s", "", 350, 1, 8}, {"g1", "s", "", 350, 1, 8}};
    problem.cluster.links = {{"g0", "g1", 10, 0, ""}};
    problem.setup.optimizer = model::Optimizer::adam;
    // Weights, gradients and two moments of 200 bytes.
    EXPECT_EQ(leastMemory(problem).statesBytes, 800);
    EXPECT_TRUE(memoryOutlook(problem).cannotFit());
    EXPECT_NE(outlookInWords(memoryOutlook(problem)).find("at least 800 B"), std::string::npos);
    problem.setup.optimizer = model::Optimizer::momentum;
    EXPECT_EQ(leastMemory(problem).statesBytes, 600);
    const MemoryOutlook roomy = memoryOutlook(problem);
    ASSERT_TRUE(roomy.fits());
    EXPECT_EQ(roomy.tried->stages, 2);
    EXPECT_NE(outlookInWords(roomy).find("This fits"), std::string::npos);
    // Enough together; yet neither device takes a layer.
    problem.cluster.devices[0].memoryBytes = problem.cluster.devices[1].memoryBytes = 299;
    EXPECT_TRUE(memoryOutlook(problem).cannotFit());
    // Neither the bound nor the layout decides: what layers keep does not fit beside their states.
    problem.cluster.devices[0].memoryBytes = problem.cluster.devices[1].memoryBytes = 350;
    for (Layer& layer : problem.profile.layers) layer.storedActivationBytes = 60;
    const MemoryOutlook open = memoryOutlook(problem);
    EXPECT_FALSE(open.fits() || open.cannotFit());
    EXPECT_EQ(outlookInWords(open).find("fits"), std::string::npos);
}

TEST(MemoryOutlook, PromisesMoreGpusOnlyWhereALayerFitsOnOne) {
    Problem problem;
    problem.profile.layers = {{"a", 1, 2, 100, 0, 0, 0, 1}, {"b", 1, 2, 100, 0, 0, 0, 1}};
    problem.cluster.devices = {{"g0", "s", "", 500, 1, 8}};
    problem.setup.optimizer = model::Optimizer::adam;
    const auto words = [&] { return outlookInWords(memoryOutlook(problem)); };
    EXPECT_NE(words().find("it takes more GPUs"), std::string::npos) << words();
    EXPECT_EQ(words().find("reserved"), std::string::npos) << words();
    problem.setup.reservedBytes = 50;
    EXPECT_NE(words().find("450 B after what is reserved"), std::string::npos) << words();
    EXPECT_NE(words().find("it takes more GPUs"), std::string::npos) << words();
    // Neither where a layer is larger than a GPU nor where nothing is left.
    problem.setup.reservedBytes = 200;
    EXPECT_EQ(words().find("it takes more GPUs"), std::string::npos) << words();
    problem.setup.reservedBytes = 600;
    EXPECT_TRUE(memoryOutlook(problem).cannotFit());
    EXPECT_EQ(words().find("it takes more GPUs"), std::string::npos) << words();
}

TEST(MemoryOutlook, ADeviceWithoutMemoryTakesNothing) {
    Problem problem;
    problem.profile.layers = {{"a", 1, 2, 100, 0, 0, 0, 1}};
    problem.cluster.devices = {{"g0", "s", "", 0, 1, 8}};
    EXPECT_EQ(leastMemory(problem).limitBytes, 0);
    EXPECT_TRUE(memoryOutlook(problem).cannotFit());
}

/// A million microbatches are judged by as many as fill the pipeline several times; what is held then is no
/// less than with more of them.
TEST(MemoryOutlook, MoreMicrobatchesThanFillThePipelineHoldNoMore) {
    std::mt19937 random(7);
    for (int number = 0; number < 40; ++number) {
        Problem problem = problemOfToday(random);
        problem.setup.microbatches = 1'000'000;
        const MemoryOutlook many = memoryOutlook(problem);
        problem.setup.microbatches = 100 + number;
        if (!many.tried) continue;
        const auto costs = std::make_shared<const CostModel>(problem);
        Plan plan = inEqualStages(*costs, many.tried->stages);
        if (const auto asked = askedRecomputation(problem.setup))
            plan = withRecomputation(std::move(plan), costs->layerCount(), *asked);
        const PlanRun run = evaluatePlan(costs, plan);
        ASSERT_TRUE(run.ok());
        for (const MemoryCurve& curve : run.evaluation->memory)
            EXPECT_LE(curve.peakBytes(), curve.limitBytes + many.tried->lackingBytes() + 1e-6) << number;
    }
}

TEST(MemoryOutlook, LabelsInsideASentenceKeepAcronyms) {
    EXPECT_EQ(labelInSentence("Servers"), "servers");
    EXPECT_EQ(labelInSentence("GPUs"), "GPUs");
    EXPECT_EQ(labelInSentence("GPUs per server"), "GPUs per server");
}

/// What goes wrong with more machines leaves the other changes.
TEST(MemoryOutlook, MachinesThatCannotBeMadeAreNoRemedy) {
    Problem problem;
    problem.profile.layers = {{"a", 1, 2, 100, 0, 0, 0, 1}, {"b", 1, 2, 100, 0, 0, 0, 1}};
    problem.cluster.devices = {{"g0", "s", "", 500, 1, 8}};
    problem.setup.optimizer = model::Optimizer::adam;
    const auto make = [](int) -> Cluster { throw std::runtime_error("no"); };
    EXPECT_TRUE(memoryRemedies(problem, {"servers", 1, 4, make}).empty());
    const auto stopped = [](int) -> Cluster { throw base::Cancelled(); };
    EXPECT_THROW(memoryRemedies(problem, {"servers", 1, 4, stopped}), base::Cancelled);
}

TEST(PlanningGoals, AreServedByWhatPlannersSayOfThemselves) {
    const TrainingSetup barrier, asynchronous{.mode = TrainingMode::asynchronous};
    ASSERT_EQ(planningGoals().size(), 3u);
    const std::vector<const Planner*> best = plannersFor(*findPlanningGoal("best"), barrier);
    ASSERT_FALSE(best.empty());
    for (const Planner* planner : best)
        EXPECT_TRUE(planner->description().choosesSchedule && planner->description().plansForMemory);
    EXPECT_TRUE(plannersFor(*findPlanningGoal("none"), barrier).empty());
    EXPECT_EQ(plannersFor(*findPlanningGoal("all"), asynchronous).size(), allPlanners().size());
    EXPECT_LT(plannersFor(*findPlanningGoal("all"), barrier).size(), allPlanners().size());
    for (const PlanningGoal& goal : planningGoals()) EXPECT_FALSE(findPlanner(goal.id)) << goal.id;
}

}  // namespace
}  // namespace stagecraft
