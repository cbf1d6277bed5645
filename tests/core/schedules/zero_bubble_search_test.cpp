// The zero-bubble search, and ZB-V where it may deviate, against eight greedy orders that are computed apart.
#include "core/base/indices.h"
#include "tests/core/schedules/greedy_eight.h"
#include "tests/core/schedules/order_course.h"
#include "tests/core/support/golden_cases.h"
#include "tests/support/test_extent.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iostream>

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

constexpr std::array<GreedyTimes, 10> ratios = {{{10, 10, 10},
                                                 {10, 12, 9},
                                                 {10, 11, 8},
                                                 {20, 10, 10},
                                                 {10, 20, 10},
                                                 {10, 10, 20},
                                                 {12, 18, 6},
                                                 {15, 10, 14},
                                                 {14, 21, 17},
                                                 {10, 9, 3}}};

/// The span of the family's order where each of its stages takes as long as the ranks of the problem, which
/// are all alike.
double longestSpan(const ScheduleFamily& family, const GreedyProblem& problem,
                   const ScheduleParameters& parameters) {
    ScheduleShape shape = shapeFor(family, static_cast<int>(problem.times.size()), problem.microbatches);
    const auto [forward, inputGradient, weightGradient] = problem.times.front();
    const auto transfer = static_cast<double>(problem.transfer);
    shape.times.assign(at(shape.stages()), {static_cast<double>(forward), static_cast<double>(inputGradient),
                                            static_cast<double>(weightGradient)});
    for (int s = 0; s + 1 < shape.stages(); ++s)
        if (shape.rankOf[at(s)] != shape.rankOf[at(s) + 1])
            shape.times[at(s)].toNextS = shape.times[at(s)].fromNextS = transfer;
    const Course run = runOf(shape, ordersOf(family, shape, parameters), equalPasses, transfer);
    EXPECT_LE(worst(run.peakInHalves), problem.limit * shape.chunks());
    const long each = forward + inputGradient + weightGradient;
    return worst(run.spanBubble) + static_cast<double>(each * problem.microbatches * shape.chunks());
}

struct Comparison {
    int compared = 0, shorter = 0;
    void add(const char* id, const GreedyProblem& problem, double span, double bestOfEight) {
        const auto [forward, inputGradient, weightGradient] = problem.times.front();
        EXPECT_LE(span, bestOfEight) << id << ": " << problem.times.size() << " ranks, "
                                     << problem.microbatches << " microbatches, " << forward << ":"
                                     << inputGradient << ":" << weightGradient << ", transfers "
                                     << problem.transfer << ", limit " << problem.limit;
        ++compared;
        shorter += span < bestOfEight ? 1 : 0;
    }
};

/// Calls `visit` with each problem of the grid, with 1F1B's memory as its limit; in full
/// those that take half a minute too.
template <typename Visit>
void forEachProblem(const Visit& visit) {
    for (const int ranks : {4, 8, 16, 32})
        for (const int rounds : {1, 2, 4})
            for (const GreedyTimes& ratio : ratios)
                for (const long transfer : {0, 2})
                    if (stagecraft::testing::inFull() || ranks * rounds <= 32)
                        visit(GreedyProblem{std::vector<GreedyTimes>(at(ranks), ratio), ranks * rounds,
                                            transfer, ranks});
}

}  // namespace

TEST(ZeroBubbleSearch, GreedyOrdersHaveTheSpansOfTheReference) {
    for (const char* id : {"sched-10-zb-h2", "sched-11-zb-search"}) {
        const auto golden = goldenCase(id);
        const nlohmann::json &input = golden.input, &durations = input.at("durations");
        const auto doubled = [](const nlohmann::json& time) { return std::lround(2 * time.get<double>()); };
        GreedyProblem problem{{}, input.at("microbatches"), doubled(input.at("transfer")), input.at("limit")};
        double longest = 0;
        for (std::size_t rank = 0; rank < durations.at("F").size(); ++rank) {
            problem.times.push_back({doubled(durations.at("F")[rank]), doubled(durations.at("I")[rank]),
                                     doubled(durations.at("W")[rank])});
            longest = std::max(longest, golden.expected.at("work")[rank].get<double>() +
                                            golden.expected.at("span_bubble")[rank].get<double>());
        }
        EXPECT_EQ(static_cast<double>(shortestSpanOfEight(problem)), 2 * longest) << id;
    }
}

TEST(ZeroBubbleSearch, IsNeverLongerThanTheBestOfEightGreedyOrders) {
    Comparison comparison;
    forEachProblem([&](GreedyProblem problem) {
        const int ranks = static_cast<int>(problem.times.size());
        for (const int limit : {ranks, 2 * ranks - 1}) {
            problem.limit = limit;
            comparison.add("zb-search", problem,
                           longestSpan(familyOf("zb-search"), problem, {{"limit", limit}}),
                           static_cast<double>(shortestSpanOfEight(problem)));
        }
    });
    std::cout << "shorter in " << comparison.shorter << " of " << comparison.compared << " cases\n";
}

TEST(ZeroBubbleSearch, ZeroBubbleVThatDeviatesIsNeverLongerThanTheBestOfEightGreedyOrders) {
    Comparison comparison;
    // The same network in half as many stages, which take twice as long, within the same memory.
    forEachProblem([&](const GreedyProblem& problem) {
        GreedyProblem whole = problem;
        for (GreedyTimes& each : whole.times) {
            each.forward *= 2;
            each.inputGradient *= 2;
            each.weightGradient *= 2;
        }
        comparison.add("zb-v", problem, longestSpan(familyOf("zb-v"), problem, {{"deviate", 1}}),
                       static_cast<double>(shortestSpanOfEight(whole)));
    });
    std::cout << "shorter in " << comparison.shorter << " of " << comparison.compared << " cases\n";
}

TEST(ZeroBubbleSearch, ZeroBubbleVThatDeviatesWaitsLessWherePassesTakeUnequallyLong) {
    const ScheduleFamily& family = familyOf("zb-v");
    for (int microbatches = 7; microbatches <= 32; ++microbatches) {
        ScheduleShape shape = shapeFor(family, 4, microbatches);
        shape.times.assign(8, {10, 12, 9});
        const Course fixed = runOf(shape, ordersOf(family, shape), equalPasses);
        const Course searched = runOf(shape, ordersOf(family, shape, {{"deviate", 1}}), equalPasses);
        EXPECT_EQ(worst(fixed.spanBubble), 18);
        EXPECT_LE(worst(searched.spanBubble), 12);
        EXPECT_LE(searched.makespan, fixed.makespan);
        EXPECT_LE(worst(searched.peakInHalves), 8);
    }
}
