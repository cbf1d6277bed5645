#pragma once

// One clone of a function for machines with AVX2, chosen when the program is loaded. Neither has fused
// multiply-add, so both round alike. Sanitizers are not ready that early.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define STAGECRAFT_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define STAGECRAFT_CLONES
#endif
