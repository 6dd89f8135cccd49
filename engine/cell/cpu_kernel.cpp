// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/cpu_kernel.hpp"

#include "engine/cell/tt06_scalar.hpp"
#include "engine/core/error.hpp"

namespace tawara::cell {
namespace {

template <class Real>
class ScalarKernel final : public CpuKernel<Real>
{
  public:
    ScalarKernel(std::span<const CellType> types, Scheme scheme) : scheme_(scheme) { set_types(types); }
    void step(const CellArrays<Real>& c, double, double dt) const override
    {
        for (std::size_t i = c.begin; i < c.end; ++i) {
            std::array<double, tt06::state_count> x;
            x[0] = static_cast<double>(c.v[i]);
            for (std::size_t s = 1; s < x.size(); ++s)
                x[s] = static_cast<double>(c.states[s - 1][i]);
            const auto k = tt06::plain::rates(x, types_[c.type ? c.type[i] : 0].parameters,
                                              c.stimulus ? static_cast<double>(c.stimulus[i]) : 0.0);
            for (std::size_t s = 0; s < x.size(); ++s) {
                const bool exponential = scheme_ != Scheme::forward_euler && s >= tt06::Xr1 && s <= tt06::r &&
                                         (scheme_ != Scheme::rush_larsen_light || s == tt06::m);
                x[s] = exponential ? k.inf[s] + (x[s] - k.inf[s]) * std::exp(-dt / k.tau[s])
                                   : x[s] + dt * k.d[s];
            }
            c.v[i] = static_cast<Real>(x[0]);
            for (std::size_t s = 1; s < x.size(); ++s)
                c.states[s - 1][i] = static_cast<Real>(x[s]);
        }
    }
    void set_types(std::span<const CellType> types) override { types_.assign(types.begin(), types.end()); }
    std::string target() const override { return "scalar"; }

  private:
    std::vector<CellType> types_;
    Scheme scheme_;
};

} // namespace

template <class Real>
std::unique_ptr<CpuKernel<Real>> make_cpu_kernel(std::span<const CellType> types, Scheme scheme)
{
    if (scheme != Scheme::forward_euler && scheme != Scheme::rush_larsen &&
        scheme != Scheme::rush_larsen_light)
        throw InputError("--scheme", "",
                         "scheme '" + std::string(name(scheme)) +
                             "' is not available for this model; use rush_larsen_light");
    return std::make_unique<ScalarKernel<Real>>(types, scheme);
}
template std::unique_ptr<CpuKernel<double>> make_cpu_kernel(std::span<const CellType>, Scheme);
template std::unique_ptr<CpuKernel<float>> make_cpu_kernel(std::span<const CellType>, Scheme);

} // namespace tawara::cell
