// SPDX-License-Identifier: GPL-3.0-or-later
// A Purkinje network as views show it.
#pragma once
#include "engine/simulation/tissue/purkinje.hpp"

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace tawara::simulation {

/// What is drawn of a network: some of its points, at most drawn_mm apart, among them all forks,
/// ends and changes of fascicle. Immutable.
struct NetworkShape
{
    static constexpr double drawn_mm = 1.2;

    std::shared_ptr<const PurkinjeNetwork> network;
    std::vector<std::int32_t> point;    ///< [drawn] of network->morphology
    std::vector<std::int32_t> parent;   ///< [drawn] the one before, among the drawn; -1: a root
    std::vector<std::int32_t> node;     ///< [drawn] of the cable
    std::vector<std::int32_t> branch;   ///< [drawn] cable::Branches::of
    std::vector<std::int32_t> junction; ///< [junctions] where each is, among the drawn

    const Vec3& place_mm(std::size_t drawn) const
    {
        return network->morphology.point_mm[static_cast<std::size_t>(point[drawn])];
    }
    /// Whether the piece to a drawn point is cut.
    bool cut(std::size_t drawn) const
    {
        return network->cut[static_cast<std::size_t>(point[drawn])] != 0;
    }
};
/// @cost  linear in the points
std::shared_ptr<const NetworkShape> shape_of(std::shared_ptr<const PurkinjeNetwork> network);
/// The same points of a network that is cut in another way.
std::shared_ptr<const NetworkShape> with_network(const NetworkShape& shape,
                                                 std::shared_ptr<const PurkinjeNetwork> network);

/// A network at one step. Immutable; first and newest upward crossings of the activation threshold
/// since the run began [ms], NaN where there was none.
struct NetworkFrame
{
    /// The other side of a junction may be excited so long after the first.
    static constexpr double may_follow_ms = 40;
    std::uint64_t network = 0; ///< PurkinjeNetwork::made of the one that it is of
    double time_ms = 0;
    std::vector<float> V_mV;                          ///< [drawn]
    std::vector<float> first_ms, newest_ms;           ///< [drawn]
    std::vector<float> junction_ms, junction_wall_ms; ///< [junctions] newest: of the end, the wall
};
std::shared_ptr<const NetworkFrame> network_frame(const NetworkShape& shape,
                                                  const cable::NetworkPart& part, double time_ms);
/// V of the drawn points [mV].
std::vector<float> network_potentials(const NetworkShape& shape, const cable::NetworkPart& part);

/// What a junction did in the newest beat that came to it. antegrade: the wall was excited after
/// the network's end; retrograde: before it; blocked: one of both alone; waiting: one of both, so
/// short a time ago that the other may follow; silent: neither so far.
enum class JunctionState { silent, waiting, antegrade, retrograde, blocked };
inline constexpr int junction_states = 5;
std::string_view name(JunctionState s);
/// @param end_ms, wall_ms  the newest excitation of the end and of the wall; NaN: none
JunctionState junction_state(double end_ms, double wall_ms, double now_ms);

} // namespace tawara::simulation
