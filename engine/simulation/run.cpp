// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/run.hpp"

#include "engine/core/error.hpp"
#include "engine/core/units.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/simulation/capture.hpp"
#include "engine/simulation/checkpoint.hpp"
#include "engine/simulation/ecg.hpp"
#include "engine/simulation/figures.hpp"
#include "engine/simulation/outputs.hpp"
#include "engine/simulation/pulse_log.hpp"
#include "engine/simulation/report.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>

namespace tawara::simulation {
namespace {

using Clock = std::chrono::steady_clock;

/// Between samples that tell whether pulses capture, at most.
constexpr double capture_every_ms = 0.25;

double since(Clock::time_point t)
{
    return std::chrono::duration<double>(Clock::now() - t).count();
}

/// Time steps between two events that happen every `every_ms`; at least 1.
std::int64_t steps_of(double every_ms, double dt_ms)
{
    return std::max<std::int64_t>(1, std::llround(every_ms / dt_ms));
}

/// One run under way: what it steps and what it writes.
class Run
{
  public:
    Run(const Session& s, const RunOptions& o, const Progress& progress);
    RunReport go(const Progress& progress);

  private:
    void resume();
    void watch_capture();
    void set_probes();
    void collect();
    void outputs_at(std::int64_t step);
    void write_results();
    void write_beats(const std::filesystem::path& file);
    void begin_folder();
    CountedKernels kernels(const std::string& ended);
    void say_why_nothing_activated(double end_ms) const;

    const Session& session_;
    const RunOptions& options_;
    Clock::time_point born_ = Clock::now();
    Tissue tissue_;
    std::unique_ptr<device::Stepper> stepper_;
    FrameWriter frames_;
    std::vector<std::string> files_; ///< written, relative to the folder; frames aside
    ProbeTable probes_, ecg_;
    EcgField ecg_field_;
    CaptureWatch capture_;
    PulseLog pulses_;
    std::vector<double> v_;
    std::int64_t probe_every_ = 1; ///< steps between rows of probes.csv
    std::int64_t end_step_ = 0, first_step_ = 0, frame_every_ = 0, checkpoint_every_ = 0,
                 ecg_every_ = 0;
    PhaseTimes phases_;
};

Run::Run(const Session& s, const RunOptions& o, const Progress& progress)
    : session_(s), options_(o), tissue_(build_tissue(s, progress)),
      frames_(tissue_, o.out, s.frames,
              static_cast<double>(steps_of(s.frames_every_ms, s.dt_ms)) * s.dt_ms)
{
    auto say = [&](const Notices& list) {
        for (const auto& n : list)
            if (o.notice)
                o.notice(n);
    };
    say(tissue_.notices);
    Notices chosen;
    stepper_ = device::make_stepper(tissue_.problem, o.device, progress, &chosen);
    say(chosen);
    for (std::size_t k = 0; k < s.stimuli.size(); ++k)
        for (auto& source :
             sources_of(tissue_, s.stimuli[k], o.session_file, "/stimuli/" + std::to_string(k)))
            stepper_->add_stimulus(std::move(source));
    for (const auto& p : s.probes)
        probes_.names.push_back(p.name);
    const double end = o.until_ms >= 0 ? o.until_ms : s.end_ms;
    end_step_ = std::llround(end / s.dt_ms);
    if (s.frames_every_ms > 0 && s.frames != FrameFormat::none)
        frame_every_ = steps_of(s.frames_every_ms, s.dt_ms);
    if (s.checkpoint_every_ms > 0)
        checkpoint_every_ = steps_of(s.checkpoint_every_ms, s.dt_ms);
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

/// Pulses that are still to come: those before a checkpoint are listed without a verdict.
void Run::watch_capture()
{
    const auto number = pulses_.set(session_.stimuli, 0);
    for (std::size_t k = 0; k < session_.stimuli.size(); ++k) {
        const auto& s = session_.stimuli[k];
        const auto to_come = pulses_from(s, stepper_->time_ms());
        if (!to_come.empty())
            capture_.add(
                {static_cast<int>(k), number + k,
                 capture_places(tissue_, unknowns_in(tissue_, s.region, options_.session_file,
                                                     "/stimuli/" + std::to_string(k) + "/region")),
                 s.amplitude_pA_per_pF, s.duration_ms, to_come});
    }
}

/// The probes of the session, then the places that tell whether pulses capture: often enough for
/// those, and so that each row of the probes is among the samples.
void Run::set_probes()
{
    auto weights = probe_weights(tissue_, session_.probes, options_.session_file);
    for (auto unknown : capture_.columns()) {
        weights.unknown.push_back(unknown);
        weights.weight.push_back(1);
        weights.first.push_back(static_cast<std::int64_t>(weights.unknown.size()));
    }
    const auto often = steps_of(capture_every_ms, session_.dt_ms);
    probe_every_ = session_.probes_every_ms > 0 ? steps_of(session_.probes_every_ms, session_.dt_ms)
                   : session_.probes.empty()    ? often
                                                : 1;
    auto every = probe_every_;
    while (!capture_.empty() && (every > often || probe_every_ % every != 0))
        --every;
    stepper_->set_probes(std::move(weights), every);
}

void Run::resume()
{
    if (options_.resume.empty())
        return;
    const auto c = read_checkpoint(options_.resume);
    const auto ours = fingerprint(tissue_.problem, options_.device.precision);
    if (c.fingerprint != ours)
        throw InputError(options_.resume.string(),
                         "was written by another simulation (" + c.fingerprint +
                             "), this one is (" + ours +
                             "); resume with the same session and precision");
    stepper_->restore(c.state);
    first_step_ = c.state.step;
    if (c.probes.names == probes_.names)
        probes_ = c.probes;
}

void Run::collect()
{
    std::vector<std::int64_t> steps;
    std::vector<double> samples;
    stepper_->take_samples(steps, samples);
    const auto probes = probes_.names.size(), rings = capture_.columns().size();
    for (std::size_t row = 0; row < steps.size(); ++row) {
        const double t_ms = static_cast<double>(steps[row]) * session_.dt_ms;
        const auto values = std::span(samples).subspan(row * (probes + rings), probes + rings);
        capture_.feed(t_ms, values.last(rings), [&](const CaptureEvent& e) { pulses_.decided(e); });
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
    if (frame || ecg)
        stepper_->potential(v_);
    if (frame)
        frames_.write(step, stepper_->time_ms(), v_);
    if (ecg) {
        ecg_.time_ms.push_back(stepper_->time_ms());
        for (float mV : ecg_field_.leads(v_))
            ecg_.V_mV.push_back(static_cast<double>(mV));
    }
    if (checkpoint_every_ && step > first_step_ && step % checkpoint_every_ == 0) {
        char name[48];
        std::snprintf(name, sizeof name, "checkpoint-%012.3fms.tcp", stepper_->time_ms());
        write_checkpoint({fingerprint(tissue_.problem, options_.device.precision),
                          stepper_->snapshot(), probes_},
                         options_.out / name);
    }
    phases_.output_s += since(start);
}

/// The beats at each probe: probe,activation_ms,... a row per beat.
void Run::write_beats(const std::filesystem::path& file)
{
    const std::size_t columns = probes_.names.size();
    std::vector<float> v(probes_.time_ms.size());
    write_whole(file, [&](std::ostream& out) {
        out << beats_csv_head();
        for (std::size_t c = 0; c < columns; ++c) {
            for (std::size_t k = 0; k < v.size(); ++k)
                v[k] = static_cast<float>(probes_.V_mV[k * columns + c]);
            out << beats_csv_rows(probes_.names[c], probes_.time_ms, v);
        }
    });
}

/// Nothing of an earlier run stays among the outputs of this one. A run that goes on from a
/// checkpoint in its own folder keeps the frames before it, and lists them. Checkpoints stay.
void Run::begin_folder()
{
    const bool vtu = frame_every_ && session_.frames == FrameFormat::vtu;
    frames_.keep(remove_earlier_outputs(
        options_.out, vtu && first_step_ > 0 ? stepper_->time_ms() - 0.5 * session_.dt_ms : 0));
    std::error_code none;
    std::size_t checkpoints = 0;
    for (const auto& entry : std::filesystem::directory_iterator(options_.out, none))
        checkpoints += entry.path().extension() == ".tcp" ? 1 : 0;
    if (checkpoints > 0 && options_.resume.empty() && options_.notice)
        options_.notice(
            {Notice::Level::info, std::to_string(checkpoints) +
                                      (checkpoints > 1 ? " checkpoints" : " checkpoint") +
                                      " of an earlier run stayed in " + options_.out.string()});
}

void Run::write_results()
{
    const auto start = Clock::now();
    collect();
    const auto file = [&](const char* name) { return options_.out / files_.emplace_back(name); };
    write_probes_csv(probes_, file("probes.csv"));
    if (!probes_.names.empty())
        write_beats(file("beats.csv"));
    if (ecg_every_)
        write_probes_csv(ecg_, file("ecg.csv"));
    frames_.finish();
    const auto maps = stepper_->maps();
    write_activation_csv(tissue_, maps, file("activation.csv"));
    write_activation_vtu(tissue_, maps, file("activation.vtu"));
    phases_.output_s += since(start);
}

/// With the bytes of hardware counters where they were asked for; says so where there are none.
CountedKernels Run::kernels(const std::string& ended)
{
    if (!options_.counters)
        return {stepper_->kernels(), "", ""};
    auto c = ended == "end" ? count_kernels(*stepper_)
                            : CountedKernels{stepper_->kernels(),
                                             "the run ended before its time; counters are read "
                                             "after the last step",
                                             ""};
    if (!c.not_counted.empty() && options_.notice)
        options_.notice({Notice::Level::warning, "no hardware counters: " + c.not_counted});
    if (!c.not_restored.empty() && options_.notice)
        options_.notice({Notice::Level::warning,
                         c.not_restored + " The tables were written before; what the report says "
                                          "of the end is of that other state."});
    return c;
}

/// For each stimulus, why it may have activated nothing.
void Run::say_why_nothing_activated(double end_ms) const
{
    if (!options_.notice)
        return;
    const auto say = [&](const std::string& text) {
        options_.notice({Notice::Level::warning, text});
    };
    if (session_.stimuli.empty())
        say("nothing was activated: the session has no stimulus");
    const double volume_per_charge = // uA/cm3 of 1 pA/pF
        session_.surface_to_volume_per_mm * session_.capacitance_uF_per_cm2 *
        uF_per_mm2_of_uF_per_cm2 / uA_per_mm3_of_uA_per_cm3;
    for (const auto& s : session_.stimuli) {
        const auto pulses = pulse_runs(s);
        const double strength = s.amplitude_pA_per_pF;
        char why[240];
        if (pulses.empty())
            std::snprintf(why, sizeof why, "it is off");
        else if (pulses.front().start_ms >= end_ms)
            std::snprintf(why, sizeof why,
                          "its first pulse is at %g ms, and the run ended at %g ms",
                          pulses.front().start_ms, end_ms);
        else if (strength * s.duration_ms < 10) // 5 pA/pF over 2 ms
            std::snprintf(why, sizeof why,
                          "%.4g pA/pF (%.6g uA/cm3) over %g ms is far below threshold; usual is "
                          "50 pA/pF (%.6g uA/cm3) over 2 ms",
                          strength, strength * volume_per_charge, s.duration_ms,
                          50 * volume_per_charge);
        else if (end_ms < pulses.front().start_ms + s.duration_ms + 3)
            std::snprintf(why, sizeof why,
                          "the run ended at %g ms, during its first pulse or right after it "
                          "(%g to %g ms)",
                          end_ms, pulses.front().start_ms, pulses.front().start_ms + s.duration_ms);
        else
            std::snprintf(why, sizeof why,
                          "%.4g pA/pF (%.6g uA/cm3) over %g ms did not reach threshold there; "
                          "raise it or enlarge its region",
                          strength, strength * volume_per_charge, s.duration_ms);
        say("stimulus '" + s.name + "' activated nothing: " + why);
    }
}

RunReport Run::go(const Progress& progress)
{
    auto finish = [&](const std::string& ended) {
        write_results();
        const auto counted = kernels(ended);
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
                                pulses_.until(stepper_->time_ms())};
        auto report = make_report(input);
        write_whole(options_.out / "report.json",
                    [&](std::ostream& out) { out << report.json << "\n"; });
        if (!options_.html.empty())
            write_whole(options_.html, [&](std::ostream& out) {
                out << html_report(input, report, probes_, ecg_);
            });
        return report;
    };
    try {
        begin_folder();
        outputs_at(stepper_->step());
        std::int64_t batch = 1;
        while (stepper_->step() < end_step_) {
            const auto step = stepper_->step();
            auto next = std::min(end_step_, step + batch);
            for (auto every : {frame_every_, checkpoint_every_, ecg_every_})
                if (every)
                    next = std::min(next, (step / every + 1) * every);
            const auto start = Clock::now();
            stepper_->advance(next - step);
            const double took = since(start);
            phases_.stepping_s += took;
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
        finish("cancelled");
        if (options_.notice)
            options_.notice(
                {Notice::Level::info, "what was reached is in " + options_.out.string()});
        throw;
    } catch (const NumericsError& e) {
        finish(e.what());
        throw;
    }
    auto report = finish("end");
    if (report.activated == 0)
        say_why_nothing_activated(static_cast<double>(end_step_) * session_.dt_ms);
    return report;
}

} // namespace

RunReport run_session(const Session& session, const RunOptions& options, const Progress& progress)
{
    need_writable_folder(options.out);
    if (!options.html.empty())
        need_writable_file(options.html);
    return Run(session, options, progress).go(progress);
}

} // namespace tawara::simulation
