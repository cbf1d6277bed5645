// The planner that tries every schedule, against all of its candidates one by one.
#include "core/base/indices.h"
#include "core/runs/chosen_schedule.h"
#include "core/runs/cautions.h"
#include "core/planners/planned_run.h"
#include "core/planners/planner.h"
#include "core/planners/schedule_search/tried_schedules.h"
#include "core/schedules/families.h"
#include "tests/core/support/random_problem.h"
#include "tests/support/every_room.h"

#include "tests/core/support/slow_property.h"

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

/// The search over schedules as asked in most tests: of stages of equal time alone.
ParameterValues equalTimes() {
    ParameterValues values = defaultValues(schedulePlanner().description().parameters);
    values["partition"] = std::string("equal-time");
    return values;
}

/// The shortest iteration of all schedules of an equal-time partition that fit, or infinity. Those that cut
/// sequences are for causal ones alone.
double shortestOfAll(const std::shared_ptr<const CostModel>& costs, int mostChunks) {
    double shortest = infinity;
    for (const ScheduleFamily& family : scheduleFamilies()) {
        if (cutsSequences(family) && costs->problem().profile.causalSequence != true) continue;
        if (sharesVocabulary(family)) continue;  // no random network has words
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
    }
    return shortest;
}

STAGECRAFT_SLOW_PROPERTY(ScheduleSearch, IsTheShortestOfAllThatFit, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Problem problem = random_problem::problem(random, 4 + random_problem::upTo(random, 6), 3);
    problem.setup.mode = TrainingMode::synchronous;
    problem.setup.memoryLimitBytes = 100 + random_problem::upTo(random, 1500);
    if (random_problem::upTo(random, 2) == 0) problem.profile.causalSequence = true;
    const auto costs = std::make_shared<const CostModel>(problem);
    ParameterValues values = equalTimes();
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

STAGECRAFT_SLOW_PROPERTY(ScheduleSearch, OffloadsOnlyWhereMemoryLacks, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Problem problem = random_problem::problem(random, 4 + random_problem::upTo(random, 6), 3);
    problem.setup.mode = TrainingMode::synchronous;
    problem.setup.memoryLimitBytes = 100 + random_problem::upTo(random, 1500);
    const auto costs = std::make_shared<const CostModel>(problem);
    ParameterValues values = equalTimes();
    values["max_chunks"] = 2;
    const PlanRun recomputing = runAndEvaluate(schedulePlanner(), costs, values);
    values["where_memory_lacks"] = std::string("offload");
    const PlanRun offloading = runAndEvaluate(schedulePlanner(), costs, values);
    values["where_memory_lacks"] = std::string("either");
    const PlanRun either = runAndEvaluate(schedulePlanner(), costs, values);
    RC_ASSERT(either.ok() == (recomputing.ok() || offloading.ok()));
    double shortest = infinity;
    for (const PlanRun* run : {&recomputing, &offloading})
        if (run->ok()) shortest = std::min(shortest, run->iterationTimeS());
    if (either.ok()) RC_ASSERT(std::abs(either.iterationTimeS() - shortest) <= 1e-9 * shortest);
    if (!offloading.ok()) return;
    RC_ASSERT(offloading.evaluation->valid());
    RC_ASSERT(fits(offloading));
    const TriedSchedule& best = offloading.result.tried.front();
    RC_ASSERT(planOfTried(*costs, best).memory == offloading.result.plan.memory);
    RC_ASSERT(best.offloads == !offloading.result.plan.memory.layers.empty());
    RC_CLASSIFY(best.offloads, "offloads");
    Plan kept = offloading.result.plan;
    kept.memory = {};
    kept.claims = {};
    if (best.offloads) RC_ASSERT(!fits(evaluatePlan(costs, kept)));
}

/// Four stages of two layers, of which stage 0 holds most: where one layer makes up for what it lacks, one of
/// its layers goes, and none of the others'.
TEST(ScheduleSearch, OffloadsOfTheStageThatWaitsLongestWhatItTakes) {
    Problem problem;
    for (int layer = 0; layer < 8; ++layer) problem.profile.layers.push_back({"layer", 1, 2, 1, 1, 1, 10});
    for (const char* id : {"a", "b", "c", "d"}) {
        problem.cluster.devices.push_back({id, "s", "", 1e12, 1, 1e10});
        if (*id > 'a') problem.cluster.links.push_back({"a", id, 1e12, 0, ""});
    }
    problem.setup.microbatches = 8;
    ParameterValues values = equalTimes();
    values["family"] = std::string("1f1b");
    values["where_memory_lacks"] = std::string("offload");
    const auto planned = [&] {
        return runAndEvaluate(schedulePlanner(), std::make_shared<const CostModel>(problem), values);
    };
    const PlanRun roomy = planned();
    ASSERT_TRUE(roomy.ok());
    EXPECT_TRUE(roomy.result.plan.memory.layers.empty());
    Plan lean = roomy.result.plan;
    lean.memory.layers[0] = LayerMemory::swap;
    const PlanRun leaner = evaluatePlan(std::make_shared<const CostModel>(problem), lean);
    problem.setup.memoryLimitBytes = leaner.evaluation->memory[0].peakBytes();
    ASSERT_LT(*problem.setup.memoryLimitBytes, roomy.evaluation->memory[0].peakBytes());
    ASSERT_GE(*problem.setup.memoryLimitBytes, roomy.evaluation->memory[1].peakBytes());
    const PlanRun offloaded = planned();
    ASSERT_TRUE(offloaded.ok());
    EXPECT_EQ(offloaded.result.plan.memory.layers, lean.memory.layers);
}

/// What shifts a layer over a boundary, one by one.
std::vector<Plan> shiftedByOne(const Plan& plan) {
    std::vector<Plan> all;
    const int copies = plan.pipelineCount(), each = plan.stageCount() / copies;
    for (int place = 0; place + 1 < each; ++place)
        for (const int by : {-1, 1}) {
            Plan moved = plan;
            for (int copy = 0; copy < copies; ++copy) {
                moved.stages[at(copy * each + place)].lastLayer += by;
                moved.stages[at(copy * each + place + 1)].firstLayer += by;
            }
            if (std::ranges::all_of(moved.stages, [](const Stage& stage) { return stage.layerCount() > 0; }))
                all.push_back(std::move(moved));
        }
    return all;
}

STAGECRAFT_SLOW_PROPERTY(ScheduleSearch, RefinedIsNeverLongerAndNoLayerMovedShortensItMore,
                         (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Problem problem = random_problem::problem(random, 4 + random_problem::upTo(random, 6), 4);
    problem.setup.mode = TrainingMode::synchronous;
    problem.setup.memoryLimitBytes = 200 + random_problem::upTo(random, 3000);
    const auto costs = std::make_shared<const CostModel>(problem);
    ParameterValues values = equalTimes();
    values["partition"] = std::string(random() % 2 ? "equal-time" : "equal-layers");
    values["max_chunks"] = 2;
    const PlanRun plain = runAndEvaluate(schedulePlanner(), costs, values);
    values["refine"] = true;
    const PlanRun refined = runAndEvaluate(schedulePlanner(), costs, values);
    RC_ASSERT(plain.ok() == refined.ok());
    if (!plain.ok()) return;
    RC_ASSERT(refined.evaluation->valid());
    RC_ASSERT(fits(refined));
    RC_ASSERT(refined.iterationTimeS() <= plain.iterationTimeS() * (1 + 1e-9));
    RC_ASSERT(std::abs(*refined.result.predictedS - refined.iterationTimeS()) <=
              1e-9 * refined.iterationTimeS());
    RC_CLASSIFY(refined.iterationTimeS() < plain.iterationTimeS() * (1 - 1e-9), "shorter");
    for (const Plan& moved : shiftedByOne(refined.result.plan)) {
        const PlanRun run = evaluatePlan(costs, moved);
        if (run.ok() && fits(run)) RC_ASSERT(run.iterationTimeS() >= refined.iterationTimeS() * (1 - 2e-9));
    }
}

/// Layers of 1, 1, 1 and 5 on two equal devices; and the long half of two on the slower device. By hand.
TEST(ScheduleSearch, RefiningMovesLayersAndExchangesDevices) {
    Problem problem;
    for (const double seconds : {1.0, 1.0, 1.0, 5.0})
        problem.profile.layers.push_back({"layer", seconds, 2 * seconds, 1, 1, 1, 1});
    problem.cluster.devices = {{"a", "s", "", 1e12, 1, 1e10}, {"b", "s", "", 1e12, 1, 1e10}};
    problem.cluster.links = {{"a", "b", 1e12, 0, ""}};
    problem.setup.microbatches = 8;
    ParameterValues values = equalTimes();
    values["partition"] = std::string("equal-layers");
    values["family"] = std::string("1f1b");
    values["refine"] = true;
    const auto refined = [&] {
        return runAndEvaluate(schedulePlanner(), std::make_shared<const CostModel>(problem), values);
    };
    const PlanRun run = refined();
    ASSERT_TRUE(run.ok());
    EXPECT_EQ(run.result.plan.stages[0].lastLayer, 2);
    EXPECT_NE(run.result.notes.back().find("1 layer moved"), std::string::npos) << run.result.notes.back();
    problem.profile.layers = {problem.profile.layers[0], problem.profile.layers[3]};
    problem.cluster.devices[1].speed = 0.5;
    const PlanRun exchanged = refined();
    ASSERT_TRUE(exchanged.ok());
    EXPECT_EQ(exchanged.result.plan.stages[0].devices, std::vector<int>{1});
    EXPECT_EQ(exchanged.result.plan.stages[1].devices, std::vector<int>{0});
    EXPECT_NE(exchanged.result.notes.back().find("1 pair of devices exchanged"), std::string::npos);
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

STAGECRAFT_SLOW_PROPERTY(ScheduleSearch, IsTheShortestOverTheSizesOfMicrobatchesToo, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Problem problem = random_problem::problem(random, 4 + random_problem::upTo(random, 4), 3);
    problem.setup.mode = TrainingMode::synchronous;
    problem.setup.microbatches = 2 + random_problem::upTo(random, 4);
    problem.setup.memoryLimitBytes = 200 + random_problem::upTo(random, 3000);
    problem.profile = measuredAtSizes(problem.profile, {2, 8}, 0.1 * random_problem::upTo(random, 6));
    const auto costs = std::make_shared<const CostModel>(problem);
    ParameterValues values = equalTimes();
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

TEST(ScheduleSearch, SmallMicrobatchesAreTriedWhereTheProfileWasMeasuredAtThem) {
    std::mt19937 random(5);
    Problem problem = random_problem::problem(random, 6, 3);
    problem.setup.mode = TrainingMode::synchronous;
    problem.setup.microbatches = 2;
    problem.setup.memoryLimitBytes = 1e9;
    problem.profile = measuredAtSizes(problem.profile, {}, 0);
    ParameterValues values = equalTimes();
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

STAGECRAFT_SLOW_PROPERTY(ScheduleSearch, IsNeverLongerThanOnAnyOneOfItsPartitions, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Problem problem = random_problem::problem(random, 4 + random_problem::upTo(random, 4), 2);
    problem.setup.mode = TrainingMode::synchronous;
    problem.setup.memoryLimitBytes = 200 + random_problem::upTo(random, 3000);
    const auto costs = std::make_shared<const CostModel>(problem);
    ParameterValues values = defaultValues(schedulePlanner().description().parameters);
    values["max_chunks"] = 2;
    const PlanRun all = runAndEvaluate(schedulePlanner(), costs, values);
    double shortest = infinity;
    for (const char* one : {"equal-time", "equal-layers", "spp", "gpipe", "pipedream"}) {
        values["partition"] = std::string(one);
        const PlanRun run = runAndEvaluate(schedulePlanner(), costs, values);
        if (run.ok()) shortest = std::min(shortest, run.iterationTimeS());
    }
    RC_ASSERT(all.ok() == (shortest < infinity));
    if (!all.ok()) return;
    RC_ASSERT(std::abs(all.iterationTimeS() - shortest) <= 1e-9 * shortest);
    // What was tried is told, the best first, and each row's plan can be made again.
    const std::vector<TriedSchedule>& tried = all.result.tried;
    RC_ASSERT(tried.front().chosen);
    for (const TriedSchedule& row : tried) {
        if (!row.leftOut.empty()) continue;
        const PlanRun again = evaluatePlan(costs, planOfTried(*costs, row));
        RC_ASSERT(again.ok());
        RC_ASSERT(std::abs(again.measured().perIteration(again.evaluation->metrics.iterationTimeS) -
                           row.iterationTimeS) <= 1e-9 * row.iterationTimeS);
        RC_ASSERT(fits(again) == (row.lackingBytes <= 0));
        if (row.lackingBytes <= 0) RC_ASSERT(row.iterationTimeS >= tried.front().iterationTimeS * (1 - 1e-9));
    }
}

TEST(ScheduleSearch, LeavesOutSlicesOfSequencesThatAreNotKnownToBeCausal) {
    std::mt19937 random(7);
    Problem problem = random_problem::problem(random, 8, 3);
    problem.setup.mode = TrainingMode::synchronous;
    problem.profile.name = "Net";
    const auto outcome = [&](std::optional<bool> causal, const std::string& family,
                             const std::string& without = "") {
        problem.profile.causalSequence = causal;
        ParameterValues values = equalTimes();
        values["family"] = family;
        values["leave_out"] = without;
        return runAndEvaluate(schedulePlanner(), std::make_shared<const CostModel>(problem), values);
    };
    const auto tries = [](const PlanRun& run, const std::string& family) {
        return std::any_of(run.result.tried.begin(), run.result.tried.end(),
                           [&](const TriedSchedule& tried) { return tried.family == family; });
    };
    const auto notes = [](const PlanRun& run) {
        std::string all;
        for (const std::string& note : run.result.notes) all += note + "\n";
        return all;
    };
    for (const std::optional<bool> causal : {std::optional<bool>(), std::optional(false)}) {
        const PlanRun all = outcome(causal, "all");
        EXPECT_FALSE(tries(all, "seq1f1b"));
        EXPECT_NE(notes(all).find("Left out: Seq1F1B needs causal sequences"), std::string::npos)
            << notes(all);
    }
    EXPECT_TRUE(tries(outcome(true, "all"), "seq1f1b"));
    EXPECT_FALSE(tries(outcome(true, "all", "seq1f1b, gpipe"), "seq1f1b"));
    EXPECT_FALSE(tries(outcome(true, "all", "seq1f1b, gpipe"), "gpipe"));
    EXPECT_NE(outcome(true, "all", "gpip").result.reason.find("gpipe"), std::string::npos)
        << "a spelling hint";
    // Asked for by name: refused where it is known not to work, else a note.
    const PlanRun refused = outcome(false, "seq1f1b");
    EXPECT_EQ(refused.result.status, PlanStatus::infeasible);
    EXPECT_NE(refused.result.reason.find("Net has none"), std::string::npos) << refused.result.reason;
    const PlanRun asked = outcome(std::nullopt, "seq1f1b");
    ASSERT_TRUE(asked.ok()) << asked.result.reason;
    EXPECT_NE(notes(asked).find("does not say"), std::string::npos);
    EXPECT_EQ(asked.title(), "Schedule search: Seq1F1B");
    ASSERT_EQ(cautionsOn(asked).size(), 1u);
    EXPECT_TRUE(cautionsOn(outcome(true, "seq1f1b")).empty());
}

TEST(ScheduleSearch, OfThoseThatTakeAsLongTheLeanestIsChosenAndThenTheFirst) {
    std::mt19937 random(7);
    Problem problem = random_problem::problem(random, 8, 1);
    problem.setup.mode = TrainingMode::synchronous;
    problem.setup.microbatches = 4;
    problem.cluster.devices[0].memoryBytes = 1e9;
    ParameterValues values = defaultValues(schedulePlanner().description().parameters);
    const PlanRun run = runAndEvaluate(schedulePlanner(), std::make_shared<const CostModel>(problem), values);
    ASSERT_TRUE(run.ok()) << run.result.reason;
    const TriedSchedule& chosen = run.result.tried.front();
    EXPECT_EQ(chosen.chunks, 1);
    EXPECT_EQ(run.result.plan.stageCount(), 1) << "on one device nothing is gained by cutting";
    EXPECT_EQ(chosen.family, "1f1b") << "GPipe takes as long and holds all microbatches";
    int asLong = 0;
    for (const TriedSchedule& row : run.result.tried) {
        if (!row.leftOut.empty() || row.iterationTimeS > chosen.iterationTimeS * (1 + 1e-9)) continue;
        ++asLong;
        EXPECT_GE(row.peakBytes, chosen.peakBytes * (1 - 1e-9));
    }
    EXPECT_GT(asLong, 3);
}

TEST(ScheduleSearch, SaysHowManyItDidNotTryWithinItsEffort) {
    std::mt19937 random(7);
    Problem problem = random_problem::problem(random, 8, 3);
    problem.setup.mode = TrainingMode::synchronous;
    problem.setup.microbatches = 100000;
    for (Device& device : problem.cluster.devices) device.memoryBytes = 1e9;
    ParameterValues values = equalTimes();
    values["family"] = std::string("all");
    values["effort"] = 1;
    const PlanRun run = runAndEvaluate(schedulePlanner(), std::make_shared<const CostModel>(problem), values);
    ASSERT_TRUE(run.ok()) << run.result.reason;
    const auto left =
        std::find_if(run.result.notes.begin(), run.result.notes.end(),
                     [](const std::string& note) { return note.starts_with("Not simulated: "); });
    ASSERT_NE(left, run.result.notes.end());
}

TEST(ScheduleSearch, StopsWhenItIsAsked) {
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
