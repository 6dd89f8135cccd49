// SPDX-License-Identifier: GPL-3.0-or-later
// Networks as large as a heart's, by chance, the same each time.
#pragma once
#include "engine/cable/network/part.hpp"
#include "engine/cell/model.hpp"

#include <random>
#include <string>
#include <utility>

namespace tawara::test {

/// What a network is made like.
struct NetworkShape
{
    std::size_t nodes = 600, branches = 41;
    int junctions = 20, models = 1;
    int cuts = 0; ///< nodes without a connection to their parents
};

/// Fibres of some 35 um, nodes some 0.2 mm apart; every fifth junction has no tissue.
inline cable::NetworkDescription some_network(const NetworkShape& shape, double dt_ms)
{
    std::mt19937 chance(7);
    const auto between = [&](double a, double b) {
        return std::uniform_real_distribution(a, b)(chance);
    };
    cable::NetworkDescription d;
    auto& c = d.cables.compartments;
    c.tree = shape.branches > 1 ? cable::random_tree(shape.nodes, shape.branches, 5)
                                : cable::chain(shape.nodes);
    for (std::size_t i = 0; i < shape.nodes; ++i) {
        c.coupling_uS.push_back(i == 0 ? 0 : between(15, 25));
        c.capacitance_nF.push_back(between(0.3, 0.5));
        c.place_mm.push_back({static_cast<double>(i), 0, 0});
    }
    for (int k = 1; k <= shape.cuts; ++k)
        c.coupling_uS[static_cast<std::size_t>(k) * shape.nodes /
                      static_cast<std::size_t>(shape.cuts + 1)] = 0;
    d.cables.dt_ms = dt_ms;
    const char* models[] = {"stewart_2009", "ten_tusscher_2006"};
    for (int k = 0; k < shape.models; ++k)
        d.cables.types.push_back(cell::make_cell_type(models[k], "", {}, {}));
    const std::pair<std::string, double> other[]{{"ikr.g_Kr", 0.05}};
    if (shape.models > 1) // two types of one model, so that they lie in one group
        d.cables.types.push_back(cell::make_cell_type(models[0], "", other, {}));
    for (std::size_t i = 0; shape.models > 1 && i < shape.nodes; ++i)
        d.cables.type_of_node.push_back(static_cast<cell::TypeIndex>(chance() % 3));
    d.fibres = 300;
    for (int k = 0; k < shape.junctions; ++k)
        d.junctions.push_back({static_cast<std::int32_t>(chance() % shape.nodes), between(0.5, 5),
                               k % 5 == 4 ? 0 : between(1, 2)});
    device::StimulusSource his;
    his.unknowns = {0};
    if (shape.nodes > 1)
        his.unknowns.push_back(static_cast<std::int32_t>(shape.nodes) - 1);
    his.amplitude_pA_per_pF = 200;
    his.start_ms = 0.1, his.duration_ms = 0.55;
    his.period_ms = 3, his.count = 2;
    d.stimuli = {his};
    return d;
}

} // namespace tawara::test
