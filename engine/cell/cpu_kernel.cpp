// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/cpu_kernel.hpp"

#include "engine/cell/tt06_cpu.hpp"
#include "engine/core/error.hpp"

#include <algorithm>

namespace tawara::cell {
namespace {

template <class Real>
class TenTusscherKernel final : public CpuKernel<Real>
{
  public:
    TenTusscherKernel(std::span<const CellType> types, Scheme scheme) : scheme_(scheme)
    {
        TenTusscherKernel::set_types(types);
    }
    void step(const CellArrays<Real>& cells, double, double dt_ms) const override
    {
        tt06::step(cells, *table_, dt_ms, scheme_);
    }
    void set_types(std::span<const CellType> types) override
    {
        table_ = std::make_unique<tt06::ConstantTable<Real>>(types);
    }
    std::string target() const override { return tt06::target_name(); }

  private:
    std::unique_ptr<tt06::ConstantTable<Real>> table_;
    Scheme scheme_;
};

} // namespace

template <class Real>
std::unique_ptr<CpuKernel<Real>> make_cpu_kernel(std::span<const CellType> types, Scheme scheme)
{
    if (types.empty() || types.size() > 256)
        throw InputError("cell types", "",
                         std::to_string(types.size()) + " cell types; give 1 to 256");
    const ModelInfo& info = model_info(types.front().model);
    for (const CellType& t : types)
        if (t.model != info.name)
            throw InputError("cell types", "",
                             "models '" + info.name + "' and '" + t.model +
                                 "' in one kernel; give each its own");
    if (std::find(info.schemes.begin(), info.schemes.end(), scheme) == info.schemes.end()) {
        std::string known;
        for (Scheme s : info.schemes)
            known += (known.empty() ? "" : ", ") + std::string(name(s));
        throw InputError("--scheme", "",
                         "scheme '" + std::string(name(scheme)) + "' is not available for " +
                             info.name + "; use one of " + known);
    }
    return std::make_unique<TenTusscherKernel<Real>>(types, scheme);
}
template std::unique_ptr<CpuKernel<double>> make_cpu_kernel(std::span<const CellType>, Scheme);
template std::unique_ptr<CpuKernel<float>> make_cpu_kernel(std::span<const CellType>, Scheme);

} // namespace tawara::cell
