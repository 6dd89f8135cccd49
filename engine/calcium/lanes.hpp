// SPDX-License-Identifier: GPL-3.0-or-later
// Vectors for the formulas of dyad.hpp, one kind for each instruction set of Highway: GNU vectors,
// whose operators are those of numbers; what these have no operators for is Highway's. Included
// once for each instruction set, ahead of dyad.hpp; a lane is one number where there are no
// vectors.
#if defined(TAWARA_CALCIUM_LANES) == defined(HWY_TARGET_TOGGLE)
#ifdef HWY_TARGET_TOGGLE
#undef TAWARA_CALCIUM_LANES
#else
#define TAWARA_CALCIUM_LANES
#endif

#include "engine/core/random.hpp"

#include "hwy/highway.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace tawara::calcium::HWY_NAMESPACE {

constexpr std::size_t together = 32; ///< dyads of a chunk: whole vectors of any kind

/// Vectors that go through the same branches side by side: what comes next in one need not wait for
/// the last result of another, and one branch that is not foreseen is one of all.
template <class T>
struct Side
{
    static constexpr std::size_t count = HWY_MAX_BYTES >= 64 ? 4 : 2;
    T v[count];
};
template <class Function>
auto sides(const Function& f)
{
    Side<decltype(f(0))> out;
    for (std::size_t k = 0; k < out.count; ++k)
        out.v[k] = f(k);
    return out;
}
template <class T>
concept Number = std::is_arithmetic_v<T>;
#define TAWARA_SIDE_OPERATOR(op)                                                                   \
    template <class T>                                                                             \
    auto operator op(const Side<T>& a, const Side<T>& b)                                           \
    {                                                                                              \
        return sides([&](std::size_t k) { return a.v[k] op b.v[k]; });                             \
    }                                                                                              \
    template <class T, Number N>                                                                   \
    auto operator op(const Side<T>& a, N b)                                                        \
    {                                                                                              \
        return sides([&](std::size_t k) { return a.v[k] op b; });                                  \
    }                                                                                              \
    template <class T, Number N>                                                                   \
    auto operator op(N a, const Side<T>& b)                                                        \
    {                                                                                              \
        return sides([&](std::size_t k) { return a op b.v[k]; });                                  \
    }
TAWARA_SIDE_OPERATOR(+)
TAWARA_SIDE_OPERATOR(-)
TAWARA_SIDE_OPERATOR(*)
TAWARA_SIDE_OPERATOR(/)
TAWARA_SIDE_OPERATOR(>)
TAWARA_SIDE_OPERATOR(!=)
TAWARA_SIDE_OPERATOR(&)
#undef TAWARA_SIDE_OPERATOR
template <class T>
auto operator-(const Side<T>& a)
{
    return sides([&](std::size_t k) { return -a.v[k]; });
}
template <class M, class T>
Side<T> select(const Side<M>& mask, const Side<T>& a, const Side<T>& b)
{
    return sides([&](std::size_t k) { return mask.v[k] ? a.v[k] : b.v[k]; });
}

#if HWY_TARGET == HWY_SCALAR

using Doubles = double;

inline Side<std::int64_t> bits_of(const Side<double>& x)
{
    return sides([&](std::size_t k) { return __builtin_bit_cast(std::int64_t, x.v[k]); });
}
inline int bits_of_any(const Side<std::int64_t>& x)
{
    std::int64_t all = 0;
    for (const auto own : x.v)
        all |= own;
    return static_cast<int>(all);
}
inline bool any(const Side<bool>& mask)
{
    bool all = false;
    for (const bool m : mask.v)
        all |= m;
    return all;
}

/// How vectors of Real come from memory and go there.
template <class Real>
struct Memory
{
    using V = Real;
    static V load(const Real* p) { return *p; }
    static void store(Real* p, V v) { *p = v; }
    static V of_double(const double* p) { return static_cast<V>(*p); }
    static void add_to(double* to, const double* from, V v)
    {
        *to = *from + static_cast<double>(v);
    }
    static V of_bytes(const std::uint8_t* p) { return static_cast<V>(*p); }
    static std::int32_t of_ints(const std::int32_t* p) { return *p; }
    static void to_ints(std::int32_t* p, std::int32_t v) { *p = v; }
};
template <class Real>
constexpr std::size_t lanes_of = 1;

template <class T>
double wide(const T* p)
{
    return static_cast<double>(*p);
}
template <class T>
void narrow(T* p, double v)
{
    *p = static_cast<T>(v);
}

inline void uniforms(const RandomPlace& at, const std::uint64_t* draw, std::size_t n, double* even,
                     double* odd)
{
    for (std::size_t i = 0; i < n; ++i) {
        const Words4 w = random_words(at, static_cast<std::uint32_t>(draw[i]));
        even[i] = uniform_of(w[0], w[1]);
        odd[i] = uniform_of(w[2], w[3]);
    }
}

/// Bits of the lanes of doubles that are below their bounds.
template <class Real>
unsigned below(const double* u, const Real* bound)
{
    return *u < static_cast<double>(*bound) ? 1 : 0;
}

#else

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t vector_bytes = HWY_MAX_BYTES < 64 ? HWY_MAX_BYTES : 64;
typedef double Doubles __attribute__((vector_size(vector_bytes)));
typedef float Floats __attribute__((vector_size(vector_bytes)));
using Longs = decltype(Doubles() > Doubles()); // compilers differ in which 64-bit number that is
using Ints = decltype(Floats() > Floats());
typedef std::int32_t HalfInts __attribute__((vector_size(vector_bytes / 2)));

template <class T>
using Tag = hn::CappedTag<T, vector_bytes / sizeof(T)>;

template <class To, class From>
To same_bits(const From& from)
{
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}

inline bool any(Longs mask)
{
    const Tag<std::int64_t> d;
    return !hn::AllFalse(d, hn::MaskFromVec(same_bits<hn::Vec<Tag<std::int64_t>>>(mask)));
}
inline bool any(Ints mask)
{
    const Tag<std::int32_t> d;
    return !hn::AllFalse(d, hn::MaskFromVec(same_bits<hn::Vec<Tag<std::int32_t>>>(mask)));
}

inline Longs bits_of(Doubles x)
{
    return same_bits<Longs>(x);
}
inline Side<Longs> bits_of(const Side<Doubles>& x)
{
    return sides([&](std::size_t k) { return bits_of(x.v[k]); });
}
/// Bits that any number has; these are below 2^31.
inline int bits_of_any(Longs x)
{
    std::int32_t all = 0, half[sizeof x / sizeof all];
    std::memcpy(half, &x, sizeof x);
    for (const std::int32_t own : half)
        all |= own;
    return all;
}
inline int bits_of_any(const Side<Longs>& x)
{
    Longs all = x.v[0];
    for (std::size_t k = 1; k < x.count; ++k)
        all |= x.v[k];
    return bits_of_any(all);
}
inline bool any(const Side<Longs>& mask)
{
    Longs all = mask.v[0];
    for (std::size_t k = 1; k < mask.count; ++k)
        all |= mask.v[k];
    return any(all);
}

template <class Real>
constexpr std::size_t lanes_of = vector_bytes / sizeof(Real);

/// How vectors of Real come from memory and go there.
template <class Real>
struct Memory;

template <>
struct Memory<double>
{
    using V = Doubles;
    using Whole = Longs; ///< as many whole numbers
    static V of_double(const double* p) { return load(p); }
    static void add_to(double* to, const double* from, V v) { store(to, load(from) + v); }
    static V of_bytes(const std::uint8_t* p)
    {
        const Tag<double> d;
        const hn::Rebind<std::int32_t, Tag<double>> d32;
        const hn::Rebind<std::uint8_t, Tag<double>> d8;
        return same_bits<V>(hn::PromoteTo(d, hn::PromoteTo(d32, hn::LoadU(d8, p))));
    }
    static Whole of_ints(const std::int32_t* p)
    {
        HalfInts v;
        std::memcpy(&v, p, sizeof v);
        return __builtin_convertvector(v, Whole);
    }
    static void to_ints(std::int32_t* p, Whole v)
    {
        const HalfInts half = __builtin_convertvector(v, HalfInts);
        std::memcpy(p, &half, sizeof half);
    }
    static V load(const double* p)
    {
        V v;
        std::memcpy(&v, p, sizeof v);
        return v;
    }
    static void store(double* p, V v) { std::memcpy(p, &v, sizeof v); }
};

template <>
struct Memory<float>
{
    using V = Floats;
    using Whole = Ints;
    static constexpr std::size_t half = vector_bytes / sizeof(double);
    static V of_double(const double* p)
    {
        const Tag<float> d;
        const hn::Half<Tag<float>> dh;
        const Tag<double> wide;
        return same_bits<V>(hn::Combine(d, hn::DemoteTo(dh, hn::LoadU(wide, p + half)),
                                        hn::DemoteTo(dh, hn::LoadU(wide, p))));
    }
    static void add_to(double* to, const double* from, V v)
    {
        const hn::Half<Tag<float>> dh;
        const Tag<double> wide;
        const auto all = same_bits<hn::Vec<Tag<float>>>(v);
        const auto low = hn::PromoteTo(wide, hn::LowerHalf(dh, all));
        const auto high = hn::PromoteTo(wide, hn::UpperHalf(dh, all));
        hn::StoreU(hn::Add(hn::LoadU(wide, from), low), wide, to);
        hn::StoreU(hn::Add(hn::LoadU(wide, from + half), high), wide, to + half);
    }
    static V of_bytes(const std::uint8_t* p)
    {
        const Tag<float> d;
        const hn::Rebind<std::int32_t, Tag<float>> d32;
        const hn::Rebind<std::uint8_t, Tag<float>> d8;
        return same_bits<V>(hn::ConvertTo(d, hn::PromoteTo(d32, hn::LoadU(d8, p))));
    }
    static Whole of_ints(const std::int32_t* p)
    {
        Whole v;
        std::memcpy(&v, p, sizeof v);
        return v;
    }
    static void to_ints(std::int32_t* p, Whole v) { std::memcpy(p, &v, sizeof v); }
    static V load(const float* p)
    {
        V v;
        std::memcpy(&v, p, sizeof v);
        return v;
    }
    static void store(float* p, V v) { std::memcpy(p, &v, sizeof v); }
};

/// Doubles from numbers of other types, and back.
inline Doubles wide(const double* p)
{
    return Memory<double>::load(p);
}
inline Doubles wide(const float* p)
{
    const hn::Rebind<float, Tag<double>> narrow;
    return same_bits<Doubles>(hn::PromoteTo(Tag<double>(), hn::LoadU(narrow, p)));
}
inline Doubles wide(const std::uint8_t* p)
{
    return Memory<double>::of_bytes(p);
}
inline void narrow(double* p, Doubles v)
{
    Memory<double>::store(p, v);
}
inline void narrow(float* p, Doubles v)
{
    const hn::Rebind<float, Tag<double>> d;
    hn::StoreU(hn::DemoteTo(d, same_bits<hn::Vec<Tag<double>>>(v)), d, p);
}
inline void narrow(std::uint8_t* p, Doubles v)
{
    const hn::Rebind<std::int32_t, Tag<double>> d32;
    const hn::Rebind<std::uint8_t, Tag<double>> d8;
    hn::StoreU(hn::DemoteTo(d8, hn::DemoteTo(d32, same_bits<hn::Vec<Tag<double>>>(v))), d8, p);
}

/// Uniform numbers of draws: even[i] and odd[i] are numbers 2 and 3 words of draw[i]
/// (uniform_of()).
/// @param n  a multiple of 16
inline void uniforms(const RandomPlace& at, const std::uint64_t* draw, std::size_t n, double* even,
                     double* odd)
{
    const Tag<std::uint64_t> d;
    const hn::Repartition<std::uint32_t, Tag<std::uint64_t>> d32;
    const Tag<std::int64_t> whole;
    const Tag<double> real;
    constexpr std::size_t lanes = vector_bytes / 8, side = 2; // chains that run side by side
    using U = hn::Vec<Tag<std::uint64_t>>;
    const Words4 c = random_counter(at, 0);
    const auto product = [&](U a, std::uint32_t b) { // of the lower halves
        return hn::MulEven(hn::BitCast(d32, a), hn::Set(d32, b));
    };
    for (std::size_t i = 0; i < n; i += side * lanes) {
        U w0[side], w1[side], w2[side], w3[side]; // the upper halves of words are of no meaning
        for (std::size_t s = 0; s < side; ++s) {
            w0[s] = hn::Set(d, c[0]);
            w1[s] = hn::Set(d, c[1]);
            w2[s] = hn::LoadU(d, draw + i + s * lanes);
            w3[s] = hn::Set(d, c[3]);
        }
        auto key0 = static_cast<std::uint32_t>(at.seed);
        auto key1 = static_cast<std::uint32_t>(at.seed >> 32);
        for (int round = 0; round < Philox::rounds; ++round) {
            const U k0 = hn::Set(d, key0), k1 = hn::Set(d, key1);
            for (std::size_t s = 0; s < side; ++s) {
                const U a = product(w0[s], Philox::multiplier0);
                const U b = product(w2[s], Philox::multiplier1);
                w0[s] = hn::Xor(hn::Xor(hn::ShiftRight<32>(b), w1[s]), k0);
                w2[s] = hn::Xor(hn::Xor(hn::ShiftRight<32>(a), w3[s]), k1);
                w1[s] = b;
                w3[s] = a;
            }
            key0 += Philox::weyl0;
            key1 += Philox::weyl1;
        }
        const auto write = [&](double* to, U high, U low) {
            const U lower = hn::And(low, hn::Set(d, 0xffffffffU));
            const U bits = hn::ShiftRight<11>(hn::Or(hn::ShiftLeft<32>(high), lower));
            hn::StoreU(
                hn::Mul(hn::ConvertTo(real, hn::BitCast(whole, bits)), hn::Set(real, 0x1p-53)),
                real, to);
        };
        for (std::size_t s = 0; s < side; ++s) {
            write(even + i + s * lanes, w0[s], w1[s]);
            write(odd + i + s * lanes, w2[s], w3[s]);
        }
    }
}

template <class Real>
unsigned below(const double* u, const Real* bound)
{
    const Tag<double> d;
    hn::Vec<Tag<double>> most;
    if constexpr (sizeof(Real) == sizeof(double))
        most = hn::LoadU(d, bound);
    else
        most = hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, Tag<double>>(), bound));
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, hn::Lt(hn::LoadU(d, u), most), bits);
    return bits[0];
}

#endif

/// Doubles of memory as one vector, and as several side by side.
struct OneVector
{
    static constexpr std::size_t lanes = lanes_of<double>;
    static Doubles load(const double* p) { return Memory<double>::load(p); }
    static void store(double* p, Doubles x) { Memory<double>::store(p, x); }
};
struct SideBySide
{
    static constexpr std::size_t lanes = Side<Doubles>::count * lanes_of<double>;
    static Side<Doubles> load(const double* p)
    {
        return sides([&](std::size_t k) { return OneVector::load(p + k * OneVector::lanes); });
    }
    static void store(double* p, const Side<Doubles>& x)
    {
        for (std::size_t k = 0; k < x.count; ++k)
            OneVector::store(p + k * OneVector::lanes, x.v[k]);
    }
};
/// body(OneVector or SideBySide, begin) for all of n numbers, and what fills the last vectors.
template <class Body>
void by_vectors(std::size_t n, const Body& body)
{
    for (std::size_t i = 0; i < n;)
        if (n - i > OneVector::lanes) {
            body(SideBySide(), i);
            i += SideBySide::lanes;
        } else {
            body(OneVector(), i);
            i += OneVector::lanes;
        }
}

} // namespace tawara::calcium::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
