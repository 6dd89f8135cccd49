// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verify/tissue_run.hpp"

#include "engine/core/resource.hpp"
#include "engine/simulation/observe/pacing.hpp"
#include "engine/simulation/observe/probe_traces.hpp"
#include "engine/simulation/session/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tawara::verify {
namespace {

constexpr double never = std::numeric_limits<double>::quiet_NaN();

/// First upward crossing of 0 mV of each curve, linear between samples.
std::vector<double> crossings(const std::vector<double>& t,
                              const std::vector<std::vector<float>>& v)
{
    std::vector<double> out;
    for (const auto& c : v) {
        double at = never;
        for (std::size_t k = 1; k < c.size() && std::isnan(at); ++k)
            if (c[k - 1] < 0 && c[k] >= 0)
                at = t[k - 1] + (t[k] - t[k - 1]) * static_cast<double>(c[k - 1]) /
                                    static_cast<double>(c[k - 1] - c[k]);
        out.push_back(at);
    }
    return out;
}

} // namespace

TissueRun run_tissue(const simulation::Session& s, const RunAs& as, const Progress& progress)
{
    device::StepperOptions how;
    how.devices = as.devices;
    how.precision = as.precision;
    simulation::Simulation sim(
        as.mesh == nullptr
            ? simulation::build_tissue(s, progress)
            : simulation::tissue_on({*as.mesh, mesh::face_neighbours(*as.mesh)}, s, progress),
        how, progress);
    const std::string name = "the table's session";
    simulation::ProbeTraces traces({0, 0});
    simulation::Pacing pacing(sim, name, simulation::steps_of(0.25, sim.dt_ms()));
    traces.begin(sim, s.probes, name, 1, [](auto, double, double) { return std::string(); });
    sim.add(traces);
    sim.add(pacing);
    pacing.begin(s.stimuli);
    sim.plan_samples();
    const auto end = std::llround(s.end_ms / sim.dt_ms());
    const auto chunk = std::max<std::int64_t>(1, std::llround(1 / sim.dt_ms()));
    TissueRun out;
    while (sim.step() < end) {
        progress.at(static_cast<double>(sim.step()) / static_cast<double>(end), "running");
        sim.advance(std::min<std::int64_t>(chunk, end - sim.step()));
        if (!as.until_probes)
            continue;
        sim.collect();
        const auto found = crossings(traces.times_ms(), traces.columns_mV());
        if (std::none_of(found.begin(), found.end(), [](double x) { return std::isnan(x); }))
            break;
    }
    sim.collect();
    out.probe_ms = crossings(traces.times_ms(), traces.columns_mV());
    out.maps = sim.stepper().maps();
    out.v_mV.resize(sim.tissue().problem.size());
    sim.stepper().potential(out.v_mV);
    out.end_ms = sim.time_ms();
    return out;
}

device::Devices fastest(const device::Devices& wanted)
{
    if (!no_gpu(wanted).empty())
        return "cpu";
    return wanted.kind == device::Devices::Kind::cuda ? wanted : device::Devices("cuda");
}

device::Devices gpus_of_shards(const device::Devices& wanted, int shards)
{
    auto among = wanted.numbers;
    if (among.empty())
        for (const auto& d : device::devices())
            if (among.empty() && d.usable && d.cuda >= 0)
                among = {d.cuda};
    if (among.empty())
        among = {0};
    std::vector<int> out;
    for (int k = 0; k < shards; ++k)
        out.push_back(among[static_cast<std::size_t>(k) % among.size()]);
    return device::Devices::cuda(out);
}

simulation::Session niederer_session(double dx_mm, double dt_ms)
{
    auto s = simulation::read_session(resource("resources/sessions/niederer_slab.json"));
    auto slab = std::get<simulation::MeshSlab>(s.mesh);
    slab.spacing_mm = dx_mm;
    s.mesh = slab;
    s.dt_ms = dt_ms;
    return s;
}

double rms_difference(const std::vector<double>& a, const std::vector<double>& b)
{
    double sum = 0, n = 0;
    for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
        if (std::isnan(a[k]) != std::isnan(b[k]))
            return std::numeric_limits<double>::infinity();
        if (!std::isnan(a[k])) {
            sum += (a[k] - b[k]) * (a[k] - b[k]);
            n += 1;
        }
    }
    return a.size() == b.size() && n > 0 ? std::sqrt(sum / n)
                                         : std::numeric_limits<double>::infinity();
}

double differing(const TissueRun& a, const TissueRun& b)
{
    double n = std::abs(static_cast<double>(a.v_mV.size()) - static_cast<double>(b.v_mV.size()));
    const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
    for (std::size_t u = 0; u < std::min(a.v_mV.size(), b.v_mV.size()); ++u)
        n += a.v_mV[u] == b.v_mV[u] && same(a.maps.activation_ms[u], b.maps.activation_ms[u]) ? 0
                                                                                              : 1;
    return n;
}

std::string no_gpu(const device::Devices& wanted)
{
    if (wanted.kind == device::Devices::Kind::cpu)
        return "no GPU is looked at (--devices cpu)";
    std::string why = "there is none";
    for (const auto& d : device::devices())
        if (d.id.starts_with("cuda")) {
            if (d.usable)
                return {};
            why = d.reason;
        }
    return "no GPU can be used: " + why;
}

} // namespace tawara::verify
