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
class SparkFinder;
} // namespace tawara::calcium

namespace tawara::simulation {

/// Reads the dyads of one cell of a running simulation: for pictures when asked, for transients
/// once a millisecond, for sparks as often as calcium::SparkCriteria say. Without a cell it costs
/// nothing.
/// @thread the thread that takes the steps
class DyadWatch final : public Observer
{
  public:
    static constexpr std::size_t most = 4000; ///< samples that are kept
    static constexpr double every_ms = 1;     ///< between them, or a step

    DyadWatch();
    ~DyadWatch() override;
    /// Another simulation, which outlives it; no cell of it is watched.
    void begin(Simulation& s);
    /// Watches the cell nearest to a place, from now on; transients and sparks begin anew.
    /// @throws InputError, with the cell that was watched before staying so, where that cell has no
    /// dyads
    /// @cost   linear in the unknowns, once
    void watch(const Vec3& position_mm);
    void stop();
    bool watching() const { return unknown_ >= 0; }
    /// The run is back at its start.
    void restart();
    /// The cell now; null where none is watched, or the cell has no dyads any more (the tissue was
    /// changed).
    /// @cost that of calcium::dyad_picture(), and a copy of the samples
    std::shared_ptr<const DyadFrame> frame();
    /// The same without the transients.
    std::shared_ptr<const DyadFrame> moment();

    std::int64_t due_after(std::int64_t step) const override;
    void observe(Moment&) override;

  private:
    std::optional<calcium::DyadPicture> read(std::size_t unknown);
    std::shared_ptr<DyadFrame> read_frame();
    void look_for_sparks(double ms, const calcium::DyadPicture& picture);

    Simulation* simulation_ = nullptr;
    std::int64_t unknown_ = -1, every_ = 1; ///< steps between samples
    std::int64_t look_every_ = 1;           ///< and between looks for sparks
    device::CellNumbers numbers_;
    std::vector<DyadSample> samples_; ///< up to twice as many as are kept
    std::unique_ptr<calcium::SparkFinder> finder_;
    std::int64_t looked_step_ = -1;
    std::shared_ptr<SparkLog> sparks_;
    std::vector<float> c_myo_mM_;
};

} // namespace tawara::simulation
