// A SIMD vector of numbers, one per probe or one per question. Uses the vector types of GCC and Clang where they exist;
// these map to the registers of the instruction set that the file is compiled for.
#include <cstdint>
#include <cstring>

#include "core/vector_width.hpp"

namespace exactree::EXACTREE_ISA {
namespace {

template <class Lane>
struct Lanes {
    static constexpr std::size_t n = kLanes<Lane>;
#if defined(__GNUC__)
    typedef Lane Vector __attribute__((vector_size(kVectorBytes)));
    Vector v;
    Lanes() : v{} {}
    explicit Lanes(const Vector& from) : v(from) {}
    static Lanes all(Lane value) { return Lanes(value - Vector{}); }
    friend Lanes operator+(const Lanes& a, const Lanes& b) { return Lanes(a.v + b.v); }
    friend Lanes operator-(const Lanes& a, const Lanes& b) { return Lanes(a.v - b.v); }
    friend Lanes operator&(const Lanes& a, const Lanes& b) { return Lanes(a.v & b.v); }
    friend Lanes smaller(const Lanes& a, const Lanes& b) { return Lanes(a.v < b.v ? a.v : b.v); }
    friend Lanes larger(const Lanes& a, const Lanes& b) { return Lanes(a.v > b.v ? a.v : b.v); }
    // All bits set where it holds, none elsewhere.
    friend Lanes reaches(const Lanes& a, const Lanes& b) { return Lanes((Vector)(a.v >= b.v)); }
    friend Lanes equal(const Lanes& a, const Lanes& b) { return Lanes((Vector)(a.v == b.v)); }
#else
    Lane v[n];
    Lanes() : v{} {}
    template <class F>
    static Lanes each(F f) {
        Lanes out;
        for (std::size_t x = 0; x < n; ++x) out.v[x] = static_cast<Lane>(f(x));
        return out;
    }
    static Lanes all(Lane value) {
        return each([&](std::size_t) { return value; });
    }
    friend Lanes operator+(const Lanes& a, const Lanes& b) {
        return each([&](std::size_t x) { return a.v[x] + b.v[x]; });
    }
    friend Lanes operator-(const Lanes& a, const Lanes& b) {
        return each([&](std::size_t x) { return a.v[x] - b.v[x]; });
    }
    friend Lanes operator&(const Lanes& a, const Lanes& b) {
        return each([&](std::size_t x) { return a.v[x] & b.v[x]; });
    }
    friend Lanes smaller(const Lanes& a, const Lanes& b) {
        return each([&](std::size_t x) { return a.v[x] < b.v[x] ? a.v[x] : b.v[x]; });
    }
    friend Lanes larger(const Lanes& a, const Lanes& b) {
        return each([&](std::size_t x) { return a.v[x] > b.v[x] ? a.v[x] : b.v[x]; });
    }
    friend Lanes reaches(const Lanes& a, const Lanes& b) {
        return each([&](std::size_t x) { return a.v[x] >= b.v[x] ? -1 : 0; });
    }
    friend Lanes equal(const Lanes& a, const Lanes& b) {
        return each([&](std::size_t x) { return a.v[x] == b.v[x] ? -1 : 0; });
    }
#endif
    static Lanes load(const Lane* from) {
        Lanes out;
        std::memcpy(&out.v, from, sizeof out.v);
        return out;
    }
    void store(Lane* to) const { std::memcpy(to, &v, sizeof v); }
    // 1, 2, 4, ...: the bit of each probe in a row's marks.
    static Lanes bits() {
        Lane out[n];
        for (std::size_t x = 0; x < n; ++x) out[x] = static_cast<Lane>(std::uint32_t{1} << x);
        return load(out);
    }
};

}  // namespace
}  // namespace exactree::EXACTREE_ISA
