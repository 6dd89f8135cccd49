// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/emit/compiled_kernel.hpp"

#include "engine/cell/compiler/emit/llvm_step.hpp"
#include "engine/core/aligned.hpp"

#include <algorithm>

namespace tawara::cell::compiler {
namespace {

constexpr std::size_t block = 16; ///< cells that arrays are padded to

template <class Real>
class CompiledKernel final : public CpuKernel<Real>
{
  public:
    CompiledKernel(std::shared_ptr<const Program> p, std::span<const CellType> types)
        : program_(std::move(p)), step_(*program_)
    {
        set_types(types);
    }

    void set_types(std::span<const CellType> types) override
    {
        rows_.clear();
        for (const CellType& t : types) {
            const auto row = program_->row(t.parameters);
            rows_.emplace_back(row.begin(), row.end());
        }
    }
    std::string target() const override { return step_.target(); }

    void step(const CellArrays<Real>& c, double t, double dt) const override
    {
        for (std::size_t i = c.begin; i < c.end;) {
            const std::uint8_t type = c.type ? c.type[i] : 0;
            std::size_t j = c.end; // end of the run of cells of one type, in whole blocks
            if (c.type) {
                j = i;
                while (j < c.end && c.type[j] == type)
                    ++j;
                if (j < c.end)
                    j -= j % block;
            }
            if (j > i) {
                step_(c.v, c.states, c.stimulus, i, j, rows_[type].data(), static_cast<Real>(t),
                      static_cast<Real>(dt), Real(0));
                i = j;
            } else {
                mixed(c, i, std::min(c.end, i + block), t, dt);
                i += block;
            }
        }
    }

  private:
    /// A block with cells of several types: each type's step on a copy, of which its own cells are
    /// kept.
    void mixed(const CellArrays<Real>& c, std::size_t begin, std::size_t end, double t,
               double dt) const
    {
        const std::size_t n = program_->next.size();
        AlignedVector<Real> copy(n * block), stimulus(block);
        std::vector<Real*> states;
        for (std::size_t s = 1; s < n; ++s)
            states.push_back(copy.data() + s * block);
        const auto array = [&](std::size_t s) { return s == 0 ? c.v : c.states[s - 1]; };
        std::vector<Real> result(n * block);
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint8_t type = c.type[i];
            if (std::find(c.type + begin, c.type + i, type) != c.type + i)
                continue; // done with the first cell of this type
            for (std::size_t s = 0; s < n; ++s)
                for (std::size_t k = 0; k < block; ++k)
                    copy[s * block + k] = array(s)[std::min(begin + k, end - 1)];
            for (std::size_t k = 0; k < block && c.stimulus; ++k)
                stimulus[k] = c.stimulus[std::min(begin + k, end - 1)];
            step_(copy.data(), states.data(), c.stimulus ? stimulus.data() : nullptr, 0, block,
                  rows_[type].data(), static_cast<Real>(t), static_cast<Real>(dt), Real(0));
            for (std::size_t k = i; k < end; ++k)
                for (std::size_t s = 0; s < n && c.type[k] == type; ++s)
                    result[s * block + k - begin] = copy[s * block + k - begin];
        }
        for (std::size_t s = 0; s < n; ++s)
            std::copy_n(result.data() + s * block, end - begin, array(s) + begin);
    }

    std::shared_ptr<const Program> program_;
    JitStep<Real> step_;
    std::vector<std::vector<Real>> rows_;
};

} // namespace

template <class Real>
std::unique_ptr<CpuKernel<Real>> make_compiled_kernel(std::shared_ptr<const Program> p,
                                                      std::span<const CellType> types)
{
    return std::make_unique<CompiledKernel<Real>>(std::move(p), types);
}
template std::unique_ptr<CpuKernel<double>> make_compiled_kernel(std::shared_ptr<const Program>,
                                                                 std::span<const CellType>);
template std::unique_ptr<CpuKernel<float>> make_compiled_kernel(std::shared_ptr<const Program>,
                                                                std::span<const CellType>);

} // namespace tawara::cell::compiler
