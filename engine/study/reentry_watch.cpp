// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/reentry_watch.hpp"

#include "engine/simulation/session/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tawara::study {
namespace {

constexpr double every_ms = 1, cores_every_ms = 5; ///< waves turn once in a hundred or more

Vec3 mean_of(std::span<const Vec3> points)
{
    Vec3 sum{};
    for (const auto& p : points)
        sum = sum + p;
    return (1 / static_cast<double>(std::max<std::size_t>(points.size(), 1))) * sum;
}

/// V at the mesh's vertices: of fvm the mean of the tetrahedra around that have cells.
std::vector<float> at_vertices(const simulation::Tissue& t, std::span<const double> V_mV)
{
    if (t.on_vertices())
        return {V_mV.begin(), V_mV.end()};
    std::vector<float> out(t.mesh->vertex_count(), std::numeric_limits<float>::quiet_NaN());
    for (std::size_t v = 0; v < out.size(); ++v) {
        double sum = 0;
        int count = 0;
        for (auto k = t.stars.first[v]; k < t.stars.first[v + 1]; ++k)
            if (const double x =
                    V_mV[static_cast<std::size_t>(t.stars.tets[static_cast<std::size_t>(k)])];
                !std::isnan(x))
                sum += x, ++count;
        if (count > 0)
            out[v] = static_cast<float>(sum / count);
    }
    return out;
}

} // namespace

ReentryWatch::ReentryWatch(const simulation::Session& s, const simulation::Simulation& simulation)
    : tissue_(simulation.tissue()), every_(simulation::steps_of(every_ms, simulation.dt_ms())),
      phase_(tissue_)
{
    phase_.silent(simulation::silent_tissue(s, tissue_));
    if (!s.has_ecg())
        return;
    leads_ =
        simulation::EcgField(*tissue_.mesh, tissue_.stars, tissue_.on_vertices(), tissue_.patches,
                             simulation::ecg_layout(tissue_, s.electrodes, s.leads, s.name),
                             s.bath_conductivity_S_per_m);
    ecg_.leads = leads_.layout().names();
    ecg_.electrodes = leads_.layout().electrodes;
    ecg_.every_ms = static_cast<double>(every_) * simulation.dt_ms();
}

void ReentryWatch::begin(std::vector<char> awaited, double phase_from_ms)
{
    on_ = true;
    log_.begin();
    awaited_ = std::move(awaited);
    phase_from_ms_ = cores_due_ms_ = phase_from_ms;
    phase_.clear();
    functional_.clear(), around_.clear();
    samples_ = 0;
    ecg_.time_ms.clear();
    ecg_.mV.assign(ecg_.leads.size(), {});
}

void ReentryWatch::observe(simulation::Moment& now)
{
    if (!on_)
        return;
    const auto v = now.potential();
    log_.sample(now.time_ms(), v);
    if (!leads_.empty()) {
        const auto leads = leads_.leads(v);
        ecg_.time_ms.push_back(now.time_ms());
        for (std::size_t l = 0; l < leads.size(); ++l)
            ecg_.mV[l].push_back(leads[l]);
    }
    if (now.time_ms() >= phase_from_ms_)
        look_for_cores(now.time_ms(), v);
}

void ReentryWatch::look_for_cores(double t_ms, std::span<const double> V_mV)
{
    constexpr double hair_ms = 1e-6;
    const auto field = phase_.sample(t_ms, at_vertices(tissue_, V_mV), {}, t_ms >= cores_due_ms_);
    if (!field)
        return;
    cores_due_ms_ = t_ms + cores_every_ms - hair_ms;
    ++samples_;
    std::vector<Vec3> points;
    for (const auto& line : field->singularities->filaments_mm)
        points.insert(points.end(), line.begin(), line.end());
    if (!points.empty())
        functional_.push_back(mean_of(points));
    points.clear();
    for (const auto& path : field->singularities->around_mm)
        points.insert(points.end(), path.begin(), path.end());
    if (!points.empty())
        around_.push_back(mean_of(points));
}

AfterPulse ReentryWatch::since(double pulse_ms, double now_ms, double sustained_ms,
                               bool to_its_end) const
{
    const auto& system = tissue_.problem.system;
    return {{log_.all(), tissue_.problem.position_mm, system.volume},
            {system.alpha.first, system.alpha.column},
            awaited_,
            pulse_ms,
            now_ms,
            sustained_ms,
            to_its_end};
}

Core ReentryWatch::core() const
{
    // An obstacle that waves turn around for half of the time; else where filaments were.
    const bool obstacle = 2 * around_.size() > samples_;
    const auto& places = obstacle ? around_ : functional_;
    if (places.empty() || (!obstacle && 2 * places.size() < samples_))
        return {"not found", {}, 0};
    Core out{obstacle ? "obstacle" : "functional", mean_of(places), 0};
    double sum = 0;
    for (const auto& p : places)
        sum += dot(p - out.place_mm, p - out.place_mm);
    out.spread_mm = std::sqrt(sum / static_cast<double>(places.size()));
    return out;
}

std::vector<double> ReentryWatch::newest_before(double ms) const
{
    std::vector<double> out(tissue_.problem.size(), std::numeric_limits<double>::quiet_NaN());
    for (const auto& a : log_.all())
        if (const double t = static_cast<double>(a.time_ms); t <= ms) {
            auto& newest = out[static_cast<std::size_t>(a.place)];
            newest = std::isnan(newest) ? t : std::max(newest, t);
        }
    return out;
}

} // namespace tawara::study
