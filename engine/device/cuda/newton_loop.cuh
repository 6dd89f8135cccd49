// SPDX-License-Identifier: GPL-3.0-or-later
// Newton's method and its conjugate gradients where one device decides how they go on
// (diffusion/newton_progress.hpp), without the host. The last block of a kernel decides; the next
// kernel sees it. In order:
//
//     begin, cells, look
//     as long as it goes on:
//         iteration, as long as the linear system is not solved
//         attempt, cells, look
//     finish
//
// A kernel that has nothing to do does nothing: an iteration where a correction is halved, an
// attempt where the same V is looked at again with the negative slopes alone, cells and a look
// while the linear system is not solved, all of them behind the end. So iterations can be enqueued
// ahead.
#pragma once
#include "engine/device/cuda/graph_loop.cuh"
#include "engine/device/cuda/newton.cuh"
#include "engine/diffusion/newton_progress.hpp"

namespace tawara::device::cuda {

/// How a step stands, in the device's memory.
struct NewtonState
{
    enum class Phase {
        begins,   ///< V is the guess, and not looked at yet
        corrects, ///< a linear system is solved
        tries,    ///< V + share x is to be looked at
        again     ///< V is, with other slopes
    };
    double t_ms = 0; ///< where the step starts
    /// The guess: start + slope_ms (start - before), no more than `most_mV` from the start.
    double slope_ms = 0, most_mV = 0;
    diffusion::NewtonProgress progress;
    Phase phase = Phase::begins;
    bool all_slopes = true; ///< or those that are negative alone
    SolverStatus linear;    ///< of the present system, without verdict
    double enough_mV = 0;   ///< its residual over the diagonal may be so large
    double beta = 0;        ///< of the present iteration
    int linear_iterations = 0, systems = 0, evaluations = 0; ///< in all
    static constexpr int most_foreseen = 8;
    int iterations_of[most_foreseen] = {}; ///< of the first systems
    int idle = 0;                          ///< whether there is no V to look at
    /// What the blocks of a kernel find.
    unsigned long long largest[2] = {};
    unsigned not_positive = 0;
};

/// Where a step's state lies, and what it is told to.
struct NewtonLoop
{
    NewtonState* state = nullptr;
    NewtonState* told = nullptr; ///< for the host, which may look at it behind finish_loop()
    bool tells = false;          ///< and behind looks and iterations
    diffusion::NewtonOptions options;
};

/// V of a step in the loop, and what its start is made of. All [slots].
struct NewtonPlaces
{
    const double* now = nullptr; ///< V before the step
    double *start = nullptr, *before = nullptr;
    double *end = nullptr, *trial = nullptr;
    const double* stimulus = nullptr; ///< null: none
    double* own_stimulus = nullptr;
    const double* told = nullptr; ///< V as the cells make it
    double* next = nullptr;       ///< V after the step
};

/// start = now, the stimulus is copied, the trial is the guess.
/// @param begin  how the step begins, in pinned memory
void begin_loop(StreamRef s, const NewtonPlaces& p, std::int64_t slots, const NewtonLoop& loop,
                const NewtonState* begin);
/// -R dt, the system's diagonal and row sums, and where its solution begins; then what is next.
/// @cost the matrix once, 13 vectors' values a row
void loop_look(StreamRef s, const NewtonVectors& n, const Matrix<double>& a, double factor,
               const double* trial, const Correction<double>& c, double* diagonal, double* row_sum,
               const NewtonLength& l, const NewtonLoop& loop, const LoopHandle& newton);
/// An iteration of conjugate gradients, and what is next. @param blocks  of the product
/// @cost the matrix once, 14 vectors' values a row
void loop_iteration(StreamRef s, const Correction<double>& c, const Matrix<double>& a,
                    double factor, int blocks, const NewtonLoop& loop, const LoopHandle& linear);
/// trial = end + share x; end is the trial before, unless a smaller share of the same x is tried.
void loop_attempt(StreamRef s, const NewtonPlaces& p, const double* x, std::int64_t slots,
                  const NewtonLoop& loop);
/// Where it converged: before = start, start = next = told; or end = trial, where there is no next.
void finish_loop(StreamRef s, const NewtonPlaces& p, std::int64_t slots, const NewtonLoop& loop);

} // namespace tawara::device::cuda
