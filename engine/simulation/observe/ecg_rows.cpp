// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/observe/ecg_rows.hpp"

#include "engine/simulation/session/csv.hpp"

namespace tawara::simulation {

EcgRows::EcgRows(EcgField field, std::int64_t every_steps)
    : TableRows(field.layout().names(), every_steps, ecg_print(field.layout())),
      field_(std::move(field))
{
}

std::vector<double> EcgRows::row(Moment& now)
{
    const auto leads = field_.leads(now.potential());
    return {leads.begin(), leads.end()};
}

std::string ecg_print(const EcgLayout& layout)
{
    std::string out;
    for (const auto& e : layout.electrodes)
        out += e.name + place_text(e.position_mm);
    for (const auto& lead : layout.leads)
        for (const auto& [name, weight] : lead.weights)
            append_number(out += lead.name + ' ' + name + ' ', weight, 9);
    if (const auto& f = layout.torso) {
        out += " torso " + place_text(f->origin_mm) + place_text(f->left) +
               place_text(f->posterior) + place_text(f->superior);
        append_number(out, f->scale, 9);
    }
    return out;
}

} // namespace tawara::simulation
