// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cable/growth/network.hpp"

#include <filesystem>

namespace tawara::cable {

/// Numbers at the points of a network.
struct AtPoints
{
    std::string name;
    std::vector<double> values; ///< [points]; NaN where there is none
};

/// Writes a network as lines (VTU, text), whole or not at all: `radius` [mm], `kind` (Fascicle),
/// `branch` at its points, and what is given. Lengths in mm, which the file says. Of several trees,
/// too.
/// @param provenance  a comment within; empty: program_provenance()
/// @throws InputError where it cannot be written
void write_network_vtu(const Morphology& m, std::span<const AtPoints> more,
                       const std::filesystem::path& file, const std::string& provenance = {});

} // namespace tawara::cable
