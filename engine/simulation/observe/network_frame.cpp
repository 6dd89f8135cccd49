// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/observe/network_frame.hpp"

#include "engine/cable/network/part.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace tawara::simulation {
namespace {

constexpr double one_beat_ms = 100; // two excitations nearer than this are of one beat

float time_or_nan(double ms)
{
    return ms < 0 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(ms);
}

std::vector<float> at_nodes(const NetworkShape& shape, const std::vector<double>& ms)
{
    std::vector<float> out;
    out.reserve(shape.node.size());
    for (const auto n : shape.node)
        out.push_back(time_or_nan(ms[static_cast<std::size_t>(n)]));
    return out;
}

} // namespace

std::shared_ptr<const NetworkShape> shape_of(std::shared_ptr<const PurkinjeNetwork> network)
{
    auto out = std::make_shared<NetworkShape>();
    const auto& m = network->morphology;
    const auto& nodes = network->description.cables.compartments.node_of_point;
    const auto branches = cable::branches_of(m);
    std::vector<std::int32_t> children(m.points(), 0), drawn(m.points(), -1);
    std::vector<char> ends_branch(m.points(), 0);
    for (std::size_t i = 0; i < m.points(); ++i)
        if (m.parent[i] >= 0) {
            const auto p = static_cast<std::size_t>(m.parent[i]);
            ++children[p];
            if (branches.of[i] != branches.of[p])
                ends_branch[p] = 1;
        }
    std::vector<double> gone(m.points(), 0); // since the drawn point before
    for (std::size_t i = 0; i < m.points(); ++i) {
        const bool root = m.parent[i] < 0;
        const auto p = root ? i : static_cast<std::size_t>(m.parent[i]);
        const double here = root ? 0 : gone[p] + cable::piece_mm(m, i);
        const bool next_is_far = here + NetworkShape::drawn_mm / 2 > NetworkShape::drawn_mm;
        if (!root && !next_is_far && children[i] == 1 && !ends_branch[i]) {
            gone[i] = here;
            drawn[i] = drawn[p]; // who comes next goes on from there
            continue;
        }
        drawn[i] = static_cast<std::int32_t>(out->point.size());
        out->point.push_back(static_cast<std::int32_t>(i));
        out->parent.push_back(root ? -1 : drawn[p]);
        out->node.push_back(nodes[i]);
        out->branch.push_back(branches.of[i]);
    }
    for (const auto p : network->junction_at)
        out->junction.push_back(drawn[static_cast<std::size_t>(p)]);
    out->network = std::move(network);
    return out;
}

std::shared_ptr<const NetworkShape> with_network(const NetworkShape& shape,
                                                 std::shared_ptr<const PurkinjeNetwork> network)
{
    auto out = std::make_shared<NetworkShape>(shape);
    out->network = std::move(network);
    return out;
}

std::vector<float> network_potentials(const NetworkShape& shape, const cable::NetworkPart& part)
{
    std::vector<double> V(shape.node.size());
    part.potentials(shape.node, V);
    return {V.begin(), V.end()};
}

std::shared_ptr<const NetworkFrame> network_frame(const NetworkShape& shape,
                                                  const cable::NetworkPart& part, double time_ms)
{
    auto out = std::make_shared<NetworkFrame>();
    out->network = shape.network->made;
    out->time_ms = time_ms;
    out->V_mV = network_potentials(shape, part);
    const auto times = part.times();
    out->first_ms = at_nodes(shape, times.node_ms);
    out->newest_ms = at_nodes(shape, times.newest_node_ms);
    for (const auto& j : shape.network->description.junctions)
        out->junction_ms.push_back(
            time_or_nan(times.newest_node_ms[static_cast<std::size_t>(j.node)]));
    for (const double ms : times.newest_junction_tissue_ms)
        out->junction_wall_ms.push_back(time_or_nan(ms));
    return out;
}

std::string_view name(JunctionState s)
{
    constexpr std::array<std::string_view, junction_states> names{"silent", "waiting", "antegrade",
                                                                  "retrograde", "blocked"};
    return names[static_cast<std::size_t>(s)];
}

JunctionState junction_state(double end_ms, double wall_ms, double now_ms)
{
    const bool end = std::isfinite(end_ms), wall = std::isfinite(wall_ms);
    if (!end && !wall)
        return JunctionState::silent;
    if (end && wall && std::abs(end_ms - wall_ms) <= one_beat_ms)
        return wall_ms >= end_ms ? JunctionState::antegrade : JunctionState::retrograde;
    const double newest = end && wall ? std::max(end_ms, wall_ms) : end ? end_ms : wall_ms;
    return now_ms - newest < NetworkFrame::may_follow_ms ? JunctionState::waiting
                                                         : JunctionState::blocked;
}

} // namespace tawara::simulation
