// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/site_search.hpp"

#include "engine/core/error.hpp"
#include "engine/simulation/results/checkpoint.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/session/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tawara::study {
namespace {

constexpr double capture_every_ms = 0.25; ///< as runs judge it
constexpr double told_ms = 100;           ///< a pulse is decided by then
constexpr double longest_phase_ms = 500;

simulation::Stimulus pulse_at(const SiteSearch::Place& place, const Induction& i, double ms)
{
    simulation::Stimulus s;
    s.name = place.name;
    s.region = place.site;
    s.start_ms = ms;
    s.duration_ms = i.duration_ms;
    s.amplitude_pA_per_pF = i.amplitude_pA_per_pF;
    return s;
}

} // namespace

std::string couplings_text(const std::vector<double>& couplings_ms)
{
    std::string out;
    for (const double c : couplings_ms)
        out += (out.empty() ? "" : "-") + simulation::number_text(c, 6);
    return out;
}

SiteSearch::SiteSearch(simulation::Simulation& s, const simulation::Session& session,
                       const Induction& i, Place place, Precision precision, Known known,
                       std::function<void(const Trial&)> decided)
    : simulation_(s), session_(session), induction_(i), place_(std::move(place)),
      precision_(precision), known_(std::move(known)), decided_(std::move(decided)),
      watch_(session, s), pacing_(s, place_.name, simulation::steps_of(capture_every_ms, s.dt_ms()),
                                  [this](const auto& e) { verdicts_.push_back(e); })
{
    simulation_.add(watch_);
    simulation_.add(pacing_);
}

std::int64_t SiteSearch::steps(double ms) const
{
    return std::llround(ms / simulation_.dt_ms());
}

/// Those pulses are all that come from now on.
void SiteSearch::give(const std::vector<double>& times_ms)
{
    std::vector<simulation::Stimulus> stimuli;
    for (const double t : times_ms)
        stimuli.push_back(pulse_at(place_, induction_, t));
    pacing_.restart(stimuli);
    simulation_.plan_samples();
    verdicts_.clear();
}

void SiteSearch::go_to(std::int64_t step, const Progress& progress)
{
    constexpr double chunk_ms = 10;
    const auto chunk = simulation::steps_of(chunk_ms, simulation_.dt_ms());
    while (simulation_.step() < step) {
        progress.at(0, {});
        simulation_.advance(std::min(chunk, step - simulation_.step()));
    }
}

void SiteSearch::begin_train(const Progress& progress)
{
    watch_.end();
    simulation_.restore(simulation_.first_state());
    std::vector<double> times;
    for (int k = 0; k < induction_.count; ++k)
        times.push_back(k * induction_.cycle_ms);
    give(times);
    const auto last = steps(times.back());
    go_to(last, progress);
    simulation_.restart_maps();
    go_to(last + steps(induction_.shortest_ms), progress);
    bases_[{}] = {simulation_.stepper().snapshot(), last, none_awaited()};
    go_to(last + std::max(steps(induction_.shortest_ms), steps(told_ms)), progress);
    const auto failed = std::count_if(verdicts_.begin(), verdicts_.end(),
                                      [](const auto& e) { return !e.captured; });
    if (failed > 0 || verdicts_.empty())
        throw InputError(place_.file, "/induction/s1",
                         "at " + place_.name + " " +
                             (verdicts_.empty() ? "no pulse" : std::to_string(failed) + " pulses") +
                             " of " + std::to_string(induction_.count) +
                             (verdicts_.empty() ? " can be judged, since there is no tissue around"
                                                : " do not capture; a larger "
                                                  "induction.stimulus.radius_mm or "
                                                  "amplitude_pA_per_pF would"));
}

bool SiteSearch::read_checkpoint_of_train()
{
    std::error_code none;
    if (!std::filesystem::exists(place_.checkpoint, none))
        return false;
    const auto& problem = simulation_.tissue().problem;
    simulation::Checkpoint here;
    here.fingerprint = fingerprint(problem, session_, precision_);
    auto c = simulation::read_checkpoint(
        place_.checkpoint, [&](const simulation::Checkpoint&) -> simulation::CheckpointBounds {
            simulation::CheckpointBounds bounds{
                problem.size(),
                simulation::numbers_per_unknown(problem, precision_),
                {},
                problem.group};
            bounds.probes = 0;
            bounds.tables.emplace();
            bounds.parts = simulation_.numbers_of_parts();
            return bounds;
        });
    if (c.fingerprint != here.fingerprint)
        throw InputError(place_.checkpoint.string(),
                         simulation::difference(c.fingerprint, here.fingerprint) +
                             "; give --out another folder");
    bases_[{}] = {std::move(c.state), steps((induction_.count - 1) * induction_.cycle_ms),
                  none_awaited()};
    return true;
}

void SiteSearch::write_checkpoint_of_train() const
{
    const auto& tissue = simulation_.tissue();
    simulation::Checkpoint c;
    c.fingerprint = fingerprint(tissue.problem, session_, precision_);
    c.layout = simulation::layout_print(tissue.problem, *tissue.mesh);
    c.state = bases_.at({}).state;
    c.threshold_mV = session_.activation_threshold_mV;
    c.maps_from_ms = (induction_.count - 1) * induction_.cycle_ms;
    write_checkpoint(c, place_.checkpoint);
}

const SiteSearch::Base& SiteSearch::base(const std::vector<double>& couplings,
                                         const Progress& progress)
{
    if (const auto found = bases_.find(couplings); found != bases_.end())
        return found->second;
    if (couplings.empty()) {
        if (!read_checkpoint_of_train()) {
            begin_train(progress);
            write_checkpoint_of_train();
        }
    } else { // of an earlier program's trial
        const auto pulse = before_pulse(couplings, progress);
        auto awaited = awaited_now(couplings);
        simulation_.restart_maps();
        go_to(pulse + steps(induction_.shortest_ms), progress);
        bases_[couplings] = {simulation_.stepper().snapshot(), pulse, std::move(awaited)};
    }
    return bases_.at(couplings);
}

std::int64_t SiteSearch::before_pulse(const std::vector<double>& couplings,
                                      const Progress& progress)
{
    const auto& from = base({couplings.begin(), couplings.end() - 1}, progress);
    const auto pulse = from.pulse_step + steps(couplings.back());
    watch_.end();
    simulation_.restore(from.state);
    give({static_cast<double>(pulse) * simulation_.dt_ms()});
    go_to(pulse, progress);
    return pulse;
}

std::vector<char> SiteSearch::none_awaited() const
{
    return std::vector<char>(simulation_.tissue().problem.size(), 0);
}

std::vector<char> SiteSearch::awaited_now(const std::vector<double>& couplings) const
{
    return awaited_at_pulse(bases_.at({couplings.begin(), couplings.end() - 1}).awaited,
                            simulation_.stepper().maps().activation_ms);
}

Trial SiteSearch::tried(const std::vector<double>& couplings, const Progress& progress)
{
    const auto pulse = before_pulse(couplings, progress);
    const double pulse_ms = static_cast<double>(pulse) * simulation_.dt_ms();
    const auto awaited = awaited_now(couplings);
    simulation_.restart_maps();
    const double sustained = induction_.sustained_ms;
    watch_.begin(awaited, pulse_ms + sustained - std::min(longest_phase_ms, sustained / 2));
    Trial t;
    t.couplings_ms = couplings;
    const auto base_step = pulse + steps(induction_.shortest_ms), ms = steps(1.0);
    const bool last = couplings.size() == static_cast<std::size_t>(induction_.extra);
    const auto end = pulse + steps(sustained);
    while (simulation_.step() < end) {
        auto to = std::min(end, simulation_.step() + ms);
        if (simulation_.step() < base_step)
            to = std::min(to, base_step);
        go_to(to, progress);
        if (to == base_step && !last)
            bases_[couplings] = {simulation_.stepper().snapshot(), pulse, awaited};
        const double after = simulation_.time_ms() - pulse_ms;
        if (verdicts_.empty()) {
            if (after > told_ms)
                throw InputError(place_.file, "/induction",
                                 "at " + place_.name + " the pulse after " +
                                     couplings_text(couplings) +
                                     " ms cannot be judged, since there is no tissue around");
            continue;
        }
        if (!verdicts_.front().captured) {
            bases_.erase(couplings);
            return t;
        }
        if (!watch_.active() && simulation_.step() >= base_step)
            break;
    }
    judge(t, pulse_ms);
    std::erase_if(bases_, [&](const auto& b) { // only the shortest that captured is followed
        return b.first.size() == couplings.size() && b.first != couplings;
    });
    return t;
}

void SiteSearch::judge(Trial& t, double pulse_ms) const
{
    const double now = simulation_.time_ms(), sustained = induction_.sustained_ms;
    const bool to_its_end = now - pulse_ms >= sustained - 0.5 * simulation_.dt_ms();
    const auto v = verdict(watch_.since(pulse_ms, now, sustained, to_its_end));
    t.outcome = v.outcome;
    t.duration_ms = v.duration_ms;
    t.reentry = v.reentry;
    if (t.outcome == Outcome::sustained)
        t.core = watch_.core();
}

const Trial& SiteSearch::trial(const std::vector<double>& couplings, const Progress& progress)
{
    auto found = known_.find(couplings);
    if (found == known_.end()) {
        found = known_.emplace(couplings, tried(couplings, progress)).first;
        if (decided_)
            decided_(found->second);
    }
    note(found->second);
    return found->second;
}

void SiteSearch::note(const Trial& t)
{
    ++result_.trials;
    const auto rank = [](const Trial& x) {
        return std::pair(static_cast<int>(x.outcome), x.duration_ms);
    };
    if (result_.trials == 1 || rank(t) >= rank(result_.worst))
        result_.worst = t;
}

std::optional<double> SiteSearch::shortest(const std::vector<double>& before,
                                           const Progress& progress)
{
    constexpr double hair_ms = 1e-6;
    const auto at = [&](double coupling) -> const Trial& {
        auto all = before;
        all.push_back(coupling);
        return trial(all, progress);
    };
    std::optional<double> found;
    double c = induction_.first_coupling_ms;
    if (at(c).captured()) {
        do {
            found = c;
            c -= induction_.decrement_ms;
        } while (result_.worst.outcome != Outcome::sustained &&
                 c >= induction_.shortest_ms - hair_ms && at(c).captured());
        return found;
    }
    for (c += induction_.decrement_ms; c <= induction_.cycle_ms + hair_ms;
         c += induction_.decrement_ms)
        if (at(c).captured())
            return c;
    return {};
}

SearchResult SiteSearch::go(const Progress& progress)
{
    result_ = {};
    std::vector<double> couplings;
    while (couplings.size() < static_cast<std::size_t>(induction_.extra) &&
           result_.worst.outcome != Outcome::sustained) {
        const Progress part{[&, done = couplings.size()](double, std::string_view) {
                                if (progress.report)
                                    progress.report(static_cast<double>(done) / induction_.extra,
                                                    place_.name);
                            },
                            progress.stop, progress.context};
        const auto found = shortest(couplings, part);
        if (!found)
            break;
        couplings.push_back(*found);
        std::erase_if(bases_, [&](const auto& b) { // of trials that nothing follows
            return !b.first.empty() && b.first != couplings;
        });
    }
    result_.shortest_ms = couplings;
    return result_;
}

} // namespace tawara::study
