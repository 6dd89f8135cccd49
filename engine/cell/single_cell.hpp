// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/action_potential.hpp"
#include "engine/cell/model.hpp"
#include "engine/cell/steadiness.hpp"

#include <functional>
#include <stop_token>
#include <vector>

namespace tawara::cell {

/// One cell, paced.
struct SingleCellOptions
{
    CellType type; ///< make_cell_type(), or with a system that keeps its own stimulus
    Scheme scheme = Scheme::rush_larsen_light;
    bool single_precision = false;
    double table_step_mV = 0; ///< of tables of functions of V (make_cpu_kernel); 0: none; not cvode
    double dt_ms = 0.01;
    double end_ms = 1000;       ///< how long to run
    double sample_every_ms = 1; ///< between samples of the result (rounded to whole steps); 0: none
    double sample_from_ms = 0;  ///< samples before that time are left out
    /// The type's system was resolved with its own stimulus (ResolveOptions::own_stimulus), which
    /// is followed in place of the pulses below; they still say when beats are counted.
    bool own_stimulus = false;
    double stimulus_pA_per_pF = 52; ///< that of ten Tusscher & Panfilov 2006; positive depolarises
    double stimulus_duration_ms = 1;
    double stimulus_start_ms = 0;
    double stimulus_period_ms = 1000; ///< pacing cycle length; 0: a single stimulus
    long beats = 0;                   ///< stimuli at most; 0: as many as fit
    /// Ends after the beat with which the cell is SteadinessMeter::settled(); at end_ms at the
    /// latest. Of pulses with a period.
    bool until_steady = false;
    std::function<bool(double)>
        progress;         ///< called about every 10 ms of model time with t; false cancels
    std::stop_token stop; ///< asked as often; the run ends there and gives what was reached
};

struct SingleCellResult
{
    std::vector<double> time_ms;
    std::vector<std::vector<double>> states; ///< [state][sample], ModelInfo::states order, V first
    std::vector<ActionPotential> beats;      ///< one for each stimulus that made an upstroke
    std::vector<double> final_state;         ///< at end_ms or where it was stopped, as `states`
    long steps = 0;                          ///< that were taken
    bool settled = false;                    ///< SingleCellOptions::until_steady ended it
    Drift drift;           ///< of a cell paced with a period; not known after few beats
    bool stopped = false;  ///< by SingleCellOptions::stop, before its end
    double compile_ms = 0; ///< of the machine code; 0 when it was there already
};

/// Runs one cell with fixed steps of dt; by CVODE (scheme cvode, tolerance 1e-8) dt is the time
/// between looks at the solution. Times of samples are whole multiples of dt; a step is stimulated
/// when its middle lies inside the stimulus. Action potentials are measured at every step.
/// @throws InputError for a step, end or period that is not positive, or a scheme that does not
/// compile
/// @throws NumericsError when V stops being finite or leaves [-1000, 1000] mV
/// @throws Cancelled when progress returned false
/// @cost about 1 us per step
SingleCellResult run_single_cell(const SingleCellOptions& options);

} // namespace tawara::cell
