// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cable/growth/parameters.hpp"
#include "engine/core/units.hpp"
#include "engine/simulation/session/session.hpp"
#include "engine/simulation/session/session_keys.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tawara::simulation {

/// A session's Purkinje network: what is under "purkinje". Few sources need it, so that another key
/// here builds little anew.
struct PurkinjeKeys
{
    bool wanted = false;            ///< the session has one
    std::vector<std::string> files; ///< as the session has them, relative to it; none: it is grown
    std::optional<LengthUnit> unit;
    cable::GrowthParameters grow;

    std::string model = "stewart_2009", variant;
    double conductivity_S_per_m = 2;
    double radius_um = 25;
    double fibres = 2000;
    double space_step_mm = 0.25;

    static constexpr double his_duration_ms = 2, his_amplitude_pA_per_pF = 200, his_length_mm = 2;
    bool his = true;   ///< the root is stimulated
    double his_ms = 0; ///< when the first pulse begins
    std::optional<Protocol> his_protocol;

    double resistance_kOhm = 0.5; ///< where no delay is asked for
    double junction_radius_mm = 1;
    double antegrade_ms = 0; ///< 0: resistance_kOhm counts
    std::vector<std::string> cut;
    std::vector<Probe> probes; ///< of the nearest node

    /// The pulses of the root, up to and without end_ms.
    std::vector<PulseRun> his_pulses() const;
};

/// Whether two sessions have the same tree of the same cells, joined in the same way: what is cut,
/// the root's pulses, probes, and the junctions' resistance or delay may differ.
bool same_purkinje_tree(const Session& a, const Session& b);
/// Whether their networks do not differ at all.
bool same_purkinje(const Session& a, const Session& b);
/// What of the network is another, in words for a list: "left_bundle cut", "Purkinje network
/// grown"; empty where nothing is that acts on a run.
std::string purkinje_difference(const Session& before, const Session& now);

/// Rows of the table of session keys (session_keys.hpp).
std::span<const Key> purkinje_keys();

} // namespace tawara::simulation
