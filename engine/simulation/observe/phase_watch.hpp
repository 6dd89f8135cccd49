// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/analysis/obstacles.hpp"
#include "engine/analysis/turning.hpp"
#include "engine/device/stepper.hpp"
#include "engine/simulation/observe/maps.hpp"
#include "engine/simulation/observe/silent_tissue.hpp"
#include "engine/simulation/tissue/tissue.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tawara::simulation {

/// How far the recovery variable of every unknown has come: 0 at rest, 1 at the end of its range in
/// its model's action potential (analysis::recovery_range()). NaN where there are no cells.
/// @return empty where a model has no recovery variable, or its range is not known
/// @cost  a copy of one state of all unknowns from the device; of all states where a GPU computes
std::vector<double> recovery_now(const device::TissueProblem& p, const device::Stepper& stepper);

/// Why the phase in that plane cannot be computed of these regions; empty: it can.
std::string why_no_phase(const PhasePlane& plane, std::span<const Region> regions);

/// The phase of a tissue, sample after sample, and what waves turn around.
///
/// The middle of the plane is at 45 % of the way from the least to the greatest V so far, which is
/// taken for 40 mV at least: what has not fired yet is at rest. Likewise of the recovery variable,
/// from rest to the end of its range; its way is drawn as long as that of V.
/// @thread one at a time
class PhaseWatch
{
  public:
    struct Field
    {
        std::vector<float> phase; ///< per vertex; NaN where there are no cells
        std::shared_ptr<const Singularities> singularities;
    };

    /// Keeps references to mesh, neighbours, surface and stars of the tissue.
    explicit PhaseWatch(const Tissue& tissue) : tissue_(tissue) {}

    void plane(const PhasePlane& p);
    /// Samples are kept for so long, so that a longer delay may be asked for at once.
    void keep_ms(double ms) { kept_ms_ = ms; }
    /// The tissue is another. Where it is silent is found when the phase is wanted.
    void silent(SilentTissue t, std::stop_token stop = {});
    void clear();

    /// The next sample of all vertices.
    /// @param recovery  of recovery_now(), the plane's; empty: not known
    /// @param wanted    whether the phase is, or only followed for later
    /// @return nothing where it is not wanted, or not known yet
    /// @throws as silent_vertices(), once: what was silent before counts from then on
    std::optional<Field> sample(double t_ms, std::span<const float> v,
                                std::span<const float> recovery, bool wanted);

  private:
    static constexpr std::size_t most_bytes = std::size_t{128} << 20; ///< of samples that are kept

    struct Range
    {
        float low = 1e9F, high = -1e9F;
        void add(std::span<const float> values, float most);
        float span() const { return high - low; }
        float drawn() const; ///< its way in the plane
        float middle() const;
    };
    /// V at exactly t - tau: linear between the two samples around it.
    std::optional<std::vector<float>> delayed(double t_ms, std::span<const float> v) const;
    /// As if it were a potential with V's range.
    std::vector<float> scaled(std::span<const float> recovery) const;
    std::shared_ptr<const Singularities> find(double t_ms, std::span<const float> phase,
                                              std::span<const float> v,
                                              std::span<const float> second);
    void find_silent();
    void find_paths();
    /// Vertices two neighbours away, where waves enter.
    std::vector<std::int32_t> around(std::int32_t vertex) const;
    void keep(double t_ms, std::span<const float> v);

    const Tissue& tissue_;
    PhasePlane plane_;
    double kept_ms_ = 0;
    std::optional<SilentTissue> unsettled_; ///< of which silent_ is to be found
    std::stop_token stop_;
    std::vector<std::uint8_t> silent_;
    std::optional<std::vector<analysis::Path>> paths_; ///< once somebody wanted the phase
    analysis::TurnWatch turns_;
    std::deque<std::pair<double, std::vector<float>>> past_;
    Range v_;
};

} // namespace tawara::simulation
