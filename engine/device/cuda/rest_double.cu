// SPDX-License-Identifier: GPL-3.0-or-later
// Steps with unknowns at rest in double precision.
#include "engine/device/cuda/rest.cuh"

namespace tawara::device::cuda {

template <>
void react_resting(StreamRef s, const Pass<double>& pass, const Reaction<double>& reaction,
                   const OneType<double>& one, const Moment& m, const Rest& rest)
{
    rest_as(s, pass, reaction, one, m, rest);
}

} // namespace tawara::device::cuda
