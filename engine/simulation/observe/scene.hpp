// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/units.hpp"
#include "engine/mesh/surface.hpp"
#include "engine/simulation/session/session.hpp"
#include "engine/simulation/session/tissue_edit.hpp"
#include "engine/simulation/tissue/velocity_tuning.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tawara::simulation {

struct NetworkShape; // network_frame.hpp

/// What a view needs to draw a loaded simulation. Immutable and shared.
struct Scene
{
    std::uint64_t run = 0; ///< counts loads; frames carry it
    Session session;
    std::map<std::string, std::string> models_sha256; ///< model_digests() of its tissue
    std::vector<TunedRegion> tuned; ///< of the tissue: regions of `session` that want velocities
    std::shared_ptr<const mesh::TetMesh> mesh;
    std::shared_ptr<const mesh::Surface> surface;
    std::string device;                       ///< e.g. "CPU, 2 threads, AVX-512, double"
    Precision precision = Precision::double_; ///< of `device`
    bool on_cpu = false;                      ///< the CPU computes
    std::string title;                        ///< name of the session or mesh file
    std::int64_t unknowns = 0;
    double dt_ms = 0;
    std::string substeps; ///< how diffusion steps inside dt, for the status bar
    Notices notices;      ///< of loading: units, turned, repaired, ...
    /// When the run went on with another tissue, in order of time (a notice says it).
    std::vector<TissueEdit> tissue_edits;
    std::shared_ptr<const NetworkShape> network; ///< null: there is no Purkinje network
};

} // namespace tawara::simulation
