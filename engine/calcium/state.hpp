// SPDX-License-Identifier: GPL-3.0-or-later
// How the state of a cell and its dyads lies in memory.
#pragma once
#include "engine/calcium/membrane.hpp"
#include "engine/core/aligned.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tawara::calcium {

/// The arrays of one cell's dyads, one number a dyad in each. Those of fluxes are of Real, those of
/// the SR always double, since a step changes them by some 1e-5 of themselves.
template <class Real>
struct DyadArrays
{
    Real *c_myo, *c_ss, *c_d, *n_ca, *camk_t;
    double *c_nsr, *c_jsr;
    std::int32_t* activated; ///< step in which a dyad was active last
    std::uint8_t *C1, *O1, *C2, *C3;

    /// Numbers a dyad has in all [bytes]: 64 in double precision, 44 in single.
    static constexpr std::size_t bytes = 5 * sizeof(Real) + 2 * sizeof(double) + 8;
};

/// Where these arrays are in one piece of memory, one after the other and each a multiple of 64
/// bytes: the same on processors and devices.
template <class Real>
class DyadLayout
{
  public:
    explicit DyadLayout(const Grid& grid)
        : dyads_(static_cast<std::size_t>(grid.count())), room_((dyads_ + 63) / 64 * 64)
    {
    }
    std::size_t dyads() const { return dyads_; }
    /// Numbers that each array has room for: what lies behind the dyads is padding, which may be
    /// computed and is in no sum.
    std::size_t room() const { return room_; }
    /// Of one cell.
    std::size_t bytes() const { return room_ * DyadArrays<Real>::bytes; }
    /// @param memory  bytes() of a cell, aligned to 64 bytes
    DyadArrays<Real> arrays(std::byte* memory) const
    {
        DyadArrays<Real> a;
        const auto next = [&]<class T>(T*& to) {
            to = reinterpret_cast<T*>(memory);
            memory += room_ * sizeof(T);
        };
        next(a.c_nsr);
        next(a.c_jsr);
        for (Real** to : {&a.c_myo, &a.c_ss, &a.c_d, &a.n_ca, &a.camk_t})
            next(*to);
        next(a.activated);
        for (std::uint8_t** to : {&a.C1, &a.O1, &a.C2, &a.C3})
            next(*to);
        return a;
    }

  private:
    std::size_t dyads_, room_;
};

/// Bytes of one cell's state: its dyads and its membrane.
template <class Real>
std::size_t bytes_of_cell(const Grid& grid)
{
    return DyadLayout<Real>(grid).bytes() + sizeof(CellState);
}

/// A state that cells may begin with; all dyads alike, but that each RyR is in C1 or C2 by chance.
struct Start
{
    const char* name;
    const char* what;
    CellState cell; ///< camk is worked out
    double c_myo, c_ss, c_nsr, c_jsr, n_ca, camk_t;
};
std::span<const Start> starts();
/// @throws InputError "--start" for a name that is not there
const Start& start_named(std::string_view name);

/// Sets a cell to a start. RyR are in C1 with the probability c_jsr / (c_jsr + K_inhibit), else in
/// C2; no dyad was active for 2000 ms.
/// @param at  the cell and the seed; step and stream are set here
template <class Real>
void begin(const Parameters& p, const Start& start, const DyadLayout<Real>& layout, double dt_ms,
           RandomPlace at, CellState& cell, const DyadArrays<Real>& dyads);
extern template void begin(const Parameters&, const Start&, const DyadLayout<double>&, double,
                           RandomPlace, CellState&, const DyadArrays<double>&);
extern template void begin(const Parameters&, const Start&, const DyadLayout<float>&, double,
                           RandomPlace, CellState&, const DyadArrays<float>&);

/// Streams of random numbers beside the parts of a step.
inline constexpr std::uint16_t start_stream = 0xffff;

} // namespace tawara::calcium
