// The orders of devices that share out the layers of a vocabulary (Yeung et al., MLSys 2025, Fig. 10,
// and the interlaced pipeline that they compare with).
#include "core/schedules/device_orders.h"
#include "core/schedules/families.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace stagecraft {
namespace {

DeviceOrders vocabularyOrders(const std::string& family, int ranks, int microbatches,
                              std::vector<PassTimes> times = {}) {
    ScheduleShape shape{.ranks = ranks, .microbatches = microbatches, .times = std::move(times)};
    for (int stage = 0; stage < ranks; ++stage) {
        shape.rankOf.push_back(stage);
        shape.pipelineOf.push_back(0);
    }
    return findScheduleFamily(family)->deviceOrders(shape, {});
}

/// "F0 S0 F1", of kinds that are asked for.
std::string textOfKinds(const std::vector<Task>& order, const std::string& letters) {
    std::string text;
    for (const Task& task : order)
        if (const char letter = passKind(task.kind).letter; letters.find(letter) != std::string::npos)
            text += (text.empty() ? "" : " ") + std::string(1, letter) + std::to_string(task.microbatch);
    return text;
}

void expectOrders(const std::string& family, const std::vector<std::string>& expected) {
    const DeviceOrders orders = vocabularyOrders(family, static_cast<int>(expected.size()), 6);
    ASSERT_EQ(orders.size(), expected.size());
    for (std::size_t rank = 0; rank < orders.size(); ++rank)
        EXPECT_EQ(textOfKinds(orders[rank], "FBST"), expected[rank]) << family << ", rank " << rank;
}

// By hand, of a backward that takes two forwards: the last device has a forward, and for each barrier another
// one, before its first backward; S and T come right after a backward there. A device before it is a forward
// behind with each step, so that one more S comes before its first backward; the fourth would be a whole
// backward behind, where S comes after the forward instead.
TEST(VocabularyOrders, OfTwoBarriersAreThoseByHand) {
    expectOrders("vocab-1", {"F0 F1 S0 F2 T0 S1 F3 T1 S2 B0 T2 S3 F4 B1 T3 S4 F5 B2 T4 S5 B3 T5 B4 B5",
                             "F0 S0 F1 T0 S1 F2 B0 T1 S2 F3 B1 T2 S3 F4 B2 T3 S4 F5 B3 T4 S5 B4 T5 B5"});
    expectOrders("vocab-1", {"F0 F1 F2 S0 F3 T0 S1 F4 T1 S2 T2 S3 B0 T3 S4 F5 B1 T4 S5 B2 T5 B3 B4 B5",
                             "F0 F1 S0 F2 T0 S1 F3 T1 S2 B0 T2 S3 F4 B1 T3 S4 F5 B2 T4 S5 B3 T5 B4 B5",
                             "F0 S0 F1 T0 S1 F2 B0 T1 S2 F3 B1 T2 S3 F4 B2 T3 S4 F5 B3 T4 S5 B4 T5 B5"});
    expectOrders("vocab-1", {"F0 F1 F2 F3 S0 F4 T0 S1 F5 T1 S2 T2 S3 T3 S4 B0 T4 S5 B1 T5 B2 B3 B4 B5",
                             "F0 F1 F2 S0 F3 T0 S1 F4 T1 S2 T2 S3 B0 T3 S4 F5 B1 T4 S5 B2 T5 B3 B4 B5",
                             "F0 F1 S0 F2 T0 S1 F3 T1 S2 B0 T2 S3 F4 B1 T3 S4 F5 B2 T4 S5 B3 T5 B4 B5",
                             "F0 S0 F1 T0 S1 F2 B0 T1 S2 F3 B1 T2 S3 F4 B2 T3 S4 F5 B3 T4 S5 B4 T5 B5"});
}

TEST(VocabularyOrders, OfOneBarrierAreThoseByHand) {
    expectOrders("vocab-2", {"F0 F1 S0 F2 T0 S1 B0 T1 S2 F3 B1 T2 S3 F4 B2 T3 S4 F5 B3 T4 S5 B4 B5 T5",
                             "F0 S0 F1 B0 T0 S1 F2 B1 T1 S2 F3 B2 T2 S3 F4 B3 T3 S4 F5 B4 T4 S5 B5 T5"});
    expectOrders("vocab-2", {"F0 F1 F2 S0 F3 T0 S1 T1 S2 B0 T2 S3 F4 B1 T3 S4 F5 B2 T4 S5 B3 B4 B5 T5",
                             "F0 F1 S0 F2 T0 S1 B0 T1 S2 F3 B1 T2 S3 F4 B2 T3 S4 F5 B3 T4 S5 B4 B5 T5",
                             "F0 S0 F1 B0 T0 S1 F2 B1 T1 S2 F3 B2 T2 S3 F4 B3 T3 S4 F5 B4 T4 S5 B5 T5"});
    expectOrders("vocab-2", {"F0 F1 F2 F3 S0 F4 T0 S1 T1 S2 T2 S3 B0 F5 T3 S4 B1 T4 S5 B2 B3 B4 B5 T5",
                             "F0 F1 F2 S0 F3 T0 S1 T1 S2 B0 T2 S3 F4 B1 T3 S4 F5 B2 T4 S5 B3 B4 B5 T5",
                             "F0 F1 S0 F2 T0 S1 B0 T1 S2 F3 B1 T2 S3 F4 B2 T3 S4 F5 B3 T4 S5 B4 B5 T5",
                             "F0 S0 F1 B0 T0 S1 F2 B1 T1 S2 F3 B2 T2 S3 F4 B3 T3 S4 F5 B4 T4 S5 B5 T5"});
}

// 3p/2 - s forwards; all devices run S and T of a microbatch at once, and every second one its backward
// before its forward.
TEST(VocabularyOrders, OfInterlacedPassesAreThoseByHand) {
    expectOrders("interlaced", {"F0 F1 F2 S0 T0 S1 T1 B0 S2 T2 F3 B1 S3 T3 F4 B2 S4 T4 F5 B3 S5 T5 B4 B5",
                                "F0 F1 S0 T0 B0 S1 T1 B1 F2 S2 T2 B2 F3 S3 T3 B3 F4 S4 T4 B4 F5 S5 T5 B5"});
    expectOrders("interlaced", {"F0 F1 F2 F3 S0 T0 S1 T1 S2 T2 B0 F4 S3 T3 B1 F5 S4 T4 B2 S5 T5 B3 B4 B5",
                                "F0 F1 F2 S0 T0 S1 T1 B0 S2 T2 F3 B1 S3 T3 F4 B2 S4 T4 F5 B3 S5 T5 B4 B5",
                                "F0 F1 S0 T0 B0 S1 T1 B1 F2 S2 T2 B2 F3 S3 T3 B3 F4 S4 T4 B4 F5 S5 T5 B5"});
    expectOrders("interlaced", {"F0 F1 F2 F3 F4 F5 S0 T0 S1 T1 S2 T2 S3 T3 B0 S4 T4 B1 S5 T5 B2 B3 B4 B5",
                                "F0 F1 F2 F3 F4 S0 T0 S1 T1 S2 T2 B0 S3 T3 B1 F5 S4 T4 B2 S5 T5 B3 B4 B5",
                                "F0 F1 F2 F3 S0 T0 S1 T1 B0 S2 T2 B1 S3 T3 F4 B2 S4 T4 F5 B3 S5 T5 B4 B5",
                                "F0 F1 F2 S0 T0 B0 S1 T1 B1 S2 T2 B2 F3 S3 T3 B3 F4 S4 T4 B4 F5 S5 T5 B5"});
}

/// The most microbatches that a rank has begun and not finished.
int mostHeld(const std::vector<Task>& order) {
    int held = 0, most = 0;
    for (const Task& task : order) {
        held += task.kind == TaskKind::forward;
        most = std::max(most, held);
        held -= task.kind == TaskKind::backward;
    }
    return most;
}

TEST(VocabularyOrders, HoldAMicrobatchMoreForEachBarrierAndInterlacedHalfAsManyMore) {
    for (int p = 1; p <= 12; ++p)
        for (int m = 1; m <= 40; ++m)
            for (int s = 0; s < p; ++s) {
                const auto rank = static_cast<std::size_t>(s);
                EXPECT_EQ(mostHeld(vocabularyOrders("vocab-1", p, m)[rank]), std::min(m, p - s + 2));
                EXPECT_EQ(mostHeld(vocabularyOrders("vocab-2", p, m)[rank]), std::min(m, p - s + 1));
                EXPECT_LE(mostHeld(vocabularyOrders("interlaced", p, m)[rank]),
                          std::min(m, p * 3 / 2 - s + 1));
            }
}

RC_GTEST_PROP(VocabularyOrders, HaveEachPassOnceInAscendingOrderWhateverTheTimes, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const int p = 1 + static_cast<int>(random() % 10), m = 1 + static_cast<int>(random() % 40);
    std::vector<PassTimes> times;
    for (int stage = 0; stage < p; ++stage)
        times.push_back({1.0 + random() % 9, 1.0 + random() % 9, 1.0 + random() % 9});
    for (const VocabularyFamily& family : vocabularyFamilies)
        for (const std::vector<Task>& order : vocabularyOrders(family.name, p, m, times)) {
            std::map<TaskKind, int> next;
            for (const Task& task : order) RC_ASSERT(task.microbatch == next[task.kind]++);
            RC_ASSERT(next.size() == 6u);
            for (const auto& [kind, count] : next) RC_ASSERT(count == m);
        }
}

TEST(VocabularyOrders, SayByThemselvesHowManyBarriersTheyHave) {
    for (const VocabularyFamily& family : vocabularyFamilies)
        for (int p = 2; p <= 6; ++p) {
            ExplicitSchedule schedule;
            const DeviceOrders orders = vocabularyOrders(family.name, p, 9);
            for (int rank = 0; rank < p; ++rank)
                schedule.orders[rank] = orders[static_cast<std::size_t>(rank)];
            EXPECT_EQ(vocabularyNamed(schedule), family.passes) << family.name << ", " << p;
        }
    EXPECT_EQ(vocabularyNamed({}), VocabularyPasses::none);
}

}  // namespace
}  // namespace stagecraft
