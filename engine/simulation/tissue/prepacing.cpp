// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/tissue/prepacing.hpp"

#include "engine/cell/prepacing.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/session/notice_kinds.hpp"
#include "engine/simulation/tissue/tissue.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>

namespace tawara::simulation {
namespace {

using Kept = std::map<std::string, cell::PacedCell>; ///< by key_of()

std::mutex kept_mutex;
Kept& kept()
{
    static Kept k;
    return k;
}

constexpr const char* not_of_dyads =
    "cells with stochastic dyads are not paced before the run (tissue.prepacing): they begin with "
    "their variant's state, which cell info ohara_rudy_dyads_2011 describes";

/// Everything that the outcome depends on.
std::string key_of(const cell::CellType& type, const cell::PaceOptions& o)
{
    std::string key = type.model + '\n';
    const auto add = [&key](const void* p, std::size_t bytes) {
        key.append(static_cast<const char*>(p), bytes);
    };
    const auto digest = cell::is_file(type.model) ? cell::text_digest(type) : 0;
    add(&digest, sizeof digest);
    for (const auto* v : {&type.parameters, &type.initial})
        add(v->data(), v->size() * sizeof(double));
    const double numbers[]{
        static_cast<double>(o.scheme), o.table_step_mV,         o.dt_ms, o.cycle_length_ms,
        static_cast<double>(o.beats),  o.until_steady ? 1. : 0.};
    add(numbers, sizeof numbers);
    return key;
}

/// The paced cells of one group, from those kept where they are among them.
std::vector<cell::PacedCell> paced(std::span<const cell::CellType> types,
                                   const cell::PaceOptions& o, const Progress& progress)
{
    constexpr std::size_t most_kept = 4096;
    std::vector<std::string> keys;
    std::vector<cell::CellType> missing;
    std::vector<cell::PacedCell> out(types.size());
    {
        std::lock_guard hold(kept_mutex);
        for (std::size_t k = 0; k < types.size(); ++k) {
            keys.push_back(key_of(types[k], o));
            if (const auto found = kept().find(keys.back()); found != kept().end())
                out[k] = found->second;
            else
                missing.push_back(types[k]);
        }
    }
    if (missing.empty())
        return out;
    auto fresh = cell::pace_cells(missing, o, progress);
    std::lock_guard hold(kept_mutex);
    if (kept().size() + fresh.size() > most_kept)
        kept().clear();
    std::size_t next = 0;
    for (std::size_t k = 0; k < types.size(); ++k)
        if (out[k].state.empty()) {
            out[k] = std::move(fresh[next++]);
            kept()[keys[k]] = out[k];
        }
    return out;
}

/// The least and the largest of some numbers, and the largest change.
struct Reached
{
    double least_ms = std::numeric_limits<double>::infinity(), most_ms = 0, change_ms = 0;
    long looked_at = 0, missed = 0, beats = 0;
    cell::Drift drift; ///< of the cell that has most left
    bool known = true; ///< of every cell

    void add(const cell::PacedCell& c)
    {
        if (std::isfinite(c.apd90_ms)) {
            least_ms = std::min(least_ms, c.apd90_ms);
            most_ms = std::max(most_ms, c.apd90_ms);
        }
        if (std::isfinite(c.apd90_change_ms))
            change_ms = std::max(change_ms, std::abs(c.apd90_change_ms));
        looked_at = std::max(looked_at, c.looked_at);
        missed = std::max(missed, c.missed);
        beats = std::max(beats, c.beats);
        known = known && c.drift.known();
        if (!drift.known() || c.drift.left_percent > drift.left_percent)
            drift = c.drift;
    }
};

Notice notice(const Prepacing& p, const Reached& r)
{
    constexpr double steady_ms = 1; // from beat to beat
    const auto said = [](Notice::Level level, std::string text) {
        return Notice{level, std::move(text), notice_kind::prepaced};
    };
    std::string text = "cells paced alone before the run, " + std::to_string(r.beats) +
                       (r.beats == 1 ? " beat" : " beats") + " every " +
                       number_text(p.cycle_length_ms, 5) + " ms";
    if (r.missed > 0)
        return said(Notice::Level::warning,
                    text + ": of the last " + std::to_string(r.looked_at) + " pulses up to " +
                        std::to_string(r.missed) +
                        " made no action potential; a longer tissue.prepacing.cycle_length_ms may");
    if (r.most_ms > 0) {
        const auto least = number_text(r.least_ms, 4), most = number_text(r.most_ms, 4);
        text += ": APD90 " + (least == most ? least : least + " to " + most) + " ms";
    }
    if (r.beats < 2)
        return said(Notice::Level::info, text);
    text += ", changing by " + number_text(r.change_ms, 2) + " ms from beat to beat at the end";
    const bool alternates = r.change_ms >= steady_ms;
    if (!r.known && !alternates)
        return said(Notice::Level::info, text + "; so few beats do not tell how far the steady "
                                                "state is");
    if (r.known)
        text += "; " + r.drift.words();
    if (r.drift.steady() && !alternates)
        return said(Notice::Level::info, text);
    if (r.drift.steady())
        return said(Notice::Level::warning, text + ": beats alternate");
    text += ": not steady; ";
    if (p.until_steady)
        text += "tissue.prepacing.beats is the most that are paced; a larger number";
    else
        text += "more tissue.prepacing.beats, or \"until_steady\": true with many,";
    return said(Notice::Level::warning, text + " will bring it nearer");
}

} // namespace

void prepace(const Session& s, Tissue& t, const Progress& progress)
{
    if (s.prepacing.beats <= 0) {
        t.problem.groups = t.cells.groups;
        t.prepaced.reset();
        return;
    }
    Reached reached;
    std::vector<std::vector<cell::PacedCell>> of_groups;
    bool dyads = false;
    for (const auto& g : t.cells.groups) {
        if (g.reaction) {
            dyads = true;
            of_groups.emplace_back();
            continue;
        }
        cell::PaceOptions o;
        o.scheme = g.scheme;
        o.table_step_mV = s.tables_mV;
        o.dt_ms = s.dt_ms;
        o.cycle_length_ms = s.prepacing.cycle_length_ms;
        o.beats = static_cast<long>(s.prepacing.beats);
        o.until_steady = s.prepacing.until_steady;
        of_groups.push_back(paced(g.types, o, progress));
        for (const auto& c : of_groups.back())
            reached.add(c);
    }
    for (std::size_t g = 0; g < of_groups.size(); ++g)
        for (std::size_t k = 0; k < of_groups[g].size(); ++k)
            t.problem.groups[g].types[k].initial = of_groups[g][k].state;
    t.prepaced = reached.beats > 0 ? notice(s.prepacing, reached)
                                   : Notice{Notice::Level::warning, "", notice_kind::prepaced};
    if (dyads) {
        t.prepaced->level = Notice::Level::warning;
        t.prepaced->text += (t.prepaced->text.empty() ? "" : "; ") + std::string(not_of_dyads);
    }
}

} // namespace tawara::simulation
