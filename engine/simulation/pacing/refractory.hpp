// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/progress.hpp"
#include "engine/simulation/session/session.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tawara::simulation {

struct Pulse;

/// What the extra pulses of an S1-S2 protocol have told of the refractory period at their site.
/// Only the last one of each train tells of it: S2, or S3 of S1-S2-S3.
struct Refractory
{
    std::string kind;       ///< of those pulses, "S2"; empty: none was decided
    double captured_ms = 0; ///< the shortest coupling interval that captured; 0: none did
    double failed_ms = 0;   ///< the longest that did not; 0: none failed
    bool operator==(const Refractory&) const = default;

    /// @param coupling_ms  above 0
    void add(const std::string& of_kind, double coupling_ms, bool captured);
    /// Whether an interval captured that is no longer than one that failed.
    bool contradicts() const;
    /// The effective refractory period [ms]: the longest coupling interval that does not capture.
    /// Nothing as long as no longer one has captured, and where they contradict.
    std::optional<double> effective_ms() const;
};

/// "S2"; "S3" of S1-S2-S3: the pulse of a train with which its protocol searches. Empty: none.
std::string searched_kind(const Stimulus& s);
/// Where the pulse at that time [ms] is such a one: how long after the pulse before it comes [ms].
std::optional<double> searched_coupling(const Stimulus& s, double time_ms);
/// Whether a pulse with which it searches begins at or after that time [ms] and comes after an
/// interval that is longer than the one and shorter than the other [ms].
/// @cost  the repeats of its protocol
bool searches_between(const Stimulus& s, double from_ms, double longer_ms, double shorter_ms);
/// Whether the two pace alike, but for when trains begin and how long after them the last pulse
/// comes: what one tells of the refractory period holds for the other.
bool same_search(const Stimulus& a, const Stimulus& b);
/// A text that two have alike where, and only where, they are the same search; empty: none is.
std::string search_key(const Stimulus& s);

/// What the pulses of one site tell.
struct SiteRefractory
{
    std::string site, protocol; ///< of the newest of those pulses, as Pulse has them
    Refractory found;
};
/// In order of each site's first such pulse. A pulse tells of it where the one before it at its
/// site captured, none captured in between at any site, and no wave from elsewhere overtook it.
/// @param since_ms  pulses that follow one before that time are left out: the tissue was another
/// @cost  n log n of the pulses
std::vector<SiteRefractory> refractory(std::span<const Pulse> pulses, double since_ms = 0);

/// "300 ms (S2 at 310 ms captured, at 300 ms not)"; "below 310 ms (S2 at 310 ms captured)"; empty
/// where nothing is known.
std::string refractory_text(const Refractory& r);

/// "site 'Apex': effective refractory period 300 ms (...)", of each site that has one.
/// @param since_ms  as of refractory()
Notices refractory_notices(std::span<const Pulse> pulses, double since_ms = 0);

} // namespace tawara::simulation
