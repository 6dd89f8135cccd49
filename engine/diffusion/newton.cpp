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

NewtonResult solve(NewtonSystem& system, const NewtonOptions& options)
{
    NewtonResult out;
    NewtonProgress p;
    p.begin(system.residual(), options);
    for (bool better = true; better;) {
        system.accept();
        out.residuals_mV.push_back(p.residual_mV);
        if (!p.goes_on || !system.correct(p.linear_part(options), out.linear_iterations))
            break;
        p.corrected(system.largest_correction(), options);
        do {
            system.attempt(p.share);
            better = p.tried(system.residual(), options);
        } while (!better && p.goes_on);
    }
    out.converged = p.converged;
    out.iterations = p.iterations;
    return out;
}

NewtonSolver::NewtonSolver(const System& s, const NewtonOptions& options, ThreadPool& pool)
    : s_(s), options_(options), pool_(pool), rows_(s.alpha, pool), single_(rows_, pool),
      largest_(pool.size())
{
    if (s.scheme != Scheme::p1)
        throw InputError("", "/diffusion/stepping",
                         "Newton's method is of linear elements; set the scheme to \"p1\"");
    for (auto* v : {&turned_, &at_start_, &rate_, &slope_, &minus_r_, &x_, &trial_, &diagonal_})
        v->resize(s.size());
}

void NewtonSolver::set_step(double dt_ms)
{
    if (dt_ms == dt_)
        return;
    auto m = implicit_matrix(s_, dt_ms, 1, pool_);
    off_ = std::move(m.off);
    fixed_diagonal_ = std::move(m.diagonal);
    product_.emplace(rows_.layout(), off_, pool_);
    single_.set_off(off_);
    dt_ = dt_ms;
}

LargestResidual NewtonSolver::residual(std::span<const double> v, const Cells& cells)
{
    cells(v, rate_, slope_);
    const Timed timed(assembly);
    product_->multiply(v, turned_, pool_);
    std::fill(largest_.begin(), largest_.end(), LargestResidual{});
    pool_.for_range(s_.size(), 64, [&](std::size_t begin, std::size_t end, unsigned worker) {
        LargestResidual largest;
        for (std::size_t i = begin; i < end; ++i) {
            if (s_.volume[i] == 0) { // no tissue
                minus_r_[i] = 0;
                continue;
            }
            minus_r_[i] = at_start_[i] - (fixed_diagonal_[i] * v[i] + turned_[i]) +
                          dt_ * s_.volume[i] * rate_[i];
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

ConjugateGradients::Result NewtonSolver::solution(double part)
{
    constexpr double least_in_single = 1e-5;
    if (options_.linear_part == 0 || options_.linear_part >= least_in_single)
        return single_.solve(diagonal_, minus_r_, std::max(part, least_in_single),
                             options_.most_linear_iterations, x_);
    if (!double_)
        double_.emplace(s_.size(), pool_);
    return double_->solve({s_.alpha.first, s_.alpha.column, off_, diagonal_}, minus_r_, {0, part},
                          options_.most_linear_iterations, x_);
}

/// x_ from the matrix at hand. @return whether it is a correction that can be made
bool NewtonSolver::correct(double part, int& iterations)
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
        const auto r = solution(part);
        iterations += r.iterations;
        solver.bytes += r.iterations * single_.bytes_per_iteration();
        solver.flops +=
            r.iterations * ConjugateGradients::flops_per_iteration(s_.size(), off_.size());
        if (r.end == ConjugateGradients::End::solved)
            return true;
    }
    return false;
}

/// One step's system; V lies with the caller.
class NewtonSolver::Step final : public NewtonSystem
{
  public:
    Step(NewtonSolver& solver, std::span<double> v, const Cells& cells)
        : s_(solver), v_(v), cells_(cells)
    {
        std::copy(v.begin(), v.end(), s_.trial_.begin());
    }
    double residual() override
    {
        tried_ = s_.residual(s_.trial_, cells_);
        return tried_.most;
    }
    void accept() override
    {
        each([&](std::size_t i) { v_[i] = s_.trial_[i]; });
        at_V_ = tried_;
    }
    bool correct(double part, int& iterations) override { return s_.correct(part, iterations); }
    double largest_correction() override
    {
        std::fill(s_.largest_.begin(), s_.largest_.end(), LargestResidual{});
        s_.pool_.for_range(v_.size(), 64, [&](std::size_t begin, std::size_t end, unsigned worker) {
            double most = 0;
            for (std::size_t i = begin; i < end; ++i)
                most = std::max(most, std::abs(s_.x_[i]));
            s_.largest_[worker].most = most;
        });
        double largest = 0;
        for (const auto& l : s_.largest_)
            largest = std::max(largest, l.most);
        return largest;
    }
    void attempt(double share) override
    {
        each([&](std::size_t i) { s_.trial_[i] = v_[i] + share * s_.x_[i]; });
    }
    std::size_t where() const { return at_V_.where; } ///< of V's largest residual

  private:
    template <class Body>
    void each(const Body& body)
    {
        s_.pool_.for_range(v_.size(), 64, [&](std::size_t begin, std::size_t end, unsigned) {
            for (std::size_t i = begin; i < end; ++i)
                body(i);
        });
    }

    NewtonSolver& s_;
    std::span<double> v_;
    const Cells& cells_;
    LargestResidual tried_, at_V_;
};

NewtonSolver::Result NewtonSolver::step(std::span<const double> start, std::span<double> v,
                                        double dt_ms, const Cells& cells)
{
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

    Step step(*this, v, cells);
    Result out{solve(step, options_)};
    out.where = step.where();
    return out;
}

} // namespace tawara::diffusion
