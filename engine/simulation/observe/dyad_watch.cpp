// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/observe/dyad_watch.hpp"

#include "engine/calcium/paced_cell.hpp"
#include "engine/calcium/reaction.hpp"
#include "engine/calcium/sparks.hpp"
#include "engine/core/error.hpp"
#include "engine/simulation/observe/spark_log.hpp"
#include "engine/simulation/tissue/dyad_cells.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace tawara::simulation {
namespace {

/// Of an unknown's group; null where that has no dyads.
const calcium::DyadReactionModel* dyads_at(const device::TissueProblem& p, std::size_t unknown)
{
    return p.has_cells(unknown) ? dyads_of(p.groups[p.group[unknown]]) : nullptr;
}

std::size_t nearest(const device::TissueProblem& p, const Vec3& at)
{
    const auto far = [&](const Vec3& x) { return dot(x - at, x - at); };
    const auto found =
        std::min_element(p.position_mm.begin(), p.position_mm.end(),
                         [&](const Vec3& a, const Vec3& b) { return far(a) < far(b); });
    return static_cast<std::size_t>(found - p.position_mm.begin());
}

/// As DyadFrame::regions.
std::vector<std::size_t> regions_of(const Tissue& t, std::size_t unknown)
{
    std::vector<std::size_t> out;
    for (auto r = t.region_of_unknown.at(unknown); r >= 0;) {
        const auto at = static_cast<std::size_t>(r);
        out.push_back(t.patches.origin.at(at));
        r = t.patches.beneath.at(at);
    }
    return out;
}

/// Why a cell has no dyads to be seen, and what has.
std::string no_dyads(const device::TissueProblem& p, std::size_t unknown)
{
    const bool anywhere = std::any_of(p.groups.begin(), p.groups.end(),
                                      [](const auto& g) { return dyads_of(g) != nullptr; });
    const std::string model = calcium::dyad_model;
    if (!anywhere)
        return "no cells of this tissue have dyads; give a region the model " + model;
    if (!p.has_cells(unknown))
        return "there are no cells at that place; choose one in a region of the model " + model;
    return "the cells there (" + device::model_name(p.groups[p.group[unknown]]) +
           ") have no dyads; choose a place in a region of the model " + model;
}

} // namespace

DyadWatch::DyadWatch() = default;
DyadWatch::~DyadWatch() = default;

void DyadWatch::begin(Simulation& s)
{
    stop();
    simulation_ = &s;
    const auto steps = [&](double ms) {
        return std::max<std::int64_t>(1, std::llround(ms / s.dt_ms()));
    };
    every_ = steps(every_ms);
    look_every_ = steps(calcium::SparkCriteria().every_ms);
}

std::optional<calcium::DyadPicture> DyadWatch::read(std::size_t unknown)
{
    const auto& p = simulation_->tissue().problem;
    const auto* model = dyads_at(p, unknown);
    if (model == nullptr)
        return std::nullopt;
    simulation_->stepper().cell_numbers(unknown, numbers_);
    return calcium::dyad_picture(model->table().at(p.type[unknown]).parameters, model->grid(),
                                 simulation_->dt_ms(), numbers_.v_mV, numbers_.numbers);
}

void DyadWatch::watch(const Vec3& position_mm)
{
    const auto& p = simulation_->tissue().problem;
    const std::size_t unknown = nearest(p, position_mm);
    if (unknown >= p.size() || dyads_at(p, unknown) == nullptr)
        throw InputError("dyads", no_dyads(p, unknown));
    (void)read(unknown); // whether it can be read
    unknown_ = static_cast<std::int64_t>(unknown);
    restart();
}

void DyadWatch::restart()
{
    samples_.clear();
    finder_.reset();
    sparks_.reset(); // whoever has it keeps it as it is
    looked_step_ = -1;
}

void DyadWatch::stop()
{
    unknown_ = -1;
    samples_ = {};
    numbers_ = {};
    finder_.reset();
    sparks_.reset();
}

std::shared_ptr<DyadFrame> DyadWatch::read_frame()
{
    if (!watching())
        return {};
    const auto unknown = static_cast<std::size_t>(unknown_);
    auto picture = read(unknown);
    if (!picture)
        return {};
    auto f = std::make_shared<DyadFrame>();
    f->unknown = unknown_;
    f->position_mm = simulation_->tissue().problem.position_mm[unknown];
    f->regions = regions_of(simulation_->tissue(), unknown);
    f->time_ms = simulation_->time_ms();
    f->picture = std::move(*picture);
    f->sparks = sparks_;
    return f;
}

std::shared_ptr<const DyadFrame> DyadWatch::moment()
{
    return read_frame();
}

std::shared_ptr<const DyadFrame> DyadWatch::frame()
{
    auto f = read_frame();
    if (f)
        f->history.assign(samples_.end() -
                              static_cast<std::ptrdiff_t>(std::min(most, samples_.size())),
                          samples_.end());
    return f;
}

std::int64_t DyadWatch::due_after(std::int64_t step) const
{
    return watching() ? std::min(next_multiple(step, every_), next_multiple(step, look_every_))
                      : never;
}

/// @param ms  later than the time before
void DyadWatch::look_for_sparks(double ms, const calcium::DyadPicture& picture)
{
    const auto& p = simulation_->tissue().problem;
    const auto unknown = static_cast<std::size_t>(unknown_);
    const auto criteria =
        calcium::spark_criteria(dyads_at(p, unknown)->table().at(p.type[unknown]).parameters);
    const bool same = finder_ && finder_->grid() == picture.grid &&
                      finder_->criteria().begins_above == criteria.begins_above &&
                      finder_->criteria().spacing_um == criteria.spacing_um;
    if (!same) { // of another cell; what was found is of the former one
        sparks_ = std::make_shared<SparkLog>();
        finder_ = std::make_unique<calcium::SparkFinder>(
            picture.grid, criteria, [log = sparks_](const calcium::Spark& s) { log->add(s); });
    }
    c_myo_mM_.resize(picture.c_myo_uM.size());
    std::transform(picture.c_myo_uM.begin(), picture.c_myo_uM.end(), c_myo_mM_.begin(),
                   [](float uM) { return 1e-3F * uM; });
    finder_->look<float>(ms, picture.open_RyR, c_myo_mM_);
    sparks_->looked(ms, finder_->under_way());
}

void DyadWatch::observe(Moment& now)
{
    // a driver may stop at any step
    const bool sample = now.step() % every_ == 0, look = now.step() % look_every_ == 0;
    if (!watching() || (!sample && !look))
        return;
    const auto picture = read(static_cast<std::size_t>(unknown_));
    if (!picture)
        return;
    if (look && now.step() > looked_step_) {
        look_for_sparks(now.time_ms(), *picture);
        looked_step_ = now.step();
    }
    if (!sample)
        return;
    if (samples_.size() == 2 * most)
        samples_.erase(samples_.begin(), samples_.begin() + static_cast<std::ptrdiff_t>(most));
    const auto f = [](double x) { return static_cast<float>(x); };
    const auto& s = picture->state;
    samples_.push_back({now.time_ms(), f(picture->v_mV), f(1e3 * s.dyads.c_myo), f(s.dyads.c_jsr),
                        f(s.i_CaL), f(1e3 * s.release_mM_per_ms), f(s.dyads.open_RyR),
                        f(s.dyads.active)});
}

} // namespace tawara::simulation
