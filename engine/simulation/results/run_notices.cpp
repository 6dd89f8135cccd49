// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/run_notices.hpp"

#include "engine/core/units.hpp"
#include "engine/simulation/observe/ecg.hpp"
#include "engine/simulation/pacing/capture.hpp"
#include "engine/simulation/pacing/refractory.hpp"
#include "engine/simulation/results/report_page.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/session/intervals.hpp"
#include "engine/simulation/session/output_keys.hpp"
#include "engine/simulation/session/purkinje_keys.hpp"
#include "engine/simulation/tissue/tissue_notices.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace tawara::simulation {

namespace {

/// Where V was on one side of the threshold all along, and that is the threshold's fault; else
/// empty.
std::string threshold_not_crossed(const Session& s, const PotentialRange& seen)
{
    constexpr double fired_mV = 0; // an upstroke gets there, a pulse alone seldom
    const double threshold_mV = s.activation_threshold_mV;
    const std::string key = "nothing was activated: output.activation_threshold_mV is " +
                            number_text(threshold_mV, 6) + " mV, and V ";
    if (seen.high_mV > fired_mV && seen.high_mV < threshold_mV)
        return key + "rose to " + number_text(seen.high_mV, 4) + " mV at most; lower it (usual: 0)";
    if (seen.low_mV > threshold_mV && seen.low_mV <= seen.high_mV)
        return key + "was always above the threshold, from " + number_text(seen.low_mV, 4) +
               " mV on; raise it (usual: 0)";
    return {};
}

double width(std::span<const double> x)
{
    const auto [least, most] = std::minmax_element(x.begin(), x.end());
    return x.empty() ? 0 : *most - *least;
}

/// Of all regions and directions [S/m].
double largest_conductivity(const Session& s)
{
    double most = 0;
    for (const auto& r : s.regions)
        if (!r.inherits() && !r.insulating) {
            const auto& c = r.conductivity_S_per_m;
            most = std::max({most, c.fibre, c.sheet, c.normal});
        }
    return most;
}

/// Of a run in which nothing was activated: for each stimulus, why that may be.
Notices why_nothing_activated(const Session& session, double end_ms, const PotentialRange& seen)
{
    if (session.stimuli.empty() && session.purkinje->wanted && session.purkinje->his)
        return {
            {Notice::Level::warning,
             "nothing was activated: no junction of the Purkinje network excited the tissue by " +
                 number_text(end_ms, 6) +
                 " ms; purkinje.csv says which of its nodes were activated. Where they were, a "
                 "lower purkinje.junctions.resistance_kOhm or a finer mesh (tawara-cli mesh "
                 "refine) excites the tissue; where they were not, look at purkinje.cut and "
                 "purkinje.his_ms"}};
    if (session.stimuli.empty())
        return {{Notice::Level::warning, "nothing was activated: the session has no stimulus"}};
    if (auto why = threshold_not_crossed(session, seen); !why.empty())
        return {{Notice::Level::warning, std::move(why)}};
    Notices out;
    const double volume_per_charge = // uA/cm3 of 1 pA/pF
        session.surface_to_volume_per_mm * session.capacitance_uF_per_cm2 *
        uF_per_mm2_of_uF_per_cm2 / uA_per_mm3_of_uA_per_cm3;
    for (const auto& s : session.stimuli) {
        const auto pulses = pulse_runs(s);
        const double strength = s.amplitude_pA_per_pF;
        char why[240];
        if (pulses.empty())
            std::snprintf(why, sizeof why, "it is off");
        else if (pulses.front().start_ms >= end_ms)
            std::snprintf(why, sizeof why,
                          "its first pulse is at %g ms, and the run ended at %g ms",
                          pulses.front().start_ms, end_ms);
        else if (strength < 0)
            std::snprintf(why, sizeof why,
                          "its amplitude is negative (%.4g pA/pF), and such a current lowers V; "
                          "give a positive one, which depolarises",
                          strength);
        else if (strength * s.duration_ms < 10) // 5 pA/pF over 2 ms
            std::snprintf(why, sizeof why,
                          "%.4g pA/pF (%.6g uA/cm3) over %g ms is far below threshold; usual is "
                          "50 pA/pF (%.6g uA/cm3) over 2 ms",
                          strength, strength * volume_per_charge, s.duration_ms,
                          50 * volume_per_charge);
        else if (end_ms < pulses.front().start_ms + s.duration_ms + 3)
            std::snprintf(why, sizeof why,
                          "the run ended at %g ms, during its first pulse or right after it "
                          "(%g to %g ms)",
                          end_ms, pulses.front().start_ms, pulses.front().start_ms + s.duration_ms);
        else if (const double most = largest_conductivity(session); most > beyond_tissue_S_per_m)
            std::snprintf(why, sizeof why,
                          "%.4g pA/pF over %g ms did not reach threshold there; a conductivity of "
                          "%.6g S/m, far above tissue (0.01 to 1 S/m), may carry its current away; "
                          "else raise it or enlarge its region",
                          strength, s.duration_ms, most);
        else
            std::snprintf(why, sizeof why,
                          "%.4g pA/pF (%.6g uA/cm3) over %g ms did not reach threshold there; "
                          "raise it or enlarge its region",
                          strength, strength * volume_per_charge, s.duration_ms);
        out.push_back(
            {Notice::Level::warning, "stimulus '" + s.name + "' activated nothing: " + why});
    }
    return out;
}

/// A line for each site of which a pulse is known not to have captured.
Notices what_did_not_capture(std::span<const Pulse> pulses)
{
    constexpr std::size_t named = 5;
    Notices out;
    for (const auto& site : counted(pulses)) {
        const auto& failed = site.failed;
        if (failed.empty() || !(failed.front().amplitude_pA_per_pF > 0))
            continue;
        std::int64_t given = 0, not_known = 0;
        for (const auto& kind : site.kinds) {
            given += kind.given;
            not_known += kind.not_known;
        }
        const auto failures = static_cast<std::int64_t>(failed.size());
        std::string text =
            "site '" + site.site + "': " +
            (given == 1          ? "its one pulse did not capture"
             : failures == given ? "none of its " + std::to_string(given) + " pulses captured"
                                 : std::to_string(failures) + " of its " + std::to_string(given) +
                                       " pulses did not capture") +
            " (amplitude " + number_text(failed.front().amplitude_pA_per_pF, 4) + " pA/pF for " +
            number_text(failed.front().duration_ms, 4) + " ms";
        for (std::size_t k = 0; k < std::min(failed.size(), named); ++k)
            text += (k > 0 ? ", " : "; at ") + number_text(failed[k].time_ms, 7);
        text += std::string(failed.size() > named ? " and later" : "") + " ms";
        if (not_known > 0)
            text += "; " + std::to_string(not_known) + " cannot be judged";
        const auto every = [&](auto f) { return std::all_of(failed.begin(), failed.end(), f); };
        if (every([](const Pulse& p) { return p.overtaken; }))
            text += "; a wave from elsewhere came first";
        else if (every([](const Pulse& p) { return p.around_mV > CaptureWatch::rest_mV; }))
            text += "; the tissue was not back at rest";
        out.push_back({Notice::Level::warning, text + ")"});
    }
    return out;
}

/// Of values that are allowed and are most likely slips.
Notices what_is_odd(const Session& s)
{
    constexpr double many_steps = 1e9;
    Notices out;
    if (s.prepacing.beats == 0 && s.prepacing != Prepacing{})
        out.push_back({Notice::Level::warning,
                       "tissue.prepacing.beats: is 0, so no cell is paced before the run; give 1 "
                       "or more, or take tissue.prepacing out"});
    if (const double steps = s.end_ms / s.dt_ms; steps > many_steps)
        out.push_back({Notice::Level::warning,
                       "time.dt_ms: steps of " + number_text(s.dt_ms, 6) + " ms make " +
                           number_text(steps, 3) + " of them until time.end_ms (" +
                           number_text(s.end_ms, 7) + " ms): was that meant? Usual is 0.02 ms"});
    for (std::size_t r = 0; r < s.regions.size(); ++r) {
        const Region& region = s.regions[r];
        const std::string at = "tissue.regions." + std::to_string(r);
        if (region.inherits() && !region.insulating && region.parameters.empty() &&
            region.initial.empty() && region.scale.empty() && region.conductivity_scale == 1)
            out.push_back({Notice::Level::info,
                           at + ": does not change the tissue beneath it; give parameters, "
                                "initial, scale, conductivity_scale or a model"});
    }
    return out;
}

} // namespace

Notices what_outputs_will_be(const Session& s)
{
    Notices out = what_is_odd(s);
    for (auto& n : rounded_intervals(s))
        out.push_back(std::move(n));
    if (s.output->frames_every_ms > 0 && s.output->frames == FrameFormat::none)
        out.push_back({Notice::Level::warning,
                       "no frames: output.frames is \"none\" beside an output.frames_every_ms; "
                       "\"vtu\" or \"igb\" would write them"});
    return out;
}

Notices probes_outside(const Tissue& tissue, std::span<const Probe> probes)
{
    Notices out;
    const auto& m = *tissue.mesh;
    const auto weights = probe_weights(tissue, probes, "");
    for (std::size_t k = 0; k < probes.size(); ++k) {
        const auto& p = probes[k];
        const auto under =
            std::span(weights.unknown)
                .subspan(static_cast<std::size_t>(weights.first[k]),
                         static_cast<std::size_t>(weights.first[k + 1] - weights.first[k]));
        if (std::any_of(under.begin(), under.end(), [&](std::int32_t u) {
                return !tissue.problem.has_cells(static_cast<std::size_t>(u));
            }))
            out.push_back({Notice::Level::warning,
                           "probe '" + p.name +
                               "' lies in insulating tissue, which has no potential: its column "
                               "stays empty"});
        const auto place = tissue.locator->find(p.position_mm);
        const auto tet = static_cast<std::size_t>(place.tetrahedron);
        if (place.distance_mm <= 0.1 * std::cbrt(12 / std::sqrt(2.0) * m.volume(tet)))
            continue;
        Vec3 nearest{};
        for (std::size_t c = 0; c < 4; ++c)
            nearest =
                nearest + place.weights[c] * m.vertex(static_cast<std::size_t>(m.corner[c][tet]));
        char text[160];
        std::snprintf(text, sizeof text,
                      " lies %.3g mm outside the tissue; it shows the nearest place, (%.4g, %.4g, "
                      "%.4g) mm",
                      place.distance_mm, nearest[0], nearest[1], nearest[2]);
        out.push_back({Notice::Level::warning, "probe '" + p.name + "'" + text});
    }
    return out;
}

Notices what_run_will_be(const Session& session, const Tissue& tissue, bool unpaced)
{
    Notices out;
    if (unpaced)
        out.push_back({Notice::Level::info,
                       "tissue.prepacing is not used here: the cells go on from the "
                       "checkpoint's states"});
    if (tissue.problem.system.mass == diffusion::Mass::consistent)
        out.push_back({Notice::Level::info,
                       tissue.problem.stepping == device::Stepping::newton
                           ? "diffusion.mass \"consistent\" with Newton's method: waves are late "
                             "on coarse meshes, about as late as with \"lumped\", since currents "
                             "of the cells stay at the vertices; explicit steps with it make them "
                             "early"
                           : "diffusion.mass \"consistent\": every step solves a linear system, "
                             "which takes several times as long as all else; \"lumped\" with "
                             "explicit steps solves none"});
    for (const auto& more : {ecg_notices(tissue, session.electrodes, session.leads, session.name),
                             probes_outside(tissue, session.probes)})
        out.insert(out.end(), more.begin(), more.end());
    return out;
}

Notices where_waves_ended(std::int64_t unknowns, std::int64_t activated, double last_ms,
                          double end_ms)
{
    constexpr double surely_ms = 100; // no wave rests for so long and goes on
    if (activated == 0 || 2 * activated > unknowns || end_ms - last_ms < surely_ms)
        return {};
    return {{Notice::Level::warning,
             "waves ended at " + number_text(last_ms, 6) + " ms: of " + std::to_string(unknowns) +
                 " unknowns " + std::to_string(activated) +
                 " were activated. On coarse meshes, and where conductivities are low, waves slow "
                 "down and stop"}};
}

Notices where_waves_are_too_fast(const Tissue& tissue, std::span<const double> activation_ms)
{
    constexpr double fastest_m_per_s = 10; // Purkinje fibres have 2 to 4
    constexpr double least_mm = 5;         // a pulse may excite the whole of what is smaller
    std::vector<double> x, y, z, at;
    for (std::size_t u = 0; u < activation_ms.size(); ++u)
        if (std::isfinite(activation_ms[u])) {
            const auto& p = tissue.problem.position_mm[u];
            x.push_back(p[0]), y.push_back(p[1]), z.push_back(p[2]);
            at.push_back(activation_ms[u]);
        }
    const double across = std::hypot(width(x), width(y), width(z)), took = width(at);
    if (2 * at.size() <= tissue.problem.with_cells() || across < least_mm ||
        across < fastest_m_per_s * took)
        return {};
    // where all of a wall's one side was paced, waves cross it as slowly as anywhere
    if (const double median =
            conduction_velocity(*tissue.mesh, tissue.on_vertices(), activation_ms)[1];
        median < fastest_m_per_s)
        return {};
    return {{Notice::Level::warning,
             "what was activated, " + number_text(across, 3) +
                 " mm from end to end, was so within " + number_text(took, 3) +
                 " ms, where waves of hearts take about 1 ms for each 0.6 mm. A stimulus of all of "
                 "the tissue does that, and so do conductivities in another unit (0.01 to 1 S/m "
                 "are usual)"}};
}

Notices where_rest_is_above(const CellMap& cells, const device::Maps& maps,
                            std::span<const double> v_mV, double end_ms)
{
    constexpr double surely_ms = 200;  // after which action potentials of ischaemia are over
    constexpr double at_rest_mV = -55; // and no plateau is below that
    Notices out;
    for (std::size_t k = 0; k < cells.regions.size(); ++k) {
        std::int64_t activated = 0;
        std::vector<double> back;
        for (std::size_t u = 0; u < v_mV.size(); ++u) {
            const double from = maps.activation_ms[u];
            if (cells.of_unknown[u] != static_cast<std::int32_t>(k) || !std::isfinite(from))
                continue;
            ++activated;
            if (!std::isfinite(maps.apd90(u)) && v_mV[u] < at_rest_mV && end_ms - from > surely_ms)
                back.push_back(v_mV[u]);
        }
        const auto count = static_cast<std::int64_t>(back.size());
        if (count == 0 || 2 * count < activated)
            continue;
        const auto middle = back.begin() + static_cast<std::ptrdiff_t>(back.size() / 2);
        std::nth_element(back.begin(), middle, back.end());
        const auto& r = cells.regions[k];
        out.push_back({Notice::Level::warning,
                       "tissue.regions." + std::to_string(r.region) +
                           (r.name.empty() ? "" : " (" + r.name + ")") + ": " +
                           std::to_string(count) + " of " + std::to_string(activated) +
                           " activated unknowns have no APD90, though they are back at rest. APD90 "
                           "counts from the least V before the wave. These cells began below their "
                           "rest of " +
                           number_text(*middle, 3) +
                           " mV; pace them before the run (tissue.prepacing)"});
    }
    return out;
}

Notices what_pulses_did(const Session& session, std::span<const Pulse> pulses, bool activated,
                        double end_ms, const PotentialRange& seen, double branched_ms)
{
    Notices out;
    if (activated)
        out = what_did_not_capture(pulses);
    else if (session.output->maps_from_ms > 0)
        out.push_back({Notice::Level::warning,
                       std::string("nothing was activated after ") +
                           (session.output->maps_from_ms == branched_ms ? "the branch at "
                                                                        : "output.maps_from_ms ") +
                           number_text(session.output->maps_from_ms, 9) + " ms"});
    else
        out = why_nothing_activated(session, end_ms, seen);
    const auto periods = refractory_notices(pulses, branched_ms);
    out.insert(out.end(), periods.begin(), periods.end());
    return out;
}

} // namespace tawara::simulation
