#include "core/base/vector_state.h"

#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#ifdef __x86_64__
#include <cpuid.h>
#endif

using namespace stagecraft;

TEST(VectorState, UpperHalvesAreFreeAfterwards) {
#ifdef __x86_64__
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__builtin_cpu_supports("avx") || !__get_cpuid_count(0xd, 1, &a, &b, &c, &d) || !(a & 4))
        GTEST_SKIP() << "this processor does not say what is in use";
    constexpr unsigned upperHalves = 4;
    const auto inUse = [] {
        unsigned low = 0, high = 0;
        asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
        return low & upperHalves;
    };
    asm volatile("vcmptrueps %%ymm0, %%ymm0, %%ymm0" ::: "xmm0");
    ASSERT_TRUE(inUse());
    freeUpperVectors();
    EXPECT_FALSE(inUse());
#else
    freeUpperVectors();
    GTEST_SKIP() << "of x86 alone";
#endif
}
