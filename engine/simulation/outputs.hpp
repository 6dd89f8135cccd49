// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/problem.hpp"
#include "engine/simulation/igb.hpp"
#include "engine/simulation/tissue.hpp"

#include <filesystem>
#include <memory>

namespace tawara::simulation {

/// Samples of all probes: row k at time_ms[k].
struct ProbeTable
{
    std::vector<std::string> names;
    std::vector<double> time_ms, V_mV;
};

/// `time_ms`, then a column per probe.
void write_probes_csv(const ProbeTable& table, const std::filesystem::path& file);

/// id, position, activation, repolarisation, APD90 per unknown; empty where it never happened.
void write_activation_csv(const Tissue& t, const device::Maps& maps,
                          const std::filesystem::path& file);

/// The same on the mesh (NaN where it never happened).
void write_activation_vtu(const Tissue& t, const device::Maps& maps,
                          const std::filesystem::path& file);

/// Frames of the potential. vtu: frames/NNNNNN.vtu and a frames.pvd that lists those written, for
/// ParaView. igb: frames.igb with V at the mesh's vertices, and the mesh as frames.pts, .elem, .lon
/// beside it, for CARP's tools; they appear with finish().
class FrameWriter
{
  public:
    FrameWriter(const Tissue& t, std::filesystem::path out, FrameFormat format, double every_ms)
        : tissue_(t), out_(std::move(out)), format_(format), every_ms_(every_ms)
    {
    }
    void write(std::int64_t step, double time_ms, std::span<const double> v);
    /// No more frames come.
    void finish();

  private:
    const Tissue& tissue_;
    std::filesystem::path out_;
    FrameFormat format_;
    double every_ms_;
    std::unique_ptr<IgbWriter> igb_;
    std::vector<std::pair<double, std::string>> written_;
};

} // namespace tawara::simulation
