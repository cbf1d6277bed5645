#include "core/analysis/memory_lack.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

namespace stagecraft {
namespace {

constexpr double gib = 1024.0 * 1024 * 1024;

std::vector<Device> devicesOf(int count) {
    std::vector<Device> devices;
    for (int i = 0; i < count; ++i) devices.push_back({.id = "g" + std::to_string(i)});
    return devices;
}

TEST(MemoryLack, ManyDevicesOfOneKindAreOneSentenceWithTheirCount) {
    std::vector<MemoryExcess> excesses;
    for (int device = 0; device < 1024; ++device)
        excesses.push_back({device, 0, 92.5 * gib, MemoryKind::parameters});
    EXPECT_EQ(describeExcesses(excesses, devicesOf(1024)),
              std::vector<std::string>{"1,024 GPUs lack 92.5 GiB each (first at 0 s, mostly parameters)"});
    excesses[7] = {7, 2, 1 * gib, MemoryKind::activations};
    excesses[9].excessBytes = 2 * gib;
    EXPECT_EQ(
        describeExcesses(excesses, devicesOf(1024)),
        (std::vector<std::string>{"1,023 GPUs lack 2.00 GiB to 92.5 GiB (first at 0 s, mostly parameters)",
                                  "g7 lacks 1.00 GiB (first at 2.00 s, mostly activations)"}));
}

TEST(MemoryLack, AFewDevicesAreNamed) {
    EXPECT_EQ(
        describeExcesses({{0, 3, gib, MemoryKind::buffers}, {2, 1, gib, MemoryKind::buffers}}, devicesOf(3)),
        std::vector<std::string>{"g0 and g2 lack 1.00 GiB each (first at 1.00 s, mostly buffers)"});
    EXPECT_TRUE(describeExcesses({}, devicesOf(1)).empty());
}

TEST(MemoryLack, CountsAreGroupedByThousands) {
    EXPECT_EQ(formatCount(7), "7");
    EXPECT_EQ(formatCount(999), "999");
    EXPECT_EQ(formatCount(1000), "1,000");
    EXPECT_EQ(formatCount(1234567), "1,234,567");
}

}  // namespace
}  // namespace stagecraft
