// SPDX-License-Identifier: GPL-3.0-or-later
// The cells of a network's nodes on a GPU.
#pragma once
#include "engine/cable/step/cables.hpp"
#include "engine/device/cuda/compiled_reaction.cuh"
#include "engine/device/cuda/runtime.cuh"

#include <memory>
#include <span>
#include <vector>

namespace tawara::cable::cuda {

using device::cuda::Buffer;
using device::cuda::StreamRef;

/// Cells lie in slots, those of one model side by side, by type within it; each model's begin at a
/// multiple of 32. Between two steps each has V, and its other states in tiles (Reaction).
class NetworkCells
{
  public:
    /// All at rest, as their types begin.
    /// @throws InputError when NVRTC is missing or a scheme is not compiled
    NetworkCells(const CablesDescription& d, StreamRef s);

    /// Enqueues a step of all states but V, and the rate of V and its slope that the membranes then
    /// make (cell::make_cable_kernel()).
    /// @param start_ms  the step's start, in the device's memory
    void enqueue(StreamRef s, const double* start_ms) const;

    const Buffer<std::int32_t>& slot() const { return slot_; } ///< [nodes]
    const Buffer<double>& v() const { return v_; }             ///< [slots]
    const Buffer<double>& checked() const { return checked_; } ///< V, or what tells of a range
    const Buffer<double>& rate() const { return rate_; }
    const Buffer<double>& slope() const { return slope_; }

    std::size_t numbers() const; ///< of all cells' states but V
    cell::TypeIndex type_of(std::size_t node) const { return type_of_node_[node]; }
    /// In the order of nodes; of each node its states in theirs. They wait.
    std::vector<double> potentials(StreamRef s) const;
    std::vector<double> states(StreamRef s) const;
    double checked_of(std::size_t node, StreamRef s) const;
    void restore(std::span<const double> v, std::span<const double> states, StreamRef s) const;

  private:
    /// The cells of one model.
    struct Group
    {
        device::CellGroup cells;
        std::unique_ptr<device::cuda::CompiledReaction<double>> reaction;
        std::vector<std::int32_t> nodes;   ///< by type
        std::vector<cell::TypeIndex> type; ///< [slots] row of cells.types
        std::size_t first = 0, slots = 0;
        std::size_t states = 0; ///< without V
        Buffer<cell::TypeIndex> type_rows;
        Buffer<double> tiles;
    };
    void sort_into_groups(const CablesDescription& d);
    void place(Group& g, const CablesDescription& d, StreamRef s);
    /// Index of state k of a group's slot.
    static std::size_t at(const Group& g, std::size_t slot, std::size_t k)
    {
        return (slot / 32 * g.states + k) * 32 + slot % 32;
    }

    double dt_ms_;
    std::vector<cell::TypeIndex> type_of_node_;
    std::vector<Group> groups_;
    std::vector<std::int32_t> slot_of_node_, group_of_node_;
    Buffer<std::int32_t> slot_;
    Buffer<double> v_, checked_, rate_, slope_;
};

} // namespace tawara::cable::cuda
