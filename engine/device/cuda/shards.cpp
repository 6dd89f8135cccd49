// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cuda/shards.hpp"

#include "engine/core/thread_pool.hpp"
#include "engine/device/cell_weights.hpp"
#include "engine/diffusion/implicit.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>

namespace tawara::device::cuda {
namespace {

constexpr std::size_t slice = partition::Subdomain::slice;

std::size_t at(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

std::int64_t row_length(const diffusion::Rows& a, std::int64_t i)
{
    return a.first[at(i) + 1] - a.first[at(i)];
}

/// Finds the columns of a shard's rows.
class Columns
{
  public:
    /// @param local  of the halo's unknowns; -1 of all others
    Columns(const Shard& s, const Sharding& all, const diffusion::Rows& a,
            const std::vector<std::int32_t>& local)
        : s_(s), all_(all), a_(a), local_(local)
    {
    }
    std::int64_t length(std::size_t slot) const
    {
        const auto u = s_.old_of[slot];
        return u < 0 ? 0 : row_length(a_, u);
    }
    /// Entry e of a row among values in the order of the rows.
    double value(const std::vector<double>& of, std::size_t slot, std::int64_t e) const
    {
        return e < length(slot) ? of[at(a_.first[at(s_.old_of[slot])] + e)] : 0;
    }
    /// Local index of entry e of a row; the row itself beyond its end.
    std::int32_t operator()(std::size_t slot, std::int64_t e) const
    {
        if (e >= length(slot))
            return static_cast<std::int32_t>(slot);
        const auto j = at(a_.column[at(a_.first[at(s_.old_of[slot])] + e)]);
        return local_[j] >= 0 ? local_[j] : all_.place[j].slot;
    }

  private:
    const Shard& s_;
    const Sharding& all_;
    const diffusion::Rows& a_;
    const std::vector<std::int32_t>& local_;
};

/// Chunks of each slice's longest row, and whether its columns need 32 bits.
void measure_slices(Shard& s, const Columns& columns, ThreadPool& pool)
{
    const auto slices = at(s.slots / slice);
    s.chunk.assign(slices + 1, 0);
    s.column_chunk.assign(slices, 0);
    std::vector<std::int64_t> entries(pool.size(), 0);
    pool.for_range(slices, 1, [&](std::size_t begin, std::size_t end, unsigned worker) {
        for (auto k = begin; k < end; ++k) {
            std::int64_t longest = 0;
            bool wide = false;
            for (std::size_t slot = k * slice; slot < (k + 1) * slice; ++slot) {
                const auto length = columns.length(slot);
                longest = std::max(longest, length);
                entries[worker] += length;
                for (std::int64_t e = 0; e < length; ++e) {
                    const auto away = columns(slot, e) - static_cast<std::int64_t>(k * slice);
                    wide = wide || away < std::numeric_limits<std::int16_t>::min() ||
                           away > std::numeric_limits<std::int16_t>::max();
                }
            }
            s.chunk[k + 1] = static_cast<std::uint32_t>((longest + s.pack - 1) / s.pack);
            s.column_chunk[k] = wide;
        }
    });
    s.nonzeros = std::accumulate(entries.begin(), entries.end(), std::int64_t{0});
    std::uint32_t next = 0;
    for (std::size_t k = 0; k < slices; ++k) {
        const std::uint32_t wide = s.column_chunk[k];
        s.column_chunk[k] = next << 1 | wide;
        next += s.chunk[k + 1] << wide;
        s.chunk[k + 1] += s.chunk[k];
    }
    s.column.resize(std::size_t{next} * slice * at(s.pack));
}

/// Values in the order of the chunks, in one of two precisions.
void fill_values(const Shard& s, const Columns& columns, const std::vector<double>& of,
                 std::vector<double>& twice, std::vector<float>& once, ThreadPool& pool)
{
    const std::size_t pack = at(s.pack), entries = std::size_t{s.chunk.back()} * slice * pack;
    (s.pack == 2 ? twice.resize(entries) : once.resize(entries));
    pool.for_range(s.column_chunk.size(), 1, [&](std::size_t begin, std::size_t end, unsigned) {
        for (auto k = begin; k < end; ++k) {
            const auto room = std::size_t{s.chunk[k + 1] - s.chunk[k]} * pack;
            for (std::size_t r = 0; r < slice; ++r)
                for (std::size_t e = 0; e < room; ++e) {
                    const double value =
                        columns.value(of, k * slice + r, static_cast<std::int64_t>(e));
                    const auto place = std::size_t{s.chunk[k]} * slice * pack +
                                       (e / pack * slice + r) * pack + e % pack;
                    if (s.pack == 2)
                        twice[place] = value;
                    else
                        once[place] = static_cast<float>(value);
                }
        }
    });
}

void fill_columns(Shard& s, const Columns& columns, ThreadPool& pool)
{
    const std::size_t pack = at(s.pack);
    pool.for_range(s.column_chunk.size(), 1, [&](std::size_t begin, std::size_t end, unsigned) {
        for (auto k = begin; k < end; ++k) {
            const auto room = std::size_t{s.chunk[k + 1] - s.chunk[k]} * pack;
            const bool wide = s.column_chunk[k] & 1U;
            std::int16_t* columns_of =
                s.column.data() + std::size_t{s.column_chunk[k] >> 1} * slice * pack;
            for (std::size_t r = 0; r < slice; ++r)
                for (std::size_t e = 0; e < room; ++e) {
                    const auto slot = k * slice + r;
                    const auto to = (e / pack * slice + r) * pack + e % pack;
                    const auto j = columns(slot, static_cast<std::int64_t>(e));
                    if (wide)
                        std::memcpy(columns_of + 2 * to, &j, sizeof j);
                    else
                        columns_of[to] =
                            static_cast<std::int16_t>(j - static_cast<std::int64_t>(k * slice));
                }
        }
    });
}

/// The linear system of a step, if there is one.
struct Solved
{
    diffusion::ImplicitMatrix matrix;
    std::vector<double> weight; ///< row sums: flows cancel, so that mass alone is left
    bool consistent = false;
    const diffusion::System* masses = nullptr; ///< of Newton's method
};

std::optional<Solved> solved(const TissueProblem& p, unsigned threads)
{
    const bool newton = p.stepping == Stepping::newton;
    if (!needs_solver(p) && !newton)
        return {};
    ThreadPool pool(threads);
    Solved s;
    s.masses = newton ? &p.system : nullptr;
    s.matrix = diffusion::implicit_matrix(p.system, p.dt_ms, theta(p.stepping), pool);
    s.consistent = p.system.mass == diffusion::Mass::consistent;
    s.weight = s.consistent ? p.system.mass_diagonal : p.system.volume;
    if (s.consistent)
        for (std::size_t i = 0; i < s.weight.size(); ++i)
            for (auto e = p.system.alpha.first[i]; e < p.system.alpha.first[i + 1]; ++e)
                s.weight[i] += p.system.mass_rows.value[at(e)];
    return s;
}

void fill_matrix(Shard& s, const Columns& columns, const std::vector<double>& alpha,
                 const std::optional<Solved>& system, ThreadPool& pool)
{
    measure_slices(s, columns, pool);
    fill_columns(s, columns, pool);
    fill_values(s, columns, system ? system->matrix.flow : alpha, s.double_value, s.single_value,
                pool);
    if (!system)
        return;
    if (system->consistent)
        fill_values(s, columns, system->matrix.off, s.double_second, s.single_second, pool);
    for (auto u : s.old_of) {
        s.diagonal.push_back(u < 0 ? 1 : system->matrix.diagonal[at(u)]);
        s.weight.push_back(u < 0 ? 1 : system->weight[at(u)]);
    }
    if (!system->masses)
        return;
    const auto& m = *system->masses;
    for (auto u : s.old_of) {
        s.volume.push_back(u < 0 ? 0 : m.volume[at(u)]);
        s.mass_diagonal.push_back(u < 0                ? 0
                                  : system->consistent ? m.mass_diagonal[at(u)]
                                                       : m.volume[at(u)]);
    }
}

/// 1 of a share's unknowns that others read, or that read others'.
std::vector<std::uint8_t> border_of(const TissueProblem& p, const Halo& others)
{
    std::vector<std::uint8_t> out(p.size(), 0);
    for (const auto u : others.given())
        out[at(u)] = 1;
    std::vector<std::uint8_t> taken(p.size(), 0);
    for (const auto u : others.taken())
        taken[at(u)] = 1;
    const auto& a = p.system.alpha;
    for (std::size_t u = 0; u < p.size(); ++u)
        for (auto e = a.first[u]; e < a.first[u + 1]; ++e)
            if (taken[at(a.column[at(e)])] != 0)
                out[u] = 1;
    return out;
}

} // namespace

Sharding make_shards(const TissueProblem& p, int count, int pack, partition::Ordering ordering,
                     const Progress& progress, std::span<const double> shares, const Halo* others)
{
    const auto& alpha = p.system.alpha;
    const auto weight = cell_weights(p);
    const auto border = others != nullptr ? border_of(p, *others) : std::vector<std::uint8_t>();
    auto cut = partition::decompose(
        {{alpha.first, alpha.column}, p.position_mm, p.group, p.type, weight, border}, count,
        ordering, progress, shares);
    if (others != nullptr) {
        auto& only = cut.parts.at(0);
        only.halo_of.assign(others->taken().begin(), others->taken().end());
        only.halo = static_cast<std::int64_t>(only.halo_of.size());
    }
    Sharding all;
    all.place = std::move(cut.place);
    all.shards.resize(cut.parts.size());
    for (std::size_t k = 0; k < cut.parts.size(); ++k) {
        static_cast<partition::Subdomain&>(all.shards[k]) = std::move(cut.parts[k]);
        all.shards[k].pack = pack;
    }
    progress.at(0.6, "laying out the matrix");
    const auto system = solved(p, progress.context.threads);
    all.sub_steps = system ? system->matrix.sub_steps : 1;
    ThreadPool pool(progress.context.threads);
    std::vector<std::int32_t> local(p.size(), -1); // of the foreign unknowns of one shard
    for (Shard& s : all.shards) {
        for (std::size_t k = 0; k < s.halo_of.size(); ++k)
            local[at(s.halo_of[k])] =
                static_cast<std::int32_t>(s.slots + static_cast<std::int64_t>(k));
        fill_matrix(s, Columns(s, all, alpha, local), alpha.value, system, pool);
        for (const auto u : s.halo_of)
            local[at(u)] = -1;
    }
    return all;
}

} // namespace tawara::device::cuda
