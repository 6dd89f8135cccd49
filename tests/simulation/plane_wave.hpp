// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/results/export.hpp"
#include "engine/simulation/tissue/tissue.hpp"
#include "tests/simulation/tissue_scene.hpp"

#include <QFile>
#include <QString>

#include <cmath>
#include <filesystem>
#include <limits>

namespace tawara::simulation::test {

inline const float never = std::numeric_limits<float>::quiet_NaN();

inline QString text_of(const std::filesystem::path& file)
{
    QFile f(QString::fromStdString(file.string()));
    return f.open(QIODevice::ReadOnly) ? QString::fromUtf8(f.readAll()) : QString();
}

/// Beats that rise within 1 ms and fall along a line of 230 ms.
inline Trace paced_every_350_ms(const std::string& name, int end_ms)
{
    Trace t{3, name, {}, {}, {}};
    for (int k = 0; k <= 10 * end_ms; ++k) {
        const double ms = 0.1 * k, since = std::fmod(ms, 350) - 20;
        t.time_ms.push_back(ms);
        t.V_mV.push_back(static_cast<float>(since < 0     ? -85
                                            : since < 1   ? -85 + 115 * since
                                            : since < 231 ? 30 - 0.5 * (since - 1)
                                                          : -85));
    }
    return t;
}

/// A slab in which a plane wave at 0.6 mm/ms came from x = 0; the last tetrahedron never saw
/// it.
inline ExportSource slab(diffusion::Scheme scheme)
{
    Session s;
    s.name = "plane <wave>";
    s.mesh = MeshSlab{{4, 2, 1}, 0.5};
    s.scheme = scheme;
    s.probes = {{"a, b", {1, 1, 0.5}}};
    s.stimuli.push_back({"S1", Box{{0, 0, 0}, {0.5, 2, 1}}, 0, 2, 50, {}, 0, 1, true, {}});
    s.drugs.push_back({"blocker", {{"g_Kr", 0.5}}});
    const Tissue t = build_tissue(s);
    auto scene = tawara::test::scene_of(s, t, "CPU");
    ExportSource out;
    out.scene = scene;
    out.on_vertices = t.on_vertices();
    out.time_ms = 300;
    for (const auto& p : t.problem.position_mm) {
        out.potential.push_back(-80 + p[0]);
        out.maps.activation_ms.push_back(p[0] / 0.6);
        out.maps.repolarisation_ms.push_back(p[0] / 0.6 + 250);
    }
    out.traces.push_back({1, "a, b", {}, {0, 1, 2}, {-85, -84, 20}});
    out.traces.push_back({2, "late", {}, {2, 3}, {-85, -80}});
    out.kernels.push_back({"step", "cpu", 10, 20, 4e7, 2e7, 10, 20, 0.2, "memory"});
    out.wall_s = 2;
    out.steps = 15000;
    return out;
}

} // namespace tawara::simulation::test
