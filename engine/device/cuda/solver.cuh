// SPDX-License-Identifier: GPL-3.0-or-later
// Conjugate gradients for (M + theta dt K) x = b with Jacobi's preconditioner, on all shards at
// once and without the host: in the form of Chronopoulos and Gear (1989), whose two sums are made
// in one pass, so that shards meet once an iteration:
//
//     u = r / d;  w = A u;  gamma = <r, u>, delta = <w, u>
//     beta = gamma / gamma', alpha = gamma / (delta - beta gamma / alpha')      ' the iteration
//     before p = u + beta p;  s = w + beta s;  x = x + alpha p;  u = u - alpha s / d
//
// d is A's diagonal; r = d u is not stored, and the largest |u| is the Jacobi-scaled residual. Each
// block adds its rows in a fixed order, the last block of a product adds the blocks' sums, and
// every shard adds the shards' sums: the same bits in each run on the same devices. Another number
// of shards or multiprocessors adds in another order, which is why answers then agree to rounding
// alone.
#pragma once
#include "engine/device/cuda/kernel_values.cuh"
#include "engine/device/cuda/runtime.cuh"
#include "engine/device/cuda/shards.hpp"

namespace tawara::device::cuda {

/// Where a solution stands. verdict: 0 goes on, 1 ended, -1 stopped after the most iterations, -2
/// stopped since the matrix is not positive definite.
struct SolverStatus
{
    double gamma = 0, alpha = 0;
    double residual_mV = 0, first_mV = 0; ///< now, and before the first iteration
    int iterations = 0, verdict = 0;
};

struct SolverSums
{
    double gamma = 0, delta = 0, most = 0;
};

/// A solution ends where the residual is no larger than the tolerance, or than a part of what it
/// was.
struct SolverLimits
{
    double tolerance_mV = 1e-7;
    int iterations = 2000;
    double part = 0;
};

/// One shard's vectors, [slots] each, u with its halo. Two status entries and two rows of sums
/// [shards] are used in turn.
template <class Real>
struct Correction
{
    Real *u = nullptr, *w = nullptr, *p = nullptr, *s = nullptr, *x = nullptr;
    const Real *diagonal = nullptr, *weight = nullptr; ///< of A; its row sums
    SolverStatus* status = nullptr;
    SolverSums *partial = nullptr, *sums = nullptr;
    SolverSums* const* all_sums = nullptr; ///< `sums` of every shard
    unsigned* finished = nullptr;
    int shards = 1, me = 0;
    std::int64_t slots = 0;
};

/// A part of a product: rows [begin, end) by `count` blocks, which write `partial` from `first` on.
/// The last of the `blocks` blocks of all parts hands the sums to every shard.
struct ProductPart
{
    std::int64_t begin = 0, end = 0;
    int first = 0, count = 0, blocks = 0;
    int parity = 0; ///< of the iteration
};

/// Blocks that a product over n rows takes.
int product_blocks(std::int64_t n, int multiprocessors);

/// u = b / d, b_i = sum_j flow_ij (v_j - v_i), x = 0; nothing is left to do after a failure.
/// @cost the matrix once, five vectors' values a row
template <class Real, class Stored>
void start_solution(StreamRef s, const Correction<Real>& c, const Matrix<Stored>& flow,
                    const Real* v, const Moment& m);
/// w_i = weight_i u_i + factor sum_j a_ij (u_j - u_i), and its sums.
/// @cost the matrix once, four vectors' values a row
template <class Real, class Stored>
void multiply(StreamRef s, const Correction<Real>& c, const Matrix<Stored>& a, double factor,
              const ProductPart& part);
/// The rest of an iteration. @cost ten vectors' values a row
template <class Real>
void update_solution(StreamRef s, const Correction<Real>& c, int parity, const SolverLimits& most);
/// out = v + x where the solution has ended (after an update of this parity) and the run not
/// failed.
template <class Real>
void apply_solution(StreamRef s, const Correction<Real>& c, int parity, const Real* v, Real* out,
                    const Moment& m);

/// What one shard needs for it.
template <class Real>
class ShardSolver
{
  public:
    /// @param shard  with its diagonal, weight and, for consistent mass, second values; they are
    /// freed
    ShardSolver(Shard& shard, StreamRef stream, int shards, int me);

    Correction<Real> correction() const;
    /// The parts of a product: all of it, or interior and separator.
    ProductPart whole(int parity) const;
    ProductPart interior(int parity) const;
    ProductPart separator(int parity) const;

    Buffer<Real> second; ///< values of A, where they are not those of the flow times -theta
    Buffer<float> single_second;
    Buffer<Real> u, w, p, s, x, diagonal, weight;
    Buffer<SolverStatus> status;
    Buffer<SolverSums> partial, sums;
    Buffer<SolverSums*> all_sums;
    Buffer<unsigned> finished;
    Event summed;

  private:
    std::int64_t separator_, slots_;
    int shards_, me_, multiprocessors_ = 0;
};
extern template class ShardSolver<double>;
extern template class ShardSolver<float>;

} // namespace tawara::device::cuda
