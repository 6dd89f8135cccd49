// SPDX-License-Identifier: GPL-3.0-or-later
// A cable cut into compartments: what its equation is solved on.
#pragma once
#include "engine/cable/morphology.hpp"
#include "engine/cable/tree.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace tawara::cable {

/// What a cable is made of.
struct Material
{
    double axial_resistivity_ohm_cm = 100;
    double capacitance_uF_per_cm2 = 1;
};

/// How a morphology is cut.
struct Cutting
{
    double space_step_um = 20; ///< the longest distance of two nodes along the cable
    Material material{};       ///< of kinds that are not named
    std::map<std::int32_t, Material> by_kind{};
};

/// Nodes in Hines' order, each with the membrane of its compartment and the resistance to its
/// parent. Nodes lie at forks, at ends and at equal distances in between; a compartment reaches
/// from its node half-way to each neighbour. With V [mV] and I [nA], of each node i
///
///     C_i dV_i/dt = sum over neighbours j of g_ij (V_j - V_i) - C_i I_ion(V_i) + I_i
///
/// where I_ion [pA/pF = mV/ms] is the membrane's current per capacitance, g_ij the coupling of
/// whichever of both is the child.
///
/// Forests: a root behind the first hangs on node 0 with a coupling of 0.
struct Compartments
{
    Tree tree;
    std::vector<double> coupling_uS;    ///< [nodes] to the parent; 0 at roots
    std::vector<double> capacitance_nF; ///< [nodes], above 0
    std::vector<double> area_um2;       ///< [nodes] of membrane
    std::vector<double> radius_um;      ///< [nodes] of the cable there
    std::vector<double> from_root_um;   ///< [nodes] along the cable
    std::vector<Vec3> place_mm;         ///< [nodes]
    std::vector<std::int32_t> kind;     ///< [nodes]: Morphology::kind of the piece towards the root
    /// [points of the morphology] the node that lies nearest along the cable.
    std::vector<std::int32_t> node_of_point;

    std::size_t nodes() const { return tree.nodes(); }
};

/// A morphology without what makes no tree of frusta: as many of all arrays, parents in front,
/// finite places, radii above 0, no length of 0 but of wires.
/// @throws Error naming the point
void check(const Morphology& m);

/// Cuts each stretch without a fork, a wire or a change of kind into equal parts no longer than
/// the space step. Area and resistance are integrals over the frusta:
///
///     A = int 2 pi r sqrt(1 + r'^2) dx,   1 / g = int R_i / (pi r^2) dx
///
/// A wire makes one node of two points. Second order in the space step.
/// @throws Error as check(), and for a step that is not above 0 or makes more than 100 million
///         nodes
/// @cost   O(points + nodes)
Compartments discretise(const Morphology& m, const Cutting& cutting);

/// Several cables in one numbering, one behind the other, as a forest. node_of_point follows
/// likewise.
/// @throws Error where there is none
Compartments joined(std::span<const Compartments> parts);

} // namespace tawara::cable
