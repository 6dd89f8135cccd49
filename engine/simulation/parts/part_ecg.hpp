// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/observe/curves.hpp"
#include "engine/simulation/observe/ecg.hpp"
#include "engine/simulation/parts/part_tissue.hpp"

namespace tawara::simulation::parts {

/// Rows of ecg.csv: each process sums over its own unknowns, the first one adds. The same as of the
/// whole mesh but for rounding, and in a torso for the grid on which its fields are interpolated,
/// which is that of each part.
class PartEcg
{
  public:
    PartEcg() = default;
    /// @pre  the tissue has its locator, and on tetrahedra its stars
    /// @throws InputError as ecg_layout()
    PartEcg(const PartTissue& t, Group& group, const Session& s, const std::string& file,
            const Progress& progress);
    bool empty() const { return layout_.leads.empty(); }
    /// A row more, in the first process. @param of_share  V of the share's unknowns [mV]
    void add(Group& group, std::span<const double> of_share, double time_ms);
    ProbeTable& table() { return table_; }
    /// Text of what the rows are of.
    std::string print() const;

  private:
    EcgLayout layout_;
    LeadWeights mix_;
    std::vector<std::vector<float>> weights_; ///< [electrode][own unknown of the share]
    ProbeTable table_;
};

} // namespace tawara::simulation::parts
