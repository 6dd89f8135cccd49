// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/observe/ecg_rows.hpp"

#include "engine/core/room_for.hpp"

namespace tawara::simulation {

void EcgRows::go_on(ProbeTable rows, double before_ms)
{
    table_ = std::move(rows);
    while (!table_.time_ms.empty() && table_.time_ms.back() > before_ms)
        table_.time_ms.pop_back();
    table_.V_mV.resize(table_.time_ms.size() * table_.names.size());
}

void EcgRows::observe(Moment& now)
{
    if (empty() || now.step() % every_ != 0)
        return;
    const auto leads = field_.leads(now.potential());
    room_for(table_.time_ms, 1); // a row whole, or none of it
    room_for(table_.V_mV, leads.size());
    table_.time_ms.push_back(now.time_ms());
    for (const float mV : leads)
        table_.V_mV.push_back(static_cast<double>(mV));
}

} // namespace tawara::simulation
