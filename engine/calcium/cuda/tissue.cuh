// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels of cells with dyads in a tissue: V and stimuli are the tissue's, all else lies as in
// other cells (View). The dyads' kernel is that of kernels.cuh.
#pragma once
#include "engine/calcium/cuda/kernels.cuh"
#include "engine/calcium/dyad.hpp"
#include "engine/device/cuda/kernel_values.cuh"

namespace tawara::calcium::cuda {

/// A time in which all RyR are held open.
struct Opening
{
    double from_ms, until_ms;
};

/// A row of a tissue's types of cells.
struct TissueType
{
    MembraneConstants membrane;
    std::int32_t first_opening, openings; ///< in the table of all types' openings
};

/// What cells of a type begin with; all dyads alike, but that each RyR is in C1 or C2 by chance.
template <class Real>
struct TissueStart
{
    CellState cell;
    DyadState<Real> dyad;
    double RyR, available; ///< channels of a dyad; probability that one is in C1
};

/// What the kernels of cells are told of a step, beside the cells.
template <class Real>
struct TissueStep
{
    device::cuda::Reaction<Real> tissue; ///< V, stimuli
    device::cuda::Moment moment;         ///< its slots are those of the cells, in their order
    double after_ms, dt_ms;              ///< as ReactionLaunch has them
    const TissueType* types;
    const Opening* openings;
    const std::uint64_t* unknown; ///< of each cell, its number in the whole tissue
    MembraneCurrents* currents;   ///< of each cell, from the beginning to the end of a step
};

/// The first part of a step: reads V, says what the dyads are told. Cells of a run that has failed
/// become idle for the step.
template <class Real>
void enqueue_tissue_begin(StreamRef s, const View<Real>& w, const TissueStep<Real>& t);
/// The last part: sums over dyads, writes V.
template <class Real>
void enqueue_tissue_end(StreamRef s, const View<Real>& w, const TissueStep<Real>& t);

/// Sets the cells to where their types begin.
/// @param starts  of each type
template <class Real>
void enqueue_tissue_start(StreamRef s, const View<Real>& w, const TissueStart<Real>* starts,
                          const std::uint64_t* unknown);

/// Brings what diffuses to its first place.
/// @pre settled
template <class Real>
void enqueue_home(StreamRef s, const View<Real>& w);

} // namespace tawara::calcium::cuda
