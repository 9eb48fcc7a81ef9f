// The loops for any processor, and the choice between them and faster ones.
#define EXACTREE_ISA portable
#include "bits/ops.inl"
#include "core/processor.hpp"

namespace exactree::bits {

#if defined(EXACTREE_HAS_AVX2)
namespace avx2 {
SmallOps small_ops();
MediumOps medium_ops();
WideOps wide_ops();
}  // namespace avx2

#define EXACTREE_CHOOSE(ops) (!portable_only && has_avx2() ? avx2::ops() : portable::ops())
#else
#define EXACTREE_CHOOSE(ops) portable::ops()
#endif

template <>
SmallOps bit_ops<SmallOps>([[maybe_unused]] bool portable_only) {
    return EXACTREE_CHOOSE(small_ops);
}
template <>
MediumOps bit_ops<MediumOps>([[maybe_unused]] bool portable_only) {
    return EXACTREE_CHOOSE(medium_ops);
}
template <>
WideOps bit_ops<WideOps>([[maybe_unused]] bool portable_only) {
    return EXACTREE_CHOOSE(wide_ops);
}

}  // namespace exactree::bits
