#include "core/base/indices.h"
#include "core/planners/spp/partition_table.h"
#include "tests/support/every_room.h"

#include "core/planners/spp/guarantees.h"
#include "tests/core/planners/random_problems.h"
#include "tests/core/support/golden_cases.h"
#include "tests/core/support/near.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace stagecraft {
namespace {

using testing::near;

/// Forward and backward of a layer for `samples` samples, drawn point by point.
double timeOf(const LayerProfile& profile, std::size_t layer, double samples) {
    const Layer& own = profile.layers[layer];
    std::map<double, double> points = {{0, 0}};
    points[profile.microbatchSize] = own.forwardS + own.backwardS;
    for (const TimesAtSize& other : profile.otherSizes)
        points[other.microbatchSize] = other.layers[layer].forwardS + other.layers[layer].backwardS;
    const auto right = points.lower_bound(samples), left = std::prev(right);
    return left->second +
           (right->second - left->second) * (samples - left->first) / (right->first - left->first);
}

/// What a stage works in an iteration, straight from SPP Sec. III with the bandwidths of the links: shares
/// nothing with what is tested.
double stageLoadOf(const Problem& problem, const Interconnect& network, const Stage& stage) {
    const double microbatches = problem.setup.microbatches;
    const double k = static_cast<double>(stage.devices.size());
    double time = 0, bytes = 0, slowest = infinity, least = infinity;
    for (int l = stage.firstLayer; l <= stage.lastLayer; ++l) {
        const Layer& layer = problem.profile.layers[static_cast<std::size_t>(l)];
        time += k * timeOf(problem.profile, static_cast<std::size_t>(l), problem.profile.microbatchSize / k);
        bytes += layer.parameterBytes;
    }
    for (const int a : stage.devices) {
        slowest = std::min(slowest, problem.cluster.devices[static_cast<std::size_t>(a)].speed);
        for (const int b : stage.devices)
            if (a != b) least = std::min(least, network.bandwidthBps(a, b));
    }
    return microbatches * time / (k * slowest) + 2 * (k - 1) * bytes / (k * least);
}

/// The same of the channel below the layers 0..layers-1.
double channelLoadOf(const Problem& problem, const Interconnect& network, int layers,
                     const std::vector<int>& senders, const std::vector<int>& receivers) {
    double width = infinity, latency = 0;
    for (const int a : senders)
        for (const int b : receivers) {
            width = std::min(width, network.bandwidthBps(a, b));
            latency = std::max(latency, network.latencyS(a, b));
        }
    const Layer& last = problem.profile.layers[static_cast<std::size_t>(layers) - 1];
    const double lanes = static_cast<double>(senders.size()) * static_cast<double>(receivers.size()) * width;
    return problem.setup.microbatches * ((last.outputBytes + last.outputGradientBytes) / lanes + 2 * latency);
}

/// W of a partition.
double loadOf(const Problem& problem, const Interconnect& network, const std::vector<Stage>& stages) {
    double worst = 0;
    for (std::size_t s = 0; s < stages.size(); ++s) {
        worst = std::max(worst, stageLoadOf(problem, network, stages[s]));
        if (s > 0)
            worst = std::max(worst, channelLoadOf(problem, network, stages[s].firstLayer,
                                                  stages[s - 1].devices, stages[s].devices));
    }
    return worst;
}

std::vector<int> randomOrder(int devices) {
    std::vector<int> order(static_cast<std::size_t>(devices));
    std::iota(order.begin(), order.end(), 0);
    for (int last = devices - 1; last > 0; --last)
        std::swap(order[static_cast<std::size_t>(last)],
                  order[static_cast<std::size_t>(*rc::gen::inRange(0, last + 1))]);
    return order;
}

TEST(Prm, ReproducesTheGoldenTablesOfW) {
    for (const std::string id : {"spp-14-prm", "spp-15-prm", "spp-17-prm-hand", "spp-24-default-setting"}) {
        SCOPED_TRACE(id);
        const auto golden = testing::goldenCase(id);
        const CostModel costs(testing::problemOf(golden.input));
        const PartitionTable table(costs, golden.input.at("order"), costs.deviceCount());
        EXPECT_EQ(static_cast<std::size_t>(table.maxStages()), golden.expected.at("W_min").size());
        double least = infinity;
        for (const auto& [stages, value] : golden.expected.at("W_min").items()) {
            const double wanted = testing::numberOrInfinity(value);
            EXPECT_PRED2(near, table.best(std::stoi(stages)), wanted) << stages << " stages";
            EXPECT_PRED2(near, planLoad(costs, table.partition(std::stoi(stages))).maximumS, wanted);
            least = std::min(least, wanted);
        }
        EXPECT_PRED2(near, least, golden.expected.value("W_PRM", least));
        if (!golden.expected.contains("W")) continue;
        for (const auto& [stages, row] : golden.expected.at("W").items())
            for (const auto& [replicas, value] : row.items())
                EXPECT_PRED2(near,
                             table.value(costs.layerCount(), std::stoi(stages), std::stoi(replicas),
                                         costs.deviceCount()),
                             testing::numberOrInfinity(value))
                    << stages << " stages, " << replicas << " replicas";
    }
}

class PrmOnRandomProblems : public ::testing::TestWithParam<testing::RandomShape> {};

TEST_P(PrmOnRandomProblems, EqualsBruteForceOverAllContiguousPartitionsAndReplications) {
    EXPECT_TRUE(rc::check([shape = GetParam()] {
        const Problem problem = testing::randomProblem(shape);
        const CostModel costs(problem);
        const std::vector<int> order = randomOrder(costs.deviceCount());
        const PartitionTable table(costs, order, costs.deviceCount());
        RC_ASSERT(table.maxStages() == std::min(costs.layerCount(), costs.deviceCount()));
        for (int stages = 1; stages <= table.maxStages(); ++stages) {
            std::map<int, double> byReplicas;
            testing::forEachPartition(
                costs.layerCount(), order, stages, [&](const std::vector<Stage>& partition) {
                    const int replicas = static_cast<int>(partition.back().devices.size());
                    const double load = loadOf(problem, costs.interconnect(), partition);
                    const auto [entry, isNew] = byReplicas.emplace(replicas, load);
                    if (!isNew) entry->second = std::min(entry->second, load);
                });
            double least = infinity;
            for (int replicas = 1; replicas <= costs.deviceCount(); ++replicas) {
                const double wanted = byReplicas.contains(replicas) ? byReplicas[replicas] : infinity;
                RC_ASSERT(
                    near(table.value(costs.layerCount(), stages, replicas, costs.deviceCount()), wanted));
                least = std::min(least, wanted);
            }
            RC_ASSERT(near(table.best(stages), least));
            RC_ASSERT(near(loadOf(problem, costs.interconnect(), table.partition(stages)), least));
            RC_ASSERT(near(planLoad(costs, table.partition(stages)).maximumS, least));
        }
    }));
}

INSTANTIATE_TEST_SUITE_P(Shapes, PrmOnRandomProblems,
                         ::testing::Values(testing::RandomShape{}, testing::RandomShape{6, 5, 6, true, false},
                                           testing::RandomShape{6, 5, 6, false, true},
                                           testing::RandomShape{9, 4, 3, true, true},
                                           testing::RandomShape{6, 5, 6, false, true, false, true}));

/// The tie rule as written (MODEL.md section 5), over W that comes of trying every partition of every prefix.
class PrmTieRule {
public:
    PrmTieRule(const Problem& problem, const Interconnect& network, std::vector<int> order)
        : problem_(problem), network_(network), order_(std::move(order)) {}

    std::vector<Stage> partition(int stages) {
        const int layers = problem_.profile.layerCount(), devices = static_cast<int>(order_.size());
        double least = infinity;
        for (int r = 1; r <= devices; ++r) least = std::min(least, value(layers, stages, r, devices));
        int r = 1;
        while (!near(value(layers, stages, r, devices), least)) ++r;
        return endingIn(layers, stages, r, devices);
    }

private:
    /// W(l, stages, r, i).
    double value(int l, int stages, int r, int i) {
        const std::array<int, 3> prefix{l, stages, i};
        if (!known_.contains(prefix)) {
            std::map<int, double>& byReplicas = known_[prefix];
            const std::vector<int> devices(order_.begin(), order_.begin() + i);
            testing::forEachPartition(l, devices, stages, [&](const std::vector<Stage>& all) {
                const double load = loadOf(problem_, network_, all);
                const auto [entry, isNew] =
                    byReplicas.emplace(static_cast<int>(all.back().devices.size()), load);
                if (!isNew) entry->second = std::min(entry->second, load);
            });
        }
        const auto found = known_[prefix].find(r);
        return found == known_[prefix].end() ? infinity : found->second;
    }

    std::vector<Stage> endingIn(int l, int stages, int r, int i) {
        const int split = i - r;
        Stage last{0, l - 1, {order_.begin() + split, order_.begin() + i}};
        if (stages == 1) return {last};
        const double least = value(l, stages, r, i);
        for (int from = stages - 1; from < l; ++from) {
            last.firstLayer = from;
            const auto before = [&](int senders) {  // max{W(l', xi-1, r', i-r), channel}
                const std::vector<int> from_(order_.begin() + split - senders, order_.begin() + split);
                return std::max(value(from, stages - 1, senders, split),
                                channelLoadOf(problem_, network_, from, from_, last.devices));
            };
            double best = infinity;
            for (int senders = 1; senders <= split; ++senders) best = std::min(best, before(senders));
            if (!near(std::max(best, stageLoadOf(problem_, network_, last)), least)) continue;
            int senders = 1;
            while (!near(before(senders), best)) ++senders;
            std::vector<Stage> all = endingIn(from, stages - 1, senders, split);
            all.push_back(last);
            return all;
        }
        return {};
    }

    const Problem& problem_;
    const Interconnect& network_;
    std::vector<int> order_;
    std::map<std::array<int, 3>, std::map<int, double>> known_;
};

TEST(Prm, TiesGoToFewerReplicasThenTheEarliestCutAndEveryPrefixIsItselfOptimal) {
    EXPECT_TRUE(rc::check([] {
        Problem problem = testing::randomProblem({6, 5, 3, false, *rc::gen::arbitrary<bool>()});
        if (*rc::gen::arbitrary<bool>())  // equal layers, where nearly everything ties
            for (Layer& layer : problem.profile.layers) layer = problem.profile.layers.front();
        const CostModel costs(problem);
        const std::vector<int> order = randomOrder(costs.deviceCount());
        const PartitionTable table(costs, order, costs.deviceCount());
        const PartitionTable lean(costs, order, costs.deviceCount(), {}, PartitionTable::Extent::partitions);
        PrmTieRule rule(problem, costs.interconnect(), order);
        for (int stages = 1; stages <= table.maxStages(); ++stages) {
            RC_ASSERT(table.partition(stages) == rule.partition(stages));
            RC_ASSERT(lean.partition(stages) == rule.partition(stages));
        }
    }));
}

/// W is the last stage's, whatever is before it: a walk back within W would give layer 1 one device.
TEST(Prm, WhatStandsBeforeTheSlowestStageIsAsGoodAsItCanBe) {
    Problem problem;
    problem.profile.layers.assign(3, Layer{"l", 4, 8, 1, 0, 0, 0, 1});
    problem.profile.layers[1].backwardS = 36;
    problem.profile.layers[2].backwardS = 400;
    problem.profile.layers[2].parameterBytes = 1e6;  // no replicas of this one
    problem.cluster = testing::meshCluster(std::vector<std::vector<double>>(4, std::vector<double>(4, 1)));
    const std::vector<Stage> stages = PartitionTable(CostModel(problem), {0, 1, 2, 3}, 3).partition(3);
    EXPECT_EQ(stages, (std::vector<Stage>{{0, 0, {0}}, {1, 1, {1, 2}}, {2, 2, {3}}}));
}

TEST(Prm, RoundingDecidesNoTies) {
    Problem problem;
    problem.profile.layers.assign(24, Layer{"l", 1, 2, 6, 4, 4, 4, 1});
    problem.cluster = testing::meshCluster(std::vector<std::vector<double>>(8, std::vector<double>(8, 3)));
    problem.setup.microbatches = 4;
    const std::vector<int> order{0, 1, 2, 3, 4, 5, 6, 7};
    const PartitionTable table(CostModel(problem), order, 8);
    for (const double unit : {0.1, 1.0 / 3, 1e-3 / 7}) {  // of time and of bytes, so that all ties stay ties
        Problem scaled = problem;
        for (Layer& layer : scaled.profile.layers)
            for (double* number : {&layer.forwardS, &layer.backwardS, &layer.parameterBytes,
                                   &layer.outputBytes, &layer.outputGradientBytes})
                *number *= unit;
        const PartitionTable ofScaled(CostModel(scaled), order, 8);
        for (int stages = 1; stages <= 8; ++stages)
            EXPECT_EQ(ofScaled.partition(stages), table.partition(stages))
                << unit << ", " << stages << " stages";
    }
}

TEST(Prm, FewerStagesAskedForGiveTheSameTables) {
    EXPECT_TRUE(rc::check([] {
        const CostModel costs(testing::randomProblem({6, 5, 6, true, true}));
        const std::vector<int> order = randomOrder(costs.deviceCount());
        const PartitionTable whole(costs, order, costs.deviceCount());
        const int few = *rc::gen::inRange(1, whole.maxStages() + 1);
        const PartitionTable part(costs, order, few);
        RC_ASSERT(part.maxStages() == few);
        for (int stages = 1; stages <= few; ++stages) {
            RC_ASSERT(part.best(stages) == whole.best(stages));
            RC_ASSERT(part.partition(stages) == whole.partition(stages));
        }
    }));
}

/// Servers that are far better joined inside than to each other, where bounds leave out most states.
Problem servers(int layers, int devices) {
    Problem problem = testing::randomProblem({layers, devices, 9, false, *rc::gen::arbitrary<bool>()});
    const int size = *rc::gen::inRange(1, 6), outside = *rc::gen::inRange(1, 4);
    const int count = problem.cluster.deviceCount();
    std::vector<std::vector<double>> bandwidth(at(count), std::vector<double>(at(count), 0));
    for (int a = 0; a < count; ++a)
        for (int b = 0; b < count; ++b)
            if (a != b) bandwidth[at(a)][at(b)] = a / size == b / size ? 30 : outside;
    const std::vector<Device> devices_ = problem.cluster.devices;
    problem.cluster = testing::meshCluster(bandwidth);
    problem.cluster.devices = devices_;
    if (*rc::gen::arbitrary<bool>())
        for (Link& link : problem.cluster.links) link.latencyS = *rc::gen::inRange(0, 3);
    return problem;
}

TEST(Prm, WhatPartitionsDoNotNeedIsLeftOutOfThemAlone) {
    EXPECT_TRUE(rc::check([] {
        const int layers = *rc::gen::inRange(1, 9), devices = *rc::gen::inRange(1, 40);
        Problem problem = *rc::gen::arbitrary<bool>()
                              ? servers(layers, devices)
                              : testing::randomProblem(
                                    {layers, devices, 6, true, true, false, *rc::gen::arbitrary<bool>()});
        if (*rc::gen::inRange(0, 4) == 0)
            for (Layer& layer : problem.profile.layers) layer = problem.profile.layers.front();
        const CostModel costs(problem);
        const std::vector<int> order = randomOrder(costs.deviceCount());
        const int most = *rc::gen::inRange(1, costs.deviceCount() + 1);
        const PartitionTable all(costs, order, most);
        const PartitionTable lean(costs, order, most, {}, PartitionTable::Extent::partitions);
        RC_ASSERT(lean.maxStages() == all.maxStages());
        for (int stages = 1; stages <= all.maxStages(); ++stages) {
            RC_ASSERT(lean.best(stages) == all.best(stages));
            RC_ASSERT(lean.partition(stages) == all.partition(stages));
        }
    }));
}

TEST(Prm, TransfersAreThoseOfTheLinksAndNoneIsLongerThanTheLongest) {
    EXPECT_TRUE(rc::check([] {
        const Problem problem =
            *rc::gen::arbitrary<bool>() ? servers(4, 16) : testing::randomProblem({4, 9, 6, true, true});
        const CostModel costs(problem);
        const std::vector<int> order = randomOrder(costs.deviceCount());
        const PartitionTerms terms(costs, order);
        for (int layer = 1; layer < terms.layers(); ++layer)
            for (int split = 1; split < terms.devices(); ++split)
                for (int receivers = 1; receivers <= terms.devices() - split; ++receivers)
                    for (int senders = 1; senders <= split; ++senders) {
                        const auto middle = order.begin() + split;
                        const double seconds = terms.transfer(layer, senders, receivers, split);
                        RC_ASSERT(near(seconds, channelLoadOf(problem, costs.interconnect(), layer,
                                                              {middle - senders, middle},
                                                              {middle, middle + receivers})));
                        RC_ASSERT(seconds <= terms.longestTransfer(layer, senders, split));
                        if (terms.widens(senders, split))
                            RC_ASSERT(seconds <= terms.transfer(layer, senders - 1, receivers, split));
                    }
    }));
}

TEST(Prm, WiderLinksNeverRaiseWAndSlowerLayersNeverLowerIt) {
    EXPECT_TRUE(rc::check([] {
        Problem problem = testing::randomProblem({6, 5, 6, true, true});
        const CostModel costs(problem);
        const std::vector<int> order = randomOrder(costs.deviceCount());
        const PartitionTable table(costs, order, costs.deviceCount());
        Problem wider = problem, slower = problem;
        for (Link& link : wider.cluster.links) link.bandwidthBps *= 2;
        for (Layer& layer : slower.profile.layers) layer.backwardS += 1;
        const PartitionTable ofWider(CostModel(wider), order, costs.deviceCount());
        const PartitionTable ofSlower(CostModel(slower), order, costs.deviceCount());
        for (int stages = 1; stages <= table.maxStages(); ++stages) {
            RC_ASSERT(ofWider.best(stages) <= table.best(stages) * (1 + 1e-9));
            RC_ASSERT(ofSlower.best(stages) >= table.best(stages) * (1 - 1e-9));
        }
    }));
}

}  // namespace
}  // namespace stagecraft
