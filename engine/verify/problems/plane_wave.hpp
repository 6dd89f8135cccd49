// SPDX-License-Identifier: GPL-3.0-or-later
// A wave along x in a bar of tissue, for orders of convergence: it starts from a smooth profile of
// V, so that meshes of every edge begin with the same.
#pragma once
#include "engine/core/progress.hpp"
#include "engine/device/stepper.hpp"

#include <vector>

namespace tawara::verify {

/// Aliev and Panfilov's model, D = 0.0953 mm2/ms, on a bar of 8 mm. The front is some 2.4 mm wide
/// (10 to 90 %) and moves by 0.12 mm/ms.
struct PlaneWave
{
    double edge_mm = 0.5;
    device::Stepping stepping = device::Stepping::explicit_;
    diffusion::Mass mass = diffusion::Mass::lumped;
    double dt_ms = 0.01;
    double side_mm = 0.5; ///< of the bar; the wave knows nothing of it
    unsigned threads = 2;
};

/// What is looked at, at the places of the bar's axis that all meshes share (every 0.5 mm).
struct PlaneWaveResult
{
    std::vector<double> v_mV, activation_ms;
};

inline constexpr double plane_wave_ms = 24, plane_wave_mm = 8;

/// The wave after so many steps.
/// @throws InputError, NumericsError, Cancelled
PlaneWaveResult run_plane_wave(const PlaneWave& w, const Progress& progress = {});

/// The same without the first order of the error in time: twice the result of half the step, less
/// that of the step.
PlaneWaveResult plane_wave_in_the_limit(PlaneWave w, const Progress& progress = {});

/// Root of the mean square of the differences of V [mV], and of the times between 3 and 4.5 mm
/// [ms], where the front passes well after the start and before the end.
struct PlaneWaveError
{
    double v_mV = 0, activation_ms = 0;
};
PlaneWaveError difference(const PlaneWaveResult& a, const PlaneWaveResult& b);

} // namespace tawara::verify
