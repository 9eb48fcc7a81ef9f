// The loops for any processor, and the choice between them and faster ones.
#define EXACTREE_ISA portable
#include "core/processor.hpp"
#include "ranks/simd/partition.inl"

namespace exactree::ranks::simd {

#if defined(EXACTREE_HAS_AVX2)
namespace avx2 {
PartitionOps make_partition_ops();
}  // namespace avx2

PartitionOps partition_ops(bool portable_only) {
    return !portable_only && has_avx2() ? avx2::make_partition_ops() : portable::make_partition_ops();
}
#else
PartitionOps partition_ops(bool) { return portable::make_partition_ops(); }
#endif

}  // namespace exactree::ranks::simd
