// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/fake_cell.hpp"

#include "engine/calcium/picture.hpp"

#include <cmath>

namespace tawara::fake {
namespace {

constexpr double dt_ms = 0.05, cycle_ms = 500, first_ms = 20, pulse_ms = 1;
constexpr std::int64_t steps_a_ms = 20, steps_a_look = 5;

} // namespace

FakeCell::FakeCell(const calcium::Grid& grid, const Vec3& position_mm)
    : model_({{calcium::Parameters{}, &calcium::start_named("paced")}}, grid, 5),
      reaction_(model_.on_cpu_double()), v_(1), stimulus_(1), type_(1, 0), unknown_(1, 0),
      position_(position_mm)
{
    for (const auto& a : reaction_->arrays())
        states_.push_back(memory_.emplace_back(a.per_unknown, 0.0).data());
    begin();
}

void FakeCell::begin()
{
    steps_ = 0;
    history_.clear();
    sparks_ = std::make_shared<simulation::SparkLog>();
    finder_ = std::make_unique<calcium::SparkFinder>(
        model_.grid(), calcium::SparkCriteria{},
        [log = sparks_](const calcium::Spark& s) { log->add(s); });
    cell::ReactionCells<double> c;
    c.cells = {v_.data(), states_.data(), type_.data(), stimulus_.data(), 0, 1, 0};
    c.unknown = unknown_.data();
    reaction_->prepare(c);
}

void FakeCell::step()
{
    const double t = static_cast<double>(steps_) * dt_ms, after = std::fmod(t, cycle_ms);
    stimulus_[0] = after >= first_ms && after < first_ms + pulse_ms ? 80 : 0;
    cell::ReactionCells<double> c;
    c.cells = {v_.data(), states_.data(), type_.data(), stimulus_.data(), 0, 1, 0};
    c.unknown = unknown_.data();
    reaction_->advance(c, {steps_++, 0, t, dt_ms});
    if (steps_ % steps_a_look != 0)
        return;
    const auto seen = picture();
    std::vector<double> c_myo_mM;
    for (const float uM : seen.c_myo_uM)
        c_myo_mM.push_back(1e-3 * static_cast<double>(uM));
    finder_->look<double>(t + dt_ms, seen.open_RyR, c_myo_mM);
    sparks_->looked(t + dt_ms, finder_->under_way());
    if (steps_ % steps_a_ms != 0)
        return;
    const auto& s = seen.state;
    const auto f = [](double x) { return static_cast<float>(x); };
    history_.push_back({t + dt_ms, f(v_[0]), f(1e3 * s.dyads.c_myo), f(s.dyads.c_jsr), f(s.i_CaL),
                        f(1e3 * s.release_mM_per_ms), f(s.dyads.open_RyR), f(s.dyads.active)});
}

void FakeCell::run_to(double ms)
{
    const auto steps = std::llround(ms / dt_ms);
    if (steps < steps_)
        begin();
    while (steps_ < steps)
        step();
    time_ms_ = ms;
}

calcium::DyadPicture FakeCell::picture() const
{
    std::vector<double> numbers;
    for (const auto& a : memory_)
        numbers.insert(numbers.end(), a.begin(), a.end());
    return calcium::dyad_picture(model_.table().front().parameters, model_.grid(), dt_ms, v_[0],
                                 numbers);
}

std::shared_ptr<const simulation::DyadFrame> FakeCell::frame() const
{
    auto f = std::make_shared<simulation::DyadFrame>();
    f->position_mm = position_;
    f->regions = {0};
    f->time_ms = time_ms_;
    f->picture = picture();
    f->history = history_;
    f->sparks = sparks_;
    return f;
}

} // namespace tawara::fake
