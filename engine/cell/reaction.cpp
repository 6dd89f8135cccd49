// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/reaction.hpp"

#include "engine/cell/compiler/library.hpp"
#include "engine/core/error.hpp"

namespace tawara::cell {
namespace {

template <class Real>
class CompiledReaction final : public Reaction<Real>
{
  public:
    CompiledReaction(std::span<const CellType> types, Scheme scheme, double table_step_mV)
        : kernel_(make_cpu_kernel<Real>(types, scheme, table_step_mV))
    {
        for (const auto& t : types)
            initial_.push_back(t.initial);
        const auto system = compiler::system_of(types);
        for (std::size_t s = 1; s < system->states.size(); ++s)
            arrays_.push_back({system->states[s].name, 1});
    }
    std::span<const StateArray> arrays() const override { return arrays_; }
    void prepare(const ReactionCells<Real>& c) const override
    {
        const auto& a = c.cells;
        for (std::size_t i = a.begin; i < a.end; ++i) {
            const auto& initial = initial_.at(a.type[i]);
            a.v[i] = static_cast<Real>(initial[0]);
            for (std::size_t s = 1; s < initial.size(); ++s)
                a.states[s - 1][i] = static_cast<Real>(initial[s]);
        }
    }
    void advance(const ReactionCells<Real>& c, const ReactionStep& s) const override
    {
        kernel_->step(c.cells, s.t_ms, s.dt_ms);
    }
    void set_types(std::span<const CellType> types) override { kernel_->set_types(types); }
    std::string target() const override { return kernel_->target(); }
    double flops_per_cell() const override { return kernel_->flops_per_cell(); }

  private:
    std::unique_ptr<CpuKernel<Real>> kernel_;
    std::vector<std::vector<double>> initial_; ///< of each type
    std::vector<StateArray> arrays_;
};

} // namespace

std::size_t numbers_per_unknown(std::span<const StateArray> arrays)
{
    std::size_t n = 0;
    for (const auto& a : arrays)
        n += a.per_unknown;
    return n;
}

template <class Real>
void Reaction<Real>::set_types(std::span<const CellType>)
{
    throw InputError("cell types", "this reaction has none that could be replaced");
}
template class Reaction<double>;
template class Reaction<float>;

template <class Real>
std::unique_ptr<Reaction<Real>> compiled_reaction(std::span<const CellType> types, Scheme scheme,
                                                  double table_step_mV)
{
    return std::make_unique<CompiledReaction<Real>>(types, scheme, table_step_mV);
}
template std::unique_ptr<Reaction<double>> compiled_reaction(std::span<const CellType>, Scheme,
                                                             double);
template std::unique_ptr<Reaction<float>> compiled_reaction(std::span<const CellType>, Scheme,
                                                            double);

} // namespace tawara::cell
