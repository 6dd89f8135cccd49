// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace tawara::cell {

/// Which variables of a model file (component.variable) are the membrane potential, the stimulus
/// current and the time. Empty: found by metadata, binding or name.
struct SpecialVariables
{
    std::string membrane_potential, stimulus, time;
    bool empty() const { return membrane_potential.empty() && stimulus.empty() && time.empty(); }
    bool operator==(const SpecialVariables&) const = default;
};

/// A variable that may be one of them.
struct Candidate
{
    std::string name;        ///< component.variable, as SpecialVariables wants it
    std::string unit;        ///< as the file writes it
    std::string description; ///< of the file; may be empty
    std::string reason;      ///< for people, e.g. "a state in volt, with a usual name"
    long line = 0;           ///< in the file
};

/// What to ask a person about a model file before it can be used.
struct Candidates
{
    /// Best first; every state is among those for the membrane potential.
    std::vector<Candidate> membrane_potential, stimulus, time;
    /// What is taken when nobody says; empty: none is found, or several fit equally well.
    SpecialVariables found;
    /// Without an answer the file is refused (no potential found, or several fit equally well). A
    /// stimulus or time that is not found is no obstacle: the stimulus is then added to dV/dt.
    bool must_ask() const { return found.membrane_potential.empty(); }
};

/// The candidates of a model file, for a dialog or an option's help.
/// @param path  a .mmt, .cellml or .xml file
/// @throws InputError when the file cannot be read at all (file, line, what would be right)
/// @thread any
/// @cost   a reading of the file, milliseconds
Candidates candidates_of(const std::filesystem::path& path);

/// The key of a model file together with its special variables: what Region::model and
/// make_cell_type() take. The key itself when `names` is empty.
/// @param key  model_key()
std::string key_with(const std::string& key, const SpecialVariables& names);
/// The inverse: the path (or library name) and the special variables of a key.
std::string path_of(const std::string& key);
SpecialVariables special_variables_of(const std::string& key);

} // namespace tawara::cell
