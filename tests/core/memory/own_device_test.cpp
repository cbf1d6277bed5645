// Devices that hold several stages, some of which read from another on their own device as well.
#include "core/analysis/link_curves.h"
#include "core/analysis/metrics.h"
#include "core/memory/block_bytes.h"
#include "core/memory/memory.h"
#include "core/simulation/block_graph.h"
#include "core/simulation/simulator.h"
#include "tests/core/support/random_problem.h"
#include "tests/core/support/graph_of.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

namespace stagecraft {
namespace {

using random_problem::upTo;

bool isTransfer(BlockKind kind) {
    return kind == BlockKind::transferForward || kind == BlockKind::transferBackward;
}

/// Layers that keep nothing, on devices of a mesh without latency: what a transfer carries is the bandwidth
/// of its link times how long it lasts.
struct OwnDevice {
    std::optional<CostModel> costs;
    Plan plan;
    Timeline timeline;

    void simulateOn(Problem problem) {
        costs.emplace(std::move(problem));
        timeline = simulate(*costs, plan);
    }
    double bandwidthBps(const Lane& channel) const {
        return costs->interconnect().bandwidthBps(channel.devices[0], channel.devices[1]);
    }
    double bytes(const Lane& channel, std::uint32_t block) const {
        return bandwidthBps(channel) * timeline.durationS(block);
    }
    /// `visit(channel, block)`
    template <typename Visit>
    void eachTransfer(Visit visit) const {
        for (const Lane& lane : timeline.lanes)
            for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block)
                if (isTransfer(timeline.kind[block])) visit(lane, block);
    }
};

Problem mesh(int layers, int devices) {
    Problem problem;
    for (int layer = 0; layer < layers; ++layer)
        problem.profile.layers.push_back({"l" + std::to_string(layer), 1, 1, 0, 10, 10, 0, 0.5});
    problem.profile.layers.back().outputBytes = problem.profile.layers.back().outputGradientBytes = 0;
    for (int device = 0; device < devices; ++device) {
        problem.cluster.devices.push_back({"d" + std::to_string(device), "s", "", 1e9, 1, 0});
        for (int other = 0; other < device; ++other)
            problem.cluster.links.push_back(
                {"d" + std::to_string(other), "d" + std::to_string(device), 10, 0, ""});
    }
    problem.setup.microbatches = 1;
    return problem;
}

/// Random edges that skip layers, stages anywhere, microbatches as they are ready.
/// @param alike all transfers of a link last equally long, so that many of them tie
OwnDevice randomOwnDevice(std::uint32_t seed, bool alike = false) {
    std::mt19937 random(seed);
    const int layers = 3 + upTo(random, 6), devices = 2 + upTo(random, 2);
    Problem problem = mesh(layers, devices);
    problem.setup.microbatches = 1 + upTo(random, 3);
    problem.setup.channel = random() % 2 ? ChannelMode::fullDuplex : ChannelMode::halfDuplex;
    for (Layer& layer : problem.profile.layers) {
        if (alike) continue;
        layer.outputBytes = 1.0 + upTo(random, 500);
        layer.outputGradientBytes = 1.0 + upTo(random, 500);
    }
    if (alike) problem.profile.layers.back().outputBytes = problem.profile.layers.front().outputBytes;
    for (Link& link : problem.cluster.links) link.bandwidthBps = 1.0 + upTo(random, 9);
    for (int layer = 0; layer + 1 < layers; ++layer) {
        problem.profile.edges.push_back({layer, layer + 1});
        for (int later = layer + 2; later < layers; ++later)
            if (random() % 3 == 0) problem.profile.edges.push_back({layer, later});
    }
    OwnDevice made;
    for (int first = 0; first < layers;) {
        const int last = std::min(layers - 1, first + upTo(random, 1));
        made.plan.stages.push_back({first, last, {upTo(random, devices - 1)}});
        first = last + 1;
    }
    made.plan.schedule.order = FamilySchedule{"greedy", {}};
    made.simulateOn(std::move(problem));
    return made;
}

RC_GTEST_PROP(OwnDevice, ATransferCarriesWhatItsLinkDoesInItsTime, (std::uint32_t seed)) {
    const OwnDevice it = randomOwnDevice(seed);
    const BlockBytes bytes(*it.costs, it.plan, stageEdges(*it.costs, it.plan));
    it.eachTransfer([&](const Lane& lane, std::uint32_t block) {
        const double expected = it.bytes(lane, block);
        const int index = it.timeline.laneOf(block);
        RC_ASSERT(std::abs(bytes.of(it.timeline, index, block) - expected) <= 1e-6 * expected);
        for (const int device : lane.devices)
            RC_ASSERT(std::abs(bytes.of(it.timeline, index, block, device) - expected) <= 1e-6 * expected);
    });
}

RC_GTEST_PROP(OwnDevice, BuffersAreThoseOfTheTransfersUnderWay, (std::uint32_t seed)) {
    const OwnDevice it = randomOwnDevice(seed);
    const std::vector<MemoryCurve> curves =
        memoryCurves(*it.costs, it.plan, stageEdges(*it.costs, it.plan), it.timeline);
    for (std::uint32_t at = 0; at < it.timeline.blockCount(); ++at) {
        const double instantS = (it.timeline.startS[at] + it.timeline.endS[at]) / 2;
        std::vector<double> held(curves.size(), 0);
        it.eachTransfer([&](const Lane& lane, std::uint32_t block) {
            if (it.timeline.startS[block] > instantS || it.timeline.endS[block] <= instantS) return;
            for (const int device : lane.devices)
                held[static_cast<std::size_t>(device)] += it.bytes(lane, block);
        });
        for (const MemoryCurve& curve : curves) {
            const double found = curve.totalAt(curve.stepAt(instantS));
            const double expected = held[static_cast<std::size_t>(curve.device)];
            RC_ASSERT(std::abs(found - expected) <= 1e-6 * (1 + expected));
        }
    }
}

RC_GTEST_PROP(OwnDevice, ALinkIsFullWhileATransferIsUnderWay, (std::uint32_t seed)) {
    const OwnDevice it = randomOwnDevice(seed);
    std::map<std::string, double> expected, found;
    it.eachTransfer([&](const Lane& lane, std::uint32_t block) {
        if (it.timeline.durationS(block) > 0)
            expected[std::to_string(std::min(lane.devices[0], lane.devices[1])) + "-" +
                     std::to_string(std::max(lane.devices[0], lane.devices[1]))] += it.bytes(lane, block);
    });
    for (const LinkUse& use : linkUses(*it.costs, it.plan, stageEdges(*it.costs, it.plan), it.timeline)) {
        const LoadCurve curve = loadCurve(it.timeline, use);
        RC_ASSERT(curve.peakBps() <= use.bandwidthBps() * (1 + 1e-6));
        for (const LinkWay& way : use.ways) {
            const Link& link = it.costs->problem().cluster.links[static_cast<std::size_t>(way.link)];
            found[link.a.substr(1) + "-" + link.b.substr(1)] += curve.bytes();
        }
    }
    RC_ASSERT(found.size() == expected.size());
    for (const auto& [ends, bytes] : expected) RC_ASSERT(std::abs(found[ends] - bytes) <= 1e-6 * bytes);
}

/// Blocks that start before one that they wait for has ended.
int hasty(const OwnDevice& it) {
    const BlockGraph graph(graphOf(*it.costs, it.plan, it.timeline), it.timeline);
    int count = 0;
    for (std::uint32_t block = 0; block < it.timeline.blockCount(); ++block)
        graph.forEachSuccessor(graph.taskOf(block), [&](std::uint32_t next, bool) {
            if (next >= graph.taskCount() || graph.blockOf(next) == noBlock) return;
            count += it.timeline.startS[graph.blockOf(next)] < it.timeline.endS[block] * (1 - 1e-9);
        });
    return count;
}

/// What waits for a transfer, waits for the one that carries its own input.
RC_GTEST_PROP(OwnDevice, EachPassStartsAfterTheTransfersThatItWaitsFor, (std::uint32_t seed)) {
    RC_ASSERT(hasty(randomOwnDevice(seed)) == 0);
}

/// Transfers of one stage to several on a device that are as long as each other go in the stages' order.
TEST(OwnDevice, TransfersThatTieAreToldApart) {
    for (std::uint32_t seed = 0; seed < 400; ++seed) ASSERT_EQ(hasty(randomOwnDevice(seed, true)), 0) << seed;
}

TEST(OwnDevice, AnEdgeToTheNextChunkOfTheSameDeviceIsNoTransfer) {
    // d0, d1, d0, d1; stage 2 reads stage 0, which is on its device, as well as stage 1.
    Problem problem = mesh(4, 2);
    problem.profile.edges = {{0, 1}, {0, 2}, {1, 2}, {2, 3}};
    problem.profile.layers[0].outputGradientBytes = 1000;
    OwnDevice it;
    it.plan.stages = {{0, 0, {0}}, {1, 1, {1}}, {2, 2, {0}}, {3, 3, {1}}};
    it.plan.schedule.order = FamilySchedule{"interleaved", {}};
    it.simulateOn(std::move(problem));
    const std::vector<MemoryCurve> curves =
        memoryCurves(*it.costs, it.plan, stageEdges(*it.costs, it.plan), it.timeline);
    EXPECT_DOUBLE_EQ(curves[0].peakBytes(), 1000);
    const BlockBytes bytes(*it.costs, it.plan, stageEdges(*it.costs, it.plan));
    double moved = 0;
    it.eachTransfer([&](const Lane&, std::uint32_t block) {
        moved += bytes.of(it.timeline, it.timeline.laneOf(block), block, 0);
    });
    EXPECT_DOUBLE_EQ(moved, 1050);
    double atTenAndAHalf = 0;
    for (const LinkUse& use : linkUses(*it.costs, it.plan, stageEdges(*it.costs, it.plan), it.timeline)) {
        const LoadCurve curve = loadCurve(it.timeline, use);
        atTenAndAHalf += curve.totalAt(curve.stepAt(10.5));
    }
    EXPECT_DOUBLE_EQ(atTenAndAHalf, 10);
}

}  // namespace
}  // namespace stagecraft
