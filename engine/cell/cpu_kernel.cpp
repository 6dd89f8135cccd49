// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/cpu_kernel.hpp"

#include "engine/cell/compiler/emit/llvm/compiled_kernel.hpp"
#include "engine/cell/compiler/emit/llvm/llvm_target.hpp"
#include "engine/cell/compiler/library.hpp"
#include "engine/core/error.hpp"

namespace tawara::cell {

namespace {

/// The equations that all these types have.
std::shared_ptr<const compiler::CellSystem> common_system(std::span<const CellType> types)
{
    if (types.empty() || types.size() > most_types)
        throw InputError("cell types", "",
                         std::to_string(types.size()) + " cell types; give 1 to " +
                             std::to_string(most_types));
    const auto system = compiler::system_of(types);
    for (const CellType& t : types)
        if (t.model != types.front().model || t.parameters.size() != system->parameters.size())
            throw InputError("cell types", "",
                             "models '" + types.front().model + "' and '" + t.model +
                                 "' in one kernel; give each its own");
    return system;
}

} // namespace

template <class Real>
std::unique_ptr<CpuKernel<Real>> make_cpu_kernel(std::span<const CellType> types, Scheme scheme,
                                                 double table_step_mV)
{
    return compiler::make_compiled_kernel<Real>(
        compiler::shared_program(common_system(types), scheme,
                                 compiler::processor_target(sizeof(Real) == 4), table_step_mV),
        types);
}
template std::unique_ptr<CpuKernel<double>> make_cpu_kernel(std::span<const CellType>, Scheme,
                                                            double);
template std::unique_ptr<CpuKernel<float>> make_cpu_kernel(std::span<const CellType>, Scheme,
                                                           double);

std::unique_ptr<CpuKernel<double>> make_source_kernel(std::span<const CellType> types)
{
    return compiler::make_compiled_kernel<double>(
        compiler::shared_source_program(common_system(types), compiler::processor_target(false)),
        types);
}

template <class Real>
std::unique_ptr<CpuKernel<Real>> make_cable_kernel(std::span<const CellType> types, Scheme scheme)
{
    return compiler::make_compiled_kernel<Real>(
        compiler::shared_cable_program(common_system(types), scheme,
                                       compiler::processor_target(sizeof(Real) == 4)),
        types);
}
template std::unique_ptr<CpuKernel<double>> make_cable_kernel(std::span<const CellType>, Scheme);
template std::unique_ptr<CpuKernel<float>> make_cable_kernel(std::span<const CellType>, Scheme);

template <class Real>
MembraneCurrent<Real> make_membrane_current(std::span<const CellType> types, double table_step_mV)
{
    const auto program = compiler::shared_current_program(
        common_system(types), compiler::processor_target(sizeof(Real) == 4), table_step_mV);
    MembraneCurrent<Real> out;
    out.states = program->next.size() - 1;
    for (const std::size_t k : compiler::states_read(*program))
        out.reads.push_back(k - 1);
    out.kernel = compiler::make_compiled_kernel<Real>(program, types);
    return out;
}
template MembraneCurrent<double> make_membrane_current(std::span<const CellType>, double);
template MembraneCurrent<float> make_membrane_current(std::span<const CellType>, double);

} // namespace tawara::cell
