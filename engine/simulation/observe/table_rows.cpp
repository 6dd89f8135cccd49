// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/observe/table_rows.hpp"

#include "engine/core/room_for.hpp"
#include "engine/simulation/session/csv.hpp"

namespace tawara::simulation {

TableRows::TableRows(std::vector<std::string> columns, std::int64_t every_steps, std::string of)
    : every_(columns.empty() ? 0 : every_steps), of_(std::move(of))
{
    table_.names = std::move(columns);
}

void TableRows::go_on(ProbeTable rows, double before_ms)
{
    table_ = std::move(rows);
    while (!table_.time_ms.empty() && table_.time_ms.back() > before_ms)
        table_.time_ms.pop_back();
    table_.V_mV.resize(table_.time_ms.size() * table_.names.size());
}

void TableRows::observe(Moment& now)
{
    if (empty() || now.step() % every_ != 0)
        return; // a driver has stopped here
    const auto values = row(now);
    room_for(table_.time_ms, 1); // a row whole, or none of it
    room_for(table_.V_mV, values.size());
    table_.time_ms.push_back(now.time_ms());
    table_.V_mV.insert(table_.V_mV.end(), values.begin(), values.end());
}

std::string place_text(const Vec3& position_mm)
{
    std::string out;
    for (double x : position_mm)
        append_number(out += ' ', x, 9);
    return out + '\n';
}

} // namespace tawara::simulation
