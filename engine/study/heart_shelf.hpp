// SPDX-License-Identifier: GPL-3.0-or-later
// Tissue that several runs of a program share.
#pragma once
#include "engine/core/progress.hpp"
#include "engine/simulation/tissue/tissue.hpp"

#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace tawara::study {

/// A session's tissue, and which AHA segment of a heart places lie in, as far as the mesh tells.
class Heart
{
  public:
    /// @throws as simulation::build_tissue()
    Heart(const simulation::Session& s, const Progress& progress);
    Heart(const Heart&) = delete;
    Heart& operator=(const Heart&) = delete;

    const simulation::Tissue& tissue() const { return tissue_; }
    /// The segment, 1 to 17; 0: of none.
    int segment_at(const Vec3& place_mm) const;
    /// The middle of a segment's endocardium; none: the mesh has no such segment.
    std::optional<Vec3> middle_of(int segment) const;

  private:
    simulation::Tissue tissue_;
    mesh::TetMesh mesh_; ///< with the coordinates that the tissue's may lack
};

/// Builds the heart of a session once for all runs that ask for it, and keeps those of the newest
/// sessions. A run takes a copy of the tissue.
/// @thread any; those that ask for a heart that is being built wait for it
class HeartShelf
{
  public:
    /// @param threads  that build a heart: the runs that wait for it need none meanwhile
    explicit HeartShelf(unsigned threads) : threads_(threads) {}
    /// @throws as Heart; Cancelled where progress asks for it meanwhile. The next who asks builds
    ///         the heart anew then.
    std::shared_ptr<const Heart> heart(const simulation::Session& s, const Progress& progress);

  private:
    static constexpr std::size_t most = 2; ///< before and after an ablation
    using Built = std::shared_future<std::shared_ptr<const Heart>>;
    struct Kept
    {
        std::string session; ///< its text
        Built heart;
    };
    void forget(const std::string& session);

    const unsigned threads_;
    std::mutex mutex_;
    std::vector<Kept> kept_; ///< what was asked for last comes last
};

} // namespace tawara::study
