// Orders that rules make of passes: those that are left out make no difference.
#include "core/schedules/fillings.h"

#include "core/base/indices.h"
#include "core/schedules/filled_orders.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

namespace stagecraft {
namespace {

using namespace schedules;

ScheduleShape drawnShape(std::mt19937& random) {
    const auto upTo = [&random](unsigned most) { return static_cast<int>(random() % (most + 1)); };
    ScheduleShape shape;
    shape.ranks = 1 + upTo(3);
    shape.microbatches = 1 + upTo(7);
    const int chunks = 1 + upTo(1);
    for (int stage = 0; stage < chunks * shape.ranks; ++stage) {
        shape.rankOf.push_back(stage < shape.ranks ? stage : chunks * shape.ranks - 1 - stage);
        shape.pipelineOf.push_back(0);
        shape.times.push_back({1.0 + upTo(3), 1.0 + upTo(3), 1.0 * upTo(4), 1.0 * upTo(2), 1.0 * upTo(2)});
    }
    return shape;
}

/// Of each rank, each stage's forwards before its input gradients, microbatches in turn; else at random.
DeviceOrders drawnPasses(const ScheduleShape& shape, std::mt19937& random) {
    DeviceOrders passes(at(shape.ranks));
    std::vector<std::pair<int, int>> given(at(shape.stages()), {0, 0});
    for (int rank = 0; rank < shape.ranks; ++rank) {
        std::vector<Task>& order = passes[at(rank)];
        const std::size_t all = at(2 * shape.chunks() * shape.microbatches);
        while (order.size() < all) {
            const int stage = static_cast<int>(random() % static_cast<unsigned>(shape.stages()));
            auto& [forwards, gradients] = given[at(stage)];
            if (shape.rankOf[at(stage)] != rank) continue;
            if (random() % 2 == 0 && forwards < shape.microbatches)
                order.push_back({TaskKind::forward, stage, forwards++});
            else if (gradients < forwards)
                order.push_back({TaskKind::inputGradient, stage, gradients++});
        }
    }
    return passes;
}

TEST(Fillings, WhatIsLeftOutMakesNoDifference) {
    int made = 0, leftOut = 0;
    EXPECT_TRUE(rc::check([&] {
        std::mt19937 random(static_cast<unsigned>(*rc::gen::inRange(0, 1 << 30)));
        const ScheduleShape shape = drawnShape(random);
        const DeviceOrders passes = drawnPasses(shape, random);
        const std::vector<int> limits(at(shape.ranks), 2 * shape.chunks() + static_cast<int>(random() % 12));
        const auto frees = random() % 2 == 0 ? PassBoard::Frees::half : PassBoard::Frees::none;
        Fillings fillings(shape, passes, limits, frees), forBest(shape, passes, limits, frees);
        std::optional<PassBoard> best, bestOfAll, bestAlone;
        SearchedOrders others, all;
        for (const FillRules& rules : fillRules(shape.chunks())) {
            const auto whole = Fillings(shape, passes, limits, frees).filled(rules);
            keepBetter(bestOfAll, whole);
            all.consider(whole);
            const auto board = fillings.filled(rules, makespanOf(best), others.withinS());
            if (board) RC_ASSERT(whole && board->orders() == whole->orders());
            ++made;
            leftOut += whole && !board;
            keepBetter(best, board);
            others.consider(board);
            keepBetter(bestAlone, forBest.filled(rules, makespanOf(bestAlone), 0));
        }
        RC_ASSERT(best.has_value() == bestOfAll.has_value());
        RC_ASSERT(bestAlone.has_value() == bestOfAll.has_value());
        if (!best) return;
        RC_ASSERT(bestAlone->orders() == bestOfAll->orders());
        const std::vector<FoundOrders> found = others.take(std::move(*best)),
                                       foundOfAll = all.take(std::move(*bestOfAll));
        RC_ASSERT(found.size() == foundOfAll.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            RC_ASSERT(found[i].orders == foundOfAll[i].orders);
            RC_ASSERT(found[i].leastS == foundOfAll[i].leastS);
        }
    }));
    EXPECT_GT(leftOut, made / 10);
    EXPECT_LT(leftOut, made);
}

}  // namespace
}  // namespace stagecraft
