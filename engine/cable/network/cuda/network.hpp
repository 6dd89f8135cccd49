// SPDX-License-Identifier: GPL-3.0-or-later
// A network of cables on a GPU.
#pragma once
#include "engine/cable/network/part.hpp"

namespace tawara::cable::cuda {

/// The network of make_cpu_network() in a CUDA device's memory, in double precision. Its steps run
/// beside the tissue's and wait for the host at no time. Snapshots are taken by either. Potentials
/// differ from those on the CPU by rounding: nodes are eliminated in another order
/// (cable::Contraction).
///
/// Numerical failures are noticed between the stepper's calls of Part::prepare(), and by whoever
/// asks for potentials, times or a snapshot.
/// @param device  CUDA's number of it
/// @throws InputError where the network has more than most_contracted nodes, or the program has no
///         CUDA; as Cables
/// @cost   a step: five kernels, some 20 rounds of waiting within a block in one of them
std::unique_ptr<NetworkPart> make_cuda_network(const NetworkDescription& d, int device);

} // namespace tawara::cable::cuda
