// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/pacing/pulse_messages.hpp"
#include "engine/simulation/tissue/tissue.hpp"

#include <deque>
#include <functional>
#include <map>

namespace tawara::simulation {

/// The unknowns by which a site's pulses are judged.
struct CapturePlaces
{
    /// Of the site itself. First `inside` ones, at most 4, of the innermost third, counted in
    /// neighbours from its edge: a wave from elsewhere comes to the ring before it comes there.
    /// Then at most 40 of all the others, spread over the site.
    std::vector<std::int32_t> site;
    std::size_t inside = 0;
    /// Two neighbours outside of the site, at most 20, spread around it: where a wave from
    /// elsewhere passes first.
    std::vector<std::int32_t> ring;
    /// As many that are three neighbours and 2.5 mm away, or where the tissue ends before that: a
    /// wave that a pulse has sent out arrives there soon; its current alone, or a response that
    /// stays local, does not. A wave from elsewhere comes there before it comes to the ring.
    std::vector<std::int32_t> far;
    bool beyond = false; ///< all far places lie outside of the ring
};
/// All are empty where there is no tissue around the site.
CapturePlaces capture_places(const Tissue& t, std::span<const std::int32_t> site);

/// Tells for each pulse whether it captured: whether it activated the tissue at its site, and a
/// wave left from there. A place is activated when its V rises through threshold_mV; one that is
/// up already does not count, so tissue that is refractory is not captured. A pulse captures when
///  - a place of the site or of the ring is activated, and no far place more than together_ms
///    before: else a wave came from elsewhere, and the pulse is said to be overtaken. A far place
///    that is up when the pulse begins, while some place of site and ring is at rest, was. Near the
///    threshold the wave leaves late, from beside the site. Where the far places are not outside of
///    the ring, a place of the site has to be, at most latency_ms after the pulse has ended, and
///    none of the ring more than together_ms before it. Where the current alone, all of it, lifts V
///    by drive_mV or more, and the site is activated at most prompt_ms after the pulse, the pulse
///    was first if the site was at rest; else a quarter of the ring may be before it; but where a
///    far place is activated more than latency_ms after the pulse has ended, and none of the ring
///    before it, the response has stayed at the site, and that wave is another one. A wave that
///    is only about to arrive does not undo a strong pulse; nor does one that has reached a part of
///    the site, if two or more other places of it are still ahead of the wave's foot (at rest, and
///    at most foot_mV above the lowest place around): then these are the site. Both waves are one
///    afterwards,
///  - a third of the far places that no wave had reached before the pulse are activated after it,
///    all within window_ms of the pulse's start.
/// A place that the current alone has lifted falls back below fallen_mV; it is then as before the
/// pulse. A pulse into tissue that is up failed when it has ended; one of which nothing is left
/// above quiet_mV, site and ring, when latency_ms have passed failed then: what comes later is not
/// its own.
/// Sites that overlap and fire at the same time cannot be told apart: what one of them captures
/// counts for all.
class CaptureWatch
{
  public:
    static constexpr float threshold_mV = -20;
    static constexpr float fallen_mV = -50; ///< below the plateau of every cell
    static constexpr float rest_mV = -65;   ///< below it cells are at rest, or nearly so
    static constexpr float quiet_mV = -60;  ///< below it no response smoulders
    static constexpr float foot_mV = 7;     ///< a wave lifts tissue so far 2 ms before it comes
    static constexpr double window_ms = 60;
    static constexpr double latency_ms = 20;   ///< of pulses near the threshold
    static constexpr double together_ms = 0.3; ///< closer than samples tell apart
    static constexpr double drive_mV = 20;     ///< less does not reach the threshold from rest
    static constexpr double prompt_ms = 2;

    static constexpr int former = -2; ///< stimulus of a Site that is no longer listed

    struct Site
    {
        int stimulus = -1;
        std::uint64_t command = 0; ///< of a click; else what PulseLog::set() has returned for it
        CapturePlaces places;
        double amplitude_pA_per_pF = 0, duration_ms = 0; ///< of a pulse
        std::vector<PulseRun> pulses;                    ///< that are still to come
    };

    void clear() { watched_.clear(); }
    /// @param state  of that site when it was watched before; ignored where it does not fit
    void add(Site site, std::span<const double> state = {});
    /// What is known of each site of the session's list, as numbers, by its command.
    /// @cost  n log n of the sites
    std::map<std::uint64_t, std::vector<double>> states() const;
    /// When the pulse began that such a state follows [ms]; below 0: none.
    static double followed_ms(std::span<const double> state);
    /// Forgets sites of the session's list; live ones stay, and those whose pulse is not decided
    /// yet, as `former`, until it is.
    void clear_listed();
    /// All places' unknowns, site after site: the columns that feed() wants.
    std::vector<std::int32_t> columns() const;
    bool empty() const { return watched_.empty(); }
    /// V [mV] of columns() at time t; times ascend. Calls `event` for each pulse that is decided.
    /// Values of other columns are ignored.
    void feed(double t_ms, std::span<const double> v,
              const std::function<void(CaptureEvent)>& event);
    /// Drops live sites whose pulses are all decided; whether there were any.
    bool drop_ended();

  private:
    struct Watched
    {
        Site site;
        std::vector<float> before; ///< the site's places, then the ring's, then the far ones
        double before_ms = 0;
        /// Of the site's places: activated since the pulse began, or `left_out`.
        std::vector<char> up;
        std::vector<double> rose_ms; ///< of the ring's and the far ones: when they were activated
        double fired_ms = 0;         ///< when the first place of a site that is up was activated
        bool open = false, overtaken = false;
        bool refractory = false; ///< all of the site was up when the pulse began
        bool rested = false;     ///< all of it that counts was at rest
        int pulse = 0;
        double began_ms = 0, around_mV = 0;
    };
    static constexpr char left_out = 2; ///< of the site's places: not judged by
    static std::vector<double> state_of(const Watched& w);
    static bool restore(Watched& w, std::span<const double> state);
    /// Chooses the places of the site that a pulse is judged by.
    static void choose(Watched& w, double t_ms, std::span<const double> now);
    static void begin(Watched& w, double start_ms, double t_ms, std::span<const double> now);
    /// Whether a wave from elsewhere came to the site.
    static bool from_elsewhere(Watched& w, double t_ms);
    /// Whether nothing is left of the pulse, and no wave was made.
    static bool over(const Watched& w, double t_ms, std::span<const double> now);
    /// Takes V of one more moment into account.
    static void follow(Watched& w, double t_ms, std::span<const double> now);
    static bool next_pulse(std::vector<PulseRun>& runs, double t_ms, double& start_ms);
    void close(Watched& w, bool captured, const std::function<void(CaptureEvent)>& event);

    std::deque<Watched> watched_;
};

} // namespace tawara::simulation
