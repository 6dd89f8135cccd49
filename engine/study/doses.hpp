// SPDX-License-Identifier: GPL-3.0-or-later
// What the key `doses` of a study asks for.
#pragma once
#include "engine/simulation/session/session.hpp"
#include "engine/study/drug_table.hpp"

#include <cstddef>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace tawara::study {

/// Drugs, each given at several concentrations.
struct Doses
{
    std::vector<DosedDrug> drugs;
    bool times_cmax = true;     ///< values are multiples of each drug's C_max; else nM
    std::vector<double> values; ///< concentrations
};

/// One of them.
struct Dose
{
    std::size_t drug = 0, value = 0; ///< of Doses::drugs, of Doses::values
};

/// Reads a study's `doses`, strictly. @throws InputError naming file and JSON pointer
Doses read_doses(const std::filesystem::path& file, const nlohmann::ordered_json& o);

double concentration_nM(const Doses& all, const Dose& d);
/// As a session has it: a factor for each conductance.
simulation::Drug drug_of(const Doses& all, const Dose& d);
/// What a run's results say of its dose: "dose.concentration_nM", "dose.left.g_Kr", ..
std::map<std::string, double> dose_results(const Doses& all, const Dose& d);

/// Among what runs differ by.
inline constexpr const char* drug_path = "doses.drug";
/// The path of the concentrations: "doses.times_cmax" or "doses.concentration_nM".
const char* concentration_path(const Doses& all);

} // namespace tawara::study
