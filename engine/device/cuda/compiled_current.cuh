// SPDX-License-Identifier: GPL-3.0-or-later
// The membrane's current of one cell group between vertices, on one device, by code made while the
// program runs.
#pragma once
#include "engine/cell/compiler/program.hpp"
#include "engine/device/cuda/kernel_values.cuh"
#include "engine/device/cuda/loaded_code.cuh"
#include "engine/device/cuda/reaction_text.hpp"
#include "engine/device/problem.hpp"

#include <memory>
#include <span>

namespace tawara::device::cuda {

/// @thread that of the stepper; launches enqueue, nothing more, and can be captured
template <class Real>
class CompiledCurrent
{
  public:
    /// Compiles the current of a group's model, or takes it from the cache, and loads it.
    /// @throws InputError when NVRTC is missing
    CompiledCurrent(const CellGroup& group, StreamRef s);

    /// As CompiledReaction::set_types().
    void set_types(std::span<const cell::CellType> types, StreamRef s);

    /// The kernels of cell_between.cuh in their order; f.cells.tables is set here. `rest` is of a
    /// whole step (as it is made) where nothing rests.
    void look(StreamRef s, const Front<Real>& f, int begin, int end) const;
    /// Of all chunks [begin, end), or of those listed where f.cells.watch is kept.
    void front(StreamRef s, const Front<Real>& f, const Moment& m, const Rest& rest, int begin,
               int end) const;
    /// @param most  tetrahedra that may be in the front
    void points(StreamRef s, const Front<Real>& f, const Moment& m, std::int64_t most) const;
    /// Slots [m.begin, m.end); after it the list is empty.
    void vertices(StreamRef s, const Front<Real>& f, const Moment& m, const Rest& rest) const;

    double flops() const;                        ///< of one place, estimated
    std::size_t reads() const { return reads_; } ///< states, V included
    std::size_t spilled_bytes() const { return points_.spilled_bytes(); }

  private:
    void compile(int device);
    Front<Real> filled(Front<Real> f) const
    {
        f.cells.tables = rows_.data();
        return f;
    }

    std::shared_ptr<const cell::compiler::Program> program_;
    std::size_t reads_ = 0;
    TypeRows type_rows_; ///< what the present code is made for
    std::unique_ptr<LoadedCode> code_;
    LoadedKernel look_, front_, listed_, points_, vertices_;
    Buffer<Real> rows_; ///< of several types, where constant memory does not hold them
};
extern template class CompiledCurrent<double>;
extern template class CompiledCurrent<float>;

} // namespace tawara::device::cuda
