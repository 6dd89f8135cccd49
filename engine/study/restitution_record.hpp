// SPDX-License-Identifier: GPL-3.0-or-later
// Beats of restitution curves, and what the curves' slopes are.
#pragma once
#include <cstddef>
#include <filesystem>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tawara::study {

/// What a pulse came to at one probe.
struct RestitutionBeat
{
    static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    double interval_ms = 0; ///< S2's coupling, or the cycle of dynamic pacing
    int beat = 1;           ///< of those that are measured at this interval
    std::string probe;
    bool captured = false;         ///< the pulse made a beat there
    double diastolic_ms = unknown; ///< from APD90 of the beat before to this activation
    double apd90_ms = unknown, apd50_ms = unknown;
    double delay_ms = unknown; ///< from the pulse to the activation
    /// From the session's first probe, by the straight distance; of all but the first.
    double velocity_m_per_s = unknown;
    double first_diastolic_ms = unknown; ///< at the session's first probe, before the same wave
};

nlohmann::ordered_json to_json(const RestitutionBeat& b);
/// @throws nlohmann::json::exception where it is none
RestitutionBeat restitution_beat(const nlohmann::ordered_json& o);

/// Points (diastolic interval, value) of a curve.
using RestitutionCurve = std::vector<std::pair<double, double>>;

/// Slopes of a curve by least squares within windows of the diastolic interval that slide from
/// point to point: (mean diastolic interval, slope) of each that has three points or more and of
/// which these take at least half. Windows of 40 ms are usual (Taggart et al., Circulation
/// 107:285, 2003, in steps of 10 ms). Of more than `most_windows` points, windows begin at every
/// so manieth that these are no more: curves that are measured have some hundred.
/// @cost  `most_windows` times the points at most
RestitutionCurve sliding_slopes(RestitutionCurve points, double window_ms = 40);
inline constexpr std::size_t most_windows = 2000;

/// What is told of a curve. NaN: not known, or never.
struct RestitutionSummary
{
    std::size_t beats = 0, lost = 0;               ///< pulses with and without a beat at the probe
    double shortest_ms = RestitutionBeat::unknown; ///< interval with a beat of each of its pulses
    double block_ms = RestitutionBeat::unknown;    ///< longest interval that lost one
    double slope = RestitutionBeat::unknown;       ///< largest one of APD90
    double slope_at_ms = RestitutionBeat::unknown; ///< diastolic interval of that window
    /// The longest diastolic interval at which the slope falls to 1, between two windows.
    double slope_1_ms = RestitutionBeat::unknown;
    /// The largest slope of velocity, per 100 ms of the first probe's diastolic interval.
    double velocity_slope = RestitutionBeat::unknown;
    double alternans_ms = RestitutionBeat::unknown; ///< largest change of APD90 from beat to beat
    double alternans_at_ms = RestitutionBeat::unknown; ///< interval of that
};
/// @param probe  beats of other probes do not count
RestitutionSummary summary_of(std::span<const RestitutionBeat> beats, const std::string& probe);
/// Its numbers, those that are known.
nlohmann::ordered_json to_json(const RestitutionSummary& s);

RestitutionCurve apd_curve(std::span<const RestitutionBeat> beats, const std::string& probe);
RestitutionCurve velocity_curve(std::span<const RestitutionBeat> beats, const std::string& probe);
/// The beats of each probe, in their order; probes in that of their first beat.
std::vector<std::vector<RestitutionBeat>> by_probe(std::span<const RestitutionBeat> beats);

/// Beats that are kept while a protocol is under way, so that a killed program's are not measured
/// again.
/// @thread one at a time
class RestitutionStore
{
  public:
    /// @throws InputError  where the file is no such file
    explicit RestitutionStore(std::filesystem::path file);
    const std::vector<RestitutionBeat>& beats() const { return beats_; }
    bool has(double interval_ms) const;
    /// Writes the file anew, whole.
    void add(std::span<const RestitutionBeat> beats);
    /// Forgets all of other intervals, in the memory alone.
    void keep_only(std::span<const double> intervals_ms);

  private:
    std::filesystem::path file_;
    std::vector<RestitutionBeat> beats_;
};

} // namespace tawara::study
