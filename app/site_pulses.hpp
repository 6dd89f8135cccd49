// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/tet_mesh.hpp"
#include "engine/simulation/pacing/pulse_log.hpp"
#include "widgets/models/capture_state.hpp"

#include <optional>
#include <vector>

namespace tawara {

/// Whether the engine would pace alike; `named`: whether the window would show it alike too.
bool sameStimulus(const simulation::Stimulus& a, const simulation::Stimulus& b, bool named = true);
/// Whether a vertex lies outside of a ball or box; of other regions that is taken for granted.
bool hasSurroundings(const simulation::Stimulus& s, const mesh::TetMesh& mesh);

/// What is known of the sites' pulses while the sites are edited: which were given, and what
/// captured. A site that becomes again what it was knows again what was found out about it.
///
/// @thread GUI thread
class SitePulses
{
  public:
    using Stimuli = std::vector<simulation::Stimulus>;

    /// Sites of another document.
    void open(const Stimuli& s);
    /// The run begins anew: no pulse was given; thresholds and refractory periods stay.
    void restart(const Stimuli& s);
    /// The sites are others from that time on.
    void edited(const Stimuli& before, const Stimuli& now, double nowMs);
    /// Refractory periods were of another tissue.
    void forgetRefractory();
    /// A pulse beside those of the protocols was given then.
    void atOnce(double ms);
    /// When the newest pulse began that was given before that time [ms]; nothing: none was.
    std::optional<double> lastPulse(double nowMs) const;

    std::vector<CaptureState>& states() { return m_states; }
    const std::vector<CaptureState>& states() const { return m_states; }

  private:
    /// What a site was before.
    struct Former
    {
        simulation::Stimulus stimulus;
        CaptureState state;
    };
    using Past = std::vector<Former>;
    struct Removed
    {
        simulation::Stimulus stimulus;
        CaptureState state;
        Past past;
    };
    void forgetPast();
    void takeOver(std::size_t site, const simulation::Stimulus& was, CaptureState state, Past past,
                  const simulation::Stimulus& is, double nowMs);

    std::vector<CaptureState> m_states;
    std::vector<Past> m_past; ///< by site
    std::vector<Removed> m_removed;
    simulation::PulseLog m_given;
    std::vector<double> m_atOnce; ///< when such pulses began [ms]
};

} // namespace tawara
