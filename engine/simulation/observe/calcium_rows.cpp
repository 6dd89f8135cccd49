// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/observe/calcium_rows.hpp"

#include "engine/calcium/picture.hpp"
#include "engine/calcium/reaction.hpp"
#include "engine/simulation/tissue/dyad_cells.hpp"

#include <cmath>
#include <optional>

namespace tawara::simulation {
namespace {

struct CalciumProbe
{
    std::string name;
    std::size_t unknown = 0;
};

/// The unknown that a probe reads most of, where it has dyads.
std::optional<std::size_t> nearest_with_dyads(const Tissue& t, const device::Gather& g,
                                              std::size_t probe)
{
    std::optional<std::size_t> at;
    float most = 0;
    for (auto k = g.first[probe]; k < g.first[probe + 1]; ++k) {
        const auto i = static_cast<std::size_t>(k);
        if (const float w = std::abs(g.weight[i]); w > most) {
            most = w;
            at = static_cast<std::size_t>(g.unknown[i]);
        }
    }
    if (!at || !t.problem.has_cells(*at) || !dyads_of(t.problem.groups[t.problem.group[*at]]))
        return {};
    return at;
}

class CalciumRows final : public TableRows
{
  public:
    CalciumRows(std::vector<CalciumProbe> probes, std::vector<std::string> columns,
                std::string places, const Tissue& t, std::int64_t every_steps)
        : TableRows(std::move(columns), every_steps, std::move(places)), probes_(std::move(probes)),
          tissue_(t)
    {
    }

  private:
    std::vector<double> row(Moment& now) override
    {
        constexpr double uM_of_mM = 1e3;
        const auto& p = tissue_.problem;
        std::vector<double> out;
        for (const auto& probe : probes_) {
            const auto& group = p.groups[p.group[probe.unknown]];
            const auto* dyads = dyads_of(group);
            now.cell_numbers(probe.unknown, cell_);
            const auto state =
                calcium::dyad_picture(dyads->table()[p.type[probe.unknown]].parameters,
                                      dyads->grid(), p.dt_ms, cell_.v_mV, cell_.numbers)
                    .state;
            const auto& d = state.dyads;
            for (const double x :
                 {cell_.v_mV, uM_of_mM * d.c_myo, uM_of_mM * d.c_ss, d.c_nsr, d.c_jsr, d.open_RyR,
                  d.active, state.i_CaL, state.release_mM_per_ms})
                out.push_back(x);
        }
        return out;
    }

    std::vector<CalciumProbe> probes_;
    const Tissue& tissue_;
    device::CellNumbers cell_;
};

} // namespace

std::unique_ptr<TableRows> calcium_rows(const Session& s, const Tissue& t, const std::string& file,
                                        std::int64_t every_steps)
{
    const auto weights = probe_weights(t, s.probes, file);
    std::vector<CalciumProbe> probes;
    std::vector<std::string> columns;
    std::string places;
    for (std::size_t k = 0; k < s.probes.size(); ++k) {
        const auto at = nearest_with_dyads(t, weights, k);
        if (!at)
            continue;
        probes.push_back({s.probes[k].name, *at});
        places += place_text(s.probes[k].position_mm);
        for (const char* column : calcium_columns)
            columns.push_back(s.probes[k].name + "." + column);
    }
    return std::make_unique<CalciumRows>(std::move(probes), std::move(columns), std::move(places),
                                         t, every_steps);
}

} // namespace tawara::simulation
