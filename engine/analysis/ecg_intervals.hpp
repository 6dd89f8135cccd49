// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace tawara::analysis {

/// What an electrocardiogram says of one beat. Times are those of the record; NaN: not known, and
/// the text beside it says why.
struct EcgBeat
{
    static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    double steepest_ms = unknown; ///< of the largest spatial velocity; always known
    double onset_ms = unknown;    ///< of QRS
    double end_ms = unknown;      ///< of QRS
    double t_end_ms = unknown;    ///< of the T wave
    double rr_ms = unknown;       ///< since the beat before
    std::string no_qrs, no_qt, no_rr;
    double qrs_ms() const { return end_ms - onset_ms; }
    double qt_ms() const { return t_end_ms - onset_ms; }
    /// QT at 60 beats a minute, QT / (RR / 1 s)^(1/3) (Fridericia, Acta Med Scand 53:469, 1920);
    /// NaN where QT or the RR before it is not known.
    double qtc_ms() const { return qt_ms() / std::cbrt(rr_ms / 1000); }
};

struct EcgIntervals
{
    std::vector<EcgBeat> beats; ///< in order of time
    std::string none;           ///< why nothing can be measured; empty where beats were looked for
    double step_ms = 0;         ///< of the samples: the resolution of every interval
};

/// QRS, QT and RR over all leads together (global intervals), each beat by itself.
///
/// QRS by the spatial velocity (Stallmann & Pipberger, Circ Res 9:1138, 1961; here over all leads),
///
///     S(t) = sqrt( sum_k (dV_k/dt)^2 ),    dV_k/dt: slope of the line through the samples within 2
///     ms,
///
/// from the first to the last crossing of 5 % of the beat's largest S, or of three times the lower
/// quartile of S over the record where that is more (noise; then the slopes are taken within 5 ms).
/// Both crossings are linear between samples; beyond them S stays below for 20 ms, or rises to less
/// than 1.4 times the level again, as where tissue begins to repolarise. What follows
/// within 60 ms, without a pulse in between and before the leads were back within 20 % of their
/// baseline, goes on with the same QRS: a wave that runs evenly moves no lead. Where the leads are
/// not back at its end, QRS goes on up to the flattest 20 ms (of 400 since its onset) where they
/// are: to the last S above three times what it is there, above 0.5 % of its largest and above
/// noise (by the scatter below). While a flatter part may follow, QRS is not over: until S has
/// risen to 1.5 times what it is there, or is so little that its noise and the 0.5 % decide. So QRS
/// does not depend on where the record ends. Leads that are away by no more than 5 to 20 % at its
/// end have such a rest only if they stay farther than half of that for 20 ms, and are nearer in
/// the flat part. The slow rest of a beat is found so after a quick first part, the right ventricle
/// after a left one that a whole endocardium excited.
///
/// A beat is where S reaches 30 % of its largest over the record, and 0.0005 mV/ms, and that is no
/// T wave: one that is less than half as steep as the QRS before (Pan & Tompkins, IEEE Trans Biomed
/// Eng 32:230, 1985) and than what comes after it, 40 ms after its end at the earliest and 600 ms
/// after its steepest at the latest, without a pulse in between. QRS does not begin in the few ms
/// before a pulse by which slopes are early.
///
/// Where that noise is more than 5 % of the largest S, the scatter about the slopes' lines counts
/// as noise where it is less (white noise). A record that ends in QRS or T is so no noise, nor is a
/// rhythm that never rests. Of the latter the cycles are found where
/// the leads' pattern repeats (ecg_record.hpp); RR is from cycle to cycle, QRS and QT are not
/// known.
///
/// T by the tangent (Lepeschkin & Surawicz, Circulation 6:378, 1952) on the magnitude over the
/// leads,
///
///     M(t) = sqrt( mean_k (V_k - b_k)^2 - n^2 ),
///
/// b_k the lead's mean over at most 20 ms before the onset, n^2 the mean of the squares there:
/// where the tangent at the steepest descent after the last peak of at least half the highest (40
/// ms or more after QRS) meets M = 0. V_k are means over 8 ms, slopes are taken within 8 ms.
///
/// RR from onset to onset, or from end to end of QRS where an onset is not known; of a rhythm
/// without rests the lag after which the leads repeat.
///
/// Resolution: step_ms. The slopes' window adds at most 2 ms at each side of an abrupt QRS (5 ms
/// where there is noise). Not measured, and said why: samples further apart than 2 ms; QRS where no
/// rest of 20 ms is on either side (a sample's gap counts as the record's end), where it takes more
/// than 400 ms, where the leads have not come back yet, or where noise is more than 15 % of S; QT
/// without QRS, before M has come down to a quarter of its peak, or where the beat before was not
/// over at the onset (there is no baseline).
/// @param t_ms  ascending
/// @param mV    per lead, as many values as times; leads with a NaN are left out
/// @param begins_at_rest  the tissue was at rest before the first sample: a QRS may begin with it
/// @param pulses_ms  when pulses were given that may have brought a beat, as far as is known
/// @thread any
/// @cost   about 0.2 us per sample and lead; a rhythm without rests ten times as much
EcgIntervals ecg_intervals(std::span<const double> t_ms, std::span<const std::vector<float>> mV,
                           bool begins_at_rest = false, std::span<const double> pulses_ms = {});

} // namespace tawara::analysis
