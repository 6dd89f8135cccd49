// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sparse/bench/stand_ins.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>

namespace tawara::sparse {
namespace {

using Kind = StandIn::Kind;
using Chance = std::mt19937_64;

constexpr std::array table{
    StandIn{"circuit", 958'936, 170'998, 1, 353, Kind::network, 1, 300, 0.25, 0.8},
    StandIn{"economics", 1'273'389, 206'500, 1, 44, Kind::network, 1, 500, 0.3, 0.7},
    StandIn{"epidemiology", 2'100'225, 525'825, 2, 4, Kind::grid, 1, 725, 0, 0},
    StandIn{"fem_accelerator", 2'624'331, 121'192, 8, 81, Kind::elements, 1, 1500, 0.02, 0.35},
    StandIn{"fem_cantilever", 4'007'383, 62'451, 1, 78, Kind::elements, 3, 600, 0, 0.15},
    StandIn{"fem_harbor", 2'374'001, 46'835, 4, 145, Kind::elements, 3, 900, 0.01, 0.35},
    StandIn{"fem_ship", 7'813'404, 140'874, 24, 102, Kind::elements, 6, 1200, 0, 0.15},
    StandIn{"fem_spheres", 6'010'480, 83'334, 1, 81, Kind::elements, 3, 1500, 0, 0.15},
    StandIn{"protein", 4'344'765, 36'417, 18, 204, Kind::elements, 1, 500, 0.05, 0.3},
    StandIn{"qcd", 1'916'928, 49'152, 39, 39, Kind::lattice, 3, 0, 0, 0},
    StandIn{"webbase", 3'105'536, 1'000'005, 1, 4700, Kind::network, 1, 2000, 0.35, 1.1},
    StandIn{"wind_tunnel", 11'634'424, 217'918, 2, 180, Kind::elements, 6, 1200, 0, 0.15},
};

std::size_t at(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

/// Lengths of the rows: e^(spread N) of a common scale, which is found so that the sum is right;
/// one row has the least and one the most.
std::vector<std::int64_t> lengths(const StandIn& s, Chance& chance)
{
    std::normal_distribution<double> normal;
    std::vector<double> share(at(s.rows));
    for (std::size_t i = 0; i < share.size(); ++i) // rows of a node are alike
        share[i] = i % at(s.block) == 0 ? std::exp(s.spread * normal(chance)) : share[i - 1];
    // a few rows of very many, as in networks: one in a thousand reaches farther and farther
    if (s.kind == Kind::network)
        for (std::size_t i = 0; i < share.size(); i += 1000)
            share[i] *= std::exp(2.5 * std::abs(normal(chance)));
    std::vector<std::int64_t> out(share.size());
    const auto sum_at = [&](double scale) {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < out.size(); ++i)
            sum += out[i] =
                std::clamp<std::int64_t>(std::llround(scale * share[i]), s.least, s.most);
        out[out.size() / 3] = s.most;
        out[out.size() / 7] = s.least;
        return sum;
    };
    double low = 0, high = static_cast<double>(s.most) * 10;
    for (int k = 0; k < 60; ++k) {
        const double middle = (low + high) / 2;
        (sum_at(middle) < s.entries ? low : high) = middle;
    }
    sum_at(high);
    auto missing = s.entries - std::accumulate(out.begin(), out.end(), std::int64_t{0});
    for (std::size_t i = 0; missing != 0 && i < out.size(); ++i) { // by one here and there
        const auto k = i * 7919 % out.size();
        const auto one = missing > 0 ? 1 : -1;
        if (out[k] + one >= s.least && out[k] + one <= s.most && k != out.size() / 3 &&
            k != out.size() / 7)
            out[k] += one, missing -= one;
    }
    return out;
}

/// Columns of a row that are near it or anywhere, the diagonal among them.
void chance_columns(const StandIn& s, std::int64_t row, std::int64_t length, Chance& chance,
                    std::vector<std::int32_t>& columns)
{
    std::normal_distribution<double> near(0, static_cast<double>(s.reach) / 2);
    std::uniform_real_distribution<double> share(0, 1);
    std::uniform_int_distribution<std::int64_t> any(0, s.rows - 1);
    const auto block = static_cast<std::int64_t>(s.block);
    columns.clear();
    const auto node = row / block * block;
    for (std::int64_t k = 0; k < block && node + k < s.rows; ++k)
        columns.push_back(static_cast<std::int32_t>(node + k));
    const auto unique = [&] {
        std::sort(columns.begin(), columns.end());
        columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    };
    for (int tries = 0; static_cast<std::int64_t>(columns.size()) < length; ++tries) {
        for (auto left = length - static_cast<std::int64_t>(columns.size()); left > 0;
             left -= block) {
            // farther away where many try in vain
            const double away = near(chance) * (1 + tries);
            auto c = tries > 20 || share(chance) < s.anywhere
                         ? any(chance)
                         : row + static_cast<std::int64_t>(away);
            c = std::clamp<std::int64_t>(c, 0, s.rows - 1) / block * block;
            for (std::int64_t k = 0; k < block && c + k < s.rows; ++k)
                columns.push_back(static_cast<std::int32_t>(c + k));
        }
        unique();
    }
    // the diagonal stays where there is room for it
    while (static_cast<std::int64_t>(columns.size()) > length) {
        const bool last = columns.back() == row && columns.size() > 1;
        columns.erase(columns.end() - (last ? 2 : 1));
    }
}

/// The 13 points of a cross in four dimensions, `block` unknowns each, on a periodic grid.
void lattice_columns(const StandIn& s, std::int64_t row, std::vector<std::int32_t>& columns)
{
    const std::int64_t points = s.rows / s.block; // 16384 = 8 8 16 16
    constexpr std::array<std::int64_t, 4> side{8, 8, 16, 16};
    columns.clear();
    const auto add = [&](std::int64_t point) {
        for (int k = 0; k < s.block; ++k)
            columns.push_back(static_cast<std::int32_t>(point * s.block + k));
    };
    const auto point = row / s.block;
    add(point);
    std::int64_t stride = 1;
    for (const auto n : side) {
        const auto x = point / stride % n;
        add(point + ((x + 1) % n - x) * stride);
        add(point + ((x + n - 1) % n - x) * stride);
        if (stride > 1 && stride < points / 16) // two of the directions reach one farther
            add(point + ((x + 2) % n - x) * stride), add(point + ((x + n - 2) % n - x) * stride);
        stride *= n;
    }
    std::sort(columns.begin(), columns.end());
}

/// Four neighbours on a plane of `reach` points a line; the first and the last have fewer.
void grid_columns(const StandIn& s, std::int64_t row, std::int64_t length,
                  std::vector<std::int32_t>& columns)
{
    columns.clear();
    for (const std::int64_t c : {row - s.reach, row - 1, row + 1, row + s.reach})
        if (c >= 0 && c < s.rows && static_cast<std::int64_t>(columns.size()) < length)
            columns.push_back(static_cast<std::int32_t>(c));
}

} // namespace

std::span<const StandIn> stand_ins()
{
    return table;
}

const StandIn* stand_in(std::string_view name)
{
    for (const auto& s : table)
        if (s.name == name)
            return &s;
    return nullptr;
}

Csr make_stand_in(const StandIn& s)
{
    Chance chance(12345);
    std::uniform_real_distribution<double> value(-1, 1);
    std::vector<std::int64_t> length(at(s.rows), s.most);
    if (s.kind == Kind::grid) { // all but the missing ones have four
        auto missing = 4 * s.rows - s.entries;
        for (std::int64_t i = 1; missing > 4; ++i, --missing)
            length[at(i * 787 % s.rows)] = 3;
    } else if (s.kind != Kind::lattice)
        length = lengths(s, chance);
    Csr a;
    a.columns = s.rows;
    a.column.reserve(at(s.entries));
    std::vector<std::int32_t> columns;
    for (std::int64_t i = 0; i < s.rows; ++i) {
        switch (s.kind) {
        case Kind::lattice:
            lattice_columns(s, i, columns);
            break;
        case Kind::grid:
            grid_columns(s, i, length[at(i)], columns);
            break;
        default:
            // rows of one node have the same columns
            if (i % s.block == 0 || length[at(i)] != static_cast<std::int64_t>(columns.size()))
                chance_columns(s, i, length[at(i)], chance, columns);
        }
        a.column.insert(a.column.end(), columns.begin(), columns.end());
        a.first.push_back(a.entries());
    }
    a.value.resize(a.column.size());
    for (auto& v : a.value)
        v = value(chance);
    return a;
}

} // namespace tawara::sparse
