// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verify/problems/passive_tissue.hpp"

#include <algorithm>
#include <utility>

namespace tawara::verify {

std::vector<double> diffused(const mesh::TetMesh& m, const diffusion::System& s,
                             const std::vector<double>& v, double dt_ms, std::int64_t steps,
                             unsigned threads, const Progress& progress)
{
    device::TissueProblem p;
    p.system = s;
    p.dt_ms = dt_ms;
    p.substeps = {diffusion::SubStepping::Kind::euler, 1};
    const std::pair<std::string, double> no_current[]{{"tau_in", 1e30}, {"tau_out", 1e30}};
    device::CellGroup g;
    g.types = {cell::make_cell_type("mitchell_schaeffer_2003", "", no_current, {})};
    p.groups = {g};
    p.group.assign(p.size(), 0);
    p.type.assign(p.size(), 0);
    const bool at_vertices = p.size() == m.vertex_count();
    for (std::size_t u = 0; u < p.size(); ++u)
        p.position_mm.push_back(at_vertices ? m.vertex(u) : m.centroid(u));
    device::StepperOptions how;
    how.devices = "cpu";
    how.threads = threads;
    const auto stepper = device::make_stepper(p, how);
    auto start = stepper->snapshot();
    start.v = v;
    stepper->restore(start);
    while (stepper->step() < steps) {
        progress.at(static_cast<double>(stepper->step()) / static_cast<double>(steps), "running");
        stepper->advance(std::min<std::int64_t>(100, steps - stepper->step()));
    }
    std::vector<double> after(p.size());
    stepper->potential(after);
    return after;
}

} // namespace tawara::verify
