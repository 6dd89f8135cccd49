// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cuda/compiled_current.cuh"

#include "engine/cell/compiler/library.hpp"

#include <utility>

namespace tawara::device::cuda {
namespace {

constexpr std::size_t most_spilled_of_current = 64; ///< bytes a thread

} // namespace

template <class Real>
CompiledCurrent<Real>::CompiledCurrent(const CellGroup& group, StreamRef s)
    : program_(cell::compiler::shared_current_program(
          cell::compiler::system_of(group.types),
          cell::compiler::Target::gpu(sizeof(Real) == sizeof(float)))),
      reads_(cell::compiler::states_read(*program_).size() + 1)
{
    type_rows_.types = group.types.size();
    set_types(group.types, s);
}

template <class Real>
void CompiledCurrent<Real>::compile(int device)
{
    constexpr bool single = sizeof(Real) == sizeof(float);
    const auto with = [&](const KernelShape& shape) {
        code_ = std::make_unique<LoadedCode>(current_source(*program_, single, type_rows_, shape),
                                             device);
        look_ = {*code_, "cell_look", shape.block_threads, device};
        front_ = {*code_, "cell_front", shape.block_threads, device};
        listed_ = {*code_, "cell_listed", shape.block_threads, device};
        points_ = {*code_, "cell_points", shape.block_threads, device};
        vertices_ = {*code_, "cell_vertices", shape.block_threads, device};
    };
    with(current_shape(single));
    if (points_.spilled_bytes() > most_spilled_of_current)
        with(all_registers);
}

template <class Real>
void CompiledCurrent<Real>::set_types(std::span<const cell::CellType> types, StreamRef s)
{
    const Current here(s.device);
    const auto numbers = row_numbers<Real>(types, *program_, nullptr);
    auto wanted = type_rows_;
    if (mark_differences<Real>(wanted, numbers)) {
        std::swap(type_rows_, wanted);
        try {
            compile(s.device);
        } catch (...) {
            type_rows_ = wanted;
            throw;
        }
    }
    upload_rows<Real>(numbers, types.size(), {code_.get()}, rows_, s);
}

template <class Real>
void CompiledCurrent<Real>::look(StreamRef s, const Front<Real>& f, int begin, int end) const
{
    if (begin < end)
        look_.launch(s, "look for fronts", 32 * std::int64_t{end - begin}, false, false, f, begin,
                     end);
}

template <class Real>
void CompiledCurrent<Real>::front(StreamRef s, const Front<Real>& f, const Moment& m,
                                  const Rest& rest, int begin, int end) const
{
    const std::int64_t lanes = 32 * std::int64_t{end - begin};
    if (begin < end && f.cells.watch.v)
        listed_.launch(s, "front", lanes, true, false, filled(f), m, rest);
    else if (begin < end)
        front_.launch(s, "front", lanes, false, false, filled(f), m, rest, begin, end);
}

template <class Real>
void CompiledCurrent<Real>::points(StreamRef s, const Front<Real>& f, const Moment& m,
                                   std::int64_t most) const
{
    if (most > 0)
        points_.launch(s, "currents between vertices", 4 * most, true, false, filled(f), m);
}

template <class Real>
void CompiledCurrent<Real>::vertices(StreamRef s, const Front<Real>& f, const Moment& m,
                                     const Rest& rest) const
{
    if (m.begin < m.end)
        vertices_.launch(s, "currents of vertices", m.end - m.begin, true, false, filled(f), m,
                         rest);
}

template <class Real>
double CompiledCurrent<Real>::flops() const
{
    return device_flops(*program_, sizeof(Real) == sizeof(float));
}

template class CompiledCurrent<double>;
template class CompiledCurrent<float>;

} // namespace tawara::device::cuda
