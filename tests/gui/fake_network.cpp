// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/fake_network.hpp"

#include <limits>

namespace tawara::fake {

using cable::Fascicle;
using simulation::NetworkFrame;
using simulation::NetworkShape;
using simulation::PurkinjeNetwork;

std::shared_ptr<const NetworkShape> network(const simulation::PurkinjeKeys& keys)
{
    constexpr int steps = 10; // of each branch
    auto n = std::make_shared<PurkinjeNetwork>();
    n->made = static_cast<std::uint64_t>(1 + keys.grow.seed);
    auto& m = n->morphology;
    const auto add = [&m](std::int32_t parent, const Vec3& at, Fascicle f) {
        m.parent.push_back(parent);
        m.point_mm.push_back(at);
        m.radius_um.push_back(25);
        m.kind.push_back(static_cast<std::int32_t>(f));
        return static_cast<std::int32_t>(m.points()) - 1;
    };
    const auto line = [&](std::int32_t from, const Vec3& to, Fascicle f) {
        const Vec3 start = m.point_mm[static_cast<std::size_t>(from)];
        for (int k = 1; k <= steps; ++k)
            from = add(from, start + (static_cast<double>(k) / steps) * (to - start), f);
        return from;
    };
    const auto fork = line(add(-1, {0, 0, 10}, Fascicle::his), {0, 0, 0}, Fascicle::his);
    n->junction_at = {line(fork, {19, 0, -20}, Fascicle::left_bundle),
                      line(fork, {-19, 0, -20}, Fascicle::right_bundle)};
    n->cut = cable::pieces_cut(m, keys.cut, "fake", "/purkinje/cut");
    cable::Cutting cutting;
    cutting.space_step_um = 1000;
    n->description.cables.compartments = cable::discretise(m, cutting);
    n->whole_coupling_uS = n->description.cables.compartments.coupling_uS;
    for (const auto p : n->junction_at)
        n->description.junctions.push_back(
            {n->description.cables.compartments.node_of_point[static_cast<std::size_t>(p)],
             keys.resistance_kOhm, 1});
    return simulation::shape_of(n);
}

std::shared_ptr<const NetworkFrame> network_frame(const NetworkShape& shape, double time_ms)
{
    constexpr double mm_per_ms = 2, wall_later_ms = 3;
    constexpr float never = std::numeric_limits<float>::quiet_NaN();
    auto f = std::make_shared<NetworkFrame>();
    f->network = shape.network->made;
    f->time_ms = time_ms;
    std::vector<double> gone(shape.point.size(), 0);
    std::vector<char> dead(shape.point.size(), 0);
    for (std::size_t i = 0; i < shape.point.size(); ++i) {
        if (shape.parent[i] >= 0) {
            const auto p = static_cast<std::size_t>(shape.parent[i]);
            gone[i] = gone[p] + norm(shape.place_mm(i) - shape.place_mm(p));
            dead[i] = dead[p] != 0 || shape.cut(i);
        }
        const double at = gone[i] / mm_per_ms;
        const bool on = dead[i] == 0 && at <= time_ms;
        f->V_mV.push_back(on ? 20.0F : -80.0F);
        f->first_ms.push_back(on ? static_cast<float>(at) : never);
    }
    f->newest_ms = f->first_ms;
    for (std::size_t k = 0; k < shape.junction.size(); ++k) {
        const float end = f->first_ms[static_cast<std::size_t>(shape.junction[k])];
        f->junction_ms.push_back(end);
        const bool followed = k == 0 && static_cast<double>(end) + wall_later_ms <= time_ms;
        f->junction_wall_ms.push_back(followed ? end + static_cast<float>(wall_later_ms) : never);
    }
    return f;
}

} // namespace tawara::fake
