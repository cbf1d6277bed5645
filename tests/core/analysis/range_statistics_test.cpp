#include "core/analysis/evaluation.h"
#include "tests/support/every_room.h"
#include "core/analysis/range_statistics.h"
#include "tests/core/support/random_problem.h"

#include <gtest/gtest.h>

using namespace stagecraft;

namespace {

constexpr int rangeCases = 200;

struct RangeCase {
    CostModel costs;
    Plan plan;
    Timeline timeline;
    std::vector<MemoryCurve> memory;
    double endS;

    explicit RangeCase(int seed) : RangeCase(seed, std::mt19937(static_cast<unsigned>(seed))) {}
    RangeStatistics range(double fromS, double toS) const {
        return rangeStatistics(BlockBytes(costs, plan, stageEdges(costs, plan)), timeline, memory, fromS,
                               toS);
    }

private:
    RangeCase(int seed, std::mt19937 random)
        : costs(random_problem::problem(random, 3 + seed % 5, 2 + seed % 4)),
          plan(random_problem::plan(random, costs.problem())),
          timeline(simulate(costs, plan)),
          memory(memoryCurves(costs, plan, stageEdges(costs, plan), timeline)),
          endS(timeline.lastEndS()) {}
};

bool overlaps(const Timeline& timeline, std::uint32_t block, double fromS, double toS) {
    if (timeline.durationS(block) <= 0)
        return timeline.startS[block] >= fromS &&
               (timeline.startS[block] < toS || toS >= timeline.lastEndS());
    return timeline.endS[block] > fromS && timeline.startS[block] < toS;
}

}  // namespace

TEST(RangeStatistics, AreWhatALookAtEachBlockGives) {
    for (int seed = 0; seed < rangeCases; ++seed) {
        const RangeCase given(seed);
        const double fromS = given.endS * (seed % 7) / 9, toS = fromS + given.endS * (1 + seed % 3) / 5;
        const RangeStatistics range = given.range(fromS, toS);
        std::array<double, blockKindCount> seconds{};
        std::uint32_t blocks = 0;
        for (std::uint32_t block = 0; block < given.timeline.blockCount(); ++block) {
            if (!overlaps(given.timeline, block, fromS, toS)) continue;
            ++blocks;
            seconds[static_cast<std::size_t>(given.timeline.kind[block])] +=
                std::min(toS, given.timeline.endS[block]) - std::max(fromS, given.timeline.startS[block]);
        }
        EXPECT_EQ(range.blocks, blocks) << "seed " << seed;
        EXPECT_EQ(blocksInRange(given.timeline, fromS, toS), blocks);
        for (std::size_t kind = 0; kind < seconds.size(); ++kind)
            EXPECT_NEAR(range.kinds[kind].seconds, seconds[kind], 1e-9 * given.endS) << "seed " << seed;
        for (const DeviceRange& device : range.devices) {
            const int lane = given.timeline.computeLaneOf(device.device);
            double busyS = 0;
            for (std::uint32_t block = given.timeline.lanes[static_cast<std::size_t>(lane)].firstBlock;
                 block < given.timeline.lanes[static_cast<std::size_t>(lane)].endBlock; ++block)
                if (overlaps(given.timeline, block, fromS, toS))
                    busyS += std::min(toS, given.timeline.endS[block]) -
                             std::max(fromS, given.timeline.startS[block]);
            EXPECT_NEAR(device.busyS, busyS, 1e-9 * given.endS);
            EXPECT_NEAR(device.busyS + device.idleS, toS - fromS, 1e-9 * given.endS);
        }
    }
}

TEST(RangeStatistics, OfTwoRangesThatMeetAddUpToThoseOfTheWhole) {
    for (int seed = 0; seed < rangeCases; ++seed) {
        const RangeCase given(seed);
        const double cutS = given.endS * (1 + seed % 11) / 12.5;
        const RangeStatistics left = given.range(0, cutS), right = given.range(cutS, given.endS),
                              all = given.range(0, given.endS);
        for (std::size_t kind = 0; kind < all.kinds.size(); ++kind) {
            EXPECT_NEAR(left.kinds[kind].seconds + right.kinds[kind].seconds, all.kinds[kind].seconds,
                        1e-9 * given.endS);
            EXPECT_NEAR(left.kinds[kind].bytes + right.kinds[kind].bytes, all.kinds[kind].bytes,
                        1e-9 * (1 + all.kinds[kind].bytes));
        }
        for (std::size_t i = 0; i < all.devices.size(); ++i) {
            EXPECT_NEAR(left.devices[i].bytes + right.devices[i].bytes, all.devices[i].bytes,
                        1e-9 * (1 + all.devices[i].bytes));
            const double sum = left.devices[i].meanMemoryBytes * left.lengthS() +
                               right.devices[i].meanMemoryBytes * right.lengthS();
            EXPECT_NEAR(sum, all.devices[i].meanMemoryBytes * all.lengthS(), 1e-9 * (1 + std::abs(sum)));
            EXPECT_EQ(std::max(left.devices[i].mostMemoryBytes, right.devices[i].mostMemoryBytes),
                      all.devices[i].mostMemoryBytes);
        }
    }
}

TEST(RangeStatistics, EveryByteThatCrossesIsSentByOneSideAndReceivedByTheOther) {
    for (int seed = 0; seed < rangeCases; ++seed) {
        const RangeCase given(seed);
        const RangeStatistics all = given.range(0, given.endS + 1);
        double crossing = 0, perDevice = 0, expected = 0;
        for (const BlockKind kind : {BlockKind::transferForward, BlockKind::transferBackward})
            crossing += all.kinds[static_cast<std::size_t>(kind)].bytes;
        for (const DeviceRange& device : all.devices)
            for (const BlockKind kind : {BlockKind::transferForward, BlockKind::transferBackward})
                perDevice += device.kinds[static_cast<std::size_t>(kind)].bytes;
        for (const StageEdge& edge : given.costs.stageEdges(given.plan))
            if (edge.needsTransfer)
                expected +=
                    given.costs.problem().setup.microbatches * (edge.forwardBytes + edge.backwardBytes);
        EXPECT_NEAR(crossing, expected, 1e-9 * (1 + expected)) << "seed " << seed;
        EXPECT_NEAR(perDevice, 2 * crossing, 1e-9 * (1 + crossing)) << "seed " << seed;
    }
}

TEST(RangeStatistics, MemoryIsThatOfTheStepsWithin) {
    MemorySteps steps;
    steps.timeS = {0, 2, 3, 7};
    for (auto& series : steps.bytes) series.assign(4, 0);
    steps.bytes[0] = {10, 10, 10, 10};
    steps.bytes[4] = {0, 5, 30, 1};
    const MemoryCurve curve{0, 0, std::make_shared<const MemorySteps>(std::move(steps))};
    Problem problem;
    problem.profile.layers.push_back({"l", 1, 2, 8, 0, 0, 16, 1});
    problem.cluster.devices.push_back({"g,0", "s", "", 1e9, 1, 32});
    problem.setup.microbatches = 3;
    Plan plan;
    plan.stages = {{0, 0, {0}}};
    plan.schedule.order = FamilySchedule{"1f1b", {}};
    const CostModel costs(problem);
    const Timeline timeline = simulate(costs, plan);
    const RangeStatistics range =
        rangeStatistics(BlockBytes(costs, plan, stageEdges(costs, plan)), timeline, {curve}, 1, 5);
    EXPECT_DOUBLE_EQ(range.devices.at(0).meanMemoryBytes, (10.0 + 15 + 2 * 40) / 4);
    EXPECT_EQ(range.devices.at(0).mostMemoryBytes, 40);
    EXPECT_EQ(range.devices.at(0).mostMemoryAtS, 3);
    EXPECT_EQ(range.devices.at(0).busyShare(), 1);
    EXPECT_EQ(
        rangeCsv(range, problem.cluster),
        "device,from_s,to_s,busy_share,busy_s,idle_s,forward_s,backward_s,blocks,bytes,mean_memory_bytes,"
        "most_memory_bytes,most_memory_at_s\n"
        "\"g,0\",1,5,1,4,0,1,3,3,0,26.25,40,3\n"
        "all,1,5,1,4,0,1,3,3,0,26.25,40,3\n");
}
