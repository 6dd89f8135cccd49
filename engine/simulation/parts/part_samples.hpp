// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/stepper.hpp"
#include "engine/simulation/observe/probe_traces.hpp"
#include "engine/simulation/parts/part_tissue.hpp"

namespace tawara::simulation::parts {

/// Rows of probes.csv: each process samples own unknowns, the first one weighs them together, as a
/// stepper of the whole does.
class PartSamples
{
  public:
    /// What each process samples; every process calls it.
    /// @param every_steps  between rows
    void begin(const PartTissue& t, Group& group, const std::vector<Probe>& probes,
               const std::string& file, std::int64_t every_steps, device::Stepper& stepper);
    /// The samples taken since the last call, as a message.
    Bytes taken(device::Stepper& stepper) const;
    /// In the first process: rows of what all have taken.
    void add(const std::vector<Bytes>& taken, double dt_ms);

    ProbeTable& table() { return table_; }

  private:
    WholeGather reads_;
    std::vector<std::vector<std::int64_t>> terms_; ///< of reads_, that each rank samples
    ProbeTable table_;
};

} // namespace tawara::simulation::parts
