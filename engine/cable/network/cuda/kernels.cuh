// SPDX-License-Identifier: GPL-3.0-or-later
// The kernels of a step of a network: what is between the cells' kernel and the next step.
#pragma once
#include "engine/cable/cuda/solvers.cuh"
#include "engine/device/ports.hpp"

namespace tawara::cable::cuda {

/// A network's step counter and its first failure, in the device's memory.
struct NetworkStatus
{
    static constexpr unsigned long long none = ~0ULL;
    long long steps = 0;           ///< taken by the network
    double start_ms = 0;           ///< of the next one: steps dt
    unsigned long long bad = none; ///< (tissue's step << 32 | node) of the first value that is bad
};

/// What a run adds to its neighbours (Held).
struct RunSums
{
    double d, r, child_d, child_r;
};

/// A network in a device's memory. Cells lie in slots, by group and type; what is solved lies at
/// places (Contraction).
struct NetworkView
{
    int nodes, junctions;
    double dt_ms, threshold_mV;
    ContractionView contraction;
    const std::int32_t* node_at; ///< [places] -1: a gap

    const std::int32_t *parent, *slot;               ///< [nodes]
    const std::int32_t *first_child, *child;         ///< rows of nodes
    const double *coupling, *couplings;              ///< [nodes] uS, as StepRows
    const double *capacitance, *stimulus;            ///< [nodes] nF, nA
    const std::int32_t *first_joint, *joint;         ///< junctions of each node
    const double *conductance, *fibre_nA, *slope_uS; ///< [junctions] JunctionNumbers

    double *v, *checked, *rate, *slope;          ///< [slots] V; V or what tells of a range; f, f'
    double *upper, *lower, *diagonal, *rhs;      ///< [places]
    RunSums* sums;                               ///< [runs]
    double *source, *tissue_before;              ///< [junctions]
    double *node_ms, *junction_ms;               ///< first crossings
    double *newest_node_ms, *newest_junction_ms; ///< and the newest ones
    NetworkStatus* status;
};

/// How a contraction is cut for the kernels: the shortest runs that leave no more than a block's
/// shared memory holds.
/// @throws Error where none does
Contraction contraction_for_device(const Tree& t, int device);

/// Enqueues all of a step but the cells.
void enqueue_step(StreamRef s, const NetworkView& n, const device::PortStep& step);
/// Enqueues source = conductance V of the junctions' nodes.
void enqueue_law(StreamRef s, const NetworkView& n);

} // namespace tawara::cable::cuda
