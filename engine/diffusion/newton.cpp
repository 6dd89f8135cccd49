// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/diffusion/newton.hpp"

#include "engine/diffusion/implicit.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

namespace tawara::diffusion {
namespace {

constexpr std::size_t block = 1024; ///< rows whose largest residual is one number
constexpr std::size_t lanes = 8;    ///< made side by side, so that vectors can do it

/// The largest size(i) over [begin, end); no number where one of them is not finite.
template <class Size>
double largest_size(std::size_t begin, std::size_t end, const Size& size)
{
    double most[lanes] = {}, none[lanes] = {}; // the latter 0, or no number
    const auto take = [&](std::size_t k, double x) {
        most[k] = std::max(most[k], x);
        none[k] += 0 * x;
    };
    std::size_t i = begin;
    for (; i + lanes <= end; i += lanes)
        for (std::size_t k = 0; k < lanes; ++k)
            take(k, size(i + k));
    for (; i < end; ++i)
        take(0, size(i));
    double all = 0, bad = 0;
    for (std::size_t k = 0; k < lanes; ++k) {
        all = std::max(all, most[k]);
        bad += none[k];
    }
    return all + bad;
}

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

/// Of a V that no cell reaches by itself, where that comes from; else empty.
std::string why_beyond(double v_mV)
{
    constexpr double beyond_cells_mV = 200;
    if (std::abs(v_mV) <= beyond_cells_mV)
        return {};
    char text[200];
    std::snprintf(
        text, sizeof text,
        "V is %.4g mV there, which no cell reaches by itself: check the amplitude and the "
        "place of the stimulus first. Else ",
        v_mV);
    return text;
}

std::string sentence(double t, double dt, int iterations, double residual, std::int64_t unknown,
                     const std::array<double, 3>& p, double v_mV)
{
    char text[600];
    std::snprintf(
        text, sizeof text,
        "Newton's method did not converge at %.6g ms: %d iteration%s of a step of %.3g "
        "ms left a residual of %.3g mV at unknown %lld, (%.4g, %.4g, %.4g) mm; %sa "
        "smaller time step or explicit stepping would be right, or where limits are tight "
        "more iterations or a larger tolerance (diffusion.newton)",
        t, iterations, iterations == 1 ? "" : "s", dt, residual, static_cast<long long>(unknown),
        p[0], p[1], p[2], why_beyond(v_mV).c_str());
    return text;
}

} // namespace

NewtonError::NewtonError(double time_ms_, double dt_ms, int iterations, double residual_mV_,
                         std::int64_t unknown_, const std::array<double, 3>& position_mm,
                         double v_mV)
    : Error(sentence(time_ms_, dt_ms, iterations, residual_mV_, unknown_, position_mm, v_mV)),
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
      largest_((s.size() + block - 1) / block)
{
    if (s.scheme != Scheme::p1)
        throw InputError("", "/diffusion/stepping",
                         "Newton's method is of linear elements; set the scheme to \"p1\"");
    for (auto* v :
         {&turned_, &at_start_, &rate_, &slope_, &minus_r_, &x_, &v_, &trial_, &diagonal_})
        v->resize(s.size());
    for (const double m : s.volume)
        per_volume_.push_back(m > 0 ? 1 / m : 0);
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

template <class Body>
double NewtonSolver::largest_of_blocks(const Body& body)
{
    pool_.for_range(s_.size(), block, [&](std::size_t begin, std::size_t end, unsigned) {
        for (std::size_t b = begin; b < end; b += block)
            largest_[b / block] = body(b, std::min(b + block, end));
    });
    double all = -std::numeric_limits<double>::infinity();
    for (const double l : largest_)
        if (!(l <= all) && !std::isnan(all))
            all = l;
    return all;
}

LargestResidual NewtonSolver::residual(std::span<const double> v, const Cells& cells)
{
    cells(v, rate_, slope_);
    const Timed timed(assembly);
    product_->multiply(v, turned_, pool_);
    const auto size = [&](std::size_t i) { return std::abs(minus_r_[i]) * per_volume_[i]; };
    const double* const volume = s_.volume.data();
    LargestResidual all;
    all.most = largest_of_blocks([&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const double r = at_start_[i] - (fixed_diagonal_[i] * v[i] + turned_[i]) +
                             dt_ * volume[i] * rate_[i];
            minus_r_[i] = volume[i] > 0 ? r : 0; // no tissue
        }
        return largest_size(begin, end, size);
    });
    const auto n = static_cast<double>(s_.size()), entries = static_cast<double>(off_.size());
    assembly.bytes += 12 * entries + 8 * 8 * n;
    assembly.flops += 2 * entries + 5 * n;
    const bool finite = std::isfinite(all.most);
    const auto in_block = std::find_if(largest_.begin(), largest_.end(), [&](double l) {
        return finite ? l == all.most : !std::isfinite(l);
    });
    all.where = block * static_cast<std::size_t>(in_block - largest_.begin());
    while (finite ? size(all.where) < all.most : std::isfinite(size(all.where)))
        ++all.where;
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

bool NewtonSolver::set_diagonal(bool all_slopes)
{
    const Timed timed(assembly);
    const double* const volume = s_.volume.data();
    const double most = all_slopes ? std::numeric_limits<double>::max() : 0;
    assembly.bytes += 8 * 4 * static_cast<double>(s_.size());
    assembly.flops += 2 * static_cast<double>(s_.size());
    return largest_of_blocks([&](std::size_t begin, std::size_t end) {
               std::int64_t bad = 0;
               for (std::size_t i = begin; i < end; ++i) {
                   diagonal_[i] = fixed_diagonal_[i] - dt_ * volume[i] * std::min(slope_[i], most);
                   bad |= !(diagonal_[i] > 0);
               }
               return static_cast<double>(bad);
           }) == 0;
}

/// x_ from the matrix at hand. @return whether it is a correction that can be made
bool NewtonSolver::correct(double part, int& iterations)
{
    for (const bool all_slopes : {true, false}) {
        // Jacobi's preconditioner needs a positive diagonal
        if (!set_diagonal(all_slopes) && all_slopes)
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

/// One step's system. V is v_, the trial trial_.
class NewtonSolver::Step final : public NewtonSystem
{
  public:
    Step(NewtonSolver& solver, const Cells& cells) : s_(solver), cells_(cells) {}
    double residual() override
    {
        tried_ = s_.residual(s_.trial_, cells_);
        return tried_.most;
    }
    void accept() override
    {
        std::swap(s_.v_, s_.trial_);
        at_V_ = tried_;
    }
    bool correct(double part, int& iterations) override { return s_.correct(part, iterations); }
    double largest_correction() override
    {
        return s_.largest_of_blocks([&](std::size_t begin, std::size_t end) {
            return largest_size(begin, end, [&](std::size_t i) { return std::abs(s_.x_[i]); });
        });
    }
    void attempt(double share) override
    {
        s_.pool_.for_range(s_.x_.size(), block, [&](std::size_t begin, std::size_t end, unsigned) {
            for (std::size_t i = begin; i < end; ++i)
                s_.trial_[i] = s_.v_[i] + share * s_.x_[i];
        });
    }
    std::size_t where() const { return at_V_.where; } ///< of V's largest residual

  private:
    NewtonSolver& s_;
    const Cells& cells_;
    LargestResidual tried_, at_V_;
};

void NewtonSolver::set_start(std::span<const double> start)
{
    const bool consistent = s_.mass == Mass::consistent;
    const auto& mass = consistent ? s_.mass_diagonal : s_.volume;
    pool_.for_range(s_.size(), block, [&](std::size_t begin, std::size_t end, unsigned) {
        for (std::size_t i = begin; i < end; ++i)
            at_start_[i] = mass[i] * start[i];
        for (std::size_t i = begin; consistent && i < end; ++i)
            for (auto e = static_cast<std::size_t>(s_.alpha.first[i]);
                 e < static_cast<std::size_t>(s_.alpha.first[i + 1]); ++e)
                at_start_[i] +=
                    s_.mass_rows.value[e] * start[static_cast<std::size_t>(s_.alpha.column[e])];
    });
}

NewtonSolver::Result NewtonSolver::step(std::span<const double> start, std::span<double> v,
                                        double dt_ms, const Cells& cells)
{
    set_step(dt_ms);
    set_start(start);
    std::copy(v.begin(), v.end(), trial_.begin());
    Step step(*this, cells);
    Result out{solve(step, options_)};
    out.where = step.where();
    std::copy(v_.begin(), v_.end(), v.begin());
    return out;
}

} // namespace tawara::diffusion
