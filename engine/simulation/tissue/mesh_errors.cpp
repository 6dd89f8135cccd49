// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/tissue/mesh_errors.hpp"

#include "engine/core/units.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace tawara::simulation {

double front_width_mm(double sigma_S_per_m, const Session& s)
{
    return std::sqrt(sigma_S_per_m / (s.surface_to_volume_per_mm *
                                      (s.capacitance_uF_per_cm2 * uF_per_mm2_of_uF_per_cm2)));
}

double conductivity_ratio(double here, double other)
{
    return here > 0 && other > 0 ? here / other : 1;
}

namespace {

/// By fvm: between what was measured with ratios of 1 / fibre_ratio, 1 and fibre_ratio, even in
/// their logarithm.
double fvm_error(const MeasuredErrors& r, double ratio)
{
    const double part = std::clamp(std::log(ratio) / std::log(fibre_ratio), -1.0, 1.0);
    return r.fvm + std::abs(part) * ((part < 0 ? r.fvm_across : r.fvm_along) - r.fvm);
}

} // namespace

const std::vector<MeasuredErrors>& measured_errors()
{
    // test_mesh_errors measures it and writes it
    static const std::vector<MeasuredErrors> table{
        {0, 0, 0, 0, 0, 0, 0},
        {0.5, -0.022, -0.021, -0.028, -0.042, -0.036, 0.014},
        {1, -0.039, -0.059, -0.036, -0.117, -0.058, 0.041},
        {1.5, -0.058, -0.119, -0.044, -0.208, -0.059, 0.027},
        {2, -0.09, -0.179, -0.047, -0.302, -0.043, -0.028},
        {2.5, -0.124, -0.239, -0.064, -0.391, -0.013, -0.095},
        {3, -0.158, -0.295, -0.081, -0.471, 0.027, -0.162},
        {3.5, -0.192, -0.347, -0.101, -0.541, 0.074, -0.223},
        {4, -0.226, -0.395, -0.122, -0.604, 0.127, -0.277},
        {5, -0.295, -0.488, -0.17, -0.715, 0.243, -0.372},
        {6, -0.361, -0.563, -0.221, -0.814, 0.37, -0.454},
        {8, -0.483, -0.709, -0.316, -1, 0.649, -0.617},
        {10, -0.593, -0.836, -0.395, -1, 0.945, -0.786},
        {12, -0.698, -1, -0.472, -1, 1.256, -1},
        {16, -1, -1, -0.633, -1, 1.902, -1},
        {20, -1, -1, -0.794, -1, 2.557, -1},
        {24, -1, -1, -1, -1, 3.224, -1}};
    return table;
}

const std::vector<MeshScheme>& mesh_schemes()
{
    using diffusion::Mass;
    using diffusion::Scheme;
    static const std::vector<MeshScheme> all{
        {Scheme::fvm, Mass::lumped, IonicCurrents::nodal, "fvm"},
        {Scheme::p1, Mass::lumped, IonicCurrents::nodal, "p1"},
        {Scheme::p1, Mass::lumped, IonicCurrents::interpolated, "p1 with interpolated currents"},
        {Scheme::p1, Mass::consistent, IonicCurrents::nodal, "p1 with consistent mass"}};
    return all;
}

double velocity_error(diffusion::Scheme scheme, diffusion::Mass mass, IonicCurrents currents,
                      double edge_mm, double width_mm, double ratio)
{
    const auto& rows = measured_errors();
    const double x = edge_mm / width_mm;
    const auto value = [&](const MeasuredErrors& r) {
        if (scheme == diffusion::Scheme::fvm)
            return fvm_error(r, ratio);
        if (mass == diffusion::Mass::consistent)
            return r.consistent;
        return currents == IonicCurrents::interpolated ? r.interpolated : r.nodal;
    };
    const auto after =
        std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.edge_in_widths > x; });
    if (after == rows.begin() || after == rows.end())
        return value(after == rows.end() ? rows.back() : *after);
    const auto& before = *std::prev(after);
    const double part =
        (x - before.edge_in_widths) / (after->edge_in_widths - before.edge_in_widths);
    if (value(*after) <= -1) // somewhere between waves come to a stand
        return -1;
    return value(before) + part * (value(*after) - value(before));
}

std::string error_words(double error)
{
    if (error <= -1)
        return "no wave";
    const auto percent = std::lround(100 * std::abs(error));
    if (percent == 0)
        return "as fast";
    return std::to_string(percent) + (error < 0 ? " % slower" : " % faster");
}

} // namespace tawara::simulation
