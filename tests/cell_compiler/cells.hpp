// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/emit/llvm/compiled_kernel.hpp"
#include "engine/cell/compiler/library.hpp"
#include "engine/core/aligned.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tawara::cell::compiler {

/// Cells of a model, stepped by its machine code.
template <class Real>
class Cells
{
  public:
    /// @param options  nothing: as the program's own kernels have them
    Cells(const std::string& model, Scheme scheme, std::size_t n = 16,
          const std::optional<OptimiseOptions>& options = {})
    {
        const CellSystem s = load_model(model);
        const auto o = options.value_or(options_for(s, Target::gpu(sizeof(Real) == sizeof(float))));
        set(s, std::make_shared<Program>(compile(CellSystem(s), scheme, o)), n);
    }
    Cells(const CellSystem& s, const Program& p, std::size_t n = 16)
    {
        set(s, std::make_shared<Program>(p), n);
    }
    void step(double t, double dt)
    {
        CellArrays<Real> c;
        c.v = arrays[0].data();
        c.states = pointers_.data();
        c.begin = 0, c.end = arrays[0].size();
        kernel_->step(c, t, dt);
    }
    std::vector<AlignedVector<Real>> arrays;

  private:
    void set(const CellSystem& s, std::shared_ptr<const Program> p, std::size_t n)
    {
        type_ = {"", s.parameter_values(), s.initial_values(), {}};
        kernel_ = make_compiled_kernel<Real>(std::move(p), std::span(&type_, 1));
        for (const double x : type_.initial)
            arrays.emplace_back(n, static_cast<Real>(x));
        for (std::size_t k = 1; k < arrays.size(); ++k)
            pointers_.push_back(arrays[k].data());
    }

    CellType type_;
    std::unique_ptr<CpuKernel<Real>> kernel_;
    std::vector<Real*> pointers_;
};

} // namespace tawara::cell::compiler
