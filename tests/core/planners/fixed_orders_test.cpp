// The validator states the fixed orders of families in words of its own: what runs two neighbours of a
// device's order the other way round is not the family's.
#include "core/formats/files/project_file.h"
#include "core/runs/chosen_schedule.h"
#include "core/schedules/device_orders.h"
#include "core/schedules/families.h"
#include "core/simulation/execution_graph.h"
#include "core/simulation/simulator.h"
#include "core/validation/validator.h"
#include "tests/core/support/random_problem.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace stagecraft;

namespace {

/// Layers of unequal times, so that no two blocks of a device start at once.
Problem unequal(std::mt19937& random, int layers, int devices, int microbatches) {
    Problem problem = random_problem::problem(random, layers, devices);
    problem.setup.mode = TrainingMode::synchronous;
    problem.setup.microbatches = microbatches;
    return problem;
}

/// A plan's order with entries i and i+1 of a device exchanged, run; nothing if devices then wait for each
/// other.
std::optional<Timeline> exchanged(const CostModel& costs, Plan plan, const ExplicitSchedule& orders,
                                  int device, std::size_t i) {
    ExplicitSchedule other = orders;
    std::vector<Task>& order = other.orders.at(device);
    std::swap(order[i], order[i + 1]);
    plan.schedule = {std::move(other)};
    try {
        return simulate(costs, plan);
    } catch (const SimulationError&) {
        return std::nullopt;
    }
}

struct Exchanges {
    int tried = 0, accepted = 0;
    std::string first;  ///< that was accepted
};

Exchanges exchangesUnder(const char* id, const Problem& problem, const ParameterValues& set) {
    const ScheduleFamily& family = *findScheduleFamily(id);
    ParameterValues values = defaultValues(settingsOf(family));
    for (const auto& [name, value] : set) values[name] = value;
    const CostModel costs(problem);
    const Plan plan = equalLayersUnder(costs, family, values);
    const auto& parameters = std::get<FamilySchedule>(plan.schedule.order).parameters;
    const int microbatches = problem.setup.microbatches;
    EXPECT_TRUE(validate(problem, plan, simulate(costs, plan)).empty()) << id;
    const ExplicitSchedule orders = spelledOut(family, plan.stages, microbatches, parameters);
    Exchanges exchanges;
    for (const auto& [device, order] : orders.orders)
        for (std::size_t i = 0; i + 1 < order.size(); ++i) {
            const std::optional<Timeline> timeline = exchanged(costs, plan, orders, device, i);
            if (!timeline) continue;
            ++exchanges.tried;
            if (!validate(problem, plan, *timeline).empty()) continue;
            ++exchanges.accepted;
            if (exchanges.first.empty())
                exchanges.first = std::string(id) + ", device " + std::to_string(device) + ", entry " +
                                  std::to_string(i) + " of " + std::to_string(order.size());
        }
    return exchanges;
}

}  // namespace

TEST(FixedOrders, TwoExchangedNeighboursAreNotTheFamilys) {
    std::mt19937 random(17);
    int tried = 0;
    for (const char* id : {"interleaved", "breadth-first", "zb-h1", "zb-h2", "zb-v", "chimera", "seq1f1b"})
        for (const int devices : {2, 4})
            for (const int microbatches : {4, 8}) {
                const Problem problem = unequal(random, 8, devices, microbatches);
                const Exchanges exchanges = exchangesUnder(id, problem, {});
                EXPECT_EQ(exchanges.accepted, 0)
                    << exchanges.first << ", " << microbatches << " microbatches";
                tried += exchanges.tried;
            }
    EXPECT_GT(tried, 1000);
}

TEST(FixedOrders, ThatDependOnParametersAreStatedWithThem) {
    std::mt19937 random(18);
    const auto accepted = [&](const char* id, int devices, int microbatches, const ParameterValues& set) {
        const Exchanges exchanges = exchangesUnder(id, unequal(random, 12, devices, microbatches), set);
        return exchanges.tried > 0 ? exchanges.first : "nothing was tried";
    };
    EXPECT_EQ(accepted("interleaved", 4, 10, {}), "");
    EXPECT_EQ(accepted("interleaved", 3, 8, {{"chunks", 3}}), "");
    EXPECT_EQ(accepted("interleaved", 3, 9, {{"group", 5}}), "");
    EXPECT_EQ(accepted("interleaved", 4, 3, {}), "");
    EXPECT_EQ(accepted("zb-h2", 3, 7, {{"warm_up", 3}}), "");
    EXPECT_EQ(accepted("seq1f1b", 3, 4, {{"slices", 2}}), "");
    EXPECT_EQ(accepted("zb-v", 3, 2, {}), "") << "fewer than fill the pipeline";
}

/// Loads begin with the task before them in the order; what is not there yet cannot come back.
TEST(FixedOrders, ALoadBeforeItsEvictionIsRefused) {
    const Project project =
        openProject(STAGECRAFT_SOURCE_DIR "/tests/data/schedules/load-before-evict.stagecraft.json");
    const Plan& wrong = project.plans.front();
    const CostModel costs(project.problem);
    std::string said;
    for (const Violation& violation : validate(project.problem, wrong, simulate(costs, wrong)))
        said += violation.message + "\n";
    EXPECT_NE(said.find("before its eviction; expected it after that"), std::string::npos) << said;
    Plan right = wrong;
    std::vector<Task>& order = std::get<ExplicitSchedule>(right.schedule.order).orders.at(0);
    std::swap(*std::ranges::find(order, TaskKind::load, &Task::kind),
              *std::ranges::find(order, TaskKind::evict, &Task::kind));
    EXPECT_TRUE(validate(project.problem, right, simulate(costs, right)).empty());
}
