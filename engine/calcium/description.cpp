// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/calcium/description.hpp"

#include "engine/calcium/paced_cell.hpp"
#include "engine/calcium/reaction.hpp"
#include "engine/cell/own_model.hpp"

#include <array>
#include <cstring>
#include <vector>

namespace tawara::calcium {
namespace {

struct StateRow
{
    const char* name;
    const char* unit;
    double most; ///< from 0 on; V: to both sides
    bool gate;
};

constexpr double most_mM = 1e3;
/// Of CellState in its order, but for camk, which is worked out; then of the dyads.
constexpr std::array rows{StateRow{"V", "mV", 1e3, false},
                          StateRow{"Na_i", "mM", most_mM, false},
                          StateRow{"K_i", "mM", most_mM, false},
                          StateRow{"m", "1", 1, true},
                          StateRow{"hf", "1", 1, true},
                          StateRow{"hs", "1", 1, true},
                          StateRow{"j", "1", 1, true},
                          StateRow{"hsp", "1", 1, true},
                          StateRow{"jp", "1", 1, true},
                          StateRow{"mL", "1", 1, true},
                          StateRow{"hL", "1", 1, true},
                          StateRow{"hLp", "1", 1, true},
                          StateRow{"a", "1", 1, true},
                          StateRow{"iF", "1", 1, true},
                          StateRow{"iS", "1", 1, true},
                          StateRow{"ap", "1", 1, true},
                          StateRow{"iFp", "1", 1, true},
                          StateRow{"iSp", "1", 1, true},
                          StateRow{"d", "1", 1, true},
                          StateRow{"ff", "1", 1, true},
                          StateRow{"fs", "1", 1, true},
                          StateRow{"fcaf", "1", 1, true},
                          StateRow{"fcas", "1", 1, true},
                          StateRow{"jca", "1", 1, true},
                          StateRow{"ffp", "1", 1, true},
                          StateRow{"fcafp", "1", 1, true},
                          StateRow{"xrf", "1", 1, true},
                          StateRow{"xrs", "1", 1, true},
                          StateRow{"xs1", "1", 1, true},
                          StateRow{"xs2", "1", 1, true},
                          StateRow{"xk1", "1", 1, true},
                          StateRow{"c_myo", "mM", most_mM, false},
                          StateRow{"c_ss", "mM", most_mM, false},
                          StateRow{"c_nsr", "mM", most_mM, false},
                          StateRow{"c_jsr", "mM", most_mM, false},
                          StateRow{"n_ca", "1", 1, false},
                          StateRow{"CaMK_t", "1", 1, false}};
constexpr std::size_t of_membrane = CellState::count - 1;
static_assert(rows.size() == of_membrane + 6);

/// Where a start has the calcium that all dyads begin with.
constexpr double Start::*of_dyads[] = {&Start::c_myo, &Start::c_ss, &Start::c_nsr,
                                       &Start::c_jsr, &Start::n_ca, &Start::camk_t};

std::vector<double> values_of(const Start& start)
{
    double membrane[CellState::count];
    std::memcpy(membrane, &start.cell, sizeof membrane);
    std::vector<double> out(membrane, membrane + of_membrane);
    for (const auto member : of_dyads)
        out.push_back(start.*member);
    return out;
}

cell::OwnModel description()
{
    cell::OwnModel m;
    auto& info = m.info;
    info.name = dyad_model;
    info.title = dyad_model_title;
    info.source = "O'Hara et al. 2011, Gaur & Rudy 2011, Lan et al. 2015, Altanaite & Langguth "
                  "2018; the parameters come from a public code of the same family of models";
    const auto usual = values_of(start_named(variants().front().start));
    for (std::size_t k = 0; k < rows.size(); ++k) {
        info.states.push_back({rows[k].name, rows[k].unit, usual[k], rows[k].gate});
        m.state_ranges.push_back({k == 0 ? -rows[k].most : 0, rows[k].most, false});
    }
    for (const auto& p : parameter_table()) {
        info.parameters.push_back({p.name, p.unit, p.what, Parameters{}.*p.value});
        m.ranges.push_back({p.least, p.most, p.whole});
    }
    for (const auto& v : variants()) {
        cell::Variant own{v.name, {v.values.begin(), v.values.end()}, {}};
        const auto begins = values_of(start_named(v.start));
        for (std::size_t k = 0; k < rows.size(); ++k)
            own.initial.emplace_back(rows[k].name, begins[k]);
        info.variants.push_back(std::move(own));
    }
    return m;
}

} // namespace

void make_dyads_known()
{
    if (cell::own_model(dyad_model) == nullptr)
        cell::add_own_model(description());
}

DyadType dyad_type(const cell::CellType& type)
{
    DyadType out;
    const auto table = parameter_table();
    for (std::size_t k = 0; k < table.size(); ++k)
        out.parameters.*table[k].value = type.parameters.at(k);
    auto start = std::make_shared<Start>();
    start->name = start->what = "";
    double membrane[CellState::count] = {}; // camk is worked out
    for (std::size_t k = 0; k < of_membrane; ++k)
        membrane[k] = type.initial.at(k);
    std::memcpy(&start->cell, membrane, sizeof membrane);
    for (std::size_t k = 0; k < std::size(of_dyads); ++k)
        (*start).*of_dyads[k] = type.initial.at(of_membrane + k);
    out.start = start.get();
    out.kept = std::move(start);
    for (std::size_t k = 0; k + 1 < type.protocol.size(); k += 2)
        out.forced.push_back({type.protocol[k], type.protocol[k + 1]});
    return out;
}

} // namespace tawara::calcium
