// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "tests/cell/oracle/ten_tusscher_2006.hpp"
#include "tests/cell/oracle/tt06_cpu.hpp"

#include <algorithm>
#include <stdexcept>

namespace tawara::cell::tt06 {

/// Parameters of a cell type of the compiled ten_tusscher_2006, in the oracle's order.
inline std::vector<double> oracle_parameters(const CellType& type)
{
    const ModelInfo mine = info();
    const auto& theirs = model_info("ten_tusscher_2006").parameters;
    std::vector<double> p;
    for (const auto& m : mine.parameters) {
        const auto it = std::find_if(theirs.begin(), theirs.end(),
                                     [&](const auto& t) { return t.name == m.name; });
        if (it == theirs.end())
            throw std::logic_error("the text has no parameter " + m.name);
        p.push_back(type.parameters[static_cast<std::size_t>(it - theirs.begin())]);
    }
    return p;
}

/// The same type for the oracle.
inline CellType oracle_type(const CellType& type)
{
    return {type.model, oracle_parameters(type), type.initial};
}

/// The hand-written kernel, behind the interface of the compiled one.
template <class Real>
class OracleKernel final : public CpuKernel<Real>
{
  public:
    /// @param types  of the compiled model
    OracleKernel(std::span<const CellType> types, Scheme scheme) : scheme_(scheme)
    {
        OracleKernel::set_types(types);
    }
    void step(const CellArrays<Real>& cells, double, double dt_ms) const override
    {
        tt06::step(cells, *table_, dt_ms, scheme_);
    }
    void set_types(std::span<const CellType> types) override
    {
        std::vector<CellType> mine;
        for (const auto& t : types)
            mine.push_back(oracle_type(t));
        table_ = std::make_unique<ConstantTable<Real>>(mine);
    }
    std::string target() const override { return target_name(); }
    double flops_per_cell() const override { return 724; } // add + mul + fma below -40 mV
    double compile_ms() const override { return 0; }

  private:
    std::unique_ptr<ConstantTable<Real>> table_;
    Scheme scheme_;
};

} // namespace tawara::cell::tt06
