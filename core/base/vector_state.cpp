#include "core/base/vector_state.h"

namespace stagecraft::base {

#ifdef __x86_64__

namespace {

__attribute__((target("avx"))) void zeroUpperHalves() { __builtin_ia32_vzeroupper(); }

}  // namespace

void freeUpperVectors() {
    static const bool hasUpperHalves = __builtin_cpu_supports("avx");
    if (hasUpperHalves) zeroUpperHalves();
}

#else

void freeUpperVectors() {}

#endif

}  // namespace stagecraft::base
