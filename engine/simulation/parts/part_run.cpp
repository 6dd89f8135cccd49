// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/parts/part_run.hpp"

#include "engine/cell/numerics_error.hpp"
#include "engine/core/error.hpp"
#include "engine/core/units.hpp"
#include "engine/device/ranks/pack.hpp"
#include "engine/device/share_stepper.hpp"
#include "engine/simulation/parts/part_outputs.hpp"
#include "engine/simulation/results/checkpoint.hpp"
#include "engine/simulation/results/going_on.hpp"
#include "engine/simulation/results/run_notices.hpp"
#include "engine/simulation/session/intervals.hpp"
#include "engine/simulation/session/output_keys.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

namespace tawara::simulation::parts {
namespace {

using Clock = std::chrono::steady_clock;
using device::ranks::Pack;
using device::ranks::Unpack;

double since(Clock::time_point t)
{
    return std::chrono::duration<double>(Clock::now() - t).count();
}

/// @throws InputError for what a run asks and parts have not
void need_what_runs_have(const Session& s, const RunOptions& o)
{
    const auto refuse = [&](const std::string& file, const std::string& key,
                            const std::string& what) {
        throw InputError(file, key,
                         what + " not made of a mesh in parts; leave it out, or name the whole "
                                "mesh");
    };
    if (!o.html.empty())
        refuse("--report", "", "is a page for people, which is");
    if (o.branch)
        refuse("--branch", "", "starts other tissue from a checkpoint, which is");
    if (o.counters)
        refuse("--counters", "", "are of GPUs, and are");
    if (s.output->frames == FrameFormat::igb && s.output->frames_every_ms > 0)
        refuse(s.name, "/output/frames", "is igb, of which files are");
    if (s.output->maps_from_ms > 0)
        refuse(s.name, "/output/maps_from_ms", "is a later beginning of maps, which are");
    device::check_share(o.device);
}

Pack& operator<<(Pack& out, const NumericsError& e)
{
    return out << e.time_ms << e.step << e.unknown << e.position_mm << e.value << e.model;
}

NumericsError numerics_error(Unpack& in)
{
    const auto time_ms = in.read<double>();
    const auto step = in.read<std::int64_t>(), unknown = in.read<std::int64_t>();
    const auto at = in.read<Vec3>();
    const auto value = in.read<double>();
    return {time_ms, step, unknown, at, value, in.read<std::string>()};
}

} // namespace

PartRun::PartRun(const Session& s, const RunOptions& o, Group& group, const Progress& progress)
    : session_(s), options_(o), group_(group)
{
    auto named = s;
    if (!o.session_file.empty())
        named.name = o.session_file;
    need_what_runs_have(named, o);
    if (!o.resume.empty())
        named.prepacing = {}; // the checkpoint has the cells' states
    end_step_ = std::llround((o.until_ms >= 0 ? o.until_ms : s.end_ms) / s.dt_ms);
    frames_every_ = interval_steps(s, "/output/frames_every_ms");
    checkpoints_every_ = interval_steps(s, "/output/checkpoint_every_ms");
    ecg_every_ = interval_steps(s, "/ecg/every_ms");
    look_at_places();
    tissue_ = part_tissue(named, group, notices_, progress);
    for (const auto& n : notices_)
        say(n.level, n.text);
    for (const auto& n : what_outputs_will_be(s))
        say(n.level, n.text);
    say(Notice::Level::info, "of a mesh in parts there are no beats.csv, no pulses in report.json "
                             "and no conduction velocities; maps and frames are .pvtu");
    make_stepper(progress);
    auto& t = tissue_->tissue;
    t.locator = std::make_shared<mesh::Locator>(*t.mesh);
    if (!t.on_vertices())
        t.stars = mesh::vertex_stars(*t.mesh); // for nodes
    samples_.begin(*tissue_, group_, s.probes, o.session_file,
                   std::max<std::int64_t>(1, interval_steps(s, "/output/probes_every_ms")),
                   *stepper_);
    give_stimuli();
    if (ecg_every_ > 0)
        ecg_ = PartEcg(*tissue_, group_, s, o.session_file, progress);
    t.locator.reset();
    t.stars = {};
    resume();
    if (first_step_ >= end_step_)
        throw InputError(o.resume.string(), "was written at or after the run's end; give a later "
                                            "--until");
    setup_s_ = since(born_);
}

void PartRun::say(Notice::Level level, const std::string& text) const
{
    if (options_.notice && group_.is_first())
        options_.notice({level, text});
}

void PartRun::make_stepper(const Progress& progress)
{
    auto& share = tissue_->share;
    halo_.emplace(share, group_.ranks());
    fingerprint_ = fingerprint(share.problem, session_, options_.device.precision);
    stepper_ = device::make_share_stepper(
        share.problem, options_.device, group_.ranks().number_on_this_machine(), *halo_, progress);
    share.problem.system.alpha = {}; // the stepper has its own
    group_.any(false);               // every rank has a stepper
    const auto met = stepper_->meet_others();
    const auto all = group_.together((Pack() << stepper_->device()).take(), [&](const auto& said) {
        std::vector<std::string> names;
        for (const auto& s : said)
            names.push_back(Unpack(s).template read<std::string>());
        return (Pack() << device::ranks::ranks_text(names, met)).take();
    });
    devices_ = Unpack(all).read<std::string>();
    say(Notice::Level::info, "computing on " + std::to_string(group_.size()) +
                                 " ranks, each with its part of the mesh: " + devices_);
}

void PartRun::give_stimuli()
{
    const auto& t = *tissue_;
    std::vector<std::int32_t> in_share(t.own.size(), -1);
    for (std::size_t k = 0; k < t.stepped.size(); ++k)
        in_share[static_cast<std::size_t>(t.stepped[k])] = static_cast<std::int32_t>(k);
    for (std::size_t k = 0; k < session_.stimuli.size(); ++k) {
        const auto& s = session_.stimuli[k];
        auto unknowns = own_unknowns_in(t, group_, s.region, options_.session_file,
                                        "/stimuli/" + std::to_string(k) + "/region");
        for (auto& u : unknowns)
            u = in_share[static_cast<std::size_t>(u)];
        for (auto& source : sources_of(s, unknowns, pulse_runs(s)))
            stepper_->add_stimulus(std::move(source));
    }
}

std::int64_t PartRun::next_event(std::int64_t step) const
{
    auto next = end_step_;
    for (const auto every : {frames_every_, checkpoints_every_, ecg_every_})
        if (every > 0)
            next = std::min(next, (step / every + 1) * every);
    return next;
}

/// What this process tells before the next steps: whether the last ones failed, and its samples.
Bytes PartRun::said_here(const std::optional<Stopped>& stopped)
{
    Pack out;
    out << samples_.taken(*stepper_) << stopped.has_value();
    if (stopped)
        out << stopped->text << *stopped->at;
    return out.take();
}

/// In the first process: how many steps are next; 0: none; below: the run stops.
Bytes PartRun::decide(const std::vector<Bytes>& all, const Progress& progress)
{
    std::vector<Bytes> samples;
    std::optional<Stopped> stopped;
    for (const auto& message : all) {
        Unpack in(message);
        in >> samples.emplace_back();
        if (!in.read<bool>())
            continue;
        Stopped here;
        in >> here.text;
        here.at = numerics_error(in);
        if (!stopped || here.at->step < stopped->at->step) // where it began
            stopped = std::move(here);
    }
    samples_.add(samples, session_.dt_ms);
    const auto step = stepper_->step();
    auto n = std::min(batches_.next(), next_event(step) - step);
    if (stopped || progress.stop.stop_requested())
        n = -1;
    else if (progress.report)
        progress.report(static_cast<double>(step - first_step_) /
                            static_cast<double>(end_step_ - first_step_),
                        "running");
    Pack out;
    out << n << stopped.has_value();
    if (stopped)
        out << stopped->text << *stopped->at;
    return out.take();
}

/// What all do next. @param stopped  what failed here; becomes why all stop
std::int64_t PartRun::agree(std::optional<Stopped>& stopped, const Progress& progress)
{
    const auto answer = group_.together(
        said_here(stopped), [&](const std::vector<Bytes>& all) { return decide(all, progress); });
    Unpack in(answer);
    const auto n = in.read<std::int64_t>();
    if (n < 0)
        stopped.emplace();
    if (in.read<bool>()) {
        in >> stopped->text;
        stopped->at = numerics_error(in);
    }
    return n;
}

/// @param stopped  how the steps ended, if before their end
void PartRun::take_steps(std::optional<Stopped>& stopped, const Progress& progress)
{
    if (first_step_ == 0)
        events();
    else if (frames_every_ > 0 && first_step_ % frames_every_ == 0)
        write_frame(); // that of the checkpoint's time
    for (;;) {
        const auto begun = Clock::now(); // samples are taken while all agree
        const auto n = agree(stopped, progress);
        if (n <= 0)
            return;
        const auto start = Clock::now();
        try {
            stepper_->advance(n);
        } catch (const NumericsError& e) {
            auto at = e;
            const auto& whole = tissue_->share.whole;
            const auto own = static_cast<std::size_t>(std::max<std::int64_t>(e.unknown, 0));
            at.unknown = own < whole.size() ? whole[own] : 0;
            stopped = Stopped{device::ranks::of_whole(e.what(), e.unknown, at.unknown), at};
        }
        stepping_s_ += since(start);
        if (!group_.any(stopped.has_value()))
            events();
        batches_.took(since(begun));
    }
}

/// Frames and checkpoints that are due now.
void PartRun::events()
{
    const auto step = stepper_->step();
    if (ecg_every_ > 0 && !ecg_.empty() && step % ecg_every_ == 0) {
        std::vector<double> v(tissue_->share.problem.group.size());
        stepper_->potential(v);
        ecg_.add(group_, v, stepper_->time_ms());
    }
    if (frames_every_ > 0 && step % frames_every_ == 0)
        write_frame();
    if (checkpoints_every_ > 0 && step > first_step_ && step % checkpoints_every_ == 0)
        write_checkpoint_here();
}

void PartRun::say_last_checkpoint() const
{
    if (checkpoints_.empty())
        return say(Notice::Level::info,
                   no_checkpoint_since(options_,
                                       static_cast<double>(checkpoints_every_) * session_.dt_ms,
                                       checkpoints_failed_));
    const auto& last = checkpoints_.back();
    say(Notice::Level::info, "the last checkpoint is " + last.string() +
                                 " and those of the other ranks; " + how_to_go_on(options_, last));
}

RunReport PartRun::steps_and_results(std::optional<Stopped>& stopped, const Progress& progress)
{
    try {
        take_steps(stopped, progress);
    } catch (const WriteFailed& e) { // a frame, of which all know
        stopped = Stopped{e.what(), {}, std::current_exception()};
    }
    const bool due = checkpoints_every_ > 0 && stepper_->step() % checkpoints_every_ == 0;
    if (stopped && stopped->text.empty() && stepper_->step() > first_step_ && !due)
        write_checkpoint_here(); // so that a run that was stopped can go on from where it was
    return finish(stopped);
}

RunReport PartRun::go(const Progress& progress)
{
    begin_folder(progress);
    std::optional<Stopped> stopped;
    RunReport report;
    try {
        report = steps_and_results(stopped, progress);
    } catch (const WriteFailed&) { // of tables or maps: all others are there
        say_last_checkpoint();
        throw;
    } catch (const std::exception&) { // a rank that has died or failed, memory
        keep_what_is_here(std::current_exception());
        say_last_checkpoint();
        throw;
    }
    if (!stopped)
        return report;
    say_last_checkpoint();
    if (stopped->file)
        std::rethrow_exception(stopped->file);
    if (stopped->at && group_.is_first())
        throw device::ranks::FailedElsewhere(*stopped->at, stopped->text);
    if (!stopped->at && group_.is_first()) {
        say(Notice::Level::info, "what was reached is in " + options_.out.string());
        throw Cancelled();
    }
    return {};
}

} // namespace tawara::simulation::parts
