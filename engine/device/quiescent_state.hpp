// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/error.hpp"
#include "engine/device/problem.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tawara::device {

/// Where a run is inside a long step of unknowns at rest: what Snapshot::quiescent holds, its
/// steps done, its length, `rests` and `end_mV`, one after the other.
struct QuiescentState
{
    int done = 0, length = 1;
    std::vector<double> rests;  ///< of each unknown: 1 where it has taken the long step, else 0
    std::vector<double> end_mV; ///< V where the long step ends, of those that rest; else 0

    /// @param v  of all unknowns. Programs before 2026-12 wrote no end_mV: V was the end's.
    /// @throws Error where the length is none that a snapshot of so many unknowns has
    QuiescentState(const std::vector<double>& packed, const std::vector<double>& v)
    {
        const auto n = v.size();
        if (packed.size() != n + 2 && packed.size() != 2 * n + 2)
            throw Error("a snapshot inside a long step has another length");
        done = static_cast<int>(packed[0]), length = static_cast<int>(packed[1]);
        for (std::size_t u = 0; u < n; ++u) {
            rests.push_back(packed[2 + u]);
            const double end = packed.size() > n + 2 ? packed[2 + n + u] : v[u];
            end_mV.push_back(rests[u] != 0 && std::isfinite(end) ? end : 0); // NaN: without cells
        }
    }
    QuiescentState(int done, int length, std::size_t unknowns)
        : done(done), length(length), rests(unknowns, 1.0), end_mV(unknowns, 0.0)
    {
    }
    /// Keeps the first n unknowns; more than there are rest, and nothing reads their end.
    void resize(std::size_t n)
    {
        rests.resize(n, 1.0);
        end_mV.resize(n, 0.0);
    }
    /// Of some unknowns, in that order.
    QuiescentState of(std::span<const std::int32_t> unknowns) const
    {
        QuiescentState out(done, length, 0);
        for (const auto u : unknowns) {
            out.rests.push_back(rests.at(static_cast<std::size_t>(u)));
            out.end_mV.push_back(end_mV.at(static_cast<std::size_t>(u)));
        }
        return out;
    }
    /// The other way round.
    void put(std::span<const std::int32_t> unknowns, const QuiescentState& from)
    {
        for (std::size_t k = 0; k < unknowns.size(); ++k) {
            rests.at(static_cast<std::size_t>(unknowns[k])) = from.rests.at(k);
            end_mV.at(static_cast<std::size_t>(unknowns[k])) = from.end_mV.at(k);
        }
    }
    std::vector<double> packed() const
    {
        std::vector<double> out{static_cast<double>(done), static_cast<double>(length)};
        out.insert(out.end(), rests.begin(), rests.end());
        out.insert(out.end(), end_mV.begin(), end_mV.end());
        return out;
    }
};

/// V of a snapshot, at the end of the long step where unknowns have taken it.
inline std::vector<double> potential_at_ends(const Snapshot& s)
{
    auto v = s.v;
    if (s.quiescent.empty())
        return v;
    const QuiescentState q(s.quiescent, s.v);
    for (std::size_t u = 0; u < v.size(); ++u)
        if (q.rests[u] != 0 && std::isfinite(v[u])) // has cells
            v[u] = q.end_mV[u];
    return v;
}

/// Ends the long step that a snapshot is inside of: where what had rested may have to move.
inline void end_long_step(Snapshot& s)
{
    s.v = potential_at_ends(s);
    s.quiescent.clear();
}

} // namespace tawara::device
