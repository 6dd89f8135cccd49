// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/model.hpp"
#include "engine/cell/steadiness.hpp"
#include "engine/core/progress.hpp"

#include <limits>
#include <span>
#include <vector>

namespace tawara::cell {

/// Cells alone, paced regularly before they become tissue.
struct PaceOptions
{
    Scheme scheme = Scheme::rush_larsen_light; ///< not cvode
    double table_step_mV = 0;                  ///< as of make_cpu_kernel(); 0: none
    double dt_ms = 0.02;
    double cycle_length_ms = 1000;
    long beats = 100;               ///< with until_steady: at most
    bool until_steady = false;      ///< ends where every cell is SteadinessMeter::settled()
    double stimulus_pA_per_pF = 52; ///< that of ten Tusscher & Panfilov 2006
    double stimulus_duration_ms = 1;
};

/// What pacing has made of one cell type.
struct PacedCell
{
    std::vector<double> state; ///< one cycle after the last pulse; ModelInfo::states order
    /// Of the last action potential; NaN where it had not repolarised by the end of its cycle.
    double apd90_ms = std::numeric_limits<double>::quiet_NaN();
    /// How much longer it was than the one before; NaN where either is not known.
    double apd90_change_ms = std::numeric_limits<double>::quiet_NaN();
    long beats = 0;                 ///< that it was paced
    Drift drift;                    ///< how far from its steady rhythm it still is
    long looked_at = 0, missed = 0; ///< of the last 10 pulses: those without an action potential
};

/// Paces cells from their types' initial states, all at once in one kernel.
/// @param types  1 to most_types, of one model
/// @throws InputError when the scheme is not available for the model
/// @throws NumericsError when a state stops being finite, or V leaves [-1000, 1000] mV
/// @throws Cancelled
/// @thread any
/// @cost   about 0.5 us a step for the first 16 types, and for each 16 more
std::vector<PacedCell> pace_cells(std::span<const CellType> types, const PaceOptions& options,
                                  const Progress& progress = {});

} // namespace tawara::cell
