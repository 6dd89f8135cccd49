// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/pacing/pulse_messages.hpp"
#include "engine/simulation/session/session.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tawara::simulation {

/// Where a pulse is given, as far as that is known without the mesh: all within `radius` of a box.
struct PulseExtent
{
    Vec3 low{}, high{};
    double radius = 0;
    double distance_mm(const Vec3& from) const; ///< 0 inside
};
std::optional<PulseExtent> extent_of(const StimulusRegion& region);

/// A pulse that was given.
struct Pulse
{
    bool click = false; ///< of no site: given at once, where the user clicked
    std::string site;   ///< the stimulus's name
    /// "S1", "S2", ... of an S1-S2 protocol; "Pace now" of one that was given at once, beside the
    /// site's protocol; else empty.
    std::string kind;
    double time_ms = 0;
    double coupling_ms = 0; ///< since the pulse before at this site; 0: there was none
    double amplitude_pA_per_pF = 0, duration_ms = 0;
    std::string protocol; ///< protocol_text() of the stimulus
    /// Whether the tissue around fired; nothing where that is not known: decided too late, or the
    /// site has no tissue around it.
    std::optional<bool> captured;
    double around_mV = std::numeric_limits<double>::quiet_NaN(); ///< as of CaptureEvent
    bool overtaken = false;                                      ///< as of CaptureEvent
    /// The last one of an S1-S2 protocol's train: its coupling interval is what is searched with.
    bool searches = false;
    /// The same for pulses of a site that paced alike but for that interval (same_search()).
    std::uint64_t series = 0;
    std::optional<PulseExtent> extent = {}; ///< nothing: of a wall, a label, a set of vertices
};

/// Which pulses a run gave: those of the session's stimuli while they were as they are, and those
/// given at once.
///
/// @thread  any: each call is whole by itself
class PulseLog
{
  public:
    void clear();
    /// The stimuli from now on, in place of those before.
    /// @return the number by which decided() knows the first; the next ones count on
    std::uint64_t set(std::span<const Stimulus> stimuli, double now_ms);
    /// A pulse given at once: of the listed stimulus that it names, else a click.
    void add(std::uint64_t command, const Stimulate& s, double now_ms);
    /// The stimulus that such a pulse was given by; empty for a click.
    std::string site_of(std::uint64_t command) const;
    /// What a CaptureWatch found out: of a pulse given at once by its command, else by the number
    /// of its stimulus.
    void decided(const CaptureEvent& e);
    /// What decided() was told of the stimulus with that number, by time.
    std::vector<CaptureEvent> verdicts(std::uint64_t number) const;
    /// All that began before now, site by site, each in order of time. The newest list's stimuli
    /// come as they are listed, then what was given by former ones, then pulses given at once.
    std::vector<Pulse> until(double now_ms) const;
    /// When pulses began, from then on and before now; ascending.
    std::vector<double> times(double from_ms, double now_ms) const;

  private:
    /// A stimulus while it was like that.
    struct Period
    {
        std::uint64_t number = 0;
        std::uint64_t series = 0; ///< as of Pulse: the number of the first that paces alike
        Stimulus stimulus;
        double from_ms = 0, to_ms = 0;
        std::map<std::int64_t, CaptureEvent> decided; ///< by the pulse's time [us]
    };
    struct AtOnce
    {
        std::uint64_t command = 0;
        Pulse pulse;
    };
    /// Index of a period; their number where there is none.
    std::size_t place_of(std::uint64_t number) const;

    mutable std::mutex mutex_;                    ///< of what follows
    std::vector<Period> periods_;                 ///< by number, so that the newest list's are last
    std::map<std::string, std::uint64_t> series_; ///< of search_key()
    std::size_t listed_ = 0;                      ///< of them
    std::uint64_t next_ = 1;
    std::vector<AtOnce> at_once_;
};

/// "50 pA/pF for 2 ms from 0 ms, S1 every 600 ms, S2 after 320 ms"; "off".
std::string protocol_text(const Stimulus& s);

/// All pulses of a site with one protocol, or all clicks of one strength, counted by kind.
struct PulseCount
{
    struct Kind
    {
        std::string kind; ///< as of Pulse
        std::int64_t given = 0, captured = 0, not_known = 0;
    };
    bool click = false;
    std::string site, protocol;
    std::vector<Kind> kinds;
    std::vector<Pulse> failed; ///< those that did not capture
};
/// In order of their first pulse in the list.
std::vector<PulseCount> counted(std::span<const Pulse> pulses);

} // namespace tawara::simulation
