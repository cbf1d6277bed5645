// What the catalogue of metrics promises to the tables, reports and experiments that are made of it.
#include "core/planners/planned_run.h"
#include "core/runs/reference_plan.h"

#include "tests/core/support/golden_cases.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace stagecraft {
namespace {

Problem fourLayersOnTwoGpus() {
    Problem problem;
    problem.profile.layers.assign(4, Layer{"l", 1, 2, 8, 4, 4, 4, 1});
    problem.cluster = testing::meshCluster({{0, 2}, {2, 0}});
    problem.setup.microbatches = 4;
    return problem;
}

std::shared_ptr<PlanRun> runOf(const char* planner) {
    return std::make_shared<PlanRun>(
        runAndEvaluate(*findPlanner(planner), std::make_shared<const CostModel>(fourLayersOnTwoGpus()), {}));
}

TEST(MetricCatalogue, HasEachIdFieldAndHeadingOnceAndATitleForAll) {
    std::set<std::string_view> ids, fields, compared, printed;
    for (const Metric& metric : metricCatalogue()) {
        EXPECT_TRUE(ids.insert(metric.id).second) << metric.id;
        EXPECT_FALSE(metric.title.empty() || metric.meaning.empty()) << metric.id;
        EXPECT_TRUE(!metric.field || fields.insert(metric.field).second) << metric.id;
        EXPECT_TRUE(!metric.compared.heading || compared.insert(metric.compared.heading).second) << metric.id;
        EXPECT_TRUE(!metric.printed.heading || printed.insert(metric.printed.heading).second) << metric.id;
    }
    EXPECT_EQ(metricCatalogue().front().id, "iteration_time_s");
    EXPECT_THROW(catalogueMetric("iteration_time"), std::out_of_range);
}

TEST(MetricCatalogue, AValueThatIsMissingSaysWhy) {
    const auto run = runOf("gpipe");
    ASSERT_TRUE(run->ok());
    PlanRun planless;
    planless.costs = run->costs;
    planless.result.status = PlanStatus::infeasible;
    planless.result.reason = "stage 1 needs 18.0 GiB of 16.0 GiB";
    std::size_t missing = 0;
    for (const Metric& metric : metricCatalogue()) {
        EXPECT_FALSE(metric.of(planless.measured())) << metric.id;
        EXPECT_FALSE(whyMissing(metric, planless).empty()) << metric.id;
        if (metric.of(run->measured())) continue;
        ++missing;
        EXPECT_FALSE(whyMissing(metric, *run).empty()) << metric.id;
    }
    EXPECT_GT(missing, 0u);  // GPipe predicts nothing, and it is compared with nothing
    EXPECT_EQ(whyMissing(catalogueMetric("stages"), planless),
              "No plan (stage 1 needs 18.0 GiB of 16.0 GiB).");
    EXPECT_EQ(catalogueMetric("stages").text({}, std::nullopt, run->measured()), "–");
}

/// By hand; and nothing of it where the profile, or the setup, does not say what it takes.
TEST(MetricCatalogue, KnowsWhatOfThePeakIsReachedAndWhatABillionTokensCost) {
    const char* const ids[] = {"mfu",
                               "flops_per_device",
                               "tokens_per_s",
                               "tokens_per_s_per_device",
                               "dollars_per_billion_tokens",
                               "kwh_per_billion_tokens"};
    Problem problem = fourLayersOnTwoGpus();
    const Plan plan = runOf("gpipe")->result.plan;
    const auto measured = [&plan](const Problem& of) {
        return evaluatePlan(std::make_shared<const CostModel>(of), plan);
    };
    const PlanRun plain = measured(problem);
    for (const char* id : ids) EXPECT_FALSE(catalogueMetric(id).of(plain.measured())) << id;
    for (Layer& layer : problem.profile.layers) layer.flops = 10;
    problem.profile.peakFlops = 100;
    problem.profile.divisible.tokens = 50;
    problem.setup.gpuPricePerHour = 36;
    problem.setup.gpuPowerW = 3600;
    const PlanRun run = measured(problem);
    const double iterationS = run.evaluation->metrics.iterationTimeS;
    const double flops = 3 * 4 * 10 * 4, tokens = 4 * 50;  // of four layers and four microbatches
    const double expected[] = {flops / (iterationS * 2 * 100),
                               flops / (iterationS * 2),
                               tokens / iterationS,
                               tokens / iterationS / 2,
                               2 * iterationS / 3600 * 36 / tokens * 1e9,
                               2 * iterationS * 3600 / 3.6e6 / tokens * 1e9};
    for (std::size_t i = 0; i < std::size(ids); ++i) {
        const auto value = catalogueMetric(ids[i]).of(run.measured());
        ASSERT_TRUE(value) << ids[i];
        EXPECT_NEAR(*value, expected[i], 1e-12 * expected[i]) << ids[i];
    }
}

/// A device at its own price, the other at the setup's; none where that is not known.
TEST(MetricCatalogue, CountsEachDeviceAtItsOwnPrice) {
    Problem problem = fourLayersOnTwoGpus();
    problem.profile.divisible.tokens = 50;
    problem.cluster.devices[1].pricePerHour = 7;
    const Plan plan = runOf("gpipe")->result.plan;
    const Metric& dollars = catalogueMetric("dollars_per_billion_tokens");
    const auto run = [&] { return evaluatePlan(std::make_shared<const CostModel>(problem), plan); };
    EXPECT_FALSE(dollars.of(run().measured()));
    problem.setup.gpuPricePerHour = 36;
    const PlanRun priced = run();
    const double expected = priced.evaluation->metrics.iterationTimeS / 3600 * (36 + 7) / (4 * 50) * 1e9;
    ASSERT_TRUE(dollars.of(priced.measured()));
    EXPECT_NEAR(*dollars.of(priced.measured()), expected, 1e-12 * expected);
}

TEST(MetricCatalogue, MeasuresAgainstAReferenceWhereThereIsOne) {
    const auto gpipe = runOf("gpipe"), spp = runOf("spp");
    ASSERT_TRUE(gpipe->ok() && spp->ok());
    const MeasuredPlan reference = gpipe->measured();
    MeasuredPlan plan = spp->measured();
    const Metric &speedUp = catalogueMetric("speedup_over_reference"),
                 &against = catalogueMetric("time_against_reference");
    EXPECT_FALSE(speedUp.of(plan));
    plan.reference = &reference;
    EXPECT_DOUBLE_EQ(*speedUp.of(plan), gpipe->iterationTimeS() / spp->iterationTimeS());
    EXPECT_DOUBLE_EQ(*against.of(plan), spp->iterationTimeS() / gpipe->iterationTimeS() - 1);
    EXPECT_FALSE(plan.isReference());
    MeasuredPlan itself = gpipe->measured();
    itself.reference = &reference;
    EXPECT_EQ(against.text(against.compared, against.of(itself), itself), "reference");
    EXPECT_EQ(against.compared.title("GPipe"), "vs GPipe");
    EXPECT_EQ(speedUp.compared.title("GPipe"), "Speed-up");
    EXPECT_EQ(speedUp.compared.title(""), "Speed-up");
}

TEST(ReferencePlan, IsAPersonsChoiceElseTheSlowestThatFitsWhoeverPlannedIt) {
    PlanRuns runs = {runOf("spp"), runOf("gpipe"), runOf("data-parallel")};
    for (const auto& run : runs) ASSERT_TRUE(run->ok());
    const auto slowestOf = [&runs] {
        std::size_t slowest = 0;
        for (std::size_t i = 1; i < runs.size(); ++i)
            if (runs[i]->iterationTimeS() > runs[slowest]->iterationTimeS()) slowest = i;
        return static_cast<int>(slowest);
    };
    const int slowest = slowestOf();
    EXPECT_EQ(referencePlan(runs), slowest);
    for (int chosen = 0; chosen < 3; ++chosen) EXPECT_EQ(referencePlan(runs, chosen), chosen);
    EXPECT_EQ(referencePlan(runs, 7), slowest);
    // A name decides nothing.
    auto renamed = std::make_shared<PlanRun>(*runs[static_cast<std::size_t>(slowest)]);
    renamed->result.plan.planner = "spp";
    runs[static_cast<std::size_t>(slowest)] = renamed;
    EXPECT_EQ(referencePlan(runs), slowest);
    // A plan of another problem is one only if it is chosen.
    renamed->age = PlanAge::outOfDate;
    EXPECT_NE(referencePlan(runs), slowest);
    EXPECT_EQ(referencePlan(runs, slowest), slowest);
    EXPECT_EQ(referencePlan({}), -1);
}

TEST(ReferencePlan, DiffersInWordsFromAllButItselfAndWhatIsOutOfDate) {
    const auto gpipe = runOf("gpipe"), spp = runOf("spp");
    EXPECT_NE(differenceInWords(*spp, *gpipe).find("GPipe"), std::string::npos);
    EXPECT_EQ(differenceInWords(*gpipe, *gpipe), "");
    spp->age = PlanAge::outOfDate;
    EXPECT_EQ(differenceInWords(*spp, *gpipe), "");
}

}  // namespace
}  // namespace stagecraft
