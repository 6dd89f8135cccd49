// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verify/problems/plane_wave.hpp"

#include "engine/mesh/check.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace tawara::verify {

PlaneWaveResult run_plane_wave(const PlaneWave& w, const Progress& progress)
{
    const auto m = mesh::slab({plane_wave_mm, w.side_mm, w.side_mm}, w.edge_mm);
    const diffusion::Conductivity sigma{0.1334, 0.1334, 0.1334};
    const std::vector<std::int32_t> region(m.tetrahedron_count(), 0);
    diffusion::Options o;
    o.scheme = diffusion::Scheme::p1;
    o.mass = w.mass;
    o.mass_scaling = 0;
    o.dt_ms = w.dt_ms;
    device::TissueProblem p;
    p.system = diffusion::assemble(
        m, mesh::face_neighbours(m),
        diffusion::diffusivities(m, region, std::span(&sigma, 1), 140, 0.01), o);
    p.dt_ms = w.dt_ms;
    p.stepping = w.stepping;
    p.newton.adaptive = false;
    p.substeps = w.stepping == device::Stepping::newton
                     ? diffusion::SubStepping{diffusion::SubStepping::Kind::euler, 1}
                     : diffusion::choose_substeps(w.dt_ms, p.system.stable_dt_ms);
    p.activation_threshold_mV = -30; // the middle of the front
    device::CellGroup g;
    g.types = {cell::make_cell_type("aliev_panfilov_1996", "", {}, {})};
    p.groups = {g};
    p.group.assign(p.size(), 0);
    p.type.assign(p.size(), 0);
    for (std::size_t u = 0; u < p.size(); ++u)
        p.position_mm.push_back(m.vertex(u));
    device::StepperOptions how;
    how.devices = "cpu";
    how.threads = w.threads;
    const auto s = device::make_stepper(p, how);
    auto start = s->snapshot();
    for (std::size_t u = 0; u < p.size(); ++u)
        start.v[u] = -80 + 100 / (1 + std::exp((m.vertex(u)[0] - 2) / 0.553));
    s->restore(start);
    const std::int64_t end = std::lround(plane_wave_ms / w.dt_ms),
                       chunk = std::max<std::int64_t>(1, std::lround(1 / w.dt_ms));
    while (s->step() < end) {
        progress.at(static_cast<double>(s->step()) / static_cast<double>(end), "running");
        s->advance(std::min(chunk, end - s->step()));
    }
    std::vector<double> v(p.size());
    s->potential(v);
    const auto times = s->maps().activation_ms;
    PlaneWaveResult r;
    for (double x = 0; x < plane_wave_mm + 0.1; x += 0.5)
        for (std::size_t u = 0; u < p.size(); ++u)
            if (norm(m.vertex(u) - Vec3{x, 0, 0}) < 1e-6) {
                r.v_mV.push_back(v[u]);
                r.activation_ms.push_back(times[u]);
            }
    return r;
}

PlaneWaveResult plane_wave_in_the_limit(PlaneWave w, const Progress& progress)
{
    const auto whole = run_plane_wave(w, progress);
    w.dt_ms /= 2;
    auto half = run_plane_wave(w, progress);
    for (std::size_t k = 0; k < half.v_mV.size(); ++k) {
        half.v_mV[k] = 2 * half.v_mV[k] - whole.v_mV[k];
        half.activation_ms[k] = 2 * half.activation_ms[k] - whole.activation_ms[k];
    }
    return half;
}

PlaneWaveError difference(const PlaneWaveResult& a, const PlaneWaveResult& b)
{
    const auto rms = [](const std::vector<double>& x, const std::vector<double>& y,
                        std::size_t first, std::size_t last) {
        double sum = 0;
        for (std::size_t k = first; k < last; ++k)
            sum += (x[k] - y[k]) * (x[k] - y[k]);
        return std::sqrt(sum / static_cast<double>(last - first));
    };
    return {rms(a.v_mV, b.v_mV, 0, a.v_mV.size()), rms(a.activation_ms, b.activation_ms, 6, 10)};
}

} // namespace tawara::verify
