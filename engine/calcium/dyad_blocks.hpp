// SPDX-License-Identifier: GPL-3.0-or-later
// Steps of a cell's dyads on processors, vectorised.
#pragma once
#include "engine/calcium/state.hpp"

#include <span>
#include <string>

namespace tawara::calcium {

/// Dyads whose sums are made together, in an order that does not depend on threads or vectors.
inline constexpr std::size_t block_dyads = 128;

/// Concentrations of one cell's dyads between their reaction and diffusion.
template <class Real>
class Ahead
{
  public:
    explicit Ahead(std::size_t room)
        : c_myo_(room + 2 * guard), c_ss_(room + 2 * guard), c_nsr_(room + 2 * guard)
    {
    }
    Real* c_myo() { return c_myo_.data() + guard; }
    Real* c_ss() { return c_ss_.data() + guard; }
    double* c_nsr() { return c_nsr_.data() + guard; }

  private:
    static constexpr std::size_t guard = 64; ///< a vector beside a row may be read
    AlignedVector<Real> c_myo_, c_ss_;
    AlignedVector<double> c_nsr_;
};

/// Steps the dyads of blocks but for diffusion: reads and writes all arrays, but leaves c_myo,
/// c_ss and c_nsr as they were and writes them to `ahead`. Which blocks are asked for at once does
/// not change a bit; eight or more are faster than one.
/// @param at     the cell, the seed, the step and its part
/// @param first  block; the dyads of block b are [128 b, min(128 (b + 1), dyads))
/// @param sums   of each block from `first` on
/// @param dyads  of the cell
void react(const DyadConstants<double>& k, const DyadInput<double>& in, const RandomPlace& at,
           const DyadArrays<double>& a, Ahead<double>& ahead, std::size_t first,
           std::span<DyadSums> sums, std::size_t dyads);
void react(const DyadConstants<float>& k, const DyadInput<float>& in, const RandomPlace& at,
           const DyadArrays<float>& a, Ahead<float>& ahead, std::size_t first,
           std::span<DyadSums> sums, std::size_t dyads);

/// The diffusion step of rows (y + ny z) of dyads: reads `ahead`, writes c_myo, c_ss, c_nsr.
/// @param closed  no calcium passes the cell's faces; else the inner neighbour is mirrored there
void diffuse(const DyadConstants<double>& k, const Grid& grid, bool closed, Ahead<double>& ahead,
             const DyadArrays<double>& a, std::size_t first_row, std::size_t end_row);
void diffuse(const DyadConstants<float>& k, const Grid& grid, bool closed, Ahead<float>& ahead,
             const DyadArrays<float>& a, std::size_t first_row, std::size_t end_row);

/// Instruction set in use, e.g. "AVX-512".
std::string instruction_set();

} // namespace tawara::calcium
