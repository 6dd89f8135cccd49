// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/partition/decomposition.hpp"

#include "engine/core/error.hpp"
#include "engine/core/thread_pool.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

namespace tawara::partition {
namespace {

constexpr std::size_t sorting_window =
    256; // rows sorted by length among so many: less padding, same place
/// Unknowns sorted by type among so many: those of a warp are then of one type but for a few, and
/// read the same constants at once; still so near that columns fit 16 bits.
constexpr std::size_t type_window = 4096;
constexpr std::size_t metis_limit = 4'000'000;

std::size_t at(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

bool has_part(const Domain& d, std::size_t u)
{
    return d.group[u] != Domain::left_out;
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

std::vector<std::uint64_t> curve_index(const Domain& d, unsigned threads)
{
    Vec3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
    for (const auto& x : d.position_mm)
        for (std::size_t k = 0; k < 3; ++k)
            low[k] = std::min(low[k], x[k]), high[k] = std::max(high[k], x[k]);
    const double extent = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2], 1e-30});
    std::vector<std::uint64_t> index(d.size());
    ThreadPool pool(threads);
    pool.for_range(d.size(), 1, [&](std::size_t begin, std::size_t end, unsigned) {
        for (auto u = begin; u < end; ++u) {
            std::array<std::uint32_t, 3> x;
            for (std::size_t k = 0; k < 3; ++k)
                x[k] =
                    static_cast<std::uint32_t>((d.position_mm[u][k] - low[k]) / extent * 2097151.0);
            index[u] = hilbert(x);
        }
    });
    return index;
}

/// Unknowns along the curve.
std::vector<std::int32_t> curve_order(const Domain& d, unsigned threads)
{
    const auto index = curve_index(d, threads);
    std::vector<std::pair<std::uint64_t, std::int32_t>> keyed(d.size());
    for (std::size_t u = 0; u < keyed.size(); ++u)
        keyed[u] = {index[u], static_cast<std::int32_t>(u)};
    std::sort(keyed.begin(), keyed.end());
    std::vector<std::int32_t> order(d.size());
    for (std::size_t u = 0; u < keyed.size(); ++u)
        order[u] = keyed[u].second;
    return order;
}

/// Parts of the unknowns that are stepped, in shares as they are asked for; the others go to the
/// first.
std::vector<std::int32_t> parts_of_stepped(const Domain& d, int count,
                                           std::span<const double> shares)
{
    const auto& a = d.graph;
    if (d.stepped() == d.size())
        return parts(a, count, shares, d.weight);
    std::vector<std::int32_t> cell_of(d.size(), -1), column, weight;
    std::vector<std::int64_t> first{0};
    std::int32_t cells = 0;
    for (std::size_t u = 0; u < d.size(); ++u)
        if (has_part(d, u))
            cell_of[u] = cells++;
    for (std::size_t u = 0; u < d.size(); ++u)
        if (has_part(d, u)) {
            for (auto e = a.first[u]; e < a.first[u + 1]; ++e)
                column.push_back(cell_of[at(a.column[at(e)])]);
            first.push_back(static_cast<std::int64_t>(column.size()));
            if (!d.weight.empty())
                weight.push_back(d.weight[u]);
        }
    const auto of_cell = parts({first, column}, count, shares, weight);
    std::vector<std::int32_t> part(d.size(), 0);
    for (std::size_t u = 0; u < d.size(); ++u)
        if (cell_of[u] >= 0)
            part[u] = of_cell[at(cell_of[u])];
    return part;
}

/// Part of each unknown.
std::vector<std::int32_t> cut(const Domain& d, int count, Ordering ordering,
                              const std::vector<std::int32_t>& curve,
                              std::span<const double> shares)
{
    if (count == 1 || ordering == Ordering::metis || d.size() <= metis_limit)
        return parts_of_stepped(d, count, shares);
    std::vector<std::int32_t> part(d.size(), 0), cells, weight;
    for (const auto u : curve)
        if (has_part(d, at(u))) {
            cells.push_back(u);
            weight.push_back(d.weight.empty() ? 1 : d.weight[at(u)]);
        }
    std::size_t k = 0;
    std::int32_t c = 0;
    for (const auto end : ends_of_parts(weight, count, shares)) {
        for (; k < end; ++k)
            part[at(cells[k])] = c;
        ++c;
    }
    return part;
}

/// 1 for unknowns that another part reads, and for the domain's border.
std::vector<std::uint8_t> separators(const Domain& d, const std::vector<std::int32_t>& part)
{
    const auto& a = d.graph;
    std::vector<std::uint8_t> is(d.border.begin(), d.border.end());
    is.resize(part.size(), 0);
    for (std::size_t i = 0; i < part.size(); ++i)
        for (auto e = a.first[i]; e < a.first[i + 1]; ++e) {
            const auto j = at(a.column[at(e)]);
            if (part[i] != part[j])
                is[i] = is[j] = 1; // also those that read others: they must wait for the exchange
        }
    return is;
}

std::int64_t row_length(const Graph& a, std::int64_t i)
{
    return a.first[at(i) + 1] - a.first[at(i)];
}

/// Puts the sorted unknowns of one part into slots: ranges by (separator, group), padded to whole
/// slices; then the slice of those that are left out, which are taken off the list.
void fill_slots(Subdomain& s, std::vector<std::int32_t>& mine,
                const std::vector<std::uint8_t>& separator, const Domain& d)
{
    const auto listed = mine.size();
    std::erase_if(mine, [&](std::int32_t u) { return !has_part(d, at(u)); });
    auto key = [&](std::int32_t u) {
        return std::pair(separator[at(u)] ? 0 : 1, static_cast<int>(d.group[at(u)]));
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
                     [&](auto x, auto y) { return d.type[at(x)] < d.type[at(y)]; });
        for (auto run = b; run < e;) { // windows end where the type does
            auto stop = run;
            while (stop < e && d.type[at(mine[stop])] == d.type[at(mine[run])])
                ++stop;
            sort_windows(run, stop, sorting_window, [&](auto x, auto y) {
                return row_length(d.graph, x) > row_length(d.graph, y);
            });
            run = stop;
        }
        const auto begin = static_cast<std::int64_t>(s.old_of.size());
        s.old_of.insert(s.old_of.end(), mine.begin() + static_cast<std::ptrdiff_t>(b),
                        mine.begin() + static_cast<std::ptrdiff_t>(e));
        s.ranges.push_back(
            {d.group[at(mine[b])], begin, static_cast<std::int64_t>(s.old_of.size())});
        while (s.old_of.size() % Subdomain::slice)
            s.old_of.push_back(-1);
        if (key(mine[b]).first == 0)
            s.separator = static_cast<std::int64_t>(s.old_of.size());
        b = e;
    }
    s.stepped = static_cast<std::int64_t>(s.old_of.size());
    if (mine.size() < listed)
        s.old_of.resize(s.old_of.size() + Subdomain::slice, -1);
    s.slots = static_cast<std::int64_t>(s.old_of.size());
}

/// Finds who reads what: halos, in order of (owner, slot there), and the matching sends.
void link(Decomposition& all, const Graph& a)
{
    std::vector<char> listed(all.place.size(), 0);
    for (std::size_t me = 0; me < all.parts.size(); ++me) {
        Subdomain& s = all.parts[me];
        auto& foreign = s.halo_of;
        for (std::int64_t k = 0; k < s.separator; ++k) {
            const auto u = s.old_of[at(k)];
            if (u < 0)
                continue;
            for (auto e = a.first[at(u)]; e < a.first[at(u) + 1]; ++e) {
                const auto j = a.column[at(e)];
                if (all.place[at(j)].part != static_cast<std::int32_t>(me) &&
                    !std::exchange(listed[at(j)], 1))
                    foreign.push_back(j);
            }
        }
        std::sort(foreign.begin(), foreign.end(), [&](auto x, auto y) {
            const auto &px = all.place[at(x)], &py = all.place[at(y)];
            return std::pair(px.part, px.slot) < std::pair(py.part, py.slot);
        });
        for (auto j : foreign) {
            const auto owner = static_cast<std::size_t>(all.place[at(j)].part);
            auto& sends = all.parts[owner].sends;
            if (sends.empty() || sends.back().part != me)
                sends.push_back({me, {}, s.slots + s.halo});
            sends.back().from.push_back(all.place[at(j)].slot);
            ++s.halo;
            listed[at(j)] = 0;
        }
    }
}

} // namespace

std::size_t Domain::stepped() const
{
    return size() - static_cast<std::size_t>(std::count(group.begin(), group.end(), left_out));
}

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

std::vector<std::size_t> ends_of_parts(std::span<const std::int32_t> weight, int count,
                                       std::span<const double> shares)
{
    const std::size_t n = weight.size();
    const std::int64_t all = std::accumulate(weight.begin(), weight.end(), std::int64_t{0});
    std::vector<std::size_t> ends;
    std::size_t k = 0;
    std::int64_t sum = 0;
    double part = 0; // of all, up to here
    for (int c = 0; c + 1 < count; ++c) {
        part += shares.empty() ? 1.0 / count : shares[at(c)];
        const auto end = static_cast<double>(std::llround(part * static_cast<double>(all)));
        const auto most = n - at(count - 1 - c); // one for each part that follows
        const auto least = (ends.empty() ? 0 : ends.back()) + 1;
        const auto nearer = [&] { // with the next one
            return static_cast<double>(sum) + 0.5 * static_cast<double>(weight[k]) <= end;
        };
        for (; k < most && (k < least || nearer()); ++k)
            sum += weight[k];
        ends.push_back(k);
    }
    ends.push_back(n);
    return ends;
}

Decomposition decompose(const Domain& d, int count, Ordering ordering, const Progress& progress,
                        std::span<const double> shares)
{
    const std::size_t n = d.size(), stepped = d.stepped();
    if (count < 1 || static_cast<std::size_t>(count) > std::max<std::size_t>(stepped, 1))
        throw InputError("--devices", std::to_string(stepped) + " unknowns cannot be shared by " +
                                          std::to_string(count) + " devices; use fewer");
    progress.at(0, "ordering unknowns");
    const bool along_curve = ordering == Ordering::hilbert;
    const auto curve =
        along_curve ? curve_order(d, progress.context.threads) : std::vector<std::int32_t>{};
    progress.at(0.3, "partitioning");
    const auto part = cut(d, count, ordering, curve, shares);
    const auto separator = separators(d, part);
    const auto order = along_curve ? curve : cluster_order(d.graph, part, {}).old_of;

    Decomposition all;
    all.place.resize(n);
    all.parts.resize(at(count));
    std::vector<std::vector<std::int32_t>> mine(at(count));
    for (auto u : order)
        mine[at(part[at(u)])].push_back(u);
    for (std::size_t k = 0; k < mine.size(); ++k) {
        Subdomain& s = all.parts[k];
        const auto all_of_it = mine[k];
        fill_slots(s, mine[k], separator, d);
        for (std::size_t slot = 0; slot < s.old_of.size(); ++slot)
            if (s.old_of[slot] >= 0)
                all.place[at(s.old_of[slot])] = {static_cast<std::int32_t>(k),
                                                 static_cast<std::int32_t>(slot)};
        for (auto u : all_of_it)
            if (!has_part(d, at(u)))
                all.place[at(u)] = {static_cast<std::int32_t>(k),
                                    static_cast<std::int32_t>(s.stepped)};
    }
    link(all, d.graph);
    return all;
}

} // namespace tawara::partition
