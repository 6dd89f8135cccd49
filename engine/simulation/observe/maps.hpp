// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/vec3.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

/// Values that maps and phases of a run are handed on as.
namespace tawara::simulation {

/// Phase singularities: where filaments (the organising centres of re-entry) are.
struct Singularities
{
    std::vector<Vec3> points_mm; ///< where filaments end on the surface
    std::vector<int> turn; ///< per point: +1 turns anticlockwise seen from outside, -1 clockwise
    std::vector<std::vector<Vec3>>
        filaments_mm; ///< polylines through the wall; closed ones repeat their first point
    /// Paths on the surface around what waves turn around without a filament, closed: tissue that
    /// no wave enters, or a hole in the wall.
    std::vector<std::vector<Vec3>> around_mm;
    std::vector<int> around_turn; ///< per path, as `turn`
    std::size_t obstacles = 0;    ///< that the paths are around: a scar through the wall has two
    /// Filaments and obstacles around which a wave has turned once and more (analysis::TurnWatch).
    std::size_t turned = 0;

    std::size_t centres() const { return filaments_mm.size() + obstacles; }
};

/// The plane in which the phase is the angle: V across, and upwards what follows it.
struct PhasePlane
{
    enum class Kind {
        delayed, ///< V delay_ms earlier
        recovery ///< a slow variable of the cells: analysis::recovery_variable()
    };
    static constexpr double shortest_ms = 1, longest_ms = 50;

    Kind kind = Kind::delayed;
    /// About a quarter of a turn of fast re-entry: then each quarter of the circle is a part of it.
    double delay_ms = 25;
    bool operator==(const PhasePlane&) const = default;
};

/// One beat of the tissue, by the rule of analysis::TissueBeat.
struct BeatSpan
{
    std::int64_t number = 0;         ///< 1 for the first of the run
    double from_ms = 0, last_ms = 0; ///< its first and newest activation
    double share = 0;                ///< of the mesh's vertices, that were activated in it
    bool turns = false;              ///< places were activated more than once (re-entry)
    /// When the pulse that began it was given: its activation and repolarisation count from there.
    /// Nothing where none did, and for re-entry.
    std::optional<double> pulse_ms = {};
    /// Of re-entry whose maps are shown: when its newest turn began, the median cycle before its
    /// newest activation. Its times count from there. Nothing where no place has a cycle.
    std::optional<double> turn_ms = {};
    /// When in the run the times of its maps are 0.
    double zero_ms() const { return pulse_ms ? *pulse_ms : turn_ms.value_or(0); }
    /// Whether it reached half of the vertices, or 1 % of them and new places 30 ms after its first
    /// activation: a pulse that excites its own site alone does neither. A beat that has just begun
    /// has not propagated yet.
    bool propagated = true;
    double repolarised = 0; ///< share of the places that it activated, by now
};

/// The fields of a MapFrame inside the wall: a value per vertex of Scene::mesh.
struct VolumeMaps
{
    std::vector<float> activation, repolarisation, apd90, period;
};

/// Maps of one beat, during the run. Immutable; a value per vertex of Scene::surface. All four are
/// of the same activation of a place, its newest in that beat; NaN where it took no part in it.
struct MapFrame
{
    std::uint64_t run = 0;
    std::int64_t step = 0;
    double time_ms = 0;
    std::vector<BeatSpan> beats;       ///< that can be asked for, the newest last
    std::int64_t beat = 0;             ///< number of the one that is shown; 0: there is none yet
    std::int64_t asked = 0;            ///< WatchMaps::beat; above 0: named, else one of the newest
    std::vector<float> activation;     ///< since BeatSpan::zero_ms() [ms]
    std::vector<float> repolarisation; ///< the end of that activation, likewise; NaN: not yet
    std::vector<float> apd90;          ///< from the one to the other [ms]
    std::vector<float> period;         ///< since the activation before [ms]; NaN: there was none
    std::vector<std::array<float, 3>> velocity; ///< of conduction [mm/ms]; NaN where unknown
    std::vector<std::int32_t> activations; ///< how often each was activated since it is followed
    /// Over all unknowns: how many there are, and how many were ever activated and repolarised.
    std::int64_t unknowns = 0, activated = 0, repolarised = 0;
    std::shared_ptr<const VolumeMaps> volume; ///< while WatchVolume is on; else null
};

/// Maps are computed and published, at most every wall_ms.
/// beat: its number (the nearest that is kept where that is not), or
/// - newest: the newest that propagated;
/// - newest_repolarised: the newest that propagated and that repolarised in nine tenths of the
///   places that it activated; `newest` where none has.
struct WatchMaps
{
    static constexpr std::int64_t newest = 0, newest_repolarised = -1;

    bool on = true;
    double wall_ms = 250;
    std::int64_t beat = newest;
};

} // namespace tawara::simulation
