// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/restitution_pacing.hpp"

#include "engine/core/error.hpp"
#include "engine/simulation/results/checkpoint.hpp"
#include "engine/simulation/results/figures.hpp"
#include "engine/simulation/session/intervals.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::study {
namespace {

using simulation::Pulse;

constexpr double judged_every_ms = 0.25; ///< as runs judge it
constexpr double hair_ms = 1e-6;
constexpr double chunk_ms = 10;
constexpr double lead_ms = 60;   ///< of samples before a beat: rest is looked for in 50 ms
constexpr double early_ms = 100; ///< no beat has ended by then

/// Samples as find_beats() has been told of: down to a twelfth of their span they are at rest.
bool at_rest(const std::vector<float>& v)
{
    constexpr float part = 1.0F / 12;
    const auto [low, high] = std::minmax_element(v.begin(), v.end());
    return v.back() <= *low + part * (*high - *low);
}

/// Beats without what a pulse alone does to tissue that has not recovered: responses shorter than
/// a quarter of the longest action potential. Diastolic intervals are between those that are left.
std::vector<simulation::Beat> without_responses(std::vector<simulation::Beat> beats)
{
    constexpr double least_part = 0.25;
    double longest_apd_ms = 0;
    for (const auto& b : beats)
        longest_apd_ms = std::fmax(longest_apd_ms, b.apd90_ms);
    std::erase_if(beats, [&](const auto& b) { return b.apd90_ms < least_part * longest_apd_ms; });
    for (std::size_t k = 1; k < beats.size(); ++k) {
        beats[k].cycle_ms = beats[k].activation_ms - beats[k - 1].activation_ms;
        beats[k].diastolic_ms = beats[k].cycle_ms - beats[k - 1].apd90_ms;
    }
    return beats;
}

simulation::Stimulus train_from(simulation::Stimulus pulse, double start_ms, double cycle_ms,
                                int count)
{
    pulse.start_ms = start_ms;
    auto& p = pulse.protocol.emplace();
    p.kind = simulation::Protocol::Kind::train;
    p.cycle_ms = cycle_ms;
    p.count = count;
    return pulse;
}

} // namespace

RestitutionPacing::RestitutionPacing(simulation::Simulation& s, const simulation::Session& session,
                                     simulation::Stimulus pulse, Place place, Precision precision,
                                     RestitutionStore& store)
    : simulation_(s), session_(session), pulse_(std::move(pulse)), place_(std::move(place)),
      precision_(precision), store_(store), traces_({0, 0}),
      pacing_(s, place_.file, simulation::steps_of(judged_every_ms, s.dt_ms()),
              [this](const auto& e) { verdicts_.push_back(e); })
{
    traces_.begin(s, session.probes, place_.file, 1,
                  [](auto, double, double) { return std::string(); });
    simulation_.add(traces_);
    simulation_.add(pacing_);
}

std::int64_t RestitutionPacing::step_before(double ms) const
{
    return static_cast<std::int64_t>(std::floor(ms / simulation_.dt_ms() + hair_ms));
}

/// Those stimuli are all that come from now on.
void RestitutionPacing::give(std::vector<simulation::Stimulus> stimuli)
{
    pacing_.restart(stimuli);
    simulation_.plan_samples();
    verdicts_.clear();
}

void RestitutionPacing::go_to(std::int64_t step, const Progress& progress)
{
    const auto chunk = simulation::steps_of(chunk_ms, simulation_.dt_ms());
    while (simulation_.step() < step) {
        progress.at(0, {});
        simulation_.advance(std::min(chunk, step - simulation_.step()));
    }
}

void RestitutionPacing::begin_anew(std::vector<simulation::Stimulus> stimuli)
{
    simulation_.restore(simulation_.first_state());
    traces_.restart();
    give(std::move(stimuli));
}

bool RestitutionPacing::read_checkpoint()
{
    std::error_code none;
    if (!std::filesystem::exists(place_.checkpoint, none))
        return false;
    const auto& problem = simulation_.tissue().problem;
    const auto here = fingerprint(problem, session_, precision_);
    auto c = simulation::read_checkpoint(
        place_.checkpoint, [&](const simulation::Checkpoint&) -> simulation::CheckpointBounds {
            simulation::CheckpointBounds bounds{
                problem.size(),
                simulation::numbers_per_unknown(problem, precision_),
                {},
                problem.group};
            bounds.probes = session_.probes.size();
            bounds.tables.emplace();
            bounds.parts = simulation_.numbers_of_parts();
            return bounds;
        });
    if (c.fingerprint != here)
        throw InputError(place_.checkpoint.string(), simulation::difference(c.fingerprint, here) +
                                                         "; give --out another folder");
    if (c.traces.V_mV.size() != session_.probes.size() ||
        c.probes_of != simulation::probes_print(session_.probes))
        throw InputError(place_.checkpoint.string(),
                         "is of other probes; give --out another folder");
    restore({std::move(c.state), c.traces.times_ms(simulation_.dt_ms()), c.traces.V_mV});
    return true;
}

void RestitutionPacing::write_checkpoint() const
{
    const auto& tissue = simulation_.tissue();
    simulation::Checkpoint c;
    c.fingerprint = fingerprint(tissue.problem, session_, precision_);
    c.layout = simulation::layout_print(tissue.problem, *tissue.mesh);
    auto now = trunk();
    c.traces.first_step = std::llround(now.times_ms.front() / simulation_.dt_ms());
    c.traces.V_mV = std::move(now.V_mV);
    c.state = std::move(now.state);
    c.probes_of = simulation::probes_print(session_.probes);
    c.threshold_mV = session_.activation_threshold_mV;
    simulation::write_checkpoint(c, place_.checkpoint);
}

RestitutionPacing::Trunk RestitutionPacing::trunk() const
{
    return {simulation_.stepper().snapshot(), traces_.times_ms(), traces_.columns_mV()};
}

void RestitutionPacing::restore(const Trunk& t)
{
    simulation_.restore(t.state);
    traces_.go_on(t.times_ms, t.V_mV);
}

void RestitutionPacing::forget_samples_before(double ms)
{
    const auto& times = traces_.times_ms();
    const auto gone = std::lower_bound(times.begin(), times.end(), ms) - times.begin();
    auto columns = traces_.columns_mV();
    for (auto& c : columns)
        c.erase(c.begin(), c.begin() + gone);
    traces_.go_on({times.begin() + gone, times.end()}, std::move(columns));
}

std::vector<Pulse> RestitutionPacing::train(const S1S2& p) const
{
    std::vector<Pulse> out;
    for (int k = 0; k < p.count; ++k) {
        Pulse s1;
        s1.site = pulse_.name;
        s1.kind = "S1";
        s1.time_ms = k * p.cycle_ms;
        s1.extent = simulation::extent_of(pulse_.region);
        out.push_back(std::move(s1));
    }
    return out;
}

std::vector<Pulse> RestitutionPacing::logged_from(double ms) const
{
    auto out = pacing_.log().until(simulation_.time_ms());
    std::erase_if(out, [&](const Pulse& p) { return p.time_ms < ms - hair_ms; });
    return out;
}

std::vector<RestitutionBeat> RestitutionPacing::measured(std::span<const Wanted> wanted,
                                                         std::span<const Pulse> pulses) const
{
    const auto columns = traces_.columns_mV();
    std::vector<RestitutionBeat> out;
    std::vector<double> first_ms(wanted.size(), RestitutionBeat::unknown), first_di = first_ms;
    for (std::size_t k = 0; k < columns.size(); ++k) {
        const auto& probe = session_.probes[k];
        const auto beats = without_responses(simulation::beats_of(traces_.times_ms(), columns[k]));
        const auto makers = simulation::pulses_behind(beats, pulses, probe.position_mm);
        for (std::size_t w = 0; w < wanted.size(); ++w) {
            RestitutionBeat b;
            b.interval_ms = wanted[w].interval_ms;
            b.beat = wanted[w].beat;
            b.probe = probe.name;
            const auto at = std::find_if(makers.begin(), makers.end(), [&](const auto& m) {
                return m.pulse != nullptr && m.pulse->captured.value_or(true) &&
                       std::abs(m.pulse->time_ms - wanted[w].pulse_ms) < hair_ms;
            });
            b.captured = at != makers.end();
            if (b.captured) {
                const auto& beat = beats[static_cast<std::size_t>(at - makers.begin())];
                b.diastolic_ms = beat.diastolic_ms;
                b.apd90_ms = beat.apd90_ms;
                b.apd50_ms = beat.apd50_ms;
                b.delay_ms = beat.activation_ms - wanted[w].pulse_ms;
                if (k == 0)
                    first_ms[w] = beat.activation_ms, first_di[w] = beat.diastolic_ms;
                else if (const double took = std::abs(beat.activation_ms - first_ms[w]); took > 0)
                    b.velocity_m_per_s =
                        norm(probe.position_mm - session_.probes[0].position_mm) / took;
                b.first_diastolic_ms = first_di[w];
            }
            out.push_back(std::move(b));
        }
    }
    return out;
}

/// At the first probe, as far as waves have come there.
void RestitutionPacing::need_capture_of_train(const S1S2& p) const
{
    std::vector<Wanted> wanted;
    for (int k = 0; k + 1 < p.count; ++k)
        wanted.push_back({p.cycle_ms, k + 1, k * p.cycle_ms});
    const auto beats = measured(wanted, train(p));
    const auto lost = std::count_if(beats.begin(), beats.end(), [&](const auto& b) {
        return !b.captured && b.probe == session_.probes[0].name;
    });
    if (lost > 0)
        throw InputError(place_.file, "/restitution/s1s2",
                         std::to_string(lost) + " of " + std::to_string(p.count) +
                             " pulses S1 make no beat at the probe '" + session_.probes[0].name +
                             "'; a longer cycle_ms or a stronger stimulus would");
}

bool RestitutionPacing::is_over() const
{
    if (!verdicts_.empty() && !verdicts_.back().captured)
        return true;
    for (const auto& v : traces_.columns_mV())
        if (!at_rest(v))
            return false;
    return true;
}

void RestitutionPacing::give_s2(const S1S2& p, double coupling_ms, const Progress& progress)
{
    const double last_ms = (p.count - 1) * p.cycle_ms, s2_ms = last_ms + coupling_ms;
    auto s2 = pulse_;
    s2.start_ms = s2_ms;
    give({s2});
    go_to(step_before(s2_ms), progress);
    const auto before = trunk();
    const Wanted wanted{coupling_ms, 1, s2_ms};
    std::vector<RestitutionBeat> beats;
    for (bool done = false; !done;) {
        go_to(std::min(step_before(s2_ms + p.cycle_ms),
                       simulation_.step() + simulation::steps_of(chunk_ms, simulation_.dt_ms())),
              progress);
        const double after = simulation_.time_ms() - s2_ms;
        const bool refused = !verdicts_.empty() && !verdicts_.back().captured;
        done = after >= p.cycle_ms - simulation_.dt_ms();
        if (!done && !refused && !(after > early_ms && is_over()))
            continue;
        auto pulses = train(p);
        for (auto& pulse : logged_from(s2_ms))
            pulses.push_back(std::move(pulse));
        beats = measured(std::span(&wanted, 1), pulses);
        done = done || refused || std::all_of(beats.begin(), beats.end(), [](const auto& b) {
                   return std::isfinite(b.apd90_ms);
               });
    }
    store_.add(beats);
    restore(before);
}

void RestitutionPacing::pace(const S1S2& p, const Progress& progress)
{
    constexpr double before_ms = 1;
    const double last_ms = (p.count - 1) * p.cycle_ms;
    if (!read_checkpoint()) {
        begin_anew({train_from(pulse_, 0, p.cycle_ms, p.count)});
        go_to(step_before(last_ms + p.couplings_ms.front() - before_ms), progress);
        need_capture_of_train(p);
        write_checkpoint();
    }
    double done = 0;
    for (const double c : p.couplings_ms) {
        if (progress.report)
            progress.report(done++ / static_cast<double>(p.couplings_ms.size()), "S2");
        if (!store_.has(c))
            give_s2(p, c, Progress{{}, progress.stop, progress.context});
    }
}

void RestitutionPacing::pace(const DynamicPacing& p, const Progress& progress)
{
    std::vector<simulation::Stimulus> trains;
    std::vector<double> begins; // each train's second pulse; the last one is of none
    double start = 0;
    for (const double c : p.cycles_ms) {
        trains.push_back(train_from(pulse_, start, c, p.count));
        begins.push_back(start + c);
        start += p.count * c;
    }
    begins.push_back(start + p.cycles_ms.front());
    const auto from = [&](std::size_t k) { // each train has places that are sampled
        const auto some = std::span(trains).subspan(k, std::min<std::size_t>(2, trains.size() - k));
        return std::vector(some.begin(), some.end());
    };
    std::size_t level = 0;
    const Progress quiet{{}, progress.stop, progress.context};
    if (read_checkpoint()) {
        while (level < p.cycles_ms.size() && step_before(begins[level]) < simulation_.step())
            ++level;
        give(from(level));
    } else {
        begin_anew(from(0));
        go_to(step_before(begins.front()), quiet);
        forget_samples_before(begins.front() - lead_ms);
    }
    store_.keep_only(std::span(p.cycles_ms).first(level));
    for (; level < p.cycles_ms.size(); ++level) {
        const double cycle = p.cycles_ms[level];
        if (progress.report)
            progress.report(begins[level] / begins.back(), "dynamic pacing");
        go_to(step_before(begins[level + 1]), quiet);
        std::vector<Wanted> wanted;
        for (int k = p.count - p.measured; k < p.count; ++k)
            wanted.push_back(
                {cycle, static_cast<int>(wanted.size()) + 1, begins[level] + (k - 1) * cycle});
        const auto beats = measured(wanted, logged_from(begins[level]));
        store_.add(beats);
        forget_samples_before(begins[level + 1] - lead_ms);
        const bool block =
            std::any_of(beats.begin(), beats.end(), [](const auto& b) { return !b.captured; });
        const auto s = summary_of(beats, session_.probes[0].name);
        if (block || (p.alternans && s.alternans_ms >= *p.alternans))
            break;
        write_checkpoint();
        pacing_.replace(from(level + 1));
    }
}

} // namespace tawara::study
