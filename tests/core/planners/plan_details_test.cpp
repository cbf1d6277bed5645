#include "core/formats/files/project_file.h"
#include "core/planners/details/plan_details.h"
#include "core/planners/planned_run.h"
#include "tests/core/planners/random_problems.h"
#include "tests/core/planners/runs.h"
#include "tests/core/support/pe_queues.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace stagecraft {
namespace {

using testing::randomProblem;
using testing::runWithDefaults;

DetailTable detailOf(const PlanRun& run, const char* id, std::size_t most = usualDetailRows) {
    const PlanDetail* detail = planDetailNamed(id);
    EXPECT_TRUE(detail && detail->applies(run)) << id;
    return detail->make(run, most, {});
}

std::size_t columnOf(const DetailTable& table, const std::string& id) {
    const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                    [&](const DetailColumn& column) { return column.id == id; });
    EXPECT_NE(found, table.columns.end()) << id;
    return static_cast<std::size_t>(found - table.columns.begin());
}

/// A row's cells by the ids of their columns.
struct Row {
    const DetailTable& table;
    const std::vector<DetailCell>& cells;
    double number(const char* id) const { return std::get<double>(cells[columnOf(table, id)]); }
    int whole(const char* id) const { return static_cast<int>(number(id)); }
    std::string text(const char* id) const { return std::get<std::string>(cells[columnOf(table, id)]); }
};
std::vector<Row> rowsOf(const DetailTable& table) {
    std::vector<Row> rows;
    for (const std::vector<DetailCell>& cells : table.rows) rows.push_back({table, cells});
    return rows;
}

bool same(double a, double b) { return std::fabs(a - b) <= 1e-9 * (std::fabs(a) + std::fabs(b)); }

TEST(PlanDetails, SppsValuesContainThePlanAndEachIsReachedFromAnother) {
    EXPECT_TRUE(rc::check([] {
        const PlanRun run = runWithDefaults("spp", randomProblem({.latencies = true, .speeds = true}));
        RC_ASSERT(run.ok());
        const DetailTable table = detailOf(run, "spp-w");
        std::map<std::vector<int>, double> values;
        int inPlan = 0;
        double last = 0;
        for (const Row& row : rowsOf(table)) {
            const std::vector<int> state{row.whole("xi"), row.whole("i"), row.whole("r"), row.whole("l")};
            RC_ASSERT(values.emplace(state, row.number("w_s")).second);
            if (row.whole("xi") > 1) {
                const std::vector<int> before{row.whole("xi") - 1, row.whole("i") - row.whole("r"),
                                              row.whole("before_r"), row.whole("before_l")};
                RC_ASSERT(values.contains(before));
                RC_ASSERT(same(values[before], row.number("before_w_s")));
                RC_ASSERT(row.number("w_s") >= row.number("transfer_and_before_s") * (1 - 1e-9));
            }
            if (row.text("in_plan") != "yes") continue;
            ++inPlan;
            last = row.number("w_s");
        }
        RC_ASSERT(inPlan == run.result.plan.stageCount());
        RC_ASSERT(same(last, *run.result.predictedS));
        RC_ASSERT(!table.cut);
    }));
}

TEST(PlanDetails, PesPassesGiveTheOrdersThatItsQueuesDo) {
    for (const int stages : {1, 2, 3, 4})
        for (const int microbatches : {1, 3, 9}) {
            Problem problem;
            for (int layer = 0; layer < stages; ++layer) {
                problem.profile.layers.push_back({"l" + std::to_string(layer), 1, 2, 1, 1, 1, 10, 1});
                problem.cluster.devices.push_back({"g" + std::to_string(layer), "s0", "", 1e9, 1, 5});
                for (int other = 0; other < layer; ++other)
                    problem.cluster.links.push_back(
                        {"g" + std::to_string(other), "g" + std::to_string(layer), 100, 0, ""});
            }
            problem.setup.microbatches = microbatches;
            Plan plan;
            for (int stage = 0; stage < stages; ++stage) plan.stages.push_back({stage, stage, {stage}});
            plan.schedule.order = FamilySchedule{"pe", {}};
            const PlanRun run = evaluatePlan(std::make_shared<const CostModel>(problem), plan);
            ASSERT_TRUE(run.ok());
            std::vector<std::vector<StageOp>> orders(static_cast<std::size_t>(stages));
            const DetailTable table = detailOf(run, "pe-passes");
            for (const Row& row : rowsOf(table)) {
                auto& order = orders[static_cast<std::size_t>(row.whole("stage"))];
                const std::string task = row.text("task");
                if (task.starts_with("transfer")) continue;
                if (task.starts_with("forward"))
                    order.push_back({TaskKind::forward, row.whole("microbatch")});
                if (task.ends_with("backward"))
                    order.push_back({TaskKind::backward, row.whole("microbatch")});
            }
            const auto expected = stagecraft::testing::peOrderByQueues(stages, microbatches);
            for (std::size_t s = 0; s < orders.size(); ++s) {
                ASSERT_EQ(orders[s].size(), expected[s].size());
                for (std::size_t i = 0; i < orders[s].size(); ++i) {
                    EXPECT_EQ(orders[s][i].kind, expected[s][i].kind) << s << " " << i;
                    EXPECT_EQ(orders[s][i].microbatch, expected[s][i].microbatch) << s << " " << i;
                }
            }
        }
}

TEST(PlanDetails, PipeDreamsValuesEndWithWhatItPredictsAndEachIsTheSlowestOfItsParts) {
    EXPECT_TRUE(rc::check([] {
        Problem problem = randomProblem({.speeds = true});
        const PlanRun run = runWithDefaults("pipedream", problem);
        RC_PRE(run.ok());
        const DetailTable table = detailOf(run, "pipedream-a");
        double whole = 0;
        for (const Row& row : rowsOf(table)) {
            if (row.text("reached") == "a split")
                RC_ASSERT(same(row.number("a_s"), std::max({row.number("before_s"), row.number("transfer_s"),
                                                            row.number("last_stage_s")})));
            else
                RC_ASSERT(same(row.number("a_s"), row.number("last_stage_s")));
            if (row.whole("i") == 0 && row.whole("j") == problem.profile.layerCount() - 1 &&
                row.whole("m") == problem.cluster.deviceCount())
                whole = row.number("a_s");
        }
        RC_ASSERT(same(whole * run.costs->problem().setup.microbatches, *run.result.predictedS));
    }));
}

/// Of `variant=released`, with and without transfers that cost.
TEST(PlanDetails, ReleasedPipeDreamsValuesEndWithWhatItPredictsAndEachIsTheSlowestOfItsParts) {
    int splits = 0;
    EXPECT_TRUE(rc::check([&] {
        const Problem problem = randomProblem({.speeds = true});
        const Planner& planner = *findPlanner("pipedream");
        ParameterValues values = defaultValues(planner.description().parameters);
        values["variant"] = std::string("released");
        values["transfers"] = std::string(*rc::gen::arbitrary<bool>() ? "free" : "paid");
        const PlanRun run = runAndEvaluate(planner, std::make_shared<const CostModel>(problem), values);
        RC_PRE(run.ok());
        const DetailTable table = detailOf(run, "pipedream-a");
        double whole = 0;
        for (const Row& row : rowsOf(table)) {
            if (row.text("reached") == "a split") {
                ++splits;
                RC_ASSERT(same(row.number("a_s"), std::max({row.number("before_s"), row.number("transfer_s"),
                                                            row.number("last_stage_s")})));
            } else {
                RC_ASSERT(same(row.number("a_s"), row.number("last_stage_s")));
            }
            // The last is of the whole network on everything.
            whole = row.number("a_s");
        }
        RC_ASSERT(same(whole * run.costs->problem().setup.microbatches, *run.result.predictedS));
    }));
    EXPECT_GT(splits, 100);
}

/// The sample of MadPipe's Fig. 6, with less memory than it has.
PlanRun madPipeRun() {
    Problem problem = openProject(std::filesystem::path(STAGECRAFT_SOURCE_DIR) / "samples" /
                                  "madpipe-resnet-50.stagecraft.json")
                          .problem;
    problem.setup.memoryLimitBytes = 8e9;
    const Planner& planner = *findPlanner("madpipe");
    ParameterValues values = defaultValues(planner.description().parameters);
    values["solver"] = std::string("own");
    values["time_limit_s"] = 2.0;
    return runAndEvaluate(planner, std::make_shared<const CostModel>(problem), values);
}

TEST(PlanDetails, MadPipesPeriodsAndStatesAreThoseOfItsFirstPhase) {
    const PlanRun run = madPipeRun();
    ASSERT_TRUE(run.ok()) << run.result.reason;
    const DetailTable periods = detailOf(run, "madpipe-periods");
    EXPECT_EQ(periods.rows.size(), 10u);
    double least = 1e300;
    std::string returned;
    for (const Row& row : rowsOf(periods)) {
        EXPECT_EQ(row.number("reached_s"), std::max(row.number("target_s"), row.number("period_s")));
        least = std::min(least, row.number("reached_s"));
        if (row.text("returned") == "yes") returned = row.text("stages");
    }
    EXPECT_TRUE(same(least * run.costs->problem().setup.microbatches, *run.result.predictedS) ||
                same(least, *run.result.predictedS));
    ASSERT_FALSE(returned.empty());
    const DetailTable states = detailOf(run, "madpipe-states");
    // From the last layer down: each state of the allocation places the stage before.
    std::string path;
    for (const Row& row : rowsOf(states))
        if (row.text("in_allocation") == "yes" && !row.text("placed").empty())
            path = row.text("placed") + (row.text("on") == "the special device" ? "*" : "") +
                   (path.empty() ? "" : " ") + path;
    EXPECT_FALSE(path.empty());
    EXPECT_TRUE(returned.ends_with(path)) << returned << " / " << path;
    const DetailTable special = detailOf(run, "madpipe-special");
    EXPECT_EQ(special.rows.size(), run.result.plan.stages.size());
    for (const Row& row : rowsOf(special))
        EXPECT_EQ(row.number("charged_bytes") < row.number("alone_bytes"), row.text("special") == "yes");
}

TEST(PlanDetails, VpipesNodesHoldEachLayerOnceAndItsMessagesNameEachRoundsStages) {
    Problem problem =
        openProject(std::filesystem::path(STAGECRAFT_SOURCE_DIR) / "samples" / "vpipe-bert.stagecraft.json")
            .problem;
    const PlanRun run = runWithDefaults("vpipe", problem);
    ASSERT_TRUE(run.ok());
    int next = 0;
    const DetailTable nodes = detailOf(run, "vpipe-nodes");
    for (const Row& row : rowsOf(nodes)) {
        EXPECT_EQ(row.whole("first_layer"), next);
        next = row.whole("last_layer") + 1;
    }
    EXPECT_EQ(next, problem.profile.layerCount());
    const DetailTable edges = detailOf(run, "vpipe-edges");
    EXPECT_EQ(edges.rows.size(), problem.profile.dependencies().size());
    for (const Row& row : rowsOf(edges))
        if (row.whole("to_layer") == row.whole("from_layer") + 1) {
            EXPECT_EQ(row.text("kind"), "critical");
        }
    std::set<int> rounds;
    const DetailTable messages = detailOf(run, "vpipe-messages");
    for (const Row& row : rowsOf(messages)) rounds.insert(row.whole("round"));
    EXPECT_EQ(rounds.size(), run.result.rounds.size());
}

TEST(PlanDetails, EveryTableKeepsToItsColumnsAndToTheRowsAskedFor) {
    const Problem asynchronous = madPipeRun().costs->problem();
    std::set<std::string_view> made;
    for (const char* planner : {"spp", "pipedream", "vpipe", "madpipe", "gpipe"}) {
        Problem problem = asynchronous;
        if (std::string(planner) == "gpipe" || std::string(planner) == "spp")
            problem.setup.mode = TrainingMode::synchronous;
        const PlanRun run =
            std::string(planner) == "madpipe" ? madPipeRun() : runWithDefaults(planner, problem);
        if (!run.ok()) continue;
        for (const PlanDetail* detail : detailsOf(run)) {
            made.insert(detail->id);
            const DetailTable table = detail->make(run, 5, {});
            EXPECT_FALSE(table.rows.empty()) << detail->id;
            EXPECT_LE(table.rows.size(), table.cut ? 5u : 1000u) << detail->id;
            for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << detail->id;
            const std::string csv = detailCsv(table);
            EXPECT_EQ(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')),
                      table.rows.size() + 1)
                << detail->id;
        }
    }
    EXPECT_EQ(made.size(), planDetails().size());
}

}  // namespace
}  // namespace stagecraft
