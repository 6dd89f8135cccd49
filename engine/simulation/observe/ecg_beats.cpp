// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/observe/ecg_beats.hpp"

#include "engine/simulation/observe/ecg.hpp"
#include "engine/simulation/session/csv.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tawara::simulation {

EcgIntervals ecg_beats(const std::vector<std::string>& leads, std::span<const double> time_ms,
                       std::span<const std::vector<float>> mV, std::span<const double> pulses_ms)
{
    const auto used = std::min(leads.size(), mV.size()) - std::min(mV.size(), own_leads(leads));
    return analysis::ecg_intervals(time_ms, mV.first(used),
                                   !time_ms.empty() && time_ms.front() < 1e-9, pulses_ms);
}

void no_beats_without_activation(EcgIntervals& of)
{
    of.beats.clear();
    of.none = "no tissue was activated";
}

void no_beats_without_activation(EcgIntervals& of, std::span<const double> activation_ms,
                                 bool maps_are_whole)
{
    if (!maps_are_whole || activation_ms.empty() ||
        std::any_of(activation_ms.begin(), activation_ms.end(),
                    [](double ms) { return std::isfinite(ms); }))
        return;
    no_beats_without_activation(of);
}

std::vector<double> times_of_pulses(std::span<const Pulse> pulses)
{
    std::vector<double> out;
    for (const Pulse& p : pulses)
        if (p.captured.value_or(true))
            out.push_back(p.time_ms);
    return out;
}

const EcgBeat* newest_measured(const EcgIntervals& of, double until_ms)
{
    const EcgBeat *out = nullptr, *qrs = nullptr, *any = nullptr;
    for (const auto& b : of.beats) {
        if (b.steepest_ms > until_ms && !(b.onset_ms <= until_ms))
            break;
        any = &b;
        if (std::isnan(b.onset_ms) && std::isfinite(b.rr_ms)) { // a rhythm without rests goes on
            out = qrs = nullptr;
            continue;
        }
        qrs = std::isfinite(b.qrs_ms()) ? &b : qrs;
        out = std::isfinite(b.qt_ms()) ? &b : out;
    }
    return out != nullptr ? out : qrs != nullptr ? qrs : any;
}

std::string intervals_text(const EcgBeat& beat)
{
    const std::pair<const char*, double> values[]{
        {"QRS", beat.qrs_ms()}, {"QT", beat.qt_ms()}, {"RR", beat.rr_ms}};
    const std::string* reasons[]{&beat.no_qrs, &beat.no_qt, &beat.no_rr};
    std::string out;
    for (std::size_t k = 0; k < std::size(values); ++k) {
        const auto& [name, ms] = values[k];
        out += (k > 0 ? ", " : "") + std::string(name) + " ";
        if (std::isfinite(ms))
            out += number_text(std::round(ms), 6) + " ms";
        else if (k > 0 && *reasons[k] == *reasons[k - 1]) // QT for want of QRS
            out += "–";
        else
            out += "– (" + *reasons[k] + ")";
    }
    if (std::isfinite(beat.qtc_ms()))
        out += ", QTcF " + number_text(std::round(beat.qtc_ms()), 6) + " ms";
    return out;
}

std::string ecg_method_text(const EcgIntervals& of)
{
    return "Over all leads, without own ones beside the 12. QRS: spatial velocity above 5 % of the "
           "beat's largest, by slopes over 4 ms, so that an abrupt start or end counts up to 2 ms "
           "longer, but none before its pulse; end of T: tangent at its steepest descent; RR: from "
           "onset to onset; "
           "QTcF: QT by Fridericia, QT / (RR / 1 s)^(1/3). Resolution " +
           number_text(of.step_ms, 3) + " ms";
}

} // namespace tawara::simulation
