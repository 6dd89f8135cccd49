// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/problem.hpp"

namespace tawara::device {

/// What a stepper can take back.
struct SnapshotShape
{
    std::size_t unknowns = 0;
    /// Of each of Snapshot::states (StatePlaces::lengths()); the former layout, with as many values
    /// as there are unknowns, fits as well.
    std::vector<std::size_t> states{};
    int longest_quiescent = 0; ///< steps in a long step of unknowns at rest; 0: nothing rests
    std::vector<std::size_t> parts{}; ///< values of each part that is joined to the tissue
    int longest_implicit = 0;         ///< time steps in a step by Newton's method; 0: it has none
};

/// That every array of a snapshot has the length, and that its counters have the values, that the
/// stepper relies on; asked by each back end before it takes anything over.
/// @throws InputError  ("checkpoint") what does not fit
void check_shape(const Snapshot& s, const SnapshotShape& shape);

/// That what is in it can have been computed: potentials within 1 V, finite states, times of maps
/// that have passed. For what comes from a file.
/// @param group  of each unknown: those without cells have no potential; empty: all have cells
/// @pre  check_shape()
/// @throws InputError  ("checkpoint")
void check_values(const Snapshot& s, double dt_ms, std::span<const std::uint8_t> group = {});

} // namespace tawara::device
