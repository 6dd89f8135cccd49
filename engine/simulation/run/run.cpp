// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/run/run_state.hpp"

#include "engine/core/error.hpp"
#include "engine/core/folder_lock.hpp"
#include "engine/core/units.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/simulation/pacing/capture.hpp"
#include "engine/simulation/results/checkpoint.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/observe/ecg.hpp"
#include "engine/simulation/results/outputs.hpp"
#include "engine/simulation/observe/probe_samples.hpp"
#include "engine/simulation/pacing/pulse_log.hpp"
#include "engine/simulation/pacing/refractory.hpp"
#include "engine/simulation/results/report.hpp"
#include "engine/simulation/results/run_notices.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <map>

namespace tawara::simulation {
namespace {

using Clock = std::chrono::steady_clock;

/// Between samples that tell whether pulses capture, at most.
constexpr double capture_every_ms = 0.25;

double since(Clock::time_point t)
{
    return std::chrono::duration<double>(Clock::now() - t).count();
}

/// @pre  an exception of the standard library's kind
std::string line_of(const std::exception_ptr& failed)
{
    try {
        std::rethrow_exception(failed);
    } catch (const std::exception& e) {
        return e.what();
    }
}

/// So that what is said of it is told by the file's name and of this run's end.
Session as_run(Session s, const RunOptions& o)
{
    if (!o.session_file.empty())
        s.name = o.session_file;
    if (o.until_ms >= 0)
        s.end_ms = o.until_ms;
    return s;
}

/// Where a checkpoint has the cells' states, none are paced.
Session without_pacing(Session s)
{
    s.prepacing = {};
    return s;
}

} // namespace

Run::Run(const Session& s, const RunOptions& o, const Progress& progress)
    : session_(o.resume.empty() ? s : without_pacing(s)), options_(o),
      tissue_(build_tissue(as_run(session_, o), progress)),
      frames_(tissue_, o.out, s.frames,
              static_cast<double>(steps_of(s.frames_every_ms, s.dt_ms)) * s.dt_ms, o.device.threads)
{
    for (auto& n : what_run_will_be(s, tissue_, s.prepacing != session_.prepacing))
        tissue_.notices.push_back(std::move(n));
    for (const auto& n : tissue_.notices)
        say(n.level, n.text);
    Notices chosen;
    stepper_ = device::make_stepper(tissue_.problem, o.device, progress, &chosen);
    for (const auto& n : chosen)
        say(n.level, n.text);
    for (std::size_t k = 0; k < s.stimuli.size(); ++k)
        for (auto& source :
             sources_of(tissue_, s.stimuli[k], o.session_file, "/stimuli/" + std::to_string(k)))
            stepper_->add_stimulus(std::move(source));
    for (const auto& p : s.probes)
        probes_.names.push_back(p.name);
    traces_.V_mV.resize(s.probes.size());
    const double end = o.until_ms >= 0 ? o.until_ms : s.end_ms;
    end_step_ = std::llround(end / s.dt_ms);
    if (s.frames_every_ms > 0 && s.frames != FrameFormat::none)
        frame_every_ = steps_of(s.frames_every_ms, s.dt_ms);
    if (s.checkpoint_every_ms > 0)
        checkpoint_every_ = steps_of(s.checkpoint_every_ms, s.dt_ms);
    for (const auto& n : what_outputs_will_be(s))
        say(n.level, n.text);
    maps_step_ = std::llround(s.maps_from_ms / s.dt_ms);
    if (maps_step_ >= end_step_ && maps_step_ > 0)
        say(Notice::Level::warning, "maps stay empty: they begin at output.maps_from_ms " +
                                        ms_text(maps_step_) + ", and the run ends at " +
                                        ms_text(end_step_));
    v_.resize(tissue_.problem.size());
    if (s.has_ecg()) {
        ecg_field_ = EcgField(*tissue_.mesh, tissue_.stars, tissue_.on_vertices(), tissue_.patches,
                              ecg_layout(tissue_, s.electrodes, s.leads, o.session_file),
                              s.bath_conductivity_S_per_m, progress);
        ecg_.names = ecg_field_.layout().names();
        ecg_every_ = steps_of(s.ecg_every_ms, s.dt_ms);
    }
    resume();
    watch_capture();
    set_probes();
    phases_.setup_s = since(born_);
}

void Run::say(Notice::Level level, const std::string& text) const
{
    if (options_.notice)
        options_.notice({level, text});
}

/// Pulses that are still to come, or being followed at the checkpoint; what it knows of others of
/// the same stimulus stays known.
void Run::watch_capture()
{
    first_pulses_ = pulses_.set(session_.stimuli, 0);
    for (std::size_t k = 0; k < session_.stimuli.size(); ++k) {
        const auto& s = session_.stimuli[k];
        if (!s.on) {
            pulse_keys_.emplace_back();
            continue;
        }
        const auto unknowns = unknowns_in(tissue_, s.region, options_.session_file,
                                          "/stimuli/" + std::to_string(k) + "/region");
        pulse_keys_.push_back(stimulus_key(s, unknowns));
        double from_ms = stepper_->time_ms();
        std::span<const double> watch;
        if (k < known_.size() && known_[k].of == pulse_keys_[k]) {
            constexpr double after_ms = 1e-6;
            from_ms = std::max(from_ms, recall(known_[k], pulses_, first_pulses_ + k) + after_ms);
            watch = known_[k].watch;
        }
        capture_.add({static_cast<int>(k), first_pulses_ + k, capture_places(tissue_, unknowns),
                      s.amplitude_pA_per_pF, s.duration_ms, pulses_from(s, from_ms)},
                     watch);
    }
}

std::vector<KnownPulses> Run::known_now() const
{
    std::vector<KnownPulses> out;
    for (std::size_t k = 0; k < pulse_keys_.size(); ++k)
        out.push_back(known_pulses(pulse_keys_[k], pulses_, capture_, first_pulses_ + k));
    return out;
}

/// The probes of the session at every step, on which beats are measured, then the places that tell
/// whether pulses capture; these alone as often as they need.
void Run::set_probes()
{
    auto weights = probe_weights(tissue_, session_.probes, options_.session_file);
    if (stepper_->step() == 0) { // rest, before a pulse of the first step
        stepper_->potential(v_);
        range_.add(v_);
        traces_.first_step = 0;
        for (std::size_t p = 0; p < traces_.V_mV.size(); ++p)
            traces_.V_mV[p].assign(1, static_cast<float>(value_at(weights, p, v_)));
    }
    for (auto unknown : capture_.columns()) {
        weights.unknown.push_back(unknown);
        weights.weight.push_back(1);
        weights.first.push_back(static_cast<std::int64_t>(weights.unknown.size()));
    }
    if (session_.probes_every_ms > 0)
        probe_every_ = steps_of(session_.probes_every_ms, session_.dt_ms);
    stepper_->set_probes(std::move(weights),
                         session_.probes.empty() ? steps_of(capture_every_ms, session_.dt_ms) : 1);
}

/// What a checkpoint must be of.
Checkpoint Run::here() const
{
    Checkpoint c;
    c.fingerprint = fingerprint(tissue_.problem, options_.device.precision);
    c.layout = layout_print(tissue_.problem, *tissue_.mesh);
    return c;
}

/// As if nothing had been activated so far.
void Run::restart_maps()
{
    collect(); // restoring drops the samples that wait
    auto s = stepper_->snapshot();
    constexpr double never = std::numeric_limits<double>::quiet_NaN();
    s.activation_ms.assign(s.activation_ms.size(), never);
    s.repolarisation_ms.assign(s.repolarisation_ms.size(), never);
    s.peak_mV.assign(s.peak_mV.size(), -1e3);
    s.rest_mV = s.v;
    stepper_->restore(s);
    maps_begun_ms_ = stepper_->time_ms();
}

std::string Run::ms_text(std::int64_t step) const
{
    return number_text(static_cast<double>(step) * session_.dt_ms, 7) + " ms";
}

void Run::collect()
{
    std::vector<std::int64_t> steps;
    std::vector<double> samples;
    stepper_->take_samples(steps, samples);
    range_.add(samples);
    const auto probes = probes_.names.size(), rings = capture_.columns().size();
    for (std::size_t row = 0; row < steps.size(); ++row) {
        const double t_ms = static_cast<double>(steps[row]) * session_.dt_ms;
        const auto values = std::span(samples).subspan(row * (probes + rings), probes + rings);
        capture_.feed(t_ms, values.last(rings), [&](const CaptureEvent& e) { pulses_.decided(e); });
        for (std::size_t p = 0; p < probes; ++p)
            traces_.V_mV[p].push_back(static_cast<float>(values[p]));
        if (probes == 0 || steps[row] % probe_every_ != 0)
            continue;
        probes_.time_ms.push_back(t_ms);
        probes_.V_mV.insert(probes_.V_mV.end(), values.begin(),
                            values.begin() + static_cast<std::ptrdiff_t>(probes));
    }
}

void Run::outputs_at(std::int64_t step)
{
    const auto start = Clock::now();
    collect();
    const bool frame = frame_every_ && step % frame_every_ == 0;
    const bool ecg = ecg_every_ && step % ecg_every_ == 0;
    if (frame || ecg) {
        stepper_->potential(v_);
        range_.add(v_);
    }
    if (frame)
        frames_.write(step, stepper_->time_ms(), v_);
    if (ecg) {
        ecg_.time_ms.push_back(stepper_->time_ms());
        for (float mV : ecg_field_.leads(v_))
            ecg_.V_mV.push_back(static_cast<double>(mV));
    }
    if (checkpoint_every_ && step > first_step_ && step % checkpoint_every_ == 0)
        write_checkpoint_here();
    phases_.output_s += since(start);
}

void Run::write_checkpoint_here()
{
    const auto now = here();
    write_checkpoint({now.fingerprint, stepper_->snapshot(), probes_,
                      probes_print(session_.probes), ecg_, ecg_print(ecg_field_.layout()), traces_,
                      session_.activation_threshold_mV, known_now(), now.layout, edits_,
                      maps_begun_ms_},
                     options_.out / checkpoint_name(stepper_->time_ms()));
}

/// So that a run that was stopped can go on from where it was.
void Run::keep_what_was_reached()
{
    const auto step = stepper_->step();
    const auto file = options_.out / checkpoint_name(stepper_->time_ms());
    collect();
    try {
        if (step > first_step_ && !(checkpoint_every_ && step % checkpoint_every_ == 0))
            write_checkpoint_here();
    } catch (const InputError& e) {
        say(Notice::Level::warning, std::string("the run cannot go on from here: ") + e.what());
        return;
    }
    if (step > first_step_)
        say(Notice::Level::info, "stopped at " + ms_text(step) + "; --resume " + file.string() +
                                     " goes on from there");
}

/// The beats at each probe: probe,activation_ms,... a row per beat.
void Run::write_beats(const std::filesystem::path& file)
{
    const auto times = traces_.times_ms(session_.dt_ms);
    const auto pulses = pulses_.until(stepper_->time_ms());
    write_whole(file, [&](std::ostream& out) {
        out << beats_csv_head();
        for (std::size_t p = 0; p < traces_.V_mV.size(); ++p)
            out << beats_csv_rows(probes_.names[p], times, traces_.V_mV[p], edits_, {}, pulses,
                                  session_.probes[p].position_mm);
    });
}

ComingOutputs Run::outputs_to_come() const
{
    std::vector<std::string> out{"probes.csv", "activation.csv", "activation.vtu", "report.json"};
    if (!probes_.names.empty())
        out.emplace_back("beats.csv");
    if (ecg_every_)
        out.emplace_back("ecg.csv");
    if (frame_every_)
        for (auto& name : frames_.names())
            out.push_back(std::move(name));
    const auto vtu_every = session_.frames == FrameFormat::vtu ? frame_every_ : 0;
    return {out,          first_step_, end_step_, vtu_every, checkpoint_every_, session_.dt_ms,
            options_.html};
}

/// Nothing of an earlier run stays among the outputs of this one. A run that goes on from a
/// checkpoint in its own folder keeps the frames before it, and lists them. Checkpoints stay.
void Run::begin_folder(FolderLock& lock)
{
    std::error_code none;
    std::filesystem::create_directories(options_.out, none); // else the first file says why not
    lock.take(options_.out);
    for (const auto& n :
         what_folder_holds(options_.out, outputs_to_come(), options_.resume.empty()))
        say(n.level, n.text);
    const bool goes_on = frame_every_ && first_step_ > 0;
    auto earlier = remove_earlier_outputs(options_.out,
                                          goes_on ? stepper_->time_ms() - 0.5 * session_.dt_ms : 0,
                                          frame_every_ ? session_.frames : FrameFormat::none);
    if (goes_on) {
        const auto next = (first_step_ + frame_every_ - 1) / frame_every_ * frame_every_;
        if (!frames_.go_on(std::move(earlier), static_cast<double>(next) * session_.dt_ms))
            say(Notice::Level::info, "frames start at " + ms_text(next) + ": " +
                                         options_.out.string() + " has none from before that " +
                                         "these could go on from");
    }
}

/// Each table and map, whatever becomes of the others: where the disk is full, a small one may fit
/// where a large one does not.
/// @return the first that failed, or null
std::exception_ptr Run::write_results()
{
    const auto start = Clock::now();
    collect();
    std::exception_ptr failed;
    const auto attempt = [&](const char* name, auto&& write) {
        try {
            write(options_.out / name);
            files_.emplace_back(name);
        } catch (const InputError&) {
            failed = failed ? failed : std::current_exception();
        }
    };
    using Path = std::filesystem::path;
    attempt("probes.csv", [&](const Path& file) { write_probes_csv(probes_, file); });
    if (!probes_.names.empty())
        attempt("beats.csv", [&](const Path& file) { write_beats(file); });
    if (ecg_every_)
        attempt("ecg.csv", [&](const Path& file) { write_probes_csv(ecg_, file); });
    try {
        frames_.finish();
    } catch (const InputError&) {
        failed = failed ? failed : std::current_exception();
    }
    if (stepper_->step() < maps_step_)
        restart_maps(); // what there is came before
    const auto maps = stepper_->maps();
    attempt("activation.csv", [&](const Path& file) { write_activation_csv(tissue_, maps, file); });
    attempt("activation.vtu", [&](const Path& file) { write_activation_vtu(tissue_, maps, file); });
    phases_.output_s += since(start);
    return failed;
}

/// Writes what was reached, and the report.
/// @param ended  "end", "cancelled" or an error's line
/// @throws InputError the first that could not be written, after all others were
RunReport Run::finish(std::string ended)
{
    const auto failed = write_results();
    if (failed)
        ended = line_of(failed);
    const auto counted = run_kernels(*stepper_, options_.counters, ended);
    for (const auto& n : what_was_not_counted(counted))
        say(n.level, n.text);
    phases_.total_s = since(born_);
    files_.push_back("report.json");
    for (auto& f : frames_.files())
        files_.push_back(std::move(f));
    const ReportInput input{session_,
                            options_,
                            tissue_,
                            *stepper_,
                            phases_,
                            first_step_,
                            ended,
                            counted.kernels,
                            counted.not_counted,
                            files_,
                            pulses_.until(stepper_->time_ms()),
                            range_,
                            edits_};
    auto report = make_report(input, ecg_);
    write_whole(options_.out / "report.json",
                [&](std::ostream& out) { out << report.json << "\n"; });
    if (!options_.html.empty())
        write_whole(options_.html,
                    [&](std::ostream& out) { out << html_report(input, report, traces_, ecg_); });
    if (failed)
        std::rethrow_exception(failed);
    return report;
}

RunReport Run::go(FolderLock& lock, const Progress& progress)
{
    begin_folder(lock);
    try {
        if (maps_step_ > 0 && stepper_->step() == maps_step_)
            restart_maps();
        outputs_at(stepper_->step());
        std::int64_t batch = 1;
        while (stepper_->step() < end_step_) {
            const auto step = stepper_->step();
            auto next = std::min(end_step_, step + batch);
            for (auto every : {frame_every_, checkpoint_every_, ecg_every_})
                if (every)
                    next = std::min(next, (step / every + 1) * every);
            if (step < maps_step_)
                next = std::min(next, maps_step_);
            const auto start = Clock::now();
            stepper_->advance(next - step);
            const double took = since(start);
            phases_.stepping_s += took;
            if (stepper_->step() == maps_step_)
                restart_maps();
            // About ten reports a second, so that a stop is answered soon.
            if (took < 0.05)
                batch = std::min<std::int64_t>(batch * 2, 4096);
            else if (took > 0.2)
                batch = std::max<std::int64_t>(batch / 2, 1);
            outputs_at(stepper_->step());
            progress.at(static_cast<double>(stepper_->step() - first_step_) /
                            static_cast<double>(std::max<std::int64_t>(end_step_ - first_step_, 1)),
                        "running");
        }
    } catch (const Cancelled&) {
        keep_what_was_reached();
        finish("cancelled");
        say(Notice::Level::info, "what was reached is in " + options_.out.string());
        throw;
    } catch (const NumericsError& e) {
        finish(e.what());
        throw;
    } catch (const InputError& e) { // a frame or a checkpoint could not be written
        try {
            finish(e.what());
        } catch (const InputError&) { // for the same reason, most likely: the first is told
        }
        throw;
    }
    auto report = finish("end");
    for (const auto& n : report.notices)
        say(n.level, n.text);
    return report;
}

namespace {

/// Where a session has what layers that know no session call by these names; empty: nowhere.
std::string pointer_of(const std::string& argument)
{
    static const std::map<std::string, std::string> places{
        {"conductivity", "/tissue/regions"},
        {"diffusion.mass", "/diffusion/mass"},
        {"heart", "/mesh/heart"},
        {"reaction.rest_tolerance_mV", "/reaction/rest_tolerance_mV"},
        {"reaction.tables_mV", "/reaction/tables_mV"},
        {"slab_mm", "/mesh/slab_mm"},
        {"spacing_mm", "/mesh/spacing_mm"},
        {"time step", "/time/dt_ms"}};
    const auto at = places.find(argument);
    return at == places.end() ? std::string() : at->second;
}

} // namespace

RunReport run_session(const Session& session, const RunOptions& options, const Progress& progress)
{
    need_writable_folder(options.out);
    if (!options.html.empty())
        need_writable_file(options.html);
    FolderLock lock;
    lock.take(options.out);
    try {
        return Run(session, options, progress).go(lock, progress);
    } catch (const InputError& e) {
        if (const auto pointer = pointer_of(e.file); !pointer.empty())
            throw InputError(options.session_file, pointer, e.reason);
        throw;
    }
}

} // namespace tawara::simulation
