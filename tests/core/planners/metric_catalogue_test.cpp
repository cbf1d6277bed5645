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
