// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.hpp"
#include "engine/diffusion/operators.hpp"
#include "engine/diffusion/p1.hpp"
#include "engine/diffusion/whole.hpp"

#include <cmath>
#include <cstdio>
#include <limits>

namespace tawara::diffusion {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

void check(const mesh::TetMesh& m, const FaceNeighbours& neighbours, std::span<const Tensor> d,
           const Options& o)
{
    if (neighbours.size() != m.tetrahedron_count() || d.size() != m.tetrahedron_count())
        throw InputError("diffusion", "neighbours and a diffusivity are needed for each of the " +
                                          std::to_string(m.tetrahedron_count()) + " tetrahedra");
    if (o.scheme == Scheme::fvm && o.mass == Mass::consistent)
        throw InputError("", "/diffusion/mass",
                         "consistent mass belongs to the p1 scheme; fvm has lumped mass only");
    if (!(o.mass_scaling >= 0 && o.mass_scaling < 1))
        throw InputError("", "/diffusion/mass_scaling", "must be at least 0 and below 1");
    if (!(o.largest_scaling >= 1) || !std::isfinite(o.largest_scaling))
        throw InputError("", "/diffusion/mass_scaling_largest", "must be a number of at least 1");
    if (!(o.dt_ms >= 0) || !std::isfinite(o.dt_ms))
        throw InputError("", "/time/dt_ms", "must be a number that is not negative");
}

/// Neighbours without those across faces of tissue that does not conduct.
FaceNeighbours conducting_links(const FaceNeighbours& neighbours, std::span<const Tensor> d)
{
    FaceNeighbours links = neighbours;
    for (std::size_t i = 0; i < links.size(); ++i)
        for (auto& j : links[i])
            if (j >= 0 && !(conducts(d[i]) && conducts(d[static_cast<std::size_t>(j)])))
                j = -1;
    return links;
}

/// sum_j |B_ij| over the part of V_i that bounds the mass matrix from below.
struct Bound
{
    std::vector<double> rate; ///< sum_j |B_ij| [mm3/ms]
    double part = 1;          ///< M >= part * lumped M: 1, or 1/5 for consistent mass
};

Bound row_bounds(ThreadPool& pool, const System& s)
{
    Bound b;
    b.part = s.mass == Mass::consistent ? 0.2 : 1;
    b.rate.resize(s.size());
    pool.for_range(s.size(), 64, [&](std::size_t begin, std::size_t end, unsigned) {
        for (std::size_t i = begin; i < end; ++i) {
            double sum = 0;
            for (auto e = s.alpha.first[i]; e < s.alpha.first[i + 1]; ++e)
                sum += std::abs(s.alpha.value[static_cast<std::size_t>(e)]);
            b.rate[i] = sum;
        }
    });
    return b;
}

/// Whether a row is to be looked at: own ones, where others have the other parts.
bool is_own(const Whole* whole, std::size_t i)
{
    return whole == nullptr || whole->own()[i] != 0;
}

/// The largest dt for which sum_i max(0, dt rate_i - part V_i) <= allowed.
/// @param next  gives rows that limit dt by their own, the smallest first
double largest_dt(const std::function<bool(Whole::Row&)>& next, double part, double allowed)
{
    Whole::Row row, after;
    double rate = 0, volume = 0;
    for (bool there = next(row); there;) {
        rate += row.rate;
        volume += part * row.volume;
        // With the rows so far scaled: dt rate - volume = allowed.
        const double dt = (allowed + volume) / rate;
        there = next(after);
        if (!there || dt <= after.key)
            return dt;
        row = after;
    }
    return never;
}

double largest_dt(const System& s, const Bound& b, double allowed, Whole* whole)
{
    std::vector<Whole::Row> rows;
    for (std::size_t i = 0; i < s.size(); ++i)
        if (b.rate[i] > 0 && is_own(whole, i))
            rows.push_back({b.part * s.volume[i] / b.rate[i],
                            whole != nullptr ? whole->number()[i] : static_cast<std::int64_t>(i),
                            b.rate[i], s.volume[i]});
    std::sort(rows.begin(), rows.end(), [](const Whole::Row& x, const Whole::Row& y) {
        return std::pair(x.key, x.number) < std::pair(y.key, y.number);
    });
    if (whole != nullptr)
        return whole->in_order(rows,
                               [&](const auto& next) { return largest_dt(next, b.part, allowed); });
    std::size_t at = 0;
    return largest_dt(
        [&](Whole::Row& row) {
            if (at == rows.size())
                return false;
            row = rows[at++];
            return true;
        },
        b.part, allowed);
}

/// What added volume is held against at each row: its own, or the mean of those that it exchanges
/// with where that is larger. A sliver has next to no volume itself: what matters to a wave is how
/// much heavier the tissue around becomes.
std::vector<double> local_volume(const System& s)
{
    std::vector<double> out = s.volume;
    for (std::size_t i = 0; i < s.size(); ++i) {
        double sum = 0;
        const auto first = s.alpha.first[i], last = s.alpha.first[i + 1];
        for (auto e = first; e < last; ++e)
            sum += s.volume[static_cast<std::size_t>(s.alpha.column[static_cast<std::size_t>(e)])];
        if (last > first)
            out[i] = std::max(out[i], sum / static_cast<double>(last - first));
    }
    return out;
}

/// The largest dt for which each row's added volume stays within its bound.
double largest_dt_at_each(const System& s, const Bound& b, double largest_scaling,
                          std::span<const double> local, Whole* whole)
{
    double dt = never;
    for (std::size_t i = 0; i < s.size(); ++i)
        if (b.rate[i] > 0 && is_own(whole, i))
            dt =
                std::min(dt, (b.part * s.volume[i] + (largest_scaling - 1) * local[i]) / b.rate[i]);
    return whole != nullptr ? -whole->largest(-dt) : dt;
}

/// Adds volume to the rows that limit the step, at most options.mass_scaling of the whole and to
/// each at most options.largest_scaling - 1 of the volume there (local_volume()).
void scale_mass(System& s, const Bound& b, const Options& o, Whole* whole)
{
    double all = 0;
    if (whole != nullptr)
        all = whole->sum_in_order(s.volume);
    else
        for (double v : s.volume)
            all += v;
    const auto local = local_volume(s);
    double dt = std::min(largest_dt(s, b, o.mass_scaling * all, whole),
                         largest_dt_at_each(s, b, o.largest_scaling, local, whole));
    if (!std::isfinite(dt))
        return;
    if (o.dt_ms > 0) // no more than equal sub-steps of the step that is wanted need
        dt = std::min(dt, o.dt_ms / std::ceil(o.dt_ms / dt));
    double added = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
        const double more = dt * b.rate[i] - b.part * s.volume[i];
        if (more <= 0 || !is_own(whole, i))
            continue;
        added += more;
        if (const double scaling = 1 + more / local[i]; scaling > s.largest_scaling) {
            s.largest_scaling = scaling;
            s.largest_scaling_at = static_cast<std::int64_t>(i);
        }
        s.volume[i] += more;
        if (!s.mass_diagonal.empty())
            s.mass_diagonal[i] += more;
    }
    s.added_volume_fraction = (whole != nullptr ? whole->sum(added) : added) / all;
}

/// Turns B into alpha = B / V (not for consistent mass) and finds the stable step.
void finish(ThreadPool& pool, System& s, const Options& o, Whole* whole)
{
    if (whole != nullptr) // rows of vertices at the border of a part are not whole here
        whole->share(s.volume);
    const Bound b = row_bounds(pool, s);
    const std::vector<double> before =
        s.mass == Mass::consistent ? s.volume : std::vector<double>();
    if (o.mass_scaling > 0)
        scale_mass(s, b, o, whole);
    double rate = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
        const double mass =
            before.empty() ? s.volume[i] : b.part * before[i] + (s.volume[i] - before[i]);
        if (b.rate[i] > 0 && is_own(whole, i))
            rate = std::max(rate, b.rate[i] / mass);
    }
    if (whole != nullptr)
        rate = whole->largest(rate);
    s.stable_dt_ms = rate > 0 ? 1 / rate : never;
    if (s.mass == Mass::consistent)
        return;
    pool.for_range(s.size(), 64, [&](std::size_t begin, std::size_t end, unsigned) {
        for (std::size_t i = begin; i < end; ++i)
            for (auto e = s.alpha.first[i]; e < s.alpha.first[i + 1]; ++e)
                s.alpha.value[static_cast<std::size_t>(e)] /= s.volume[i];
    });
}

System assembled(const mesh::TetMesh& m, const FaceNeighbours& neighbours,
                 std::span<const Tensor> diffusivity, const Options& options, Whole* whole,
                 const Progress& progress)
{
    check(m, neighbours, diffusivity, options);
    ThreadPool pool(progress.context.threads);
    System s;
    if (options.scheme == Scheme::p1) {
        s = assemble_p1(pool, m, diffusivity, options, progress);
    } else if (std::all_of(diffusivity.begin(), diffusivity.end(), conducts)) {
        s = assemble_fvm(pool, m, neighbours, diffusivity, options, whole, progress);
    } else {
        s = assemble_fvm(pool, m, conducting_links(neighbours, diffusivity), diffusivity, options,
                         whole, progress);
        for (std::size_t i = 0; i < s.volume.size(); ++i)
            if (!conducts(diffusivity[i]))
                s.volume[i] = 0;
    }
    s.scheme = options.scheme;
    s.mass = options.mass;
    finish(pool, s, options, whole);
    return s;
}

} // namespace

System assemble(const mesh::TetMesh& m, const std::vector<std::array<std::int32_t, 4>>& neighbours,
                std::span<const Tensor> diffusivity, const Options& options,
                const Progress& progress)
{
    return assembled(m, neighbours, diffusivity, options, nullptr, progress);
}

System assemble(const mesh::TetMesh& m, const std::vector<std::array<std::int32_t, 4>>& neighbours,
                std::span<const Tensor> diffusivity, const Options& options, Whole& whole,
                const Progress& progress)
{
    return assembled(m, neighbours, diffusivity, options, &whole, progress);
}

} // namespace tawara::diffusion
