// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/diffusion/newton.hpp"

#include "engine/diffusion/implicit.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace tawara::diffusion {
namespace {

/// Adds the time that it lives to what some work took.
class Timed
{
  public:
    explicit Timed(NewtonSolver::Work& w) : work_(w) {}
    ~Timed()
    {
        work_.ms += std::chrono::duration<double, std::milli>(Clock::now() - since_).count();
    }
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;

  private:
    using Clock = std::chrono::steady_clock;
    NewtonSolver::Work& work_;
    Clock::time_point since_ = Clock::now();
};

std::string sentence(double t, double dt, int iterations, double residual, std::int64_t unknown,
                     const std::array<double, 3>& p)
{
    char text[300];
    std::snprintf(text, sizeof text,
                  "Newton's method did not converge at %.6g ms: %d iterations of a step of %.3g ms "
                  "left a residual of %.3g mV at unknown %lld, (%.4g, %.4g, %.4g) mm; a smaller "
                  "time step or explicit stepping would be right",
                  t, iterations, dt, residual, static_cast<long long>(unknown), p[0], p[1], p[2]);
    return text;
}

} // namespace

NewtonError::NewtonError(double time_ms_, double dt_ms, int iterations, double residual_mV_,
                         std::int64_t unknown_, const std::array<double, 3>& position_mm)
    : Error(sentence(time_ms_, dt_ms, iterations, residual_mV_, unknown_, position_mm)),
      time_ms(time_ms_), residual_mV(residual_mV_), unknown(unknown_)
{
}

NewtonSolver::NewtonSolver(const System& s, const Options& options, ThreadPool& pool)
    : s_(s), options_(options), pool_(pool), gradients_(s.size(), pool), largest_(pool.size())
{
    if (s.scheme != Scheme::p1)
        throw InputError("", "/diffusion/stepping",
                         "Newton's method is of linear elements; set the scheme to \"p1\"");
    for (auto* v : {&at_start_, &rate_, &slope_, &minus_r_, &x_, &trial_, &diagonal_})
        v->resize(s.size());
}

void NewtonSolver::set_step(double dt_ms)
{
    if (dt_ms == dt_)
        return;
    auto m = implicit_matrix(s_, dt_ms, 1, pool_);
    off_ = std::move(m.off);
    fixed_diagonal_ = std::move(m.diagonal);
    dt_ = dt_ms;
}

LargestResidual NewtonSolver::residual(std::span<const double> v, const Cells& cells)
{
    cells(v, rate_, slope_);
    const Timed timed(assembly);
    std::fill(largest_.begin(), largest_.end(), LargestResidual{});
    pool_.for_range(s_.size(), 64, [&](std::size_t begin, std::size_t end, unsigned worker) {
        LargestResidual largest;
        for (std::size_t i = begin; i < end; ++i) {
            if (s_.volume[i] == 0) { // no tissue
                minus_r_[i] = 0;
                continue;
            }
            double sum = fixed_diagonal_[i] * v[i];
            for (auto e = static_cast<std::size_t>(s_.alpha.first[i]);
                 e < static_cast<std::size_t>(s_.alpha.first[i + 1]); ++e)
                sum += off_[e] * v[static_cast<std::size_t>(s_.alpha.column[e])];
            minus_r_[i] = at_start_[i] - sum + dt_ * s_.volume[i] * rate_[i];
            largest.take(std::abs(minus_r_[i]) / s_.volume[i], i);
        }
        largest_[worker] = largest;
    });
    const auto n = static_cast<double>(s_.size()), entries = static_cast<double>(off_.size());
    assembly.bytes += 12 * entries + 8 * 7 * n;
    assembly.flops += 2 * entries + 4 * n;
    LargestResidual all;
    for (const auto& l : largest_)
        all.take(l.most, l.where);
    return all;
}

/// x_ from the matrix at hand. @return whether it is a correction that can be made
bool NewtonSolver::correct(double tolerance, Result& result)
{
    for (const bool all_slopes : {true, false}) {
        {
            const Timed timed(assembly);
            pool_.for_range(s_.size(), 64, [&](std::size_t begin, std::size_t end, unsigned) {
                for (std::size_t i = begin; i < end; ++i) {
                    const double slope = all_slopes ? slope_[i] : std::min(slope_[i], 0.0);
                    diagonal_[i] =
                        fixed_diagonal_[i] - (s_.volume[i] == 0 ? 0 : dt_ * s_.volume[i] * slope);
                }
            });
            assembly.bytes += 8 * 4 * static_cast<double>(s_.size());
            assembly.flops += 2 * static_cast<double>(s_.size());
        }
        // Jacobi's preconditioner needs a positive diagonal
        if (all_slopes &&
            std::any_of(diagonal_.begin(), diagonal_.end(), [](double d) { return !(d > 0); }))
            continue;
        const Timed timed(solver);
        const auto r = gradients_.solve({s_.alpha.first, s_.alpha.column, off_, diagonal_},
                                        minus_r_, tolerance, options_.most_linear_iterations, x_);
        result.linear_iterations += r.iterations;
        solver.bytes +=
            r.iterations * ConjugateGradients::bytes_per_iteration(s_.size(), off_.size());
        solver.flops +=
            r.iterations * ConjugateGradients::flops_per_iteration(s_.size(), off_.size());
        if (r.end == ConjugateGradients::End::solved)
            return true;
    }
    return false;
}

NewtonSolver::Result NewtonSolver::step(std::span<const double> start, std::span<double> v,
                                        double dt_ms, const Cells& cells)
{
    constexpr int most_halvings = 8;
    set_step(dt_ms);
    const bool consistent = s_.mass == Mass::consistent;
    pool_.for_range(s_.size(), 64, [&](std::size_t begin, std::size_t end, unsigned) {
        for (std::size_t i = begin; i < end; ++i) {
            at_start_[i] = (consistent ? s_.mass_diagonal[i] : s_.volume[i]) * start[i];
            for (auto e = static_cast<std::size_t>(s_.alpha.first[i]);
                 consistent && e < static_cast<std::size_t>(s_.alpha.first[i + 1]); ++e)
                at_start_[i] +=
                    s_.mass_rows.value[e] * start[static_cast<std::size_t>(s_.alpha.column[e])];
        }
    });

    Result out;
    auto now = residual(v, cells);
    double part = 0.1; // of the residual, that the linear system may leave
    for (;; ++out.iterations) {
        out.residuals_mV.push_back(now.most);
        out.where = now.where;
        out.converged = now.most <= options_.tolerance_mV;
        if (out.converged || out.iterations == options_.most_iterations || !std::isfinite(now.most))
            return out;
        const double of = options_.linear_part > 0 ? options_.linear_part : part;
        if (!correct(std::max(of * now.most, 0.1 * options_.tolerance_mV), out))
            return out;
        double largest = 0;
        for (const double x : x_)
            largest = std::max(largest, std::abs(x));
        double share = std::min(1.0, options_.largest_change_mV / largest);
        LargestResidual next;
        for (int halvings = 0;; ++halvings, share /= 2) {
            if (halvings == most_halvings)
                return out;
            for (std::size_t i = 0; i < v.size(); ++i)
                trial_[i] = v[i] + share * x_[i];
            next = residual(trial_, cells);
            if (next.most < (1 - 1e-4 * share) * now.most)
                break;
        }
        std::copy(trial_.begin(), trial_.end(), v.begin());
        const double gained = next.most / now.most;
        part = std::clamp(0.9 * gained * gained, 1e-6, 0.1);
        now = next;
    }
}

} // namespace tawara::diffusion
