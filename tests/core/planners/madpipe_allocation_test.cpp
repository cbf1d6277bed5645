#include "core/base/indices.h"
#include "tests/support/every_room.h"
#include "core/planners/madpipe/allocation.h"
#include "core/planners/madpipe/contiguous.h"
#include "core/planners/madpipe/delay.h"

#include "tests/core/planners/madpipe_chains.h"
#include "tests/core/support/golden_cases.h"
#include "tests/core/support/near.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stagecraft {
namespace {

const MadPipeGrid exactly{.exact = true};

using testing::near;

TEST(MadPipe, TheChainHasTheSlowestSpeedTheWorstLinkAndNoCutThatATensorSkips) {
    Problem problem;
    for (const double seconds : {2.0, 4.0, 6.0, 8.0})
        problem.profile.layers.push_back({"layer", seconds, 2 * seconds, 10, 12, 18, 5, 1});
    problem.profile.edges = {{0, 1}, {1, 2}, {2, 3}, {1, 3}};
    problem.cluster = testing::meshCluster({{0, 6, 3}, {6, 0, 6}, {3, 6, 0}});
    problem.cluster.devices[1].speed = 0.5;
    // Wider than the direct link, and slower to begin with.
    problem.cluster.links[1].latencyS = 0.25;
    problem.setup.optimizer = Optimizer::momentum;
    const MadPipeChain chain = madPipeChain(CostModel(problem));
    EXPECT_EQ(chain.lastLayer, (std::vector<int>{0, 1, 3}));
    EXPECT_EQ(chain.forwardS, (std::vector<double>{4, 8, 28}));
    EXPECT_EQ(chain.backwardS, (std::vector<double>{8, 16, 56}));
    EXPECT_EQ(chain.weightBytes, (std::vector<double>{40, 40, 80}));  // two versions, a gradient, momentum
    EXPECT_EQ(chain.storedBytes, (std::vector<double>{5, 5, 10}));
    EXPECT_EQ(chain.bufferBytes, (std::vector<double>{24, 24, 0}));
    EXPECT_EQ(chain.transferS, (std::vector<double>{30.0 / 3 + 0.5, 30.0 / 3 + 0.5, 0}));
    EXPECT_EQ(chain.memoryBytes(1, 2, 3), 40 + 80 + 3 * 15 + 24);
    EXPECT_EQ(chain.firstLayer(2), 2);
}

TEST(MadPipe, JoinsDelaysAsTheGoldenOnes) {
    const auto golden = testing::goldenCase("mp-05-oplus");
    for (std::size_t i = 0; i < golden.input.at("pairs").size(); ++i)
        EXPECT_DOUBLE_EQ(joinDelay(golden.input.at("pairs")[i][0], golden.input.at("pairs")[i][1],
                                   golden.input.at("That")),
                         golden.expected.at("values")[i].get<double>())
            << i;
}

TEST(MadPipe, ProgrammeAndSearchGiveTheGoldenPeriodsAndTraces) {
    for (const char* id : {"mp-06-dp", "mp-08-dp"}) {
        const auto golden = testing::goldenCase(id);
        const MadPipeChain chain = testing::madPipeChainOf(golden.input.at("chain"));
        const int processors = golden.input.at("P");
        for (const int memory : golden.input.at("M")) {
            const std::string name = "M" + std::to_string(memory);
            for (std::size_t i = 0; i < golden.expected.at("That").size(); ++i)
                EXPECT_PRED2(
                    near,
                    madPipeAllocation(chain, processors, memory, golden.expected.at("That")[i], exactly)
                        .periodS,
                    testing::numberOrInfinity(golden.expected.at(name)[i]))
                    << id << " " << name << " " << i;
            const nlohmann::json& expected = golden.expected.at("alg1_" + name);
            const PeriodSearch search = searchPeriod(chain, processors, memory, exactly, 10, {}, true);
            EXPECT_PRED2(near, search.periodS, expected.at("period").get<double>()) << id << " " << name;
            ASSERT_EQ(search.steps.size(), expected.at("trace").size());
            for (std::size_t i = 0; i < search.steps.size(); ++i) {
                EXPECT_PRED2(near, search.steps[i].targetS, expected.at("trace")[i].at("That").get<double>());
                EXPECT_PRED2(near, search.steps[i].periodS,
                             testing::numberOrInfinity(expected.at("trace")[i].at("T")))
                    << id << " " << name << " " << i;
            }
            // Leaving out what cannot be better changes neither the result nor the targets.
            const PeriodSearch quick = searchPeriod(chain, processors, memory, exactly, 10);
            EXPECT_EQ(quick.periodS, search.periodS);
            EXPECT_EQ(quick.allocation.stages, search.allocation.stages);
        }
    }
}

/// MadPipe 4.2.2 as it is printed, by recursion, with values rounded up to the grid.
class Recursion {
public:
    Recursion(const MadPipeChain& chain, double memoryBytes, double targetS, const MadPipeGrid& grid)
        : chain_(chain), memory_(memoryBytes), target_(targetS), grid_(grid) {}

    double operator()(int links, int normals, double load, double memory, double delay) const {
        if (links == 0) return load;
        const int last = links - 1;
        if (normals == 0) {
            const double rest = chain_.loadS(0, last);
            const int batches = groupOf(delay, rest, target_);
            return memory + chain_.memoryBytes(0, last, batches - 1) <= memory_ ? load + rest : infinity;
        }
        double best = infinity;
        for (int first = last; first >= 0; --first) {
            const double stage = chain_.loadS(first, last);
            const double transfer = first > 0 ? chain_.transferS[static_cast<std::size_t>(first) - 1] : 0;
            const int batches = groupOf(delay, stage, target_);
            const double longer = up(joinDelay(joinDelay(delay, stage, target_), transfer, target_),
                                     chain_.latestS(), grid_.delays);
            if (chain_.memoryBytes(first, last, batches) <= memory_)
                best = std::min(
                    best, std::max({stage, transfer, (*this)(first, normals - 1, load, memory, longer)}));
            const double more = memory + chain_.memoryBytes(first, last, batches - 1);
            const double loaded = up(load + stage, chain_.totalS(), grid_.loads);
            if (more <= memory_)
                best = std::min(
                    best,
                    std::max({loaded, transfer,
                              (*this)(first, normals, loaded, up(more, memory_, grid_.memories), longer)}));
        }
        return best;
    }

private:
    double up(double value, double range, int values) const {
        if (grid_.exact) return value;
        const double step = range / (values - 1);
        return std::ceil(value / step - 1e-9) * step;
    }
    const MadPipeChain& chain_;
    double memory_, target_;
    const MadPipeGrid& grid_;
};

TEST(MadPipe, ProgrammeEqualsThePrintedRecursionExactlyAndOnAnyGrid) {
    EXPECT_TRUE(rc::check([] {
        const MadPipeChain chain = testing::randomChain(6);
        const int processors = *rc::gen::inRange(1, 5);
        const double memory = *rc::gen::inRange(20, 200);
        const double target = chain.totalS() / processors * *rc::gen::element(1.0, 1.1, 1.5, 2.0, 3.5);
        const MadPipeGrid grid{*rc::gen::inRange(2, 30), *rc::gen::inRange(2, 12), *rc::gen::inRange(2, 20),
                               *rc::gen::arbitrary<bool>()};
        const double expected =
            Recursion(chain, memory, target, grid)(chain.links(), processors - 1, 0, 0, 0);
        const MadPipeAllocation found = madPipeAllocation(chain, processors, memory, target, grid);
        RC_ASSERT(near(found.periodS, expected));
        RC_ASSERT(found.found() == (expected < infinity));
        const double limit = chain.totalS() * *rc::gen::element(0.4, 0.7, 1.0);
        const MadPipeAllocation below = madPipeAllocation(chain, processors, memory, target, grid, limit);
        RC_ASSERT(near(below.periodS, expected < limit * (1 - 1e-12) ? expected : infinity));
        int next = 0, normals = 0;
        for (const MadPipeStage& stage : found.stages) {
            RC_ASSERT(stage.first == next);
            next = stage.last + 1;
            if (!stage.special) ++normals;
        }
        RC_ASSERT(!found.found() || (next == chain.links() && normals < processors));
    }));
}

TEST(MadPipe, ALongerTargetNeverMakesThePeriodLonger) {
    EXPECT_TRUE(rc::check([] {
        const MadPipeChain chain = testing::randomChain(7);
        const int processors = *rc::gen::inRange(1, 5);
        const double memory = *rc::gen::inRange(20, 150);
        double before = infinity;
        for (const double times : {1.0, 1.2, 1.4, 1.7, 2.0, 3.0, 5.0}) {
            const double period =
                madPipeAllocation(chain, processors, memory, chain.totalS() / processors * times, exactly)
                    .periodS;
            RC_ASSERT(period <= before);
            before = period;
        }
    }));
}

// Holds for one target at a time: Algorithm 1 searches targets, and from the pessimistic answers of a grid it
// may by luck end at a better one than from exact answers.
TEST(MadPipe, NoGridBeatsExactValuesAtATarget) {
    EXPECT_TRUE(rc::check([] {
        const MadPipeChain chain = testing::randomChain(7);
        const int processors = *rc::gen::inRange(2, 5);
        const double memory = *rc::gen::inRange(30, 150);
        const double target = chain.totalS() / processors * *rc::gen::element(1.0, 1.1, 1.5, 2.0, 3.5);
        const MadPipeGrid grid{*rc::gen::inRange(2, 30), *rc::gen::inRange(2, 12), *rc::gen::inRange(2, 20),
                               false};
        const double exact = madPipeAllocation(chain, processors, memory, target, exactly).periodS;
        RC_ASSERT(madPipeAllocation(chain, processors, memory, target, grid).periodS >= exact * (1 - 1e-9));
    }));
}

/// Visits every partition into at most `stages` stages.
template <typename Visit>
void forEachContiguous(int links, int stages, std::vector<MadPipeStage>& partition, Visit visit) {
    const int first = partition.empty() ? 0 : partition.back().last + 1;
    if (first == links) {
        visit(partition);
        return;
    }
    if (stages == 0) return;
    for (int last = first; last < links; ++last) {
        partition.push_back({first, last, false});
        forEachContiguous(links, stages - 1, partition, visit);
        partition.pop_back();
    }
}

TEST(MadPipe, BestContiguousPartitionsAreTheGoldenOnes) {
    const auto golden = testing::goldenCase("mp-04-best-contiguous");
    const MadPipeChain chain = testing::madPipeChainOf(golden.input.at("chain"));
    for (const int processors : golden.input.at("P"))
        for (const int memory : golden.input.at("M")) {
            const std::string name = "P" + std::to_string(processors) + "_M" + std::to_string(memory);
            const nlohmann::json& expected = golden.expected.at(name);
            const ContiguousPartition found = fastestPartition(chain, processors, memory);
            EXPECT_PRED2(near, found.value, testing::numberOrInfinity(expected.at("period"))) << name;
            if (!found.found()) continue;
            std::vector<int> sizes;
            for (const MadPipeStage& stage : found.stages) sizes.push_back(stage.last - stage.first + 1);
            EXPECT_EQ(nlohmann::json({sizes}), expected.at("partitions")) << name;
        }
}

TEST(MadPipe, LeastPeriodOfAPartitionWithinAMemoryIsTheGoldenOne) {
    const auto golden = testing::goldenCase("mp-02-1f1b-comm");
    const MadPipeChain chain = testing::madPipeChainOf(golden.input.at("chain"));
    std::vector<MadPipeStage> stages;
    for (const nlohmann::json& part : golden.input.at("parts"))
        stages.push_back({part.at("first").get<int>() - 1, part.at("last").get<int>() - 1, false});
    for (const auto& [memory, period] : golden.expected.at("min_period").items())
        EXPECT_PRED2(near, starPeriodS(chain, stages, std::stod(memory)), testing::numberOrInfinity(period))
            << memory;
    for (std::size_t stage = 0; stage < stages.size(); ++stage)
        EXPECT_EQ(chain.memoryBytes(stages[stage].first, stages[stage].last,
                                    golden.expected.at("stage_groups")[stage]),
                  golden.expected.at("memory")[stage].get<double>());
}

TEST(MadPipe, FastestAndLeanestPartitionsEqualBruteForce) {
    EXPECT_TRUE(rc::check([] {
        const MadPipeChain chain = testing::randomChain(7);
        const int processors = *rc::gen::inRange(1, 5);
        const double memory = *rc::gen::inRange(20, 150);
        double fastest = infinity;
        std::vector<MadPipeStage> partition;
        forEachContiguous(chain.links(), processors, partition, [&](const std::vector<MadPipeStage>& stages) {
            fastest = std::min(fastest, starPeriodS(chain, stages, memory));
        });
        const ContiguousPartition found = fastestPartition(chain, processors, memory);
        RC_ASSERT(near(found.value, fastest));
        RC_ASSERT(!found.found() || near(starPeriodS(chain, found.stages, memory), fastest));
        if (!found.found()) return;
        // At that speed no less memory does, and with what the leanest needs, it is as fast.
        const ContiguousPartition leanest = leanestPartition(chain, processors, fastest);
        RC_ASSERT(leanest.found() && leanest.value <= memory);
        RC_ASSERT(starPeriodS(chain, leanest.stages, leanest.value) <= fastest * (1 + 1e-9));
        RC_ASSERT(fastestPartition(chain, processors, leanest.value - 0.5).value > fastest);
    }));
}

TEST(MadPipe, PipeDreamsPartitionIsTheFastestThatItsOwnEstimateAllows) {
    EXPECT_TRUE(rc::check([] {
        const MadPipeChain chain = testing::randomChain(7);
        const int processors = *rc::gen::inRange(1, 5);
        const double memory = *rc::gen::inRange(20, 150);
        double checked = infinity, unchecked = infinity;
        std::vector<MadPipeStage> partition;
        forEachContiguous(chain.links(), processors, partition, [&](const std::vector<MadPipeStage>& stages) {
            double period = 0;
            bool fits = true;
            for (std::size_t s = 0; s < stages.size(); ++s) {
                period = std::max({period, chain.loadS(stages[s].first, stages[s].last),
                                   chain.transferS[static_cast<std::size_t>(stages[s].last)]});
                fits = fits && chain.memoryBytes(stages[s].first, stages[s].last,
                                                 static_cast<int>(stages.size() - s)) <= memory;
            }
            unchecked = std::min(unchecked, period);
            if (fits) checked = std::min(checked, period);
        });
        const PipeDreamBaseline baseline = pipeDreamBaseline(chain, processors, memory);
        RC_ASSERT(baseline.checked == (checked < infinity));
        RC_ASSERT(near(baseline.partition.value, baseline.checked ? checked : unchecked));
        // What 1F1B* makes of it is no faster than the best contiguous plan.
        RC_ASSERT(starPeriodS(chain, baseline.partition.stages, memory) >=
                  fastestPartition(chain, processors, memory).value * (1 - 1e-9));
    }));
}

}  // namespace
}  // namespace stagecraft
