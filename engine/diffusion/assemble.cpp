// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.hpp"
#include "engine/diffusion/operators.hpp"
#include "engine/diffusion/p1.hpp"

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

/// The largest dt for which sum_i max(0, dt rate_i - part V_i) <= allowed.
double largest_dt(const System& s, const Bound& b, double allowed)
{
    std::vector<std::pair<double, std::size_t>> limit; // each row's own dt
    limit.reserve(s.size());
    for (std::size_t i = 0; i < s.size(); ++i)
        if (b.rate[i] > 0)
            limit.emplace_back(b.part * s.volume[i] / b.rate[i], i);
    if (limit.empty())
        return never;
    std::sort(limit.begin(), limit.end());
    double rate = 0, volume = 0;
    for (std::size_t k = 0; k < limit.size(); ++k) {
        rate += b.rate[limit[k].second];
        volume += b.part * s.volume[limit[k].second];
        // With the first k + 1 rows scaled: dt rate - volume = allowed.
        const double dt = (allowed + volume) / rate;
        if (k + 1 == limit.size() || dt <= limit[k + 1].first)
            return dt;
    }
    return never;
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
                          std::span<const double> local)
{
    double dt = never;
    for (std::size_t i = 0; i < s.size(); ++i)
        if (b.rate[i] > 0)
            dt =
                std::min(dt, (b.part * s.volume[i] + (largest_scaling - 1) * local[i]) / b.rate[i]);
    return dt;
}

/// Adds volume to the rows that limit the step, at most options.mass_scaling of the whole and to
/// each at most options.largest_scaling - 1 of the volume there (local_volume()).
void scale_mass(System& s, const Bound& b, const Options& o)
{
    double whole = 0;
    for (double v : s.volume)
        whole += v;
    const auto local = local_volume(s);
    double dt = std::min(largest_dt(s, b, o.mass_scaling * whole),
                         largest_dt_at_each(s, b, o.largest_scaling, local));
    if (!std::isfinite(dt))
        return;
    if (o.dt_ms > 0) // no more than equal sub-steps of the step that is wanted need
        dt = std::min(dt, o.dt_ms / std::ceil(o.dt_ms / dt));
    double added = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
        const double more = dt * b.rate[i] - b.part * s.volume[i];
        if (more <= 0)
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
    s.added_volume_fraction = added / whole;
}

/// Turns B into alpha = B / V (not for consistent mass) and finds the stable step.
void finish(ThreadPool& pool, System& s, const Options& o)
{
    const Bound b = row_bounds(pool, s);
    const std::vector<double> before =
        s.mass == Mass::consistent ? s.volume : std::vector<double>();
    if (o.mass_scaling > 0)
        scale_mass(s, b, o);
    double rate = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
        const double mass =
            before.empty() ? s.volume[i] : b.part * before[i] + (s.volume[i] - before[i]);
        if (b.rate[i] > 0)
            rate = std::max(rate, b.rate[i] / mass);
    }
    s.stable_dt_ms = rate > 0 ? 1 / rate : never;
    if (s.mass == Mass::consistent)
        return;
    pool.for_range(s.size(), 64, [&](std::size_t begin, std::size_t end, unsigned) {
        for (std::size_t i = begin; i < end; ++i)
            for (auto e = s.alpha.first[i]; e < s.alpha.first[i + 1]; ++e)
                s.alpha.value[static_cast<std::size_t>(e)] /= s.volume[i];
    });
}

} // namespace

System assemble(const mesh::TetMesh& m, const std::vector<std::array<std::int32_t, 4>>& neighbours,
                std::span<const Tensor> diffusivity, const Options& options,
                const Progress& progress)
{
    check(m, neighbours, diffusivity, options);
    ThreadPool pool(progress.context.threads);
    System s;
    if (options.scheme == Scheme::p1) {
        s = assemble_p1(pool, m, diffusivity, options, progress);
    } else if (std::all_of(diffusivity.begin(), diffusivity.end(), conducts)) {
        s = assemble_fvm(pool, m, neighbours, diffusivity, options, progress);
    } else {
        s = assemble_fvm(pool, m, conducting_links(neighbours, diffusivity), diffusivity, options,
                         progress);
        for (std::size_t i = 0; i < s.volume.size(); ++i)
            if (!conducts(diffusivity[i]))
                s.volume[i] = 0;
    }
    s.scheme = options.scheme;
    s.mass = options.mass;
    finish(pool, s, options);
    return s;
}

} // namespace tawara::diffusion
