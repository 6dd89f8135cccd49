// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/session/session.hpp"

namespace tawara::simulation {

/// What `run` writes of a session: keys under "output". Few sources need these, so that another
/// one here builds little anew.
struct OutputKeys
{
    double frames_every_ms = 0; ///< 0: none
    FrameFormat frames = FrameFormat::vtu;
    double checkpoint_every_ms = 0;
    std::int64_t checkpoints_kept = 5; ///< the newest of a run; 0: all
    double probes_every_ms = 0;        ///< 0: every step
    double calcium_every_ms = 0;       ///< 0: none
    double purkinje_every_ms = 1;      ///< 0: none
    double maps_from_ms = 0;           ///< maps are of the first activation from then on
};

} // namespace tawara::simulation
