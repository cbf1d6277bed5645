#include "core/analysis/repeating_period.h"

#include "core/simulation/simulator.h"
#include "tests/core/support/random_problem.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace stagecraft {
namespace {

Problem equalChain(int layers, int devices, int microbatches) {
    Problem problem;
    for (int layer = 0; layer < layers; ++layer) problem.profile.layers.push_back({"l", 1, 2, 0, 0, 0, 1, 1});
    for (int device = 0; device < devices; ++device) {
        const std::string id = "g" + std::to_string(device);
        problem.cluster.devices.push_back({id, "s", "", 1e9, 1, 32});
        if (device > 0) problem.cluster.links.push_back({"g" + std::to_string(device - 1), id, 1e12, 0, ""});
    }
    problem.setup.microbatches = microbatches;
    return problem;
}

/// A layer a stage, stage s on device s mod p.
Timeline timelineOf(const Problem& problem, const char* family,
                    const std::map<std::string, double>& parameters = {}) {
    Plan plan;
    for (int layer = 0; layer < problem.profile.layerCount(); ++layer)
        plan.stages.push_back({layer, layer, {layer % problem.cluster.deviceCount()}});
    plan.schedule.order = FamilySchedule{family, parameters};
    return simulate(CostModel(problem), plan);
}

TEST(RepeatingPeriod, OfOneForwardOneBackwardIsAMicrobatch) {
    const auto period = repeatingPeriod(timelineOf(equalChain(4, 4, 16), "1f1b"));
    ASSERT_TRUE(period);
    EXPECT_EQ(period->microbatches, 1);
    EXPECT_DOUBLE_EQ(period->lengthS, 3);
    EXPECT_GE(period->periods(), 11) << "all but warm-up and drain";
}

TEST(RepeatingPeriod, OfInterleavedChunksIsAGroup) {
    const auto period = repeatingPeriod(timelineOf(equalChain(8, 4, 32), "interleaved"));
    ASSERT_TRUE(period);
    EXPECT_EQ(period->microbatches, 4);
    EXPECT_DOUBLE_EQ(period->lengthS, 4 * 2 * 3);
}

TEST(RepeatingPeriod, OfSlicesIsAMicrobatch) {
    const auto period = repeatingPeriod(timelineOf(equalChain(4, 4, 16), "seq1f1b", {{"slices", 2}}));
    ASSERT_TRUE(period);
    EXPECT_EQ(period->microbatches, 1);
    EXPECT_DOUBLE_EQ(period->lengthS, 3);
}

TEST(RepeatingPeriod, IsNotWhereThereIsNoTimeForTwo) {
    EXPECT_FALSE(repeatingPeriod(timelineOf(equalChain(4, 4, 2), "1f1b")));
    EXPECT_FALSE(repeatingPeriod(Timeline()));
}

/// As it is defined: what starts in the stretch, but for its last period, comes again, and nothing else does.
void requirePeriod(const Timeline& timeline, const RepeatingPeriod& period, int perMiniBatch) {
    using Key = std::tuple<std::size_t, BlockKind, int, int, int>;
    std::map<Key, double> starts;
    for (std::size_t lane = 0; lane < timeline.lanes.size(); ++lane) {
        if (timeline.lanes[lane].kind != LaneKind::compute) continue;
        for (std::uint32_t b = timeline.lanes[lane].firstBlock; b < timeline.lanes[lane].endBlock; ++b)
            if (isPass(timeline.kind[b]))
                starts[{lane, timeline.kind[b], timeline.stage[b], timeline.sliceOf(b),
                        timeline.iteration[b] * perMiniBatch + timeline.microbatch[b]}] = timeline.startS[b];
    }
    RC_ASSERT(period.untilS - period.fromS >= 2 * period.lengthS * (1 - 1e-6));
    const double slackS = 1e-6 * period.lengthS;
    for (const auto& [key, atS] : starts) {
        const auto beside = [&](int by) {
            Key other = key;
            std::get<4>(other) += by;
            const auto found = starts.find(other);
            return found == starts.end() ? -1.0 : found->second;
        };
        if (atS >= period.fromS - slackS && atS < period.untilS - period.lengthS - slackS)
            RC_ASSERT(std::fabs(beside(period.microbatches) - atS - period.lengthS) < slackS);
        if (atS >= period.fromS + period.lengthS - slackS && atS < period.untilS - slackS)
            RC_ASSERT(std::fabs(atS - beside(-period.microbatches) - period.lengthS) < slackS);
    }
}

RC_GTEST_PROP(RepeatingPeriod, IsRepeatedByAllDevices, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Problem problem = random_problem::problem(random, 2 + random_problem::upTo(random, 6),
                                              1 + random_problem::upTo(random, 3));
    problem.setup.microbatches = 12 + random_problem::upTo(random, 20);
    const Plan plan = random_problem::plan(random, problem);
    const Timeline timeline = simulate(CostModel(problem), plan);
    const auto period = repeatingPeriod(timeline);
    RC_CLASSIFY(period.has_value(), "repeats");
    if (period) requirePeriod(timeline, *period, problem.setup.microbatches);
}

}  // namespace
}  // namespace stagecraft
