// SPDX-License-Identifier: GPL-3.0-or-later
// Systems of implicit steps: what is left of them, summed anew over pairs of unknowns, and products
// of every layout of rows against a plain loop.
#include "engine/core/error.hpp"
#include "engine/core/larger.hpp"
#include "engine/diffusion/implicit.hpp"
#include "engine/diffusion/newton.hpp"
#include "engine/diffusion/single_gradients.hpp"
#include "engine/sparse/cpu/product.hpp"
#include "engine/sparse/ell_warp.hpp"
#include "engine/verify/check.hpp"
#include "engine/verify/number.hpp"
#include "engine/verify/problems/meshes.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tawara::verify {
namespace {

using diffusion::Mass;
using diffusion::Scheme;
using diffusion::System;
using sparse::Csr;
using sparse::WarpOptions;

/// 9:1, with fibres that turn by 120 degrees.
System turning_system(Bench& b, const mesh::TetMesh& m, Scheme scheme, Mass mass)
{
    constexpr double along_mm2_per_ms = 0.1, ratio = 9;
    diffusion::Options o;
    o.scheme = scheme;
    o.mass = mass;
    o.mass_scaling = 0;
    return diffusion::assemble(m, mesh::face_neighbours(m),
                               turning_tensors(m, along_mm2_per_ms, ratio), o, b.progress());
}

/// Row i of  M (v - v_0) + dt K v  from the System's own numbers, summed over pairs of unknowns:
/// neither by a solver's matrix nor by its products.
struct RowOfStep
{
    double sum = 0;      ///< [mm3 mV]
    double diagonal = 0; ///< of M + dt K [mm3]
};
RowOfStep row_of_step(const System& s, double dt_ms, std::span<const double> start,
                      std::span<const double> v, std::size_t i)
{
    const bool consistent = s.mass == Mass::consistent;
    RowOfStep r;
    r.diagonal = consistent ? s.mass_diagonal[i] : s.volume[i];
    r.sum = r.diagonal * (v[i] - start[i]);
    for (auto e = s.alpha.first[i]; e < s.alpha.first[i + 1]; ++e) {
        const auto k = static_cast<std::size_t>(e);
        const auto j = static_cast<std::size_t>(s.alpha.column[k]);
        const double flow = dt_ms * s.alpha.value[k] * (consistent ? 1 : s.volume[i]);
        r.sum -= flow * (v[j] - v[i]);
        r.diagonal += flow;
        if (consistent)
            r.sum += s.mass_rows.value[k] * (v[j] - start[j]);
    }
    return r;
}

/// A step of backward Euler that a linear system is solved for.
struct LinearStep
{
    std::string id, of; ///< of: which scheme and mass, for people
    System system;
    double dt_ms = 0;
    std::vector<double> start; ///< V; the largest entry of b over the diagonal is 1 mV

    /// The largest entry of b - A (v - start) over the diagonal [mV]; at v = start that of b.
    double residual_mV(std::span<const double> v) const
    {
        double worst = 0;
        for (std::size_t i = 0; i < system.size(); ++i) {
            const auto r = row_of_step(system, dt_ms, start, v, i);
            worst = larger_or_nan(worst, std::abs(r.sum) / r.diagonal);
        }
        return worst;
    }
};

/// A hundred times the stable explicit step; V is a bump with some of every other length.
LinearStep linear_step(Bench& b, const mesh::TetMesh& m, std::string id, std::string of,
                       Scheme scheme, Mass mass)
{
    LinearStep l{std::move(id), std::move(of), turning_system(b, m, scheme, mass), 0, {}};
    l.dt_ms = 100 * l.system.stable_dt_ms;
    l.start.resize(l.system.size());
    for (std::size_t i = 0; i < l.start.size(); ++i) {
        const Vec3 x = scheme == Scheme::p1 ? m.vertex(i) : m.centroid(i);
        l.start[i] =
            std::exp(-4 * dot(x, x)) + 0.1 * std::sin(12.9898 * (static_cast<double>(i) + 1));
    }
    const double size = l.residual_mV(l.start);
    for (double& v : l.start)
        v /= size;
    return l;
}

constexpr double rounding = 1.01; ///< a hundredth of a tolerance for what sums round

/// What the rows of linear systems say, with the way in which they are solved.
std::string residual_of(const std::string& way, const LinearStep& l)
{
    return "residual of a step of backward Euler, 100 times the stable one, by " + way + ", " +
           l.of + ", uneven cube, 9:1: largest entry over the diagonal, of the right-hand side's";
}

void in_double(Bench& b, const LinearStep& l)
{
    diffusion::ImplicitSolver::Options o;
    o.threads = b.pool().size();
    const std::string way =
        l.system.scheme == Scheme::p1 ? "conjugate gradients" : "stabilised bi-conjugate gradients";
    b.row({"solver." + l.id, residual_of(way, l),
           "the solver's tolerance, " + number(o.tolerance_mV) +
               " mV where the right-hand side has 1 mV; a hundredth more for rounding",
           at_most(rounding * o.tolerance_mV)},
          std::function<double()>([&] {
              auto v = l.start;
              diffusion::ImplicitSolver(l.system, l.dt_ms, 1, o).step(v);
              return l.residual_mV(v) / l.residual_mV(l.start);
          }));
}

/// As corrections of Newton's method are found.
void in_single(Bench& b, const LinearStep& l)
{
    constexpr double part = 1e-5;
    constexpr int most_iterations = 2000;
    b.row({"solver.single." + l.id,
           residual_of("conjugate gradients in single precision", l),
           "five times the part of " + number(part) +
               " that the solver is asked for: by k u |x|, for k iterations, the residual parts "
               "from its recurrence",
           at_most(5 * part),
           "",
           {},
           "Greenbaum, SIAM J Matrix Anal Appl 18:535 (1997)"},
          std::function<double()>([&] {
              const auto& s = l.system;
              const auto a = diffusion::implicit_matrix(s, l.dt_ms, 1, b.pool());
              const diffusion::RowsInWarps rows(s.alpha, b.pool());
              diffusion::SingleGradients solver(rows, b.pool());
              solver.set_off(a.off);
              std::vector<double> right(s.size()), v(s.size());
              for (std::size_t i = 0; i < s.size(); ++i)
                  right[i] = -row_of_step(s, l.dt_ms, l.start, l.start, i).sum;
              const auto r = solver.solve(a.diagonal, right, part, most_iterations, v);
              if (r.end != diffusion::ConjugateGradients::End::solved)
                  throw Error("the solver did not reach a part of " + number(part));
              for (std::size_t i = 0; i < s.size(); ++i)
                  v[i] += l.start[i];
              return l.residual_mV(v) / l.residual_mV(l.start);
          }));
}

constexpr double rest_mV = -80, threshold_mV = -60, peak_mV = 20;

/// F = -a (V - rest) (V - threshold) (V - peak) in place of cells: excitable.
void cubic(std::span<const double> v, std::span<double> rate, std::span<double> slope)
{
    constexpr double a = 2e-3; // 1/(mV2 ms)
    for (std::size_t i = 0; i < v.size(); ++i) {
        const double x = v[i] - rest_mV, y = v[i] - threshold_mV, z = v[i] - peak_mV;
        rate[i] = -a * x * y * z;
        slope[i] = -a * (x * y + x * z + y * z);
    }
}

void by_newton(Bench& b, const mesh::TetMesh& m, Mass mass)
{
    constexpr double dt_ms = 0.05;
    const diffusion::NewtonOptions o;
    const std::string of(diffusion::name(mass));
    b.row({"solver.newton." + of,
           "residual of a step of 0.05 ms of a front by Newton's method, p1 with " + of +
               " mass, uneven cube, 9:1: largest entry over lumped mass",
           "its tolerance; a hundredth more for rounding", at_most(rounding * o.tolerance_mV),
           "mV"},
          std::function<double()>([&] {
              const auto s = turning_system(b, m, Scheme::p1, mass);
              std::vector<double> start(s.size());
              for (std::size_t i = 0; i < s.size(); ++i)
                  start[i] =
                      rest_mV + (peak_mV - rest_mV) / (1 + std::exp((m.vertex(i)[0] - 0.5) / 0.1));
              auto v = start;
              const auto r = diffusion::NewtonSolver(s, o, b.pool()).step(start, v, dt_ms, cubic);
              if (!r.converged)
                  throw Error("Newton's method did not converge");
              std::vector<double> rate(s.size()), slope(s.size());
              cubic(v, rate, slope);
              double worst = 0;
              for (std::size_t i = 0; i < s.size(); ++i)
                  worst = larger_or_nan(
                      worst, std::abs(row_of_step(s, dt_ms, start, v, i).sum / s.volume[i] -
                                      dt_ms * rate[i]));
              return worst;
          }));
}

/// M + dt K, its diagonal with it.
Csr matrix_of(const LinearStep& l, ThreadPool& pool)
{
    const auto& s = l.system;
    const auto a = diffusion::implicit_matrix(s, l.dt_ms, 1, pool);
    std::vector<sparse::Entry> entries;
    for (std::size_t i = 0; i < s.size(); ++i) {
        const auto row = static_cast<std::int32_t>(i);
        entries.push_back({row, row, a.diagonal[i]});
        for (auto e = s.alpha.first[i]; e < s.alpha.first[i + 1]; ++e) {
            const auto k = static_cast<std::size_t>(e);
            entries.push_back({row, s.alpha.column[k], a.off[k]});
        }
    }
    const auto n = static_cast<std::int64_t>(s.size());
    return sparse::csr_of(n, n, entries);
}

/// Sliced ELLPACK, the forms of ELL-WARP, and what was added to them.
std::vector<WarpOptions> layouts(const Csr& a)
{
    std::vector<WarpOptions> out{sparse::cpu::options_for(a, false),
                                 sparse::cpu::options_for(a, true)};
    for (const bool narrow : {false, true})
        for (const std::int32_t threshold : {0, 4}) {
            for (const std::int64_t window : {0, 1, 64})
                out.push_back({.window = window, .threshold = threshold, .narrow = narrow});
            for (const bool sorted : {false, true})
                out.push_back({.renumbered = true,
                               .sorted = sorted,
                               .threshold = threshold,
                               .narrow = narrow});
        }
    out.push_back({.window = 64, .threshold = 8, .narrow = true, .long_first = true});
    for (const int n : {2, 4})
        out.push_back({.pack = n});
    for (const int n : {2, 3})
        out.push_back({.run = n});
    return out;
}

/// y = A x by the CPU's vectors and threads; place by place where a layout is for GPUs alone.
template <class Stored, class Real>
std::vector<Real> product(const Csr& a, const WarpOptions& o, const std::vector<Real>& x,
                          ThreadPool& pool)
{
    const auto layout = sparse::make_layout(a, o, pool);
    const auto from = o.renumbered ? sparse::to_layout<Real>(layout, x) : x;
    std::vector<Real> y(x.size());
    if (o.pack == 1 && o.run == 1)
        sparse::cpu::WarpProduct<Stored, Real>(layout, a.value, pool).multiply(from, y, pool);
    else
        sparse::multiply<Real, Stored>(layout, sparse::laid_out<Stored>(layout, a.value), from, y);
    return o.renumbered ? sparse::from_layout<Real>(layout, y) : y;
}

/// The largest difference of y from A x by a plain loop in double precision, of n u sum |a x| with
/// n entries in the row and Real's unit roundoff u. Values are taken as they are stored.
template <class Stored, class Real>
double off_by_roundings(const Csr& a, const std::vector<Real>& x, const std::vector<Real>& y)
{
    constexpr double u = std::numeric_limits<Real>::epsilon() / 2;
    double worst = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        double sum = 0, size = 0, n = 0;
        for (auto e = a.first[i]; e < a.first[i + 1]; ++e, ++n) {
            const auto k = static_cast<std::size_t>(e);
            const double term = static_cast<double>(static_cast<Stored>(a.value[k])) *
                                static_cast<double>(x[static_cast<std::size_t>(a.column[k])]);
            sum += term;
            size += std::abs(term);
        }
        worst = larger_or_nan(worst, std::abs(static_cast<double>(y[i]) - sum) / (n * u * size));
    }
    return worst;
}

template <class Stored, class Real>
double worst_product(Bench& b, const Csr& a)
{
    std::vector<Real> x(static_cast<std::size_t>(a.columns));
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<Real>(std::sin(78.233 * (static_cast<double>(i) + 1)));
    double worst = 0;
    for (const auto& o : layouts(a))
        worst = larger_or_nan(
            worst, off_by_roundings<Stored, Real>(a, x, product<Stored, Real>(a, o, x, b.pool())));
    if constexpr (sizeof(Stored) == 8) { // compressed rows are in double precision
        std::vector<double> y(x.size());
        sparse::cpu::multiply(a, x, y, b.pool());
        worst = larger_or_nan(worst, off_by_roundings<double, double>(a, x, y));
    }
    return worst;
}

void products(Bench& b, const Csr& a)
{
    struct Of
    {
        const char *id, *what;
        double most;
        double (*figure)(Bench&, const Csr&);
    };
    const std::array<Of, 3> all{{{"double", "double precision", 2, worst_product<double, double>},
                                 {"mixed", "values in single and sums in double precision", 2,
                                  worst_product<float, double>},
                                 {"single", "single precision", 1, worst_product<float, float>}}};
    for (const auto& p : all)
        b.row({std::string("solver.product.") + p.id,
               std::string("product of an implicit step's matrix in every layout of rows, ") +
                   p.what + ", against a plain loop: largest difference, of n u sum |a x|",
               p.most > 1
                   ? "a sum of n products is off by 1 at most in any order, and so is the loop's"
                   : "a sum of n products is off by 1 at most in any order; the loop is in "
                     "double precision",
               at_most(p.most),
               "",
               {},
               "Higham, Accuracy and Stability of Numerical Algorithms (2002), section 3.1"},
              std::function<double()>([&] { return p.figure(b, a); }));
}

} // namespace

void systems_of_steps(Bench& b)
{
    const auto m = uneven_cube(b.short_form() ? 9 : 13);
    in_double(b, linear_step(b, m, "fvm", "fvm", Scheme::fvm, Mass::lumped));
    for (const auto mass : {Mass::lumped, Mass::consistent}) {
        const std::string of(diffusion::name(mass));
        const auto l = linear_step(b, m, "p1_" + of, "p1 with " + of + " mass", Scheme::p1, mass);
        in_double(b, l);
        b.progress().at(0, "running");
        in_single(b, l);
        by_newton(b, m, mass);
        if (mass == Mass::consistent)
            products(b, matrix_of(l, b.pool()));
    }
}

} // namespace tawara::verify
