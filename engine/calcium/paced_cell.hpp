// SPDX-License-Identifier: GPL-3.0-or-later
// One cell with dyads, run alone: paced, or with its RyR forced open.
#pragma once
#include "engine/calcium/cells.hpp"
#include "engine/calcium/sparks.hpp"
#include "engine/cell/action_potential.hpp"
#include "engine/core/progress.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace tawara::calcium {

inline constexpr const char* dyad_model = "ohara_rudy_dyads_2011";
inline constexpr const char* dyad_model_title = "O'Hara-Rudy currents with stochastic dyads of the "
                                                "Gaur-Rudy type (parameters from public code)";

/// Pulses of current that depolarise, and a time in which all RyR are held open.
struct Protocol
{
    double amplitude_pA_per_pF = 80, duration_ms = 0.5, start_ms = 50;
    double period_ms = 500; ///< 0: one pulse
    long beats = 0;         ///< pulses at most; 0: as many as fit
    double forced_from_ms = 0, forced_until_ms = 0;

    /// Number of the pulse that is on at time t; -1: none.
    long pulse_at(double t_ms) const;
    bool forced_at(double t_ms) const { return t_ms >= forced_from_ms && t_ms < forced_until_ms; }
};

struct PacedCellOptions
{
    Parameters parameters;
    Grid grid;
    const Start* start = nullptr;
    bool mixed = false; ///< precision; else double
    double dt_ms = 0.05, end_ms = 500;
    double sample_every_ms = 1; ///< rounded to whole steps
    std::uint64_t seed = 1;
    Protocol protocol;
    SparkFinder* sparks = nullptr; ///< looks every criteria().every_ms, in whole steps; of the grid
};

/// What is known of a cell at a time.
struct Sample
{
    double t_ms = 0;
    CellState cell{};
    Observation dyads;
    CellStep step;            ///< the last one
    double release_mM_per_ms; ///< of all dyads, per volume of myoplasm
};

/// A beat's calcium, from one pulse (or the run's start) to the next.
struct CalciumBeat
{
    double start_ms = 0;
    double c_myo_rest_uM = std::numeric_limits<double>::infinity(); ///< least
    double c_myo_peak_uM = 0, peak_after_ms = 0;
    double c_jsr_least_mM = std::numeric_limits<double>::infinity(), c_jsr_most_mM = 0; ///< samples
    double i_CaL_peak = 0; ///< the most negative [uA/uF]
    double release_uM = 0; ///< of myoplasm, in all
    double influx_uM = 0;  ///< through LCC
    double v_least_mV = std::numeric_limits<double>::infinity();
    double v_most_mV = -std::numeric_limits<double>::infinity();
    double upstroke_mV_per_ms = 0;
    double active_percent = 0; ///< dyads that were active in it
    double largest_c_d_uM = 0; ///< samples
};

struct PacedCellResult
{
    std::vector<CalciumBeat> calcium;
    std::vector<cell::ActionPotential> beats; ///< one for each pulse (or none) with an upstroke
    CellState final_cell{};
    Observation final_dyads;
    long steps = 0;
    bool stopped = false; ///< by Progress::stop, before its end
};

/// Runs a cell on progress.context.threads threads. A step is stimulated or forced when its middle
/// lies in the pulse or that time.
/// @param sampled  called at time 0 and after every sample_every_ms
/// @throws InputError for a step or an end that is not positive, or as CellModel
/// @throws NumericsError when V stops being finite or leaves [-1000, 1000] mV
/// @cost  bytes_of_cell() of memory; some 11 ns a dyad and step on a core with 512 bit vectors
/// (calcium-speed.jsonl)
PacedCellResult run_paced_cell(const PacedCellOptions& o, const Progress& progress,
                               const std::function<void(const Sample&)>& sampled);

/// A column of traces.
struct TraceColumn
{
    std::string name;
    std::function<double(const Sample&)> value;
};
/// The potential first, then means over dyads, currents, counts.
std::vector<TraceColumn> trace_columns();

} // namespace tawara::calcium
