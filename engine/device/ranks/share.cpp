// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/ranks/share.hpp"

#include "engine/core/error.hpp"
#include "engine/partition/decomposition.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace tawara::device::ranks {
namespace {

void check(const TissueProblem& p)
{
    const auto refuse = [](const std::string& what, const std::string& instead) {
        throw InputError("--distributed", what + " is not stepped over several ranks; " + instead);
    };
    if (p.stepping == Stepping::newton)
        refuse("Newton's method", "leave --distributed out, or take diffusion.stepping: explicit");
    if (needs_solver(p))
        refuse("diffusion that solves a linear system",
               "leave --distributed out, or take explicit steps and lumped mass");
    for (const auto& g : p.groups)
        if (g.reaction)
            refuse("tissue of " + model_name(g),
                   "leave --distributed out, or take a compiled model of cells");
}

/// Calls f(u, v) for neighbours of an unknown u that its row or its tetrahedra read.
template <class F>
void for_neighbours(const TissueProblem& p, F&& f)
{
    const auto& rows = p.system.alpha;
    for (std::size_t u = 0; u < p.size(); ++u)
        for (auto k = static_cast<std::size_t>(rows.first[u]);
             k < static_cast<std::size_t>(rows.first[u + 1]); ++k)
            f(u, static_cast<std::size_t>(rows.column[k]));
    for (const auto& corner : p.elements.corner)
        for (const auto u : corner)
            for (const auto v : corner)
                if (u != v)
                    f(static_cast<std::size_t>(u), static_cast<std::size_t>(v));
}

} // namespace

void add_unknown(TissueProblem& to, const TissueProblem& whole, std::size_t u, bool own)
{
    to.position_mm.push_back(whole.position_mm[u]);
    to.group.push_back(own ? whole.group[u] : no_cells);
    to.elsewhere.push_back(own ? no_cells : whole.group[u]);
    to.type.push_back(whole.type[u]);
    if (!whole.system.volume.empty())
        to.system.volume.push_back(whole.system.volume[u]);
}

TissueProblem settings_of(const TissueProblem& p)
{
    TissueProblem out;
    out.system.scheme = p.system.scheme;
    out.system.mass = p.system.mass;
    out.system.stable_dt_ms = p.system.stable_dt_ms;
    out.system.stability = p.system.stability;
    out.groups = p.groups;
    out.dt_ms = p.dt_ms;
    out.splitting = p.splitting;
    out.stepping = p.stepping;
    out.substeps = p.substeps;
    out.rest_tolerance_mV = p.rest_tolerance_mV;
    out.longest_quiescent_ms = p.longest_quiescent_ms;
    out.table_step_mV = p.table_step_mV;
    out.activation_threshold_mV = p.activation_threshold_mV;
    out.currents = p.currents;
    return out;
}

std::vector<std::int32_t> ranks_of_unknowns(const TissueProblem& whole, int ranks,
                                            const Progress& progress)
{
    check(whole);
    const auto cells = whole.with_cells();
    if (cells < static_cast<std::size_t>(ranks))
        throw InputError("--distributed", "there are " + std::to_string(ranks) + " ranks for " +
                                              std::to_string(cells) +
                                              " unknowns with cells; start fewer ranks");
    progress.at(0, "cutting the tissue into shares");
    // what is left out is no vertex of the graph that is cut
    std::vector<std::int32_t> number(whole.size(), -1), of;
    for (std::size_t u = 0; u < whole.size(); ++u)
        if (whole.has_cells(u)) {
            number[u] = static_cast<std::int32_t>(of.size());
            of.push_back(static_cast<std::int32_t>(u));
        }
    const auto& rows = whole.system.alpha;
    std::vector<std::int64_t> first{0};
    std::vector<std::int32_t> column;
    for (const auto u : of) {
        for (auto k = rows.first[static_cast<std::size_t>(u)];
             k < rows.first[static_cast<std::size_t>(u) + 1]; ++k)
            if (const auto v =
                    number[static_cast<std::size_t>(rows.column[static_cast<std::size_t>(k)])];
                v >= 0)
                column.push_back(v);
        first.push_back(static_cast<std::int64_t>(column.size()));
    }
    const auto part = partition::parts({first, column}, ranks);
    std::vector<std::int32_t> out(whole.size(), -1);
    for (std::size_t k = 0; k < of.size(); ++k)
        out[static_cast<std::size_t>(of[k])] = part[k];
    return out;
}

Share share_of(const TissueProblem& whole, const std::vector<std::int32_t>& rank_of, int rank,
               const std::vector<ElementPlace>& places)
{
    Share s;
    s.problem = settings_of(whole);
    std::vector<std::int32_t> local(whole.size(), -1);
    for (std::size_t u = 0; u < whole.size(); ++u)
        if (rank_of[u] == rank) {
            local[u] = static_cast<std::int32_t>(s.whole.size());
            s.whole.push_back(static_cast<std::int64_t>(u));
            add_unknown(s.problem, whole, u, true);
        }
    struct Border
    {
        std::set<std::size_t> give, take; // in the order of the whole, as the other has them
    };
    std::map<std::int32_t, Border> borders;
    for_neighbours(whole, [&](std::size_t u, std::size_t v) {
        if (rank_of[u] == rank_of[v] || rank_of[u] < 0 || rank_of[v] < 0)
            return;
        if (rank_of[u] == rank)
            borders[rank_of[v]].take.insert(v);
        else if (rank_of[v] == rank)
            borders[rank_of[u]].give.insert(v);
    });
    for (const auto& [with, border] : borders) {
        Neighbour n{with, {}, {}};
        for (const auto u : border.take) {
            local[u] = static_cast<std::int32_t>(s.problem.group.size());
            n.take.push_back(local[u]);
            add_unknown(s.problem, whole, u, false);
        }
        for (const auto u : border.give)
            n.give.push_back(local[u]);
        s.neighbours.push_back(std::move(n));
    }
    const auto& rows = whole.system.alpha;
    auto& to = s.problem.system.alpha;
    to.first.push_back(0);
    for (const auto u : s.whole) {
        for (auto k = static_cast<std::size_t>(rows.first[static_cast<std::size_t>(u)]);
             k < static_cast<std::size_t>(rows.first[static_cast<std::size_t>(u) + 1]); ++k)
            if (const auto v = local[static_cast<std::size_t>(rows.column[k])]; v >= 0) {
                to.column.push_back(v);
                to.value.push_back(rows.value[k]);
            }
        to.first.push_back(static_cast<std::int64_t>(to.column.size()));
    }
    to.first.resize(s.problem.group.size() + 1, to.first.back()); // others' rows are empty
    for (std::size_t t = 0; t < whole.elements.size(); ++t) {
        const auto& corner = whole.elements.corner[t];
        if (std::none_of(corner.begin(), corner.end(), [&](std::int32_t u) {
                return rank_of[static_cast<std::size_t>(u)] == rank;
            }))
            continue;
        auto& c = s.problem.elements.corner.emplace_back();
        for (std::size_t a = 0; a < 4; ++a)
            c[a] = local[static_cast<std::size_t>(corner[a])];
        s.problem.elements.volume_mm3.push_back(whole.elements.volume_mm3[t]);
        s.problem.elements.place.push_back(places[t]);
    }
    return s;
}

Bytes packed(const Share& s)
{
    const auto& p = s.problem;
    Pack out;
    out << p.system.scheme << p.system.mass << p.system.stable_dt_ms << p.system.volume
        << p.system.alpha.first << p.system.alpha.column << p.system.alpha.value << p.position_mm
        << p.groups.size();
    for (const auto& g : p.groups) {
        out << g.scheme << g.types.size();
        for (const auto& t : g.types)
            out << t.model << cell::text_digest(t) << t.parameters << t.initial << t.protocol;
    }
    out << p.group << p.type << p.elsewhere << p.dt_ms << p.splitting << p.stepping
        << p.substeps.kind << p.substeps.stages << p.rest_tolerance_mV << p.longest_quiescent_ms
        << p.table_step_mV << p.activation_threshold_mV << p.currents << p.elements.corner
        << p.elements.volume_mm3 << p.elements.place << s.whole << s.neighbours.size();
    for (const auto& n : s.neighbours)
        out << n.rank << n.give << n.take;
    return out.take();
}

Share unpacked_share(const Bytes& message)
{
    Share s;
    auto& p = s.problem;
    Unpack in(message);
    in >> p.system.scheme >> p.system.mass >> p.system.stable_dt_ms >> p.system.volume >>
        p.system.alpha.first >> p.system.alpha.column >> p.system.alpha.value >> p.position_mm;
    p.groups.resize(in.read<std::size_t>());
    for (auto& g : p.groups) {
        in >> g.scheme;
        const auto types = in.read<std::size_t>();
        for (std::size_t k = 0; k < types; ++k) {
            const auto model = in.read<std::string>();
            auto t = cell::make_cell_type(model, "", {}, {});
            if (in.read<std::uint64_t>() != cell::text_digest(t))
                throw InputError(model, "has another text on another rank's machine; give all "
                                        "of them the same file");
            in >> t.parameters >> t.initial >> t.protocol;
            g.types.push_back(std::move(t));
        }
    }
    in >> p.group >> p.type >> p.elsewhere >> p.dt_ms >> p.splitting >> p.stepping >>
        p.substeps.kind >> p.substeps.stages >> p.rest_tolerance_mV >> p.longest_quiescent_ms >>
        p.table_step_mV >> p.activation_threshold_mV >> p.currents >> p.elements.corner >>
        p.elements.volume_mm3 >> p.elements.place >> s.whole;
    s.neighbours.resize(in.read<std::size_t>());
    for (auto& n : s.neighbours)
        in >> n.rank >> n.give >> n.take;
    return s;
}

} // namespace tawara::device::ranks
