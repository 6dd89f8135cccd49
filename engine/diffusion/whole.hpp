// SPDX-License-Identifier: GPL-3.0-or-later
// The operator of one part of a mesh, whose other parts other processes have.
#pragma once
#include "engine/core/thread_pool.hpp"
#include "engine/diffusion/system.hpp"

#include <complex>
#include <functional>
#include <vector>

namespace tawara::diffusion {

/// What the operator of a part needs to know of the whole. Every process calls the same functions
/// in the same order; each returns when all have come to it.
/// @thread that of the communicator
class Whole
{
  public:
    virtual ~Whole() = default;
    /// Of each unknown of the part, whether it is an own one: its row is whole here.
    virtual std::span<const char> own() const = 0;
    /// Of each unknown of the part, its number in the whole.
    virtual std::span<const std::int64_t> number() const = 0;
    /// Unknowns of all parts together.
    virtual std::size_t size() const = 0;

    /// Other parts' unknowns become what their owners have.
    virtual void share(std::span<double> values) = 0;
    /// Sum over the own unknowns of all parts in the order of the whole, one after the other: the
    /// bits of a loop over all.
    virtual double sum_in_order(std::span<const double> values) = 0;
    /// Sum of one number of each part, in the order of the parts.
    virtual double sum(double here) = 0;
    virtual double largest(double here) = 0;
    virtual bool any(bool here) = 0;

    /// A row by which it is put among others.
    struct Row
    {
        double key = 0;
        std::int64_t number = 0; ///< in the whole
        double rate = 0, volume = 0;
    };
    /// Rows of all parts one after the other, by key and number, without having them all at once.
    /// @param sorted  the part's own
    /// @param use     called once, in one process; next(row) gives a row, or false where there are
    ///                no more
    /// @return what `use` returned, in every process
    virtual double
    in_order(std::span<const Row> sorted,
             const std::function<double(const std::function<bool(Row&)>& next)>& use) = 0;
};

/// assemble() of a part. Own rows are those of the whole mesh: bit for bit, as the same cells are
/// repaired (fvm), which eigenvalues decide that are the same but for rounding. Rows of other
/// parts' unknowns mean nothing.
/// @param m  the part: what is around own vertices (p1), or within two faces of own tetrahedra
///           (fvm), in the order of the whole
/// @pre  lumped mass
System assemble(const mesh::TetMesh& m, const std::vector<std::array<std::int32_t, 4>>& neighbours,
                std::span<const Tensor> diffusivity, const Options& options, Whole& whole,
                const Progress& progress = {});

/// rim_of_spectrum() of the whole; the same in every process.
std::vector<std::complex<double>> rim_of_spectrum(ThreadPool& pool, const System& s, Whole& whole,
                                                  const Progress& progress = {});

} // namespace tawara::diffusion
