// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/diffusion/implicit.hpp"

#include "engine/diffusion/chunks.hpp"
#include "engine/diffusion/conjugate_gradients.hpp"

#include <cmath>
#include <cstdio>
#include <optional>

namespace tawara::diffusion {

namespace {

std::string sentence(int iterations, double residual, std::int64_t unknown)
{
    char text[200];
    std::snprintf(text, sizeof text,
                  "the linear solver did not converge in %d iterations (residual %.3g mV at "
                  "unknown %lld); a smaller time step would be right",
                  iterations, residual, static_cast<long long>(unknown));
    return text;
}

} // namespace

SolverError::SolverError(int iterations_, double residual_mV_, std::int64_t unknown_)
    : Error(sentence(iterations_, residual_mV_, unknown_)), iterations(iterations_),
      residual_mV(residual_mV_), unknown(unknown_)
{
}

ImplicitMatrix implicit_matrix(const System& s, double dt_ms, double theta, ThreadPool& pool)
{
    if (!(dt_ms > 0) || !std::isfinite(dt_ms) || !(theta >= 0 && theta <= 1))
        throw InputError("", "/time/dt_ms", "dt must be positive and theta between 0 and 1");
    const bool consistent = s.mass == Mass::consistent;
    ImplicitMatrix m;
    if (theta == 0 && dt_ms > s.stable_dt_ms * (1 + 1e-9))
        m.sub_steps = static_cast<int>(std::ceil(dt_ms / s.stable_dt_ms));
    const double dt = dt_ms / m.sub_steps;
    m.flow.resize(s.alpha.column.size());
    m.off.resize(s.alpha.column.size());
    m.diagonal.resize(s.size());
    pool.for_range(s.size(), 64, [&](std::size_t begin, std::size_t end, unsigned) {
        for (std::size_t i = begin; i < end; ++i) {
            m.diagonal[i] = consistent ? s.mass_diagonal[i] : s.volume[i];
            if (s.volume[i] == 0) // no tissue: any row will do whose solution is 0
                m.diagonal[i] = 1;
            for (auto e = static_cast<std::size_t>(s.alpha.first[i]);
                 e < static_cast<std::size_t>(s.alpha.first[i + 1]); ++e) {
                m.flow[e] = dt * s.alpha.value[e] * (consistent ? 1 : s.volume[i]);
                m.off[e] = (consistent ? s.mass_rows.value[e] : 0) - theta * m.flow[e];
                m.diagonal[i] += theta * m.flow[e];
            }
        }
    });
    return m;
}

struct ImplicitSolver::State
{
    using Vector = std::vector<double>;

    State(const System& s, double dt_ms, double theta, const Options& o)
        : options(o), pool(o.threads), first(s.alpha.first), column(s.alpha.column),
          symmetric(s.scheme == Scheme::p1)
    {
        auto matrix = implicit_matrix(s, dt_ms, theta, pool);
        sub_steps = matrix.sub_steps;
        flow = std::move(matrix.flow);
        off = std::move(matrix.off);
        diagonal = std::move(matrix.diagonal);
        for (auto* v : {&b, &x})
            v->resize(s.size());
        if (symmetric)
            gradients.emplace(s.size(), pool);
        else
            for (auto* v : {&r, &z, &p, &q, &shadow, &t, &ps})
                v->resize(s.size());
    }

    std::size_t entry(std::size_t i) const { return static_cast<std::size_t>(first[i]); }
    std::size_t size() const { return diagonal.size(); }

    template <class Body>
    void each(const Body& body)
    {
        pool.for_range(size(), 64, [&](std::size_t begin, std::size_t end, unsigned) {
            for (std::size_t i = begin; i < end; ++i)
                body(i);
        });
    }
    template <class Term>
    double sum(const Term& term)
    {
        return block_sum(pool, size(), sums, [&](std::size_t begin, std::size_t end) {
            double s = 0;
            for (std::size_t i = begin; i < end; ++i)
                s += term(i);
            return s;
        });
    }

    /// out = A in; returns <in, out>.
    double multiply(const Vector& in, Vector& out)
    {
        return sum([&](std::size_t i) {
            double y = diagonal[i] * in[i];
            for (auto e = entry(i); e < entry(i + 1); ++e)
                y += off[e] * in[static_cast<std::size_t>(column[e])];
            out[i] = y;
            return in[i] * y;
        });
    }

    /// Largest entry of r / diagonal, and where it is.
    LargestResidual residual() const
    {
        LargestResidual largest;
        for (std::size_t i = 0; i < r.size(); ++i)
            largest.take(std::abs(r[i]) / diagonal[i], i);
        return largest;
    }

    [[noreturn]] static void fail(int iterations, const LargestResidual& r)
    {
        throw SolverError(iterations, r.most, static_cast<std::int64_t>(r.where));
    }

    bool small() const { return residual().most <= options.tolerance_mV; }

    int conjugate_gradients();
    int stabilised_bi_conjugate_gradients();

    Options options;
    ThreadPool pool;
    std::vector<std::int64_t> first;
    std::vector<std::int32_t> column;
    bool symmetric;
    int sub_steps = 1;
    Vector flow;          ///< dt k_ij [mm3]
    Vector off, diagonal; ///< M + theta dt K [mm3]
    Vector b, x, sums;
    std::optional<ConjugateGradients> gradients; ///< of a symmetric matrix
    Vector r, z, p, q, shadow, t, ps;            ///< of another
};

/// Solves A x = b from x = 0.
int ImplicitSolver::State::conjugate_gradients()
{
    const auto result = gradients->solve({first, column, off, diagonal}, b, {options.tolerance_mV},
                                         options.most_iterations, x);
    if (result.end != ConjugateGradients::End::solved)
        fail(result.iterations, result.residual);
    return result.iterations;
}

/// The same for a matrix that is not symmetric: stabilised bi-conjugate gradients (van der Vorst
/// 1992).
int ImplicitSolver::State::stabilised_bi_conjugate_gradients()
{
    each([&](std::size_t i) {
        x[i] = p[i] = q[i] = 0;
        r[i] = shadow[i] = b[i];
    });
    double rho = 1, alpha = 1, omega = 1;
    for (int it = 0; it <= options.most_iterations; ++it) {
        if (small())
            return it;
        const double next = sum([&](std::size_t i) { return shadow[i] * r[i]; });
        const double beta = next / rho * (alpha / omega);
        rho = next;
        each([&](std::size_t i) {
            p[i] = r[i] + beta * (p[i] - omega * q[i]);
            ps[i] = p[i] / diagonal[i];
        });
        multiply(ps, q);
        alpha = rho / sum([&](std::size_t i) { return shadow[i] * q[i]; });
        each([&](std::size_t i) {
            x[i] += alpha * ps[i];
            r[i] -= alpha * q[i];
            z[i] = r[i] / diagonal[i];
        });
        if (small())
            return it + 1;
        multiply(z, t);
        omega = sum([&](std::size_t i) { return t[i] * r[i]; }) /
                sum([&](std::size_t i) { return t[i] * t[i]; });
        if (!std::isfinite(alpha) || !std::isfinite(omega) || omega == 0)
            fail(it, residual());
        each([&](std::size_t i) {
            x[i] += omega * z[i];
            r[i] -= omega * t[i];
        });
    }
    fail(options.most_iterations, residual());
}

ImplicitSolver::ImplicitSolver(const System& s, double dt_ms, double theta)
    : ImplicitSolver(s, dt_ms, theta, Options{})
{
}

ImplicitSolver::ImplicitSolver(const System& s, double dt_ms, double theta, const Options& options)
{
    state_ = std::make_unique<State>(s, dt_ms, theta, options);
}

ImplicitSolver::~ImplicitSolver() = default;
ImplicitSolver::ImplicitSolver(ImplicitSolver&&) noexcept = default;
ImplicitSolver& ImplicitSolver::operator=(ImplicitSolver&&) noexcept = default;

int ImplicitSolver::step(std::vector<double>& v)
{
    State& s = *state_;
    if (v.size() != s.size())
        throw InputError("implicit step", "one value per unknown is needed");
    int iterations = 0;
    std::vector<double> at_start;
    if (s.sub_steps > 1)
        at_start = v;
    for (int k = 0; k < s.sub_steps; ++k) {
        const double size = s.sum([&](std::size_t i) {
            double flux = 0;
            for (auto e = s.entry(i); e < s.entry(i + 1); ++e)
                flux += s.flow[e] * (v[static_cast<std::size_t>(s.column[e])] - v[i]);
            s.b[i] = flux;
            return std::abs(flux);
        });
        if (!std::isfinite(size))
            return iterations; // the caller's verdict finds it
        try {
            iterations +=
                s.symmetric ? s.conjugate_gradients() : s.stabilised_bi_conjugate_gradients();
        } catch (const SolverError&) {
            if (!at_start.empty())
                v = at_start;
            throw;
        }
        s.each([&](std::size_t i) { v[i] += s.x[i]; });
    }
    return iterations;
}

int ImplicitSolver::sub_steps() const
{
    return state_->sub_steps;
}

double ImplicitSolver::bytes_per_iteration() const
{
    const State& s = *state_;
    if (s.symmetric)
        return ConjugateGradients::bytes_per_iteration(s.size(), s.off.size());
    return 2 * 12.0 * static_cast<double>(s.off.size()) + 8 * 26.0 * static_cast<double>(s.size());
}

double ImplicitSolver::flops_per_iteration() const
{
    const State& s = *state_;
    if (s.symmetric)
        return ConjugateGradients::flops_per_iteration(s.size(), s.off.size());
    return 2 * 2.0 * static_cast<double>(s.off.size()) + 24.0 * static_cast<double>(s.size());
}

} // namespace tawara::diffusion
