// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels of Newton's method for a step of cells and diffusion at once, in double precision (what
// they compute: diffusion/newton.hpp). With V_0 where the step starts and f = -1 for the flow of a
// time step, times the step's length in time steps, or 1 for the rows of M + dt K:
//
//     -R dt = w (V_0 - V) + (M V_0)' - f sum_j a_ij (V_j - V_i) + dt m F
//     w     = row sums of M, m = lumped mass, (M V_0)' = sum_j m_ij (V_0j - V_0i), 0 of lumped mass
#pragma once
#include "engine/device/cuda/kernel_values.cuh"
#include "engine/device/cuda/runtime.cuh"
#include "engine/device/cuda/solver.cuh"

namespace tawara::device::cuda {

/// What a measuring kernel found. Sizes are kept as their bits, which order as they do; one that is
/// no number is larger than all.
struct NewtonStatus
{
    unsigned long long largest = 0;
    unsigned not_positive = 0; ///< rows whose diagonal is not
};
double largest_of(const NewtonStatus& s);

/// Vectors of one shard, [slots] each, V and V_0 with their halos. `volume` is 0 where no unknown
/// is: residuals are 0 there, and V stays.
struct NewtonVectors
{
    const double* volume = nullptr;                 ///< m
    const double* row_sum = nullptr;                ///< w
    const double* mass_diagonal = nullptr;          ///< of M
    const double* stiffness = nullptr;              ///< diagonal of dt K, dt of a time step
    const double* start = nullptr;                  ///< V_0
    const double* mass_start = nullptr;             ///< (M V_0)'; null: lumped mass
    const double *rate = nullptr, *slope = nullptr; ///< F, F'
    double* minus_r = nullptr;                      ///< -R dt
    NewtonStatus* status = nullptr;
    std::int64_t slots = 0;
};

/// The step's length by Newton's method.
struct NewtonLength
{
    double dt_ms = 0, in_time_steps = 1;
};

/// (M V_0)' of consistent mass, by the rows of M + dt K and the flow of a time step.
void start_masses(StreamRef s, const NewtonVectors& n, const Matrix<double>& system,
                  const Matrix<double>& flow, double* mass_start);
/// to = system + (1 - in_time_steps) flow: the rows of M + dt K of another step. Values of padding
/// stay 0.
void system_of_length(StreamRef s, const Buffer<double>& system, const Buffer<double>& flow,
                      double in_time_steps, const Buffer<double>& to);
/// -R dt of V, and its largest |.| / m.
/// @cost the matrix once, eight vectors' values a row
void newton_residual(StreamRef s, const NewtonVectors& n, const Matrix<double>& a, double factor,
                     const double* v, const NewtonLength& l);
/// The matrix's diagonal and row sums, with dt m F' or the negative ones of that alone, and where
/// the linear solver begins. @cost eleven vectors' values a row
void start_correction(StreamRef s, const NewtonVectors& n, const Correction<double>& c,
                      double* diagonal, double* row_sum, const NewtonLength& l, bool all_slopes);
/// Largest |x|.
void newton_largest(StreamRef s, const NewtonVectors& n, const double* x);
/// Largest |(end - start) / dt - (start - before) / before_ms|.
void newton_turn(StreamRef s, const NewtonVectors& n, const double* before, const double* end,
                 double dt_ms, double before_ms);
/// to = from + share x, or from + share (x - less); no more than `most` from `from`.
void newton_move(StreamRef s, std::int64_t slots, const double* from, double share, const double* x,
                 const double* less, double most, double* to);
/// Counts the slots with an unknown whose stimuli differ, in `largest`; null: no stimulus.
void newton_compare(StreamRef s, const NewtonVectors& n, const double* a, const double* b);

} // namespace tawara::device::cuda
