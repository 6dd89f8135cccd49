// SPDX-License-Identifier: GPL-3.0-or-later
// The reaction of one cell group on one device, by code made while the program runs.
#pragma once
#include "engine/device/cuda/kernels.cuh"
#include "engine/device/problem.hpp"
#include "engine/device/stepper.hpp"

#include <memory>
#include <span>
#include <string>

namespace tawara::device::cuda {

/// Whether a problem's cells are stepped by code compiled while the program runs (see Tuning);
/// never where unknowns may rest.
bool uses_compiled_cells(const TissueProblem& p, const Tuning& tuning);
/// Why they cannot be; empty when they can.
std::string compiled_cells_reason(const TissueProblem& p);

/// States other than V lie in tiles of 32 slots, [tile][state][32]; Reaction::slots is the size of
/// a tile in numbers, the same for all groups of a shard.
inline constexpr std::int64_t tile_slots = 32;

template <class Real>
class CompiledReaction
{
  public:
    /// Compiles the group's equations, or takes them from the cache (compile_cuda), and loads them.
    /// @param fused, alone  which kernels: with the last diffusion pass, without one
    /// @throws InputError when NVRTC is missing or the scheme is not compiled
    /// @cost   about a second for a model not seen before, some milliseconds otherwise
    CompiledReaction(const CellGroup& group, bool fused, bool alone, StreamRef s);
    ~CompiledReaction();
    CompiledReaction(const CompiledReaction&) = delete;
    CompiledReaction& operator=(const CompiledReaction&) = delete;

    /// New parameters, nothing is compiled; waits for the upload.
    void set_types(std::span<const cell::CellType> types, StreamRef s);
    /// Enqueues one step of the slots [m.begin, m.end), m.begin a multiple of 32. `r.tables` and
    /// `r.type` are set here.
    /// @param pass  the last diffusion pass, or null
    /// @pre   the kernel that it takes was asked for
    void launch(StreamRef s, const Pass<Real>* pass, Reaction<Real> r, const std::uint8_t* type,
                const Moment& m) const;

    std::size_t states() const; ///< with V
    double flops() const;       ///< floating-point instructions per cell and step, estimated
    double compile_ms() const;  ///< what making or reading the machine code took, all kernels
    bool from_cache() const;    ///< all kernels

  private:
    struct Code;
    std::unique_ptr<Code> code_;
};
extern template class CompiledReaction<double>;
extern template class CompiledReaction<float>;

} // namespace tawara::device::cuda
