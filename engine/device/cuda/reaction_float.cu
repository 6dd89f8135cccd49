// SPDX-License-Identifier: GPL-3.0-or-later
// The reaction in float precision.
#include "engine/device/cuda/reaction.cuh"

namespace tawara::device::cuda {

template <>
void react(StreamRef s, cell::Scheme scheme, const Pass<float>* pass,
           const Reaction<float>& reaction, const OneType<float>& one, const Moment& m)
{
    switch (scheme) {
    case cell::Scheme::forward_euler:
        return react_as<float, CellMode::forward_euler>(s, pass, reaction, one, m);
    case cell::Scheme::rush_larsen:
        return react_as<float, CellMode::rush_larsen>(s, pass, reaction, one, m);
    case cell::Scheme::grl1:
        return react_as<float, CellMode::grl1>(s, pass, reaction, one, m);
    case cell::Scheme::rk4:
        return react_as<float, CellMode::derivative>(s, pass, reaction, one, m);
    default:
        return react_as<float, CellMode::rush_larsen_light>(s, pass, reaction, one, m);
    }
}

} // namespace tawara::device::cuda
