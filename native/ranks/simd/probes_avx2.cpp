// The loops for processors with AVX2; this file alone is compiled with its instructions.
#define EXACTREE_ISA avx2
#include "ranks/simd/probes.inl"
