// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/results/export.hpp"
#include "engine/simulation/tissue/tissue.hpp"

#include <memory>

namespace tawara::test {

/// The scene of a session whose tissue was built without an engine.
inline std::shared_ptr<simulation::Scene>
scene_of(const simulation::Session& s, const simulation::Tissue& t, const std::string& device)
{
    auto scene = std::make_shared<simulation::Scene>();
    scene->session = s;
    scene->mesh = t.mesh;
    scene->surface = t.surface;
    scene->device = device;
    scene->title = "slab";
    scene->dt_ms = s.dt_ms;
    scene->unknowns = static_cast<std::int64_t>(t.problem.size());
    return scene;
}

} // namespace tawara::test
