// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/cuda/shards.hpp"

#include "engine/core/error.hpp"
#include "engine/core/thread_pool.hpp"
#include "engine/diffusion/implicit.hpp"
#include "engine/partition/partition.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>

namespace tawara::device::cuda {
namespace {

constexpr std::size_t slice = 32;
constexpr std::size_t sorting_window =
    256; // rows sorted by length among so many: less padding, same place
/// Cells sorted by type among so many: the cells of a warp are then of one type but for a few, and
/// read the same constants at once; still so near that columns fit 16 bits.
constexpr std::size_t type_window = 4096;
constexpr std::size_t metis_limit = 4'000'000;

std::size_t at(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

/// Index of a point with 21 bits a coordinate along the Hilbert curve (Skilling's transposition,
/// 2004).
std::uint64_t hilbert(std::array<std::uint32_t, 3> x)
{
    constexpr std::uint32_t top = 1U << 20;
    for (std::uint32_t q = top; q > 1; q >>= 1) {
        const std::uint32_t p = q - 1;
        for (std::size_t i = 0; i < 3; ++i) {
            if (x[i] & q) {
                x[0] ^= p;
            } else {
                const std::uint32_t t = (x[0] ^ x[i]) & p;
                x[0] ^= t;
                x[i] ^= t;
            }
        }
    }
    x[1] ^= x[0];
    x[2] ^= x[1];
    std::uint32_t t = 0;
    for (std::uint32_t q = top; q > 1; q >>= 1)
        if (x[2] & q)
            t ^= q - 1;
    for (auto& c : x)
        c ^= t;
    std::uint64_t index = 0;
    for (int bit = 20; bit >= 0; --bit)
        for (std::size_t i = 0; i < 3; ++i)
            index = index << 1 | (x[i] >> bit & 1U);
    return index;
}

std::vector<std::uint64_t> curve_index(const TissueProblem& p)
{
    Vec3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
    for (const auto& x : p.position_mm)
        for (std::size_t k = 0; k < 3; ++k)
            low[k] = std::min(low[k], x[k]), high[k] = std::max(high[k], x[k]);
    const double extent = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2], 1e-30});
    std::vector<std::uint64_t> index(p.size());
    ThreadPool pool;
    pool.for_range(p.size(), 1, [&](std::size_t begin, std::size_t end, unsigned) {
        for (auto u = begin; u < end; ++u) {
            std::array<std::uint32_t, 3> x;
            for (std::size_t k = 0; k < 3; ++k)
                x[k] =
                    static_cast<std::uint32_t>((p.position_mm[u][k] - low[k]) / extent * 2097151.0);
            index[u] = hilbert(x);
        }
    });
    return index;
}

/// Unknowns along the curve.
std::vector<std::int32_t> curve_order(const TissueProblem& p)
{
    const auto index = curve_index(p);
    std::vector<std::pair<std::uint64_t, std::int32_t>> keyed(p.size());
    for (std::size_t u = 0; u < keyed.size(); ++u)
        keyed[u] = {index[u], static_cast<std::int32_t>(u)};
    std::sort(keyed.begin(), keyed.end());
    std::vector<std::int32_t> order(p.size());
    for (std::size_t u = 0; u < keyed.size(); ++u)
        order[u] = keyed[u].second;
    return order;
}

/// Parts of the unknowns with cells, in shares as they are asked for; the others go to the first.
std::vector<std::int32_t> parts_of_cells(const TissueProblem& p, int count,
                                         std::span<const double> shares)
{
    const auto& a = p.system.alpha;
    if (p.with_cells() == p.size())
        return partition::parts({a.first, a.column}, count, shares);
    std::vector<std::int32_t> cell_of(p.size(), -1), column;
    std::vector<std::int64_t> first{0};
    std::int32_t cells = 0;
    for (std::size_t u = 0; u < p.size(); ++u)
        if (p.has_cells(u))
            cell_of[u] = cells++;
    for (std::size_t u = 0; u < p.size(); ++u)
        if (p.has_cells(u)) {
            for (auto e = a.first[u]; e < a.first[u + 1]; ++e)
                column.push_back(cell_of[at(a.column[at(e)])]);
            first.push_back(static_cast<std::int64_t>(column.size()));
        }
    const auto of_cell = partition::parts({first, column}, count, shares);
    std::vector<std::int32_t> part(p.size(), 0);
    for (std::size_t u = 0; u < p.size(); ++u)
        if (cell_of[u] >= 0)
            part[u] = of_cell[at(cell_of[u])];
    return part;
}

/// Part of each unknown.
std::vector<std::int32_t> cut(const TissueProblem& p, int count, Ordering ordering,
                              const std::vector<std::int32_t>& curve,
                              std::span<const double> shares)
{
    if (count == 1 || ordering == Ordering::metis || p.size() <= metis_limit)
        return parts_of_cells(p, count, shares);
    std::vector<std::int32_t> part(p.size(), 0), cells;
    for (const auto u : curve)
        if (p.has_cells(at(u)))
            cells.push_back(u);
    std::size_t k = 0;
    std::int32_t c = 0;
    for (const auto end : ends_of_parts(cells.size(), count, shares)) {
        for (; k < end; ++k)
            part[at(cells[k])] = c;
        ++c;
    }
    return part;
}

/// 1 for unknowns that another part reads.
std::vector<std::uint8_t> separators(const diffusion::Rows& a,
                                     const std::vector<std::int32_t>& part)
{
    std::vector<std::uint8_t> is(part.size(), 0);
    for (std::size_t i = 0; i < part.size(); ++i)
        for (auto e = a.first[i]; e < a.first[i + 1]; ++e) {
            const auto j = at(a.column[at(e)]);
            if (part[i] != part[j])
                is[i] = is[j] = 1; // also those that read others: they must wait for the exchange
        }
    return is;
}

std::int64_t row_length(const diffusion::Rows& a, std::int32_t i)
{
    return a.first[at(i) + 1] - a.first[at(i)];
}

/// Puts the sorted unknowns of one shard into slots: ranges by (separator, group), padded to whole
/// slices; then the slice of those without cells, which are taken off the list.
void fill_slots(Shard& s, std::vector<std::int32_t>& mine,
                const std::vector<std::uint8_t>& separator, const TissueProblem& p)
{
    const auto listed = mine.size();
    std::erase_if(mine, [&](std::int32_t u) { return !p.has_cells(at(u)); });
    auto key = [&](std::int32_t u) {
        return std::pair(separator[at(u)] ? 0 : 1, static_cast<int>(p.group[at(u)]));
    };
    std::stable_sort(mine.begin(), mine.end(), [&](auto a, auto b) { return key(a) < key(b); });
    const auto sort_windows = [&](std::size_t b, std::size_t e, std::size_t window, auto before) {
        const auto place = [&](std::size_t k) {
            return mine.begin() + static_cast<std::ptrdiff_t>(k);
        };
        for (auto w = b; w < e; w += window)
            std::stable_sort(place(w), place(std::min(e, w + window)), before);
    };
    for (std::size_t b = 0; b < mine.size();) {
        std::size_t e = b;
        while (e < mine.size() && key(mine[e]) == key(mine[b]))
            ++e;
        sort_windows(b, e, type_window,
                     [&](auto x, auto y) { return p.type[at(x)] < p.type[at(y)]; });
        for (auto run = b; run < e;) { // windows end where the type does
            auto stop = run;
            while (stop < e && p.type[at(mine[stop])] == p.type[at(mine[run])])
                ++stop;
            sort_windows(run, stop, sorting_window, [&](auto x, auto y) {
                return row_length(p.system.alpha, x) > row_length(p.system.alpha, y);
            });
            run = stop;
        }
        const auto begin = static_cast<std::int64_t>(s.old_of.size());
        s.old_of.insert(s.old_of.end(), mine.begin() + static_cast<std::ptrdiff_t>(b),
                        mine.begin() + static_cast<std::ptrdiff_t>(e));
        s.ranges.push_back(
            {p.group[at(mine[b])], begin, static_cast<std::int64_t>(s.old_of.size())});
        while (s.old_of.size() % slice)
            s.old_of.push_back(-1);
        if (key(mine[b]).first == 0)
            s.separator = static_cast<std::int64_t>(s.old_of.size());
        b = e;
    }
    s.stepped = static_cast<std::int64_t>(s.old_of.size());
    if (mine.size() < listed)
        s.old_of.resize(s.old_of.size() + slice, -1);
    s.slots = static_cast<std::int64_t>(s.old_of.size());
}

/// Finds who reads what: halos, in order of (owner, slot there), and the matching sends.
/// @return local index of every foreign unknown, for each shard in turn, by `use`
template <class Use>
void link(Sharding& all, const diffusion::Rows& a, Use use)
{
    std::vector<std::int32_t> local(all.place.size(), -1);
    for (std::size_t me = 0; me < all.shards.size(); ++me) {
        Shard& s = all.shards[me];
        std::vector<std::int32_t> foreign;
        for (std::int64_t k = 0; k < s.separator; ++k) {
            const auto u = s.old_of[at(k)];
            for (auto e = u < 0 ? 0 : a.first[at(u)]; u >= 0 && e < a.first[at(u) + 1]; ++e) {
                const auto j = a.column[at(e)];
                if (all.place[at(j)].shard != static_cast<std::int32_t>(me) && local[at(j)] < 0) {
                    local[at(j)] = 0;
                    foreign.push_back(j);
                }
            }
        }
        std::sort(foreign.begin(), foreign.end(), [&](auto x, auto y) {
            const auto &px = all.place[at(x)], &py = all.place[at(y)];
            return std::pair(px.shard, px.slot) < std::pair(py.shard, py.slot);
        });
        for (auto j : foreign) {
            const auto owner = static_cast<std::size_t>(all.place[at(j)].shard);
            auto& sends = all.shards[owner].sends;
            if (sends.empty() || sends.back().shard != me)
                sends.push_back({me, {}, s.slots + s.halo});
            sends.back().from.push_back(all.place[at(j)].slot);
            local[at(j)] = static_cast<std::int32_t>(s.slots + s.halo++);
        }
        use(me, local);
        for (auto j : foreign)
            local[at(j)] = -1;
    }
}

/// Finds the columns of a shard's rows.
class Columns
{
  public:
    Columns(const Shard& s, std::size_t me, const Sharding& all, const diffusion::Rows& a,
            const std::vector<std::int32_t>& local)
        : s_(s), me_(static_cast<std::int32_t>(me)), all_(all), a_(a), local_(local)
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
        const auto j = a_.column[at(a_.first[at(s_.old_of[slot])] + e)];
        return all_.place[at(j)].shard == me_ ? all_.place[at(j)].slot : local_[at(j)];
    }

  private:
    const Shard& s_;
    std::int32_t me_;
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
};

std::optional<Solved> solved(const TissueProblem& p)
{
    if (!needs_solver(p))
        return {};
    ThreadPool pool;
    Solved s;
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
                 const std::optional<Solved>& system)
{
    ThreadPool pool;
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
}

} // namespace

std::vector<std::size_t> ends_of_parts(std::size_t n, int count, std::span<const double> shares)
{
    std::vector<std::size_t> ends;
    double part = 0; // of all, up to here
    for (int c = 0; c + 1 < count; ++c) {
        part += shares.empty() ? 1.0 / count : shares[at(c)];
        ends.push_back(
            std::min(n, static_cast<std::size_t>(std::llround(part * static_cast<double>(n)))));
    }
    ends.push_back(n);
    return ends;
}

Sharding make_shards(const TissueProblem& p, int count, int pack, Ordering ordering,
                     const Progress& progress, std::span<const double> shares)
{
    const std::size_t n = p.size(), cells = p.with_cells();
    if (count < 1 || static_cast<std::size_t>(count) > std::max<std::size_t>(cells, 1))
        throw InputError("--devices", std::to_string(cells) + " unknowns cannot be shared by " +
                                          std::to_string(count) + " devices; use fewer");
    progress.at(0, "ordering unknowns");
    const bool along_curve = ordering == Ordering::hilbert;
    const auto curve = along_curve ? curve_order(p) : std::vector<std::int32_t>{};
    progress.at(0.3, "partitioning");
    const auto part = cut(p, count, ordering, curve, shares);
    const auto separator = separators(p.system.alpha, part);
    const partition::Graph graph{p.system.alpha.first, p.system.alpha.column};
    const auto order = along_curve ? curve : partition::cluster_order(graph, part, {}).old_of;

    Sharding all;
    all.place.resize(n);
    all.shards.resize(at(count));
    std::vector<std::vector<std::int32_t>> mine(at(count));
    for (auto u : order)
        mine[at(part[at(u)])].push_back(u);
    for (std::size_t k = 0; k < mine.size(); ++k) {
        Shard& s = all.shards[k];
        s.pack = pack;
        const auto all_of_it = mine[k];
        fill_slots(s, mine[k], separator, p);
        for (std::size_t slot = 0; slot < s.old_of.size(); ++slot)
            if (s.old_of[slot] >= 0)
                all.place[at(s.old_of[slot])] = {static_cast<std::int32_t>(k),
                                                 static_cast<std::int32_t>(slot)};
        for (auto u : all_of_it)
            if (!p.has_cells(at(u)))
                all.place[at(u)] = {static_cast<std::int32_t>(k),
                                    static_cast<std::int32_t>(s.stepped)};
    }
    progress.at(0.6, "laying out the matrix");
    const auto system = solved(p);
    all.sub_steps = system ? system->matrix.sub_steps : 1;
    link(all, p.system.alpha, [&](std::size_t me, const std::vector<std::int32_t>& local) {
        fill_matrix(all.shards[me], Columns(all.shards[me], me, all, p.system.alpha, local),
                    p.system.alpha.value, system);
    });
    return all;
}

} // namespace tawara::device::cuda
