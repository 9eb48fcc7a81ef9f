// The loops for any processor, and the choice between them and faster ones.
#define EXACTREE_ISA portable
#include "core/processor.hpp"
#include "ranks/simd/partition.inl"

namespace exactree::ranks::simd {

#if defined(EXACTREE_HAS_AVX2)
namespace avx2 {
DealOps dealing();
}  // namespace avx2

DealOps deal_ops(bool portable_only) { return !portable_only && has_avx2() ? avx2::dealing() : portable::dealing(); }
#else
DealOps deal_ops(bool) { return portable::dealing(); }
#endif

}  // namespace exactree::ranks::simd
