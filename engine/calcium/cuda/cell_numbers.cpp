// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/calcium/cuda/cell_numbers.hpp"

#include <cstring>
#include <type_traits>

namespace tawara::calcium::cuda {
namespace {

/// Walks over the arrays of numbers, in their order.
template <class Real, class Number>
class Walk
{
  public:
    explicit Walk(std::span<Number> numbers) : at_(numbers.data()) {}
    /// The next array, of doubles or whole numbers: f(k, number, what is left or null).
    template <class F>
    void doubles(std::size_t n, const F& f)
    {
        for (std::size_t k = 0; k < n; ++k)
            f(k, at_[k], two ? at_ + n + k : nullptr);
        at_ += two ? 2 * n : n;
    }
    /// The next array, of one number each.
    template <class F>
    void plain(std::size_t n, const F& f)
    {
        for (std::size_t k = 0; k < n; ++k)
            f(k, at_[k]);
        at_ += n;
    }

  private:
    static constexpr bool two = std::is_same_v<Real, float>;
    Number* at_;
};

constexpr std::size_t kept = CellState::count - 1; // V is the tissue's
constexpr int high = 8;                            // bits that the second count lies above

} // namespace

template <class Real>
void to_numbers(const CellState& cell, const DyadArrays<Real>& a, std::size_t room,
                std::span<double> numbers)
{
    Walk<Real, double> walk(numbers);
    const auto put = [&](const auto* from, std::size_t n) {
        walk.doubles(n, [&](std::size_t k, double& first, double* left) {
            const auto x = static_cast<double>(from[k]);
            first = left ? static_cast<double>(static_cast<float>(x)) : x;
            if (left)
                *left = x - first;
        });
    };
    double membrane[CellState::count];
    std::memcpy(membrane, &cell, sizeof membrane);
    put(membrane + 1, kept);
    put(a.c_nsr, room);
    put(a.c_jsr, room);
    for (const Real* from : {a.c_myo, a.c_ss, a.c_d, a.n_ca, a.camk_t})
        walk.plain(room, [&](std::size_t k, double& to) { to = static_cast<double>(from[k]); });
    put(a.activated, room);
    walk.plain(room, [&](std::size_t k, double& to) { to = a.C1[k] + (a.O1[k] << high); });
    walk.plain(room, [&](std::size_t k, double& to) { to = a.C2[k] + (a.C3[k] << high); });
}
template void to_numbers(const CellState&, const DyadArrays<double>&, std::size_t,
                         std::span<double>);
template void to_numbers(const CellState&, const DyadArrays<float>&, std::size_t,
                         std::span<double>);

template <class Real>
void from_numbers(std::span<const double> numbers, std::size_t room, CellState& cell,
                  const DyadArrays<Real>& a)
{
    Walk<Real, const double> walk(numbers);
    const auto take = [&](auto* to, std::size_t n) {
        walk.doubles(n, [&](std::size_t k, double first, const double* left) {
            to[k] = static_cast<std::remove_pointer_t<decltype(to)>>(left ? first + *left : first);
        });
    };
    double membrane[CellState::count];
    membrane[0] = cell.v;
    take(membrane + 1, kept);
    std::memcpy(&cell, membrane, sizeof membrane);
    take(a.c_nsr, room);
    take(a.c_jsr, room);
    for (Real* to : {a.c_myo, a.c_ss, a.c_d, a.n_ca, a.camk_t})
        walk.plain(room, [&](std::size_t k, double x) { to[k] = static_cast<Real>(x); });
    take(a.activated, room);
    const auto counts = [&](std::uint8_t* first, std::uint8_t* second) {
        walk.plain(room, [&](std::size_t k, double x) {
            const auto both = static_cast<unsigned>(x);
            first[k] = static_cast<std::uint8_t>(both);
            second[k] = static_cast<std::uint8_t>(both >> high);
        });
    };
    counts(a.C1, a.O1);
    counts(a.C2, a.C3);
}
template void from_numbers(std::span<const double>, std::size_t, CellState&,
                           const DyadArrays<double>&);
template void from_numbers(std::span<const double>, std::size_t, CellState&,
                           const DyadArrays<float>&);

} // namespace tawara::calcium::cuda
