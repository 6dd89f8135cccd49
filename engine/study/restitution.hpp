// SPDX-License-Identifier: GPL-3.0-or-later
// What the key `restitution` of a study asks for.
#pragma once
#include "engine/simulation/session/session.hpp"

#include <cstddef>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tawara::study {

/// A train S1, then one S2, at each of several couplings.
struct S1S2
{
    double cycle_ms = 600;
    int count = 8;
    std::vector<double> couplings_ms; ///< ascend
};

/// Trains with shorter and shorter cycles, without a pause between them.
struct DynamicPacing
{
    std::vector<double> cycles_ms; ///< descend
    int count = 50;                ///< pulses of each train
    int measured = 2;              ///< of these, the last ones
    std::optional<double>
        alternans; ///< it ends once APD90 differs by so much from beat to beat [ms]
};

/// Beats after shorter and shorter intervals. Each protocol is a run.
struct Restitution
{
    /// Of the session, whose place and strength all pulses have: its number or its name.
    std::size_t stimulus = 0;
    std::string stimulus_name; ///< empty: the number counts
    std::optional<S1S2> s1s2;
    std::optional<DynamicPacing> dynamic;
};

enum class PacingProtocol { s1s2, dynamic };
const char* name(PacingProtocol p); ///< "s1s2", "dynamic"

/// Reads a study's `restitution`, strictly. @throws InputError naming file and JSON pointer
Restitution read_restitution(const std::filesystem::path& file, const nlohmann::ordered_json& o);

/// Those that are asked for, in order of the enumeration.
std::vector<PacingProtocol> protocols_of(const Restitution& r);

/// The session's stimulus that gives the pulses, without its own times.
/// @param file  of the study
/// @throws InputError  where there is no such stimulus or no probe, the session has a Purkinje
///                     network, or a pulse is too long for the shortest interval
simulation::Stimulus pulse_of(const simulation::Session& s, const Restitution& r,
                              const std::filesystem::path& file);

/// Among what runs differ by.
inline constexpr const char* protocol_path = "restitution.protocol";

} // namespace tawara::study
