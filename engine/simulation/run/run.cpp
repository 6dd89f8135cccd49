// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/run/run_state.hpp"

#include "engine/core/batches.hpp"
#include "engine/core/error.hpp"
#include "engine/core/folder_lock.hpp"
#include "engine/core/units.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/simulation/observe/calcium_rows.hpp"
#include "engine/simulation/observe/ecg_rows.hpp"
#include "engine/simulation/observe/probe_samples.hpp"
#include "engine/simulation/pacing/pulse_log.hpp"
#include "engine/simulation/results/checkpoint.hpp"
#include "engine/simulation/results/going_on.hpp"
#include "engine/simulation/results/model_digests.hpp"
#include "engine/simulation/results/network_outputs.hpp"
#include "engine/simulation/results/outputs.hpp"
#include "engine/simulation/results/report.hpp"
#include "engine/simulation/results/run_notices.hpp"
#include "engine/simulation/results/run_sources.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/session/intervals.hpp"
#include "engine/simulation/session/output_keys.hpp"
#include "engine/simulation/tissue/mesh_digest.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <new>

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
        return run_error_text(e);
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

/// Null: there is none.
const EcgRows* ecg_among(const Tables& tables)
{
    for (const auto& table : tables)
        if (const auto* ecg = dynamic_cast<const EcgRows*>(table.rows.get()))
            return ecg;
    return nullptr;
}

/// Null: there is no such table.
const ProbeTable* rows_of(const Tables& tables, std::string_view file)
{
    for (const auto& table : tables)
        if (table.file == file)
            return &table.rows->table();
    return nullptr;
}

/// Where a checkpoint has the cells' states, none are paced.
Session without_pacing(Session s)
{
    s.prepacing = {};
    return s;
}

} // namespace

std::string run_error_text(const std::exception& e)
{
    return dynamic_cast<const std::bad_alloc*>(&e) != nullptr ? "not enough memory" : e.what();
}

Simulation Run::make_simulation(const Session& s, const Progress& progress,
                                std::optional<device::MemoryNeed>& need) const
{
    auto tissue = build_tissue(as_run(session_, options_), progress);
    need = device::memory_need(tissue.problem);
    for (auto& n : what_run_will_be(s, tissue, s.prepacing != session_.prepacing))
        tissue.notices.push_back(std::move(n));
    for (const auto& n : tissue.notices)
        say(n.level, n.text);
    Notices chosen;
    Simulation made(std::move(tissue), options_.device, progress, &chosen);
    for (const auto& n : chosen)
        say(n.level, n.text);
    if (!made.stepper().keeps_maps())
        say(Notice::Level::warning, std::string(device::no_maps_text) +
                                        ": activation.csv and activation.vtu are not written");
    return made;
}

Run::Run(const Session& s, const RunOptions& o, const Progress& progress,
         std::optional<device::MemoryNeed>& need)
    : session_(o.resume.empty() ? s : without_pacing(s)), options_(o),
      simulation_(make_simulation(s, progress, need)), maps_(simulation_),
      traces_({0, std::max<std::int64_t>(1, interval_steps(s, "/output/probes_every_ms"))}),
      pacing_(simulation_, o.session_file, steps_of(capture_every_ms, s.dt_ms)),
      frames_(simulation_.tissue(), o.out, s.output->frames,
              interval_steps(s, "/output/frames_every_ms"),
              o.device.threads > 0 ? o.device.threads : progress.context.threads,
              [this]() -> const Provenance& { return provenance(); }),
      tables_(make_tables({session_, simulation_.tissue(), o.session_file, progress})),
      checkpoints_(interval_steps(s, "/output/checkpoint_every_ms"),
                   [this] { write_checkpoint_here(); }),
      store_(o.out, static_cast<std::size_t>(s.output->checkpoints_kept),
             static_cast<double>(checkpoints_.every()) * s.dt_ms),
      end_step_(std::llround((o.until_ms >= 0 ? o.until_ms : s.end_ms) / s.dt_ms))
{
    traces_.begin(simulation_, s.probes, o.session_file, 1,
                  [this](auto unknowns, double from_ms, double to_ms) {
                      return pacing_.current_in(unknowns, from_ms, to_ms);
                  });
    for (const auto& n : what_outputs_will_be(s))
        say(n.level, n.text);
    if (s.output->calcium_every_ms > 0 && rows_of(tables_, calcium_file) == nullptr)
        say(Notice::Level::warning, "no calcium.csv (output.calcium_every_ms): no probe lies in "
                                    "tissue of cells with dyads");
    maps_.step = std::llround(s.output->maps_from_ms / s.dt_ms);
    if (maps_.step >= end_step_ && maps_.step > 0)
        say(Notice::Level::warning, "maps stay empty: they begin at output.maps_from_ms " +
                                        ms_text(maps_.step) + ", and the run ends at " +
                                        ms_text(end_step_));
    say_checkpoint_room();
    resume();
    checkpoints_.start_at(first_step_);
    pacing_.begin(session_.stimuli, std::move(known_));
    traces_.note_currents_before();
    for (Observer* observer :
         std::initializer_list<Observer*>{&maps_, &traces_, &pacing_, &frames_})
        simulation_.add(*observer);
    for (const auto& table : tables_)
        simulation_.add(*table.rows);
    simulation_.add(checkpoints_); // which hold what all others have seen
    if (simulation_.step() == 0)
        (void)Moment(simulation_).potential(); // rest is among what was seen
    simulation_.plan_samples();
    setup_s_ = since(born_);
}

void Run::say(Notice::Level level, const std::string& text) const
{
    if (options_.notice)
        options_.notice({level, text});
}

/// What a checkpoint must be of.
Checkpoint Run::here() const
{
    const auto& tissue = simulation_.tissue();
    Checkpoint c;
    c.fingerprint = fingerprint(tissue.problem, session_, options_.device.precision);
    c.layout = layout_print(tissue.problem, *tissue.mesh);
    return c;
}

/// What the files say of this run.
const Provenance& Run::provenance()
{
    if (!provenance_)
        provenance_ = provenance_of(session_, model_digests(simulation_.tissue(), session_.folder),
                                    mesh_sha256(*simulation_.tissue().mesh),
                                    simulation_.stepper().device(), options_);
    return *provenance_;
}

std::string Run::ms_text(std::int64_t step) const
{
    return number_text(static_cast<double>(step) * session_.dt_ms, 7) + " ms";
}

StepTraces Run::step_traces() const
{
    StepTraces out;
    const auto& times = traces_.times_ms();
    out.first_step = times.empty() ? first_step_ + 1 : std::llround(times.front() / session_.dt_ms);
    out.V_mV = traces_.columns_mV();
    return out;
}

void Run::write_checkpoint_here()
{
    need_ours(options_);
    store_.room();
    say_failed_checkpoints();
    const auto now = here();
    store_.put({now.fingerprint, simulation_.stepper().snapshot(), traces_.table(),
                probes_print(session_.probes), tables_so_far(), step_traces(),
                session_.activation_threshold_mV, pacing_.known(), now.layout, edits_,
                simulation_.stepper().keeps_maps() ? maps_.begun_ms : simulation_.time_ms(),
                provenance().text},
               simulation_.time_ms());
}

/// Does work of which the rest does not depend. Where memory was at an end, what the work had taken
/// of it is free again: it is done once more.
/// @param failed  is set where it is null and the work fails for good
template <class Work>
void Run::guarded(std::exception_ptr& failed, Work&& work)
{
    for (bool again : {true, false})
        try {
            return work();
        } catch (const std::bad_alloc&) {
            if (!again && !failed)
                failed = std::current_exception();
        } catch (const std::exception&) {
            failed = failed ? failed : std::current_exception();
            return;
        }
}

/// Each table and map, whatever becomes of the others: where the disk is full, a small one may fit
/// where a large one does not.
/// @return the first that failed, or null
std::exception_ptr Run::write_results()
{
    const auto start = Clock::now();
    std::exception_ptr failed;
    const auto attempt = [&](const std::string& name, auto&& write) {
        guarded(failed, [&] {
            write(options_.out / name);
            files_.push_back(name);
        });
    };
    guarded(failed, [&] { simulation_.collect(); });
    using Path = std::filesystem::path;
    attempt("probes.csv", [&](const Path& file) { write_probes_csv(traces_.table(), file); });
    if (!probe_names().empty())
        attempt("beats.csv", [&](const Path& file) { write_beats(file); });
    for (const auto& table : tables_)
        attempt(table.file, [&](const Path& file) { write_probes_csv(table.rows->table(), file); });
    guarded(failed, [&] { frames_.writer().finish(); });
    const auto& tissue = simulation_.tissue();
    device::Maps maps;
    guarded(failed, [&] { // a device that failed has no maps any more
        if (simulation_.step() < maps_.step)
            maps_.restart(); // what there is came before
        maps = simulation_.stepper().maps();
    });
    if (maps.activation_ms.size() == tissue.problem.size()) {
        attempt("activation.csv", [&](const Path& f) {
            write_activation_csv(tissue, cell_map(session_, tissue), maps, f);
        });
        attempt("activation.vtu",
                [&](const Path& f) { write_activation_vtu(tissue, maps, provenance(), f); });
    }
    if (options_.picture != RunOptions::Picture::none)
        attempt("picture.png", [&](const Path& f) { draw(maps.activation_ms, f); });
    if (const auto* part = simulation_.network()) {
        const auto& network = *tissue.network;
        const auto times = part->times();
        attempt(network_csv, [&](const Path& f) { write_network_csv(network, times, f); });
        attempt(network_vtu, [&](const Path& f) {
            write_network_activation_vtu(network, times, provenance(), f);
        });
        attempt(junctions_csv, [&](const Path& f) {
            write_junctions_csv(network, times, simulation_.time_ms(), f);
        });
    }
    results_s_ += since(start);
    return failed;
}

/// report.json and the page for people.
/// @param made  is set once report.json is there
void Run::write_report(const std::string& ended, std::optional<RunReport>& made)
{
    const auto counted = run_kernels(simulation_.stepper(), options_.counters, ended);
    for (const auto& n : what_was_not_counted(counted))
        say(n.level, n.text);
    const PhaseTimes phases{setup_s_, simulation_.stepping_s(),
                            simulation_.observing_s() + results_s_, since(born_)};
    const auto* ecg = ecg_among(tables_);
    const ProbeTable no_leads;
    const ProbeTable& leads = ecg != nullptr ? ecg->table() : no_leads;
    const ReportInput input{session_,
                            options_,
                            simulation_.tissue(),
                            simulation_.stepper(),
                            phases,
                            first_step_,
                            ended,
                            counted.kernels,
                            counted.not_counted,
                            files_and_report(),
                            pacing_.log().until(simulation_.time_ms()),
                            simulation_.seen(),
                            edits_,
                            ecg != nullptr ? std::span<const Electrode>(ecg->layout().electrodes)
                                           : std::span<const Electrode>(),
                            rows_of(tables_, calcium_file),
                            simulation_.network(),
                            &provenance(),
                            frames_.writer().digests()};
    auto report = make_report(input, leads);
    write_whole(options_.out / "report.json",
                [&](std::ostream& out) { out << report.json << "\n"; });
    made = std::move(report);
    if (!options_.html.empty())
        write_whole(options_.html, [&](std::ostream& out) {
            out << html_report(input, *made, step_traces(), leads);
        });
}

/// Writes what was reached, and the report.
/// @param ended  "end", "cancelled" or an error's line
/// @throws the first error of what could not be written, after all others were
RunReport Run::finish(std::string ended)
{
    auto failed = write_results();
    if (failed && ended == "end")
        ended = line_of(failed);
    guarded(failed, [&] {
        store_.flush();
        say_failed_checkpoints();
    });
    std::optional<RunReport> report;
    std::exception_ptr no_report;
    guarded(no_report, [&] { write_report(ended, report); });
    if (!report) // what there is belongs to this run all the same
        guarded(no_report, [&] {
            const auto least =
                least_report(options_, ended, line_of(no_report), files_and_report());
            write_whole(options_.out / "report.json",
                        [&](std::ostream& out) { out << least << "\n"; });
        });
    failed = failed ? failed : no_report;
    if (failed)
        std::rethrow_exception(failed);
    return std::move(*report);
}

void Run::take_steps(const Progress& progress)
{
    simulation_.look();
    for (Batches batches; simulation_.step() < end_step_;) {
        const auto start = Clock::now();
        simulation_.advance(std::min(batches.next(), end_step_ - simulation_.step()));
        batches.took(since(start));
        progress.at(static_cast<double>(simulation_.step() - first_step_) /
                        static_cast<double>(std::max<std::int64_t>(end_step_ - first_step_, 1)),
                    "running");
    }
}

RunReport Run::go(FolderLock& lock, const Progress& progress)
{
    begin_folder(lock, progress);
    try {
        take_steps(progress);
        need_ours(options_);
    } catch (const TakenOver&) {
        throw;
    } catch (const Cancelled&) {
        need_ours(options_);
        keep_what_was_reached();
        finish("cancelled");
        say(Notice::Level::info, "what was reached is in " + options_.out.string());
        throw;
    } catch (const std::exception& e) { // the solution, a device, memory, a frame on a full disk
        need_ours(options_);
        finish_after(run_error_text(e));
        throw;
    }
    try {
        auto report = finish("end");
        for (const auto& n : report.notices)
            say(n.level, n.text);
        return report;
    } catch (const std::exception&) { // a full disk: what there is of the run are its checkpoints
        say_last_checkpoint();
        throw;
    }
}

RunReport run_session(const Session& session, const RunOptions& options, const Progress& progress)
{
    need_writable_folder(options.out);
    if (!options.html.empty())
        need_writable_file(options.html);
    FolderLock lock;
    lock.take(options.out);
    std::optional<device::MemoryNeed> need;
    try {
        const auto named = outputs_by_name(session, options); // before the mesh is read
        need_sources_kept(session, options, named);
        need_places(options.out, named);
        return Run(session, options, progress, need).go(lock, progress);
    } catch (const device::DeviceMemoryError& e) { // after the stepper was made, which has gone
        if (!need)
            throw;
        auto none = device::no_memory(e, *need, options.device);
        none.begun = true;
        if (!options.resume.empty() && !options.branch)
            none.keep(options.device.precision);
        throw none;
    } catch (device::NoMemory& e) {
        if (!options.resume.empty() && !options.branch)
            e.keep(options.device.precision);
        throw;
    } catch (const InputError& e) {
        if (e.file.empty()) // from a layer that knows the key and not the file
            throw InputError(options.session_file, e.where, e.reason);
        throw;
    }
}

} // namespace tawara::simulation
