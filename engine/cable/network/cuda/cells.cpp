// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cable/network/cuda/cells.cuh"

#include "engine/cell/compiler/library.hpp"
#include "engine/cell/compiler/program.hpp"

#include <algorithm>

namespace tawara::cable::cuda {

using device::cuda::uploaded;

NetworkCells::NetworkCells(const CablesDescription& d, StreamRef s)
    : dt_ms_(d.dt_ms), type_of_node_(d.type_of_node), slot_of_node_(d.compartments.nodes()),
      group_of_node_(d.compartments.nodes())
{
    if (type_of_node_.empty())
        type_of_node_.assign(d.compartments.nodes(), 0);
    sort_into_groups(d);
    std::vector<double> v;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        auto& group = groups_[g];
        group.first = v.size();
        place(group, d, s);
        for (std::size_t i = 0; i < group.slots; ++i)
            v.push_back(group.cells.types[group.type[i]].initial[0]);
        for (std::size_t i = 0; i < group.nodes.size(); ++i) {
            const auto node = static_cast<std::size_t>(group.nodes[i]);
            slot_of_node_[node] = static_cast<std::int32_t>(group.first + i);
            group_of_node_[node] = static_cast<std::int32_t>(g);
        }
    }
    slot_ = uploaded(slot_of_node_, s);
    v_ = uploaded(v, s), checked_ = uploaded(v, s);
    rate_ = uploaded(v, s), slope_ = uploaded(v, s);
}

void NetworkCells::sort_into_groups(const CablesDescription& d)
{
    std::vector<std::size_t> group_of_type;
    for (const auto& t : d.types) {
        std::size_t g = 0;
        while (g < groups_.size() && !cell::same_model(groups_[g].cells.types[0], t))
            ++g;
        if (g == groups_.size())
            groups_.emplace_back();
        group_of_type.push_back(g);
        groups_[g].cells.types.push_back(t);
    }
    for (std::size_t i = 0; i < type_of_node_.size(); ++i)
        groups_[group_of_type[type_of_node_[i]]].nodes.push_back(static_cast<std::int32_t>(i));
    std::erase_if(groups_, [](const auto& g) { return g.nodes.empty(); });
}

/// Makes a group's code, and its cells as their types begin. Slots that fill the last slice are as
/// its last cell.
void NetworkCells::place(Group& g, const CablesDescription& d, StreamRef s)
{
    constexpr std::size_t slice = 32;
    const auto type_of = [&](std::int32_t node) {
        return type_of_node_[static_cast<std::size_t>(node)];
    };
    std::stable_sort(g.nodes.begin(), g.nodes.end(),
                     [&](std::int32_t a, std::int32_t b) { return type_of(a) < type_of(b); });
    std::vector<cell::TypeIndex> row(d.types.size(), 0);
    cell::TypeIndex next = 0;
    for (std::size_t t = 0; t < d.types.size(); ++t)
        if (cell::same_model(g.cells.types[0], d.types[t]))
            row[t] = next++;
    g.slots = (g.nodes.size() + slice - 1) / slice * slice;
    for (std::size_t i = 0; i < g.slots; ++i)
        g.type.push_back(row[type_of(g.nodes[std::min(i, g.nodes.size() - 1)])]);

    const auto system = cell::compiler::system_of(g.cells.types);
    g.cells.scheme =
        d.scheme.value_or(usual_cable_scheme(cell::compiler::describe(*system), false));
    device::cuda::ReactionUse use;
    use.implicit = true;
    use.program = cell::compiler::shared_cable_program(system, g.cells.scheme,
                                                       cell::compiler::Target::gpu(false));
    g.reaction = std::make_unique<device::cuda::CompiledReaction<double>>(g.cells, use, s);

    g.states = g.cells.types[0].initial.size() - 1;
    std::vector<double> tiles(g.slots * g.states);
    for (std::size_t i = 0; i < g.slots; ++i)
        for (std::size_t k = 0; k < g.states; ++k)
            tiles[at(g, i, k)] = g.cells.types[g.type[i]].initial[k + 1];
    g.tiles = uploaded(tiles, s);
    g.type_rows = uploaded(g.type, s);
}

void NetworkCells::enqueue(StreamRef s, const double* start_ms) const
{
    for (const auto& g : groups_) {
        device::cuda::ImplicitCells<double> c;
        c.cells.v_in = v_.data() + g.first;
        c.cells.v_out = checked_.data() + g.first;
        c.cells.states = c.after = g.tiles.data(); // a thread reads all of its own before it writes
        c.cells.slots = static_cast<std::int64_t>(32 * g.states);
        c.cells.type = g.type_rows.data();
        c.cells.dt = dt_ms_;
        c.rate = rate_.data() + g.first, c.slope = slope_.data() + g.first;
        c.start_ms = start_ms;
        c.end = static_cast<std::int64_t>(g.slots);
        g.reaction->launch_implicit(s, c);
    }
}

std::size_t NetworkCells::numbers() const
{
    std::size_t sum = 0;
    for (const auto& g : groups_)
        sum += g.nodes.size() * g.states;
    return sum;
}

std::vector<double> NetworkCells::potentials(StreamRef s) const
{
    std::vector<double> slots(v_.size()), out;
    v_.download(slots, s);
    s.synchronize();
    for (const auto slot : slot_of_node_)
        out.push_back(slots[static_cast<std::size_t>(slot)]);
    return out;
}

std::vector<double> NetworkCells::states(StreamRef s) const
{
    std::vector<std::vector<double>> tiles;
    for (const auto& g : groups_) {
        auto& t = tiles.emplace_back(g.tiles.size());
        g.tiles.download(t, s);
    }
    s.synchronize();
    std::vector<double> out;
    for (std::size_t i = 0; i < slot_of_node_.size(); ++i) {
        const auto group = static_cast<std::size_t>(group_of_node_[i]);
        const auto& g = groups_[group];
        for (std::size_t k = 0; k < g.states; ++k)
            out.push_back(
                tiles[group][at(g, static_cast<std::size_t>(slot_of_node_[i]) - g.first, k)]);
    }
    return out;
}

double NetworkCells::checked_of(std::size_t node, StreamRef s) const
{
    std::vector<double> slots(checked_.size());
    checked_.download(slots, s);
    s.synchronize();
    return slots[static_cast<std::size_t>(slot_of_node_.at(node))];
}

void NetworkCells::restore(std::span<const double> v, std::span<const double> states,
                           StreamRef s) const
{
    std::vector<double> slots(v_.size());
    std::vector<std::vector<double>> tiles;
    for (const auto& g : groups_)
        tiles.emplace_back(g.tiles.size());
    auto next = states.begin();
    for (std::size_t i = 0; i < slot_of_node_.size(); ++i) {
        const auto group = static_cast<std::size_t>(group_of_node_[i]);
        const auto& g = groups_[group];
        const auto slot = static_cast<std::size_t>(slot_of_node_[i]);
        slots[slot] = v[i];
        for (std::size_t k = 0; k < g.states; ++k)
            tiles[group][at(g, slot - g.first, k)] = *next++;
    }
    for (std::size_t k = 0; k < groups_.size(); ++k) { // slots that fill up go on as the last cell
        const auto& g = groups_[k];
        for (std::size_t i = g.nodes.size(); i < g.slots; ++i) {
            slots[g.first + i] = slots[g.first + g.nodes.size() - 1];
            for (std::size_t n = 0; n < g.states; ++n)
                tiles[k][at(g, i, n)] = tiles[k][at(g, g.nodes.size() - 1, n)];
        }
        g.tiles.upload(tiles[k], s);
    }
    v_.upload(slots, s);
    s.synchronize();
}

} // namespace tawara::cable::cuda
