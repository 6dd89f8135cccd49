// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/calcium/picture.hpp"
#include "engine/core/vec3.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tawara::simulation {

class SparkLog; // spark_log.hpp

/// The watched cell at a time: what its transients are plotted of.
struct DyadSample
{
    double time_ms = 0;
    float v_mV = 0;
    float c_myo_uM = 0, c_jsr_mM = 0; ///< means over dyads
    float i_CaL = 0;                  ///< calcium::CalciumState [uA/uF]
    float release_uM_per_ms = 0;      ///< per volume of myoplasm
    float open_RyR = 0, active = 0;   ///< counts: channels, dyads
};

/// One cell's dyads, and how they came there. Immutable.
struct DyadFrame
{
    std::int64_t unknown = 0;
    Vec3 position_mm{};
    /// The session's regions that its cell is made of: the uppermost first, last the one whose
    /// model it has.
    std::vector<std::size_t> regions;
    double time_ms = 0; ///< of the picture
    calcium::DyadPicture picture;
    std::vector<DyadSample> history; ///< in order of time; the newest DyadWatch::most
    /// Its sparks since it is watched, which grow while it is; null where nobody looks for them.
    std::shared_ptr<const SparkLog> sparks;
};

} // namespace tawara::simulation
