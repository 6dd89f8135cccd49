// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/messages.hpp"
#include "engine/simulation/tissue.hpp"

#include <deque>
#include <functional>

namespace tawara::simulation {

/// Unknowns a little way outside of a site, spread around it: where a pulse that captures arrives
/// soon. Empty where the site holds all tissue around it. At most `most`.
std::vector<std::int32_t> ring_around(const Tissue& t, std::span<const std::int32_t> site,
                                      std::size_t most = 6);

/// Tells for each pulse whether it captured: whether V at a third of the ring's places, at least
/// one, rises through threshold_mV within window_ms of the pulse's start. A place that is up
/// already does not count: tissue that is refractory is not captured.
class CaptureWatch
{
  public:
    static constexpr float threshold_mV = -20;
    static constexpr double window_ms = 60;

    static constexpr int former = -2; ///< stimulus of a Site that is no longer listed

    struct Site
    {
        int stimulus = -1;
        std::uint64_t command = 0; ///< of a click; else what PulseLog::set() has returned for it
        std::vector<std::int32_t> ring;
        std::vector<PulseRun> pulses; ///< that are still to come
    };

    void clear() { watched_.clear(); }
    void add(Site site);
    /// Forgets sites of the session's list; live ones stay, and those whose pulse is not decided
    /// yet, as `former`, until it is.
    void clear_listed();
    /// All rings' unknowns, site after site: the columns that feed() wants.
    std::vector<std::int32_t> columns() const;
    bool empty() const { return watched_.empty(); }
    /// V [mV] of columns() at time t; times ascend. Calls `event` for each pulse that is decided.
    void feed(double t_ms, std::span<const double> v,
              const std::function<void(CaptureEvent)>& event);
    /// Drops live sites whose pulses are all decided; whether there were any.
    bool drop_ended();

  private:
    struct Watched
    {
        Site site;
        std::vector<float> before;
        std::vector<char> risen;
        bool open = false;
        int pulse = 0;
        double began_ms = 0, around_mV = 0;
    };
    static bool next_pulse(std::vector<PulseRun>& runs, double t_ms, double& start_ms);
    void close(Watched& w, bool captured, const std::function<void(CaptureEvent)>& event);

    std::deque<Watched> watched_;
};

} // namespace tawara::simulation
