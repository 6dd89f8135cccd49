// SPDX-License-Identifier: GPL-3.0-or-later
// From a session to a Purkinje network that is joined to its tissue.
#pragma once
#include "engine/cable/growth/network.hpp"
#include "engine/cable/network/part.hpp"
#include "engine/device/stepper.hpp"
#include "engine/simulation/tissue/junction_search.hpp"
#include "engine/simulation/tissue/tissue.hpp"

#include <optional>

namespace tawara::simulation {

/// A network made ready to run. Plain values.
struct PurkinjeNetwork
{
    /// Of all trees one behind the other: each has a root, whose parent is -1.
    cable::Morphology morphology;
    std::uint64_t made = 0; ///< which network of this program it is; the same one however it is cut
    std::vector<char> cut;  ///< [points] whether the piece to it does not conduct
    std::vector<double> whole_coupling_uS; ///< [nodes] of the tree without cuts
    cable::NetworkDescription description;
    device::Ports ports;                   ///< of the junctions
    std::vector<std::int32_t> junction_at; ///< [junctions] the point of each
    std::vector<std::int32_t> unjoined;    ///< ends that are too far from the wall
    std::vector<std::int32_t> probe_nodes; ///< [probes]
    std::vector<std::string> probe_names;
    std::optional<FoundResistance> found; ///< where a delay was asked for
    double junction_radius_mm = 0, tissue_uF_per_mm3 = 0;
};

/// The trees of a session's network: from a file, or grown on the mesh.
/// @throws InputError, Cancelled
std::vector<cable::Morphology> network_trees(const Session& s, const Tissue& t, Notices& notices,
                                             const Progress& progress = {});

/// The session's network; null: it has none. Adds to the tissue's notices.
/// @pre  make_problem() was done
/// @throws InputError, Cancelled
/// @cost some ten milliseconds, and the search for a resistance where one is asked for (seconds)
std::shared_ptr<const PurkinjeNetwork> make_network(const Session& s, Tissue& t,
                                                    const Progress& progress = {});

/// The same network with what the session says by now of what is cut, of the root's pulses, probes
/// and resistance. Where a delay is asked for, the resistance stays.
/// @pre  same_purkinje_tree() of the session that it was made of
/// @throws InputError for a cut of no branch
std::shared_ptr<const PurkinjeNetwork> changed_network(const PurkinjeNetwork& n, const Session& s);

/// The same with the resistance of the wanted delay, searched for in the tissue `t`, to whose
/// notices it is added.
/// @throws InputError as search_resistance(), Cancelled
std::shared_ptr<const PurkinjeNetwork> searched_network(const PurkinjeNetwork& n, const Session& s,
                                                        Tissue& t, const Progress& progress = {});

/// What a network has of one fascicle, or of all pieces that nobody named.
struct FasciclePart
{
    cable::Fascicle fascicle = cable::Fascicle::other;
    double length_mm = 0, cut_mm = 0;    ///< cut: of that length
    std::size_t nodes = 0, branches = 0; ///< of the cable; that have a piece of it
    std::vector<std::int32_t> junctions; ///< that lie at its ends
    std::vector<std::int32_t> points;    ///< of the morphology, whose pieces it has
};
/// Those that the network has, in the order of their numbers. Length and nodes add up to the
/// network's; a root belongs to the fascicle that begins there.
std::vector<FasciclePart> fascicles_of(const PurkinjeNetwork& n);

/// Junctions and ports.
struct Joints
{
    device::Ports ports;
    std::vector<cable::Junction> junctions;
};
/// Those of a network as it was made.
Joints joints_of(const PurkinjeNetwork& n);
/// Those of a network in another problem on the mesh of `t`, as many as before: without unknowns
/// where there are no cells any more.
Joints joints_in(const PurkinjeNetwork& n, const Tissue& t, const device::TissueProblem& p);

/// The devices for a tissue with this network, or none (null): where the choice is free and the
/// network has more nodes than a GPU steps, it falls on the CPU, which is said.
device::StepperOptions options_with(const PurkinjeNetwork* n, device::StepperOptions asked,
                                    Notices* notices);

/// Joins the network to a stepper of the tissue, on its first device.
/// @throws InputError where the network is too large for a GPU, or unknowns may rest
cable::NetworkPart& add_network(const PurkinjeNetwork& n, const Joints& joints,
                                device::Stepper& stepper);

} // namespace tawara::simulation
