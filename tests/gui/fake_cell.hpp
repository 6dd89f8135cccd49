// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/calcium/reaction.hpp"
#include "engine/calcium/sparks.hpp"
#include "engine/core/aligned.hpp"
#include "engine/simulation/observe/dyad_frame.hpp"
#include "engine/simulation/observe/spark_log.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace tawara::fake {

/// One cell with dyads, paced every 500 ms from 20 ms on, whose dyads can be looked at.
class FakeCell
{
  public:
    FakeCell(const calcium::Grid& grid, const Vec3& position_mm);
    /// Steps to that time, or begins anew where that is past.
    void run_to(double ms);
    std::shared_ptr<const simulation::DyadFrame> frame() const;

  private:
    void begin();
    void step();
    calcium::DyadPicture picture() const;

    calcium::DyadReactionModel model_;
    std::unique_ptr<cell::Reaction<double>> reaction_;
    std::vector<AlignedVector<double>> memory_;
    std::vector<double*> states_;
    AlignedVector<double> v_, stimulus_;
    std::vector<cell::TypeIndex> type_;
    std::vector<std::int64_t> unknown_;
    Vec3 position_;
    std::int64_t steps_ = 0;
    double time_ms_ = 0; ///< that was asked for
    std::unique_ptr<calcium::SparkFinder> finder_;
    std::shared_ptr<simulation::SparkLog> sparks_;
    std::vector<simulation::DyadSample> history_;
};

} // namespace tawara::fake
