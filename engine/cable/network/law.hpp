// SPDX-License-Identifier: GPL-3.0-or-later
// What a network's junctions and thresholds make of potentials, for every device.
#pragma once
#include "engine/cable/network/part.hpp"

namespace tawara::cable {

/// A junction's numbers; all 0 where there is no tissue.
struct JunctionNumbers
{
    double conductance = 0; ///< of its port's law [pA/pF/mV]: 1 / (R C)
    double fibre_nA = 0; ///< current into the node per port's current, into each fibre [nA pF/pA]
    double slope_uS = 0; ///< of the node's current, NodeCurrent
};
inline JunctionNumbers numbers_of(const Junction& j, double fibres)
{
    constexpr double nA_per_uA = 1e3, uS_per_mS = 1e3;
    if (!(j.tissue_uF > 0))
        return {};
    return {1 / (j.resistance_kOhm * j.tissue_uF), -j.tissue_uF * nA_per_uA / fibres,
            uS_per_mS / (j.resistance_kOhm * fibres)};
}

/// No crossing so far [ms].
inline constexpr double never_ms = -1;
/// Of the tissue before the first step: nothing crosses from there.
inline constexpr double unknown_mV = 1e3;

#ifdef __CUDACC__
#define TAWARA_BOTH __host__ __device__
#else
#define TAWARA_BOTH
#endif
/// When a potential has crossed the threshold upwards within a step that began at t; negative: it
/// has not.
TAWARA_BOTH inline double crossing_ms(double before_mV, double after_mV, double threshold_mV,
                                      double t_ms, double dt_ms)
{
    if (!(before_mV < threshold_mV && after_mV >= threshold_mV))
        return -1;
    return t_ms + dt_ms * (threshold_mV - before_mV) / (after_mV - before_mV);
}
#undef TAWARA_BOTH

} // namespace tawara::cable
