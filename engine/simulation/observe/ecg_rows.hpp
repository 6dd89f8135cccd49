// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/observe/ecg.hpp"
#include "engine/simulation/observe/table_rows.hpp"

namespace tawara::simulation {

/// The electrocardiogram as rows of a table.
class EcgRows final : public TableRows
{
  public:
    EcgRows(EcgField field, std::int64_t every_steps);
    const EcgLayout& layout() const { return field_.layout(); }

  private:
    std::vector<double> row(Moment& now) override;

    EcgField field_;
};

/// Places and weights that rows of the electrocardiogram are of.
std::string ecg_print(const EcgLayout& layout);

} // namespace tawara::simulation
