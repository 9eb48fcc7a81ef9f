// What the processor at hand can do.
#pragma once

#if defined(__x86_64__) || defined(_M_X64)
#include <cpuid.h>
#endif

namespace exactree {

#if defined(__x86_64__) || defined(_M_X64)

// __builtin_cpu_supports() would need a run-time library that Clang does not link for MSVC's ABI.
inline bool find_avx2() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return false;
    constexpr unsigned kPopcnt = 1u << 23, kOsSavesRegisters = 1u << 27, kAvx = 1u << 28;
    constexpr unsigned kAll = kPopcnt | kOsSavesRegisters | kAvx;
    if ((c & kAll) != kAll) return false;
    unsigned saved = 0, high = 0;  // which registers the operating system saves
    __asm__("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
    constexpr unsigned kVectors = 6;
    if ((saved & kVectors) != kVectors || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
    constexpr unsigned kBmi = 1u << 3, kAvx2 = 1u << 5, kBmi2 = 1u << 8;
    constexpr unsigned kWanted = kBmi | kAvx2 | kBmi2;
    return (b & kWanted) == kWanted;
}

// Whether the loops that are compiled with -mavx2 -mpopcnt -mbmi -mbmi2 can run. Asked once: under a hypervisor the
// question can take microseconds.
inline bool has_avx2() {
    static const bool found = find_avx2();
    return found;
}

#endif

}  // namespace exactree
