#include "core/base/freed_memory.h"

#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace stagecraft::base {

void returnFreedMemory() {
#ifdef __GLIBC__
    constexpr int mebibyte = 1 << 20;
    // The window's thread has one; what is planned and simulated, two at a time, and all else share the rest.
    mallopt(M_ARENA_MAX, 4);
    // Either of these also keeps glibc from raising both as it sees fit.
    mallopt(M_MMAP_THRESHOLD, mebibyte);
    mallopt(M_TRIM_THRESHOLD, 2 * mebibyte);
#endif
}

}  // namespace stagecraft::base
