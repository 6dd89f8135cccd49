// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/newton_steps.hpp"

#include "engine/core/error.hpp"

#include <algorithm>

namespace tawara::device {
namespace {

/// Local error of a step of several time steps: at most the first, and the second times the time
/// step's square, so that a time step half as long halves the run's error.
constexpr double largest_error_mV = 0.1, error_mV_per_ms2 = 1;
constexpr int most_parts = 64; ///< of a time step

/// @throws InputError where p asks for what Newton's method has no use for
void check(const TissueProblem& p)
{
    if (p.table_step_mV > 0)
        throw InputError("", "/reaction/tables_mV",
                         "has no meaning with stepping \"newton\", which computes functions of V "
                         "with their slopes; leave tables_mV out (or set 0)");
}

} // namespace

int longest_implicit(const TissueProblem& p)
{
    int n = 1;
    while (p.newton.adaptive && 2 * n * p.dt_ms <= p.newton.dt_max_ms * (1 + 1e-9))
        n *= 2;
    return n;
}

diffusion::NewtonResult ImplicitTissue::whole(double t_ms, double dt_ms, double slope_ms)
{
    begin();
    auto r = solve(t_ms, dt_ms, slope_ms);
    if (r.converged) {
        keep(t_ms, dt_ms);
        leave(1);
        go_on();
    }
    return r;
}

NewtonSteps::NewtonSteps(const TissueProblem& p)
    : dt_(p.dt_ms),
      largest_error_mV_(std::min(largest_error_mV, error_mV_per_ms2 * p.dt_ms * p.dt_ms)),
      longest_(longest_implicit(p))
{
    check(p);
}

bool NewtonSteps::solve(ImplicitTissue& tissue, double t_ms, double dt_ms)
{
    return counted(tissue.solve(t_ms, dt_ms, slope_ms(dt_ms)));
}

bool NewtonSteps::counted(diffusion::NewtonResult r)
{
    last_ = std::move(r);
    counts_.newton += last_.iterations;
    counts_.linear += last_.linear_iterations;
    counts_.most_newton = std::max(counts_.most_newton, last_.iterations);
    return last_.converged;
}

double NewtonSteps::local_error(const ImplicitTissue& tissue, double dt_ms) const
{
    return tissue.largest_turn(dt_ms, before_ms_) * dt_ms * dt_ms / (dt_ms + before_ms_);
}

/// Chooses a length, and solves. @return whether the step is taken already
bool NewtonSteps::begin(ImplicitTissue& tissue, double t_ms, std::int64_t steady)
{
    kept_ = false;
    if (longest_ == 1) { // there is nothing to choose
        length_ = wanted_ = 1;
        const bool done = counted(tissue.whole(t_ms, dt_, slope_ms(dt_)));
        if (done)
            before_ms_ = dt_;
        else
            cut(tissue, t_ms);
        return done;
    }
    tissue.begin();
    length_ = wanted_;
    while (length_ > steady)
        length_ /= 2;
    for (; length_ > 1; length_ /= 2, ++counts_.rejected) {
        const double dt = length_ * dt_;
        if (before_ms_ > 0 && solve(tissue, t_ms, dt)) {
            const double error = local_error(tissue, dt);
            if (error <= largest_error_mV_) {
                wanted_ =
                    error <= largest_error_mV_ / 8 ? std::min(2 * length_, longest_) : length_;
                return false;
            }
        }
    }
    if (!solve(tissue, t_ms, dt_))
        cut(tissue, t_ms);
    const double error = before_ms_ > 0 ? local_error(tissue, dt_) : largest_error_mV_;
    wanted_ = error <= largest_error_mV_ / 8 ? std::min(2, longest_) : 1;
    return false;
}

/// Solves for a single time step in parts.
void NewtonSteps::cut(ImplicitTissue& tissue, double t_ms)
{
    const double before_ms = before_ms_;
    tissue.set_aside(); // states are kept after each part
    for (int parts = 2; parts <= most_parts; parts *= 2) {
        ++counts_.halved;
        const bool done = in_parts(tissue, t_ms, parts);
        before_ms_ = before_ms;
        tissue.put_back(done);
        if (done)
            return;
        kept_ = false;
    }
    tissue.fail(t_ms, dt_ / most_parts, last_);
}

bool NewtonSteps::in_parts(ImplicitTissue& tissue, double t_ms, int parts)
{
    const double dt = dt_ / parts;
    for (int k = 0; k < parts; ++k) {
        const double begin = t_ms + k * dt;
        if (!solve(tissue, begin, dt))
            return false;
        tissue.keep(begin, dt);
        kept_ = true;
        tissue.go_on();
        before_ms_ = dt;
    }
    return true;
}

void NewtonSteps::step(ImplicitTissue& tissue, double t_ms, std::int64_t steady)
{
    if (at_ > 0 && tissue.changed()) { // what was foreseen does not come
        tissue.end_is_now();
        tissue.keep(t_ms - at_ * dt_, at_ * dt_);
        tissue.go_on();
        before_ms_ = at_ * dt_;
        at_ = 0;
        wanted_ = 1;
    }
    if (at_ == 0) {
        const bool taken = begin(tissue, t_ms, steady);
        ++counts_.steps;
        if (taken)
            return;
    }
    ++at_;
    if (at_ < length_)
        return tissue.leave(static_cast<double>(at_) / length_);
    if (!kept_)
        tissue.keep(t_ms - (length_ - 1) * dt_, length_ * dt_);
    tissue.leave(1);
    tissue.go_on();
    before_ms_ = length_ * dt_;
    at_ = 0;
}

std::vector<std::vector<double>> NewtonSteps::snapshot(const ImplicitTissue& tissue) const
{
    std::vector<std::vector<double>> s{{before_ms_, double(wanted_), double(length_), double(at_)},
                                       tissue.values(ImplicitVector::before)};
    if (at_ > 0)
        for (const auto v : {ImplicitVector::start, ImplicitVector::end, ImplicitVector::stimulus})
            s.push_back(tissue.values(v));
    return s;
}

void NewtonSteps::restore(const std::vector<std::vector<double>>& s, ImplicitTissue& tissue)
{
    at_ = 0;
    wanted_ = length_ = 1;
    before_ms_ = 0;
    kept_ = false;
    tissue.forget();
    if (s.empty())
        return;
    before_ms_ = s[0][0];
    wanted_ = static_cast<int>(s[0][1]);
    length_ = static_cast<int>(s[0][2]);
    at_ = static_cast<int>(s[0][3]);
    tissue.set_values(ImplicitVector::before, s[1]);
    if (at_ == 0)
        return;
    tissue.set_values(ImplicitVector::start, s[2]);
    tissue.set_values(ImplicitVector::end, s[3]);
    tissue.set_values(ImplicitVector::stimulus, s[4]);
}

} // namespace tawara::device
