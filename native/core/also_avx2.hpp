// EXACTREE_ALSO_AVX2 before a function: the compiler makes a second version for AVX2, and the loader picks one at run
// time. For short loops over doubles; loops that need different code per instruction set have an .inl file of their
// own.
#pragma once

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define EXACTREE_ALSO_AVX2 __attribute__((target_clones("avx2", "default")))
#else
#define EXACTREE_ALSO_AVX2
#endif
