// SPDX-License-Identifier: GPL-3.0-or-later
// A network of cables as a part of a simulation: joined to the tissue at its ends.
#pragma once
#include "engine/cable/step/cables.hpp"
#include "engine/device/ports.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tawara::cable {

/// Where a node of the network meets the tissue: port k of the tissue is junction k.
///
///     I = (V_p - V_m) / R   [uA], into the tissue, both ways
///
/// V_p is the node's potential, V_m the mean of the tissue there, by capacitance. The current is
/// shared by the capacitance C of that tissue, I / C [pA/pF]; each of the strand's fibres gives
/// I / fibres.
struct Junction
{
    std::int32_t node = 0;
    double resistance_kOhm = 1;
    double tissue_uF = 0; ///< C; 0: there is no tissue any more, and no current
};

/// What is stepped.
struct NetworkDescription
{
    CablesDescription cables; ///< of one copy, a fibre
    double fibres = 1;        ///< side by side
    std::vector<Junction> junctions;
    std::vector<device::StimulusSource> stimuli; ///< of nodes, per membrane capacitance
    double activation_threshold_mV = 0;
};

/// First crossings of the threshold, upwards, and the newest ones; negative: none. Linear between
/// steps. [ms]
struct NetworkTimes
{
    std::vector<double> node_ms;            ///< [nodes]
    std::vector<double> junction_tissue_ms; ///< [junctions] of the tissue's mean there
    std::vector<double> newest_node_ms, newest_junction_tissue_ms;
};

/// What can be asked of a network, wherever it is stepped.
class NetworkPart : public device::Part
{
  public:
    /// Of some nodes. @param out as many [mV]
    virtual void potentials(std::span<const std::int32_t> nodes, std::span<double> out) const = 0;
    virtual NetworkTimes times() const = 0;
    /// As if nothing had been activated so far.
    virtual void restart_times() = 0;
    /// From the next step on the couplings, the resistances of the junctions and the stimuli are
    /// those of `d`; V, states and times go on, and so does the tissue at the junctions.
    /// @pre  the same tree, junctions at the same nodes, cells of the same model
    /// @throws Error for other numbers of nodes or junctions
    virtual void change(const NetworkDescription& d) = 0;
};

/// The network on the CPU, in double precision, by the stepper's threads.
///
/// A step sees the currents of the ports at its start (device/ports.hpp). The cable takes the slope
/// 1 / R with it (NodeCurrent), so that no resistance is too small for the step of the cable.
/// @throws InputError as Cables
std::unique_ptr<NetworkPart> make_cpu_network(const NetworkDescription& d);

} // namespace tawara::cable
