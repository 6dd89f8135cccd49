// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/ecg_beats.hpp"

#include "engine/simulation/csv.hpp"
#include "engine/simulation/ecg.hpp"

#include <algorithm>

namespace tawara::simulation {

EcgIntervals ecg_beats(const std::vector<std::string>& leads, std::span<const double> time_ms,
                       std::span<const std::vector<float>> mV)
{
    const auto used = std::min(leads.size(), mV.size()) - std::min(mV.size(), own_leads(leads));
    return analysis::ecg_intervals(time_ms, mV.first(used),
                                   !time_ms.empty() && time_ms.front() < 1e-9);
}

const EcgBeat* newest_measured(const EcgIntervals& of, double until_ms)
{
    const EcgBeat *out = nullptr, *qrs = nullptr, *any = nullptr;
    for (const auto& b : of.beats) {
        if (b.steepest_ms > until_ms && !(b.onset_ms <= until_ms))
            break;
        any = &b;
        qrs = std::isfinite(b.qrs_ms()) ? &b : qrs;
        out = std::isfinite(b.qt_ms()) ? &b : out;
    }
    return out != nullptr ? out : qrs != nullptr ? qrs : any;
}

std::string intervals_text(const EcgBeat& beat)
{
    const auto text = [](const char* name, double ms, const std::string& why) {
        return std::string(name) + " " +
               (std::isfinite(ms) ? number_text(std::round(ms), 6) + " ms" : "– (" + why + ")");
    };
    return text("QRS", beat.qrs_ms(), beat.no_qrs) + ", " + text("QT", beat.qt_ms(), beat.no_qt) +
           ", " + text("RR", beat.rr_ms, beat.no_rr);
}

std::string ecg_method_text(const EcgIntervals& of)
{
    return "Over all leads, without own ones beside the 12. QRS: spatial velocity above 5 % of the "
           "beat's largest; end of T: tangent at its steepest descent; RR: from onset to onset. "
           "Resolution " +
           number_text(of.step_ms, 3) + " ms";
}

} // namespace tawara::simulation
