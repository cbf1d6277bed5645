#include "core/base/freed_memory.h"

#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <fstream>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

using namespace stagecraft;

namespace {

double residentMibOfThis() {
    std::ifstream statm("/proc/self/statm");
    double all = 0, resident = 0;
    statm >> all >> resident;
    return resident * 4096 / (1 << 20);
}

/// Takes memory in pieces and gives all of it back.
void takeAndGiveBack(std::size_t pieces, std::size_t bytes) {
    std::vector<std::unique_ptr<char[]>> taken(pieces);
    for (auto& piece : taken) piece = std::make_unique<char[]>(bytes);  // touched, since it is made of zeros
}

}  // namespace

TEST(FreedMemory, OfThreadsThatHaveEndedGoesBackToTheSystem) {
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    returnFreedMemory();
    constexpr int threads = 8;
    constexpr std::size_t large = 30 << 20, small = 32 << 10, pieces = 640;  // 20 MiB in each thread
    takeAndGiveBack(1, large);  // glibc would take this as a hint to keep such sizes from now on
    const double before = residentMibOfThis();
    // All are there at once, so that each has a share of the heap as it would in a window; and none begins
    // before, for what this thread makes for them would lie above theirs, and keep it.
    std::latch there(threads);
    std::vector<std::jthread> running;
    running.reserve(threads);
    for (int i = 0; i < threads; ++i)
        running.emplace_back([&there] {
            there.arrive_and_wait();
            takeAndGiveBack(pieces, small);
        });
    running.clear();
    EXPECT_LT(residentMibOfThis() - before, 20);  // 160 MiB were taken
#else
    GTEST_SKIP() << "it is glibc that is told";
#endif
}
