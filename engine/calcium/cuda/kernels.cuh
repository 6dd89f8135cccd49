// SPDX-License-Identifier: GPL-3.0-or-later
// Cells with dyads in a device's memory, and the kernels that step them. What cells compute there
// is what processors compute: the formulas of dyad.hpp and membrane.hpp, sums in the same order.
#pragma once
#include "engine/calcium/cells.hpp"
#include "engine/device/cuda/runtime.cuh"

#include <bit>
#include <cstdint>

namespace tawara::calcium::cuda {

using device::cuda::StreamRef;

/// Quotients of whole numbers below 2^28 by one that stays: i / d = i m / 2^shift, exact since
/// 2^shift < m d <= 2^shift + 2^(shift - 28) (Granlund, Montgomery 1994).
struct Divisor
{
    explicit Divisor(std::uint32_t d)
        : shift(28 + std::bit_width(d - 1)), m((std::uint64_t{1} << shift) / d + 1)
    {
    }
    TAWARA_EVERYWHERE std::uint32_t into(std::uint32_t i) const
    {
        return static_cast<std::uint32_t>(i * m >> shift);
    }
    int shift;
    std::uint64_t m;
};

/// When cells are stimulated and when their RyR are held open, in numbers of steps. A value.
struct Timetable
{
    std::int32_t pulse_first = 0, pulse_steps = 0; ///< the first pulse; 0 steps: none
    std::int32_t period = 0;                       ///< from one pulse to the next; 0: there is one
    std::int32_t forced_first = 0, forced_end = 0;

    TAWARA_EVERYWHERE bool pulse(std::int32_t step) const
    {
        const std::int32_t since = step - pulse_first;
        return since >= 0 && (period > 0 ? since % period : since) < pulse_steps;
    }
    TAWARA_EVERYWHERE bool forced(std::int32_t step) const
    {
        return step >= forced_first && step < forced_end;
    }
};

/// Where a cell is in time, and where what its dyads diffuse lies.
struct Position
{
    std::int32_t step = 0;    ///< its next one
    std::int32_t place = 0;   ///< of two, for c_myo, c_ss, c_nsr
    std::int32_t settled = 1; ///< these have diffused; else the next step begins with that
};

/// What the dyads of a cell are told in a step; the position is that of before.
template <class Real>
struct CellInput
{
    DyadInput<Real> dyads;
    Position at;
    std::uint64_t number;    ///< the cell's, of which random numbers depend
    std::uint64_t time_step; ///< of random numbers
    bool closed;             ///< nothing diffuses through the cell's faces
    bool idle;               ///< nothing is to be done
};

/// Cells in a device's memory. c_myo, c_ss and c_nsr have two places: one in the arrays, one beside
/// them. A step reads one, diffuses what it reads and writes the other, so that all goes once
/// through memory.
template <class Real>
struct View
{
    DyadArrays<Real> first;  ///< of the first cell
    std::size_t bytes, room; ///< from a cell to the next: of arrays; of a place beside them
    Real *beside_myo, *beside_ss;
    double* beside_nsr;

    std::uint32_t cells, dyads, blocks; ///< blocks of dyads in a cell
    std::int32_t nx, ny, nz;
    Divisor by_blocks, by_nx, by_ny;
    std::uint64_t seed, number; ///< of the first cell; in tissue cells have their own
    std::uint16_t stream;       ///< of random numbers: the part of a time step

    CellState* cell;
    CellStep* step;
    double *v, *stimulus; ///< [mV], [pA/pF] of each cell
    Position* position;
    CellInput<Real>* input;
    DyadSums* sums; ///< [cell][block]
    const Timetable* timetable;

    // only in tissue
    const std::uint16_t* type = nullptr;          ///< of each cell
    const DyadConstants<Real>* of_type = nullptr; ///< of each type; null: there is one
};

/// What the kernel of cells does: ends a step, begins the next, or both.
enum class CellWork { begin, end, both };

/// Steps what cells have once: reads V and stimuli from their arrays and writes V there.
template <class Real>
void enqueue_cells(StreamRef s, const MembraneConstants& c, const View<Real>& w, CellWork work);

/// The next step of all cells has this number.
template <class Real>
void enqueue_number(StreamRef s, const View<Real>& w, std::int64_t step);

/// Steps all dyads by their cells' inputs; sums of each block. Here and below k is not looked at
/// where the cells have their types' constants.
template <class Real>
void enqueue_dyads(StreamRef s, const DyadConstants<Real>& k, const View<Real>& w);

/// Diffuses what has not, so that the next step does not begin with that.
template <class Real>
void enqueue_settle(StreamRef s, const DyadConstants<Real>& k, const View<Real>& w);

/// Copies the first cell's membrane, dyads and position to all others and draws all RyR anew.
/// @param available  probability that a channel is in C1
template <class Real>
void enqueue_spread(StreamRef s, const View<Real>& w, double RyR, double available);

/// Means of each cell's dyads, in the order that a block of threads takes.
/// @pre settled
template <class Real>
void enqueue_observe(StreamRef s, const DyadConstants<Real>& k, const View<Real>& w,
                     Observation* out);

} // namespace tawara::calcium::cuda
