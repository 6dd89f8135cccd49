// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/observe/dyad_frame.hpp"
#include "engine/simulation/simulation.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace tawara::calcium {
class DyadReactionModel;
}

namespace tawara::simulation {

/// Reads the dyads of one cell of a running simulation: for pictures when asked, for transients
/// once a millisecond. Without a cell it costs nothing.
/// @thread the thread that takes the steps
class DyadWatch final : public Observer
{
  public:
    static constexpr std::size_t most = 4000; ///< samples that are kept
    static constexpr double every_ms = 1;     ///< between them, or a step

    /// Another simulation, which outlives it; no cell of it is watched.
    void begin(Simulation& s);
    /// Watches the cell nearest to a place, from now on; the transients begin anew.
    /// @throws InputError, with the cell that was watched before staying so, where that cell has no
    /// dyads
    /// @cost   linear in the unknowns, once
    void watch(const Vec3& position_mm);
    void stop();
    bool watching() const { return unknown_ >= 0; }
    /// The run is back at its start.
    void restart() { samples_.clear(); }
    /// The cell now; null where none is watched, or the cell has no dyads any more (the tissue was
    /// changed).
    /// @cost that of calcium::dyad_picture(), and a copy of the samples
    std::shared_ptr<const DyadFrame> frame();

    std::int64_t due_after(std::int64_t step) const override;
    void observe(Moment&) override;

  private:
    std::optional<calcium::DyadPicture> read(std::size_t unknown);

    Simulation* simulation_ = nullptr;
    std::int64_t unknown_ = -1, every_ = 1;
    device::CellNumbers numbers_;
    std::vector<DyadSample> samples_; ///< up to twice as many as are kept
};

} // namespace tawara::simulation
