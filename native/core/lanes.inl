// A vector of numbers, one per probe or one per question: a vector type of GCC and Clang, which becomes whatever
// registers the instruction set at hand has.
#include <cstdint>
#include <cstring>

#include "core/vector_width.hpp"

namespace exactree::EXACTREE_ISA {
namespace {

template <class Lane>
struct Lanes {
    static constexpr std::size_t n = kLanes<Lane>;
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
