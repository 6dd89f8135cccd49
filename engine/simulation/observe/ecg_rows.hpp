// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/observe/curves.hpp"
#include "engine/simulation/observe/ecg.hpp"
#include "engine/simulation/simulation.hpp"

namespace tawara::simulation {

/// The electrocardiogram as rows of a table, one every so many steps, computed as the steps are
/// taken.
class EcgRows final : public Observer
{
  public:
    EcgRows() = default; ///< no leads: never due
    EcgRows(EcgField field, std::int64_t every_steps)
        : field_(std::move(field)), every_(field_.empty() ? 0 : every_steps)
    {
        table_.names = field_.layout().names();
    }

    bool empty() const { return every_ == 0; }
    const EcgLayout& layout() const { return field_.layout(); }
    const ProbeTable& table() const { return table_; }
    /// Rows before that time stay; the run that goes on writes the others itself.
    /// @pre  of the same leads
    void go_on(ProbeTable rows, double before_ms);

    std::int64_t due_after(std::int64_t step) const override { return next_multiple(step, every_); }
    void observe(Moment& now) override;

  private:
    EcgField field_;
    std::int64_t every_ = 0;
    ProbeTable table_;
};

} // namespace tawara::simulation
