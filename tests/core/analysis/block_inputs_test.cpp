#include "core/analysis/block_input_table.h"
#include "core/analysis/metrics.h"
#include "core/simulation/simulator.h"
#include "tests/core/support/graph_of.h"
#include "tests/core/support/random_problem.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace stagecraft;

namespace {

/// Against the search that answers for one block at a time.
TEST(BlockInputs, AreTheNeighboursOnOtherLanes) {
    constexpr int cases = 60;
    for (int seed = 0; seed < cases; ++seed) {
        std::mt19937 random(static_cast<unsigned>(seed));
        const Problem problem = random_problem::problem(random, 3 + seed % 5, 2 + seed % 4);
        Plan plan = random_problem::plan(random, problem);
        std::erase_if(plan.memory.layers, [](const auto& each) { return each.second == LayerMemory::swap; });
        const CostModel costs(problem);
        const Timeline timeline = simulate(costs, plan, {1 + seed % 2, {}});
        const auto waits = graphOf(costs, plan, timeline);
        const BlockGraph graph(waits, timeline);
        const BlockInputTable inputs(graph);
        for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
            const auto own = inputs.of(block);
            ASSERT_TRUE(std::is_sorted(own.begin(), own.end()));
            for (const std::uint32_t input : own) {
                EXPECT_NE(timeline.laneOf(input), timeline.laneOf(block));
                EXPECT_LE(timeline.endS[input], timeline.startS[block] + 1e-9);
            }
            const std::vector<std::uint32_t> found = neighbours(*waits, timeline, block).predecessors;
            for (const std::uint32_t input : found) {
                // What gathers a whole row follows its last block there, and all of them here.
                if (timeline.laneOf(input) != timeline.laneOf(block) && input != timeline.waitedFor[block]) {
                    EXPECT_TRUE(std::binary_search(own.begin(), own.end(), input))
                        << "seed " << seed << ": " << describeBlock(timeline, block) << " waits for "
                        << describeBlock(timeline, input);
                }
            }
        }
    }
}

}  // namespace
