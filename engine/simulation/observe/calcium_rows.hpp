// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/observe/table_rows.hpp"

#include <memory>
#include <string>

namespace tawara::simulation {

inline constexpr const char* calcium_file = "calcium.csv";

/// What a column of calcium.csv is called behind its probe's name and a dot, in their order.
inline constexpr const char* calcium_columns[] = {
    "V_mV",     "c_myo_uM",     "c_ss_uM",         "c_nsr_mM",         "c_jsr_mM",
    "open_RyR", "active_dyads", "i_CaL_uA_per_uF", "release_mM_per_ms"};

/// The dyads of the cell nearest to each probe in tissue with dyads: means over them, counts, and
/// currents of them all (calcium::CalciumState). Without such a probe the table is empty.
/// @param t  outlives the rows; its types are the current ones
/// @throws InputError as probe_weights()
/// @cost a row: linear in the dyads of these cells
std::unique_ptr<TableRows> calcium_rows(const Session& s, const Tissue& t, const std::string& file,
                                        std::int64_t every_steps);

} // namespace tawara::simulation
