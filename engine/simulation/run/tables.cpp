// SPDX-License-Identifier: GPL-3.0-or-later
// The list of the tables that a run writes beside those of the probes.
#include "engine/simulation/run/tables.hpp"

#include "engine/simulation/observe/calcium_rows.hpp"
#include "engine/simulation/observe/ecg_rows.hpp"
#include "engine/simulation/session/intervals.hpp"
#include "engine/simulation/tissue/purkinje.hpp"

namespace tawara::simulation {
namespace {

using Rows = std::unique_ptr<TableRows>;

Rows ecg_rows(const TableSource& from, std::int64_t every_steps)
{
    const auto& s = from.session;
    const auto& t = from.tissue;
    return std::make_unique<EcgRows>(
        EcgField(*t.mesh, t.stars, t.on_vertices(), t.patches,
                 ecg_layout(t, s.electrodes, s.leads, from.session_file),
                 s.bath_conductivity_S_per_m, from.progress),
        every_steps);
}

Rows dyad_rows(const TableSource& from, std::int64_t every_steps)
{
    return calcium_rows(from.session, from.tissue, from.session_file, every_steps);
}

/// Potentials of the Purkinje network at its probes.
Rows network_rows(const TableSource& from, std::int64_t every_steps)
{
    const auto network = from.tissue.network;
    if (!network)
        return std::make_unique<RowsByFunction>(std::vector<std::string>{}, every_steps,
                                                RowsByFunction::Make{});
    return std::make_unique<RowsByFunction>(
        network->probe_names, every_steps,
        [network](Moment& now) { return now.network_mV(network->probe_nodes); });
}

/// A row is all that a table needs here: it is made, observes, is written, listed, kept in
/// checkpoints and goes on from them.
struct TableOfRun
{
    const char* file;
    const char* every; ///< the key of its interval; the table is wanted where that is in use
    Rows (*make)(const TableSource& from, std::int64_t every_steps);
};
constexpr TableOfRun tables[] = {
    {"ecg.csv", "/ecg/every_ms", ecg_rows},
    {calcium_file, "/output/calcium_every_ms", dyad_rows},
    {"purkinje_probes.csv", "/output/purkinje_every_ms", network_rows},
};

} // namespace

Tables make_tables(const TableSource& source)
{
    Tables out;
    for (const auto& [file, every, make] : tables)
        if (const auto steps = interval_steps(source.session, every); steps > 0)
            if (auto rows = make(source, steps); !rows->empty())
                out.push_back({file, std::move(rows)});
    return out;
}

} // namespace tawara::simulation
