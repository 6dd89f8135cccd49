// SPDX-License-Identifier: GPL-3.0-or-later
// Systems of cables on trees by Hines' elimination, against dense LU factors with pivots.
#include "engine/cable/batch.hpp"
#include "engine/cable/cpu/solver.hpp"
#include "engine/cable/tree.hpp"
#include "engine/core/larger.hpp"
#include "engine/verify/check.hpp"
#include "engine/verify/number.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace tawara::verify {
namespace {

using cable::Batch;
using cable::BatchNumbers;
using cable::Tree;

/// Steps of backward Euler of passive cables on a tree, with radii and V by chance, others in each
/// system and the same on every call and in every layout:
///
///     (1 + dt / tau) x_i + dt / C_i sum_j g_ij (x_i - x_j) = V_i
template <class Real>
BatchNumbers<Real> cable_steps(const Tree& t, const Batch& b)
{
    constexpr double dt_ms = 0.01, tau_ms = 10, resistivity_ohm_cm = 100, piece_um = 40;
    using std::numbers::pi;
    std::mt19937 random(7);
    const auto chance = [&] { return random() / 4294967296.0; };
    BatchNumbers<Real> out{std::vector<Real>(b.size(), 0), std::vector<Real>(b.size(), 0),
                           std::vector<Real>(b.size(), 1), std::vector<Real>(b.size(), 0)};
    const auto n = t.nodes();
    for (std::size_t s = 0; s < b.systems; ++s) {
        std::vector<double> per_nF(n), coupling_uS(n), diagonal(n, 1 + dt_ms / tau_ms);
        for (std::size_t i = 0; i < n; ++i) {
            const double radius_um = 0.5 * std::pow(4, chance());
            per_nF[i] = 1 / (1e-5 * 2 * pi * radius_um * piece_um);
            coupling_uS[i] = 100 * pi * radius_um * radius_um / (resistivity_ohm_cm * piece_um);
            out.rhs[b.place(i, s)] = static_cast<Real>(160 * chance() - 80);
        }
        for (std::size_t i = 1; i < n; ++i) {
            const auto p = static_cast<std::size_t>(t.parent[i]);
            const double own = dt_ms * per_nF[i] * coupling_uS[i],
                         of_parent = dt_ms * per_nF[p] * coupling_uS[i];
            out.lower[b.place(i, s)] = static_cast<Real>(-own);
            out.upper[b.place(i, s)] = static_cast<Real>(-of_parent);
            diagonal[i] += own;
            diagonal[p] += of_parent;
        }
        for (std::size_t i = 0; i < n; ++i)
            out.diagonal[b.place(i, s)] = static_cast<Real>(diagonal[i]);
    }
    return out;
}

/// A and b of one system, row after row of n + 1 numbers.
template <class Real>
std::vector<double> dense_rows(const Tree& t, const Batch& b, const BatchNumbers<Real>& numbers,
                               std::size_t s)
{
    const auto n = t.nodes(), width = n + 1;
    std::vector<double> a(n * width, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        const auto k = b.place(i, s);
        a[i * width + i] = static_cast<double>(numbers.diagonal[k]);
        a[i * width + n] = static_cast<double>(numbers.rhs[k]);
        if (i == 0)
            continue;
        const auto p = static_cast<std::size_t>(t.parent[i]);
        a[i * width + p] = static_cast<double>(numbers.lower[k]);
        a[p * width + i] = static_cast<double>(numbers.upper[k]);
    }
    return a;
}

/// The least part of a diagonal that its row's other entries leave: m, by which |A^-1| |A| is at
/// most (2 - m) / m.
double margin(const std::vector<double>& a, std::size_t n)
{
    double least = 1;
    for (std::size_t i = 0; i < n; ++i) {
        double others = 0;
        for (std::size_t j = 0; j < n; ++j)
            others += j == i ? 0 : std::abs(a[i * (n + 1) + j]);
        least = smaller_or_nan(least, 1 - others / a[i * (n + 1) + i]);
    }
    return least;
}

/// x by LU with partial pivoting.
std::vector<double> by_lu(std::vector<double> a, std::size_t n)
{
    const auto width = n + 1;
    const auto row = [&](std::size_t i) {
        return a.begin() + static_cast<std::ptrdiff_t>(i * width);
    };
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t pivot = k;
        for (std::size_t i = k + 1; i < n; ++i)
            if (std::abs(a[i * width + k]) > std::abs(a[pivot * width + k]))
                pivot = i;
        if (pivot != k)
            std::swap_ranges(row(k), row(k + 1), row(pivot));
        for (std::size_t i = k + 1; i < n; ++i) {
            const double f = a[i * width + k] / a[k * width + k];
            for (std::size_t j = k; f != 0 && j <= n; ++j)
                a[i * width + j] -= f * a[k * width + j];
        }
    }
    std::vector<double> x(n);
    for (std::size_t i = n; i-- > 0;) {
        x[i] = a[i * width + n];
        for (std::size_t j = i + 1; j < n; ++j)
            x[i] -= a[i * width + j] * x[j];
        x[i] /= a[i * width + i];
    }
    return x;
}

struct Found
{
    double error = 0;  ///< largest, of the largest number of its system
    double margin = 1; ///< least
};

template <class Real>
Found hines_against_lu(Bench& b)
{
    using cable::Layout;
    constexpr std::size_t systems = 20; // no whole number of vectors or blocks
    Found found;
    for (const auto& t : {cable::random_tree(200, 41, 3), cable::random_tree(305, 30, 1),
                          cable::random_tree(319, 157, 2)}) {
        const auto n = t.nodes();
        std::vector<std::vector<double>> exact;
        const Batch flat{n, systems};
        const auto given = cable_steps<Real>(t, flat);
        for (std::size_t s = 0; s < systems; ++s) {
            b.progress().at(0, "running");
            auto a = dense_rows(t, flat, given, s);
            found.margin = smaller_or_nan(found.margin, margin(a, n));
            exact.push_back(by_lu(std::move(a), n));
        }
        for (const auto layout :
             {Layout::flat, Layout::full_interleaved, Layout::block_interleaved}) {
            const Batch batch{n, systems, layout, 16};
            auto numbers = cable_steps<Real>(t, batch);
            cable::cpu::solve(t, batch, numbers, b.pool());
            for (std::size_t s = 0; s < systems; ++s) {
                double most = 0, off = 0;
                for (std::size_t i = 0; i < n; ++i) {
                    const double x = exact[s][i];
                    most = larger_or_nan(most, std::abs(x));
                    off = larger_or_nan(
                        off, std::abs(static_cast<double>(numbers.rhs[batch.place(i, s)]) - x));
                }
                found.error = larger_or_nan(found.error, off / most);
            }
        }
    }
    return found;
}

template <class Real>
void row_of(Bench& b, const std::string& precision)
{
    constexpr double u = std::numeric_limits<Real>::epsilon() / 2;
    const auto found = hines_against_lu<Real>(b);
    b.row({"lu." + precision,
           "steps of cables on trees of 200, 305 and 319 nodes with uneven radii, batches of 20 in "
           "each layout, " +
               precision +
               " precision, against LU with pivots: largest error of a system's largest V",
           "10 roundings u of each entry move x by 10 u (2 - m) / m, where m = " +
               number(found.margin) + " is the least part of a diagonal that its row leaves",
           at_most(20 * u / found.margin)},
          found.error);
}

} // namespace

void systems_on_trees(Bench& b)
{
    row_of<double>(b, "double");
    row_of<float>(b, "single");
}

} // namespace tawara::verify
