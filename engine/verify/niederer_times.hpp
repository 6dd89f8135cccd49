// SPDX-License-Identifier: GPL-3.0-or-later
// What other programs have on the tissue benchmark (Niederer et al., Phil Trans R Soc A 369:4331,
// 2011): the times at which V rises through 0 mV.
#pragma once
#include "engine/verify/row.hpp"

#include <array>
#include <cstddef>
#include <utility>

namespace tawara::verify {

/// A program, and where its times are from.
struct TimedProgram
{
    const char *name, *place;
};
/// Finite elements with consistent mass, early on coarse meshes (MIT).
inline constexpr TimedProgram fenicsx{
    "fenicsx-beat", "github.com/finsberg/fenicsx-beat, demos/niederer_benchmark.py"};
/// Voxels, late on coarse meshes as lumped mass is (MIT).
inline constexpr TimedProgram cardioid{
    "Cardioid", "github.com/LLNL/cardioid, test/tests/NiedererTest/tools/table.tex"};
/// Finite elements, states interpolated (BSD-3).
inline constexpr TimedProgram chaste{
    "Chaste", "github.com/Chaste/Chaste, heart/test/data/benchmark_data_orig"};

/// Times of one program with one mesh and step [ms], at P1 (0,0,0), P2 (0,7,0), P3 (20,0,0),
/// P4 (20,7,0), P5 (0,0,3), P6 (0,7,3), P7 (20,0,3), P8 (20,7,3) and P9, the middle.
struct NinePoints
{
    const TimedProgram* program;
    double dx_mm, dt_ms;
    std::array<double, 9> ms;
};

inline constexpr std::array<NinePoints, 18> published_times{{
    {&fenicsx, 0.5, 0.05, {1.25, 51.1, 34.9, 58.9, 14.1, 49.5, 34, 56.65, 26.05}},
    {&fenicsx, 0.5, 0.01, {1.22, 50.85, 33.96, 58.05, 13.98, 49.36, 33.07, 55.91, 25.64}},
    {&fenicsx, 0.5, 0.005, {1.215, 50.775, 33.825, 57.96, 13.97, 49.345, 32.945, 55.825, 25.595}},
    {&fenicsx, 0.2, 0.05, {1.25, 29.7, 32.9, 40.2, 9.55, 30, 32.95, 39.9, 18.9}},
    {&fenicsx, 0.2, 0.01, {1.24, 29.09, 31.25, 38.66, 9.34, 29.4, 31.29, 38.42, 18.14}},
    {&fenicsx, 0.2, 0.005, {1.235, 29.015, 31.05, 38.475, 9.315, 29.32, 31.08, 38.235, 18.045}},
    {&fenicsx, 0.1, 0.05, {1.25, 26.85, 33.3, 40.35, 8.4, 27.5, 33.85, 40.55, 18.95}},
    {&fenicsx, 0.1, 0.01, {1.23, 25.64, 31.46, 38.08, 8.03, 26.24, 31.94, 38.21, 17.95}},
    {&fenicsx, 0.1, 0.005, {1.225, 25.5, 31.26, 37.81, 7.99, 26.09, 31.72, 37.93, 17.835}},
    {&cardioid, 0.1, 0.005, {1.23, 30.24, 32.64, 43.71, 8.82, 31.63, 33.78, 44.59, 20.43}},
    {&cardioid, 0.1, 0.01, {1.24, 30.52, 33.03, 44.24, 8.90, 31.94, 34.19, 45.13, 20.67}},
    {&cardioid, 0.2, 0.005, {1.23, 39.63, 34.72, 52.73, 11.09, 41.34, 36.05, 53.65, 23.80}},
    {&cardioid, 0.2, 0.01, {1.24, 39.83, 35.09, 53.25, 11.15, 41.58, 36.43, 54.18, 24.05}},
    {&cardioid, 0.2, 0.05, {1.35, 41.40, 37.95, 57.35, 11.60, 43.45, 39.45, 58.45, 26.00}},
    {&cardioid, 0.5, 0.005, {1.23, 107.83, 44.21, 119.29, 20.74, 109.14, 47.00, 120.12, 55.18}},
    {&cardioid, 0.5, 0.01, {1.24, 107.97, 44.43, 119.63, 20.79, 109.29, 47.25, 120.47, 55.38}},
    {&cardioid, 0.5, 0.05, {1.35, 109.00, 46.10, 122.25, 21.05, 110.45, 49.25, 123.20, 56.90}},
    {&chaste,
     0.5,
     0.01,
     {1.22584, 27.9116, 37.4343, 38.15, 7.945, 25.0817, 36.3801, 36.2962, 17.6153}},
}};

/// What programs of a kind of scheme have at a point, from the earliest to the latest time.
struct TimesOfKind
{
    const TimedProgram* kind; ///< null: all programs
    double dx_mm;             ///< the mesh of their runs
    double share;             ///< by which the earliest and the latest are widened
    Bound at(std::size_t point) const;
};

/// What a run of a scheme is held against: the runs of the program of its kind with the same mesh.
/// Where there are none (no other program is of the kind of fvm; interpolated currents have runs at
/// 0.5 mm alone), the runs of all programs with the finest mesh, which schemes come to. They are
/// widened by a tenth; on coarse meshes by 15 %, or from the finest runs by 20 %, as P8 of fvm is.
/// @param kind  null: none
TimesOfKind times_like(const TimedProgram* kind, double dx_mm);

/// Reference times of points (index, ms): P2, P3, P8 and P9, of prototypes of this program (fvm at
/// 0.1 mm, steps of 0.02 ms; interpolated currents at 0.2 mm). Towards steps of 0 fvm is 2 %
/// earlier there (PREDICTIONS.md, I1), which is as much as is wanted of fine meshes.
inline constexpr std::array<std::pair<std::size_t, double>, 4> reference_ms{
    {{1, 27.3}, {2, 32.4}, {7, 42.0}, {8, 19.6}}};

/// P8 of the finest runs of three programs of the paper [ms].
inline constexpr std::array<double, 2> converged_P8_ms{42.5, 43.2};

} // namespace tawara::verify
