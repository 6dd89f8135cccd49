// SPDX-License-Identifier: GPL-3.0-or-later
// A small picture of a tissue, drawn without graphics.
#pragma once
#include "engine/simulation/results/provenance.hpp"
#include "engine/simulation/tissue/tissue.hpp"

#include <filesystem>
#include <span>

namespace tawara::simulation {

/// What a picture shows of each unknown; NaN is grey.
struct Pictured
{
    std::span<const double> value;
    double from = 0, to = 1; ///< values at the first and the last colour
    bool reversed = false;   ///< the first colour is blue, not red
};
/// From the earliest, red, to the latest, blue.
Pictured pictured_activation(std::span<const double> activation_ms);
/// From rest, blue, to the plateau, red.
Pictured pictured_potential(std::span<const double> V_mV);

/// Draws the surface from two sides, across its thinnest axis (beside each other: front, back), on
/// a transparent ground: PNG with the provenance as text, 480 by 240 points, whole or not at all.
/// @param p  V_i of `t.problem`
/// @throws InputError  where it cannot be written
/// @cost  a pass over the surface's triangles
void write_run_picture(const Tissue& t, const Pictured& p, const Provenance& by,
                       const std::filesystem::path& file);

} // namespace tawara::simulation
