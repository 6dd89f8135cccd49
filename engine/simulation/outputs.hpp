// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/problem.hpp"
#include "engine/simulation/tissue.hpp"

#include <filesystem>

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

/// Frames of the potential for ParaView: frames/NNNNNN.vtu and a frames.pvd that lists those
/// written.
class FrameWriter
{
  public:
    FrameWriter(const Tissue& t, std::filesystem::path out) : tissue_(t), out_(std::move(out)) {}
    void write(std::int64_t step, double time_ms, std::span<const double> v);

  private:
    const Tissue& tissue_;
    std::filesystem::path out_;
    std::vector<std::pair<double, std::string>> written_;
};

} // namespace tawara::simulation
