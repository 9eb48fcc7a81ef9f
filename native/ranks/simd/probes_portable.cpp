// The loops for any processor, and the choice between them and faster ones.
#define EXACTREE_ISA portable
#include "core/processor.hpp"
#include "ranks/simd/probes.inl"

namespace exactree::ranks::simd {

#if defined(EXACTREE_HAS_AVX2)
namespace avx2 {
ProbeOps<std::int16_t> narrow_probes();
ProbeOps<std::int32_t> medium_probes();
ProbeOps<std::int64_t> wide_probes();
}  // namespace avx2
#define EXACTREE_CHOOSE(probes) (!portable_only && has_avx2() ? avx2::probes() : portable::probes())
#else
#define EXACTREE_CHOOSE(probes) portable::probes()
#endif

template <>
ProbeOps<std::int16_t> probe_ops([[maybe_unused]] bool portable_only) {
    return EXACTREE_CHOOSE(narrow_probes);
}
template <>
ProbeOps<std::int32_t> probe_ops([[maybe_unused]] bool portable_only) {
    return EXACTREE_CHOOSE(medium_probes);
}
template <>
ProbeOps<std::int64_t> probe_ops([[maybe_unused]] bool portable_only) {
    return EXACTREE_CHOOSE(wide_probes);
}

}  // namespace exactree::ranks::simd
