#include "core/base/freed_memory.h"

#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace stagecraft::base {

namespace {

[[maybe_unused]] constexpr int mebibyte = 1 << 20;

}  // namespace

void keepFreedMemory() {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 * mebibyte);  // the most that glibc takes
    mallopt(M_TRIM_THRESHOLD, 512 * mebibyte);
#endif
}

void returnFreedMemory() {
#ifdef __GLIBC__
    // The window's thread has one; what is planned and simulated, two at a time, and all else share the rest.
    mallopt(M_ARENA_MAX, 4);
    // Either of these also keeps glibc from raising both as it sees fit.
    mallopt(M_MMAP_THRESHOLD, mebibyte);
    mallopt(M_TRIM_THRESHOLD, 2 * mebibyte);
#endif
}

}  // namespace stagecraft::base
