// SPDX-License-Identifier: GPL-3.0-or-later
// The reaction in double precision.
#include "engine/device/cuda/reaction.cuh"

namespace tawara::device::cuda {

template <>
void react(StreamRef s, cell::Scheme scheme, const Pass<double>* pass,
           const Reaction<double>& reaction, const OneType<double>& one, const Moment& m)
{
    switch (scheme) {
    case cell::Scheme::forward_euler:
        return react_as<double, CellMode::forward_euler>(s, pass, reaction, one, m);
    case cell::Scheme::rush_larsen:
        return react_as<double, CellMode::rush_larsen>(s, pass, reaction, one, m);
    case cell::Scheme::grl1:
        return react_as<double, CellMode::grl1>(s, pass, reaction, one, m);
    case cell::Scheme::rk4:
        return react_as<double, CellMode::derivative>(s, pass, reaction, one, m);
    default:
        return react_as<double, CellMode::rush_larsen_light>(s, pass, reaction, one, m);
    }
}

} // namespace tawara::device::cuda
