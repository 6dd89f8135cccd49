// SPDX-License-Identifier: GPL-3.0-or-later
// What a run on a mesh in parts writes, and what it goes on from.
#include "engine/core/error.hpp"
#include "engine/core/failure_text.hpp"
#include "engine/core/provenance.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/device/ranks/pack.hpp"
#include "engine/digest/sha256.hpp"
#include "engine/simulation/parts/part_outputs.hpp"
#include "engine/simulation/parts/part_run.hpp"
#include "engine/simulation/results/checkpoint.hpp"
#include "engine/simulation/results/model_digests.hpp"
#include "engine/simulation/results/report.hpp"
#include "engine/simulation/results/report_steps.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/session/output_keys.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

namespace tawara::simulation::parts {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;
using device::ranks::Pack;
using device::ranks::Unpack;

double since(Clock::time_point t)
{
    return std::chrono::duration<double>(Clock::now() - t).count();
}

/// The most memory that this process has had [bytes]; 0: not known.
std::int64_t peak_memory_bytes()
{
    std::ifstream in("/proc/self/status");
    for (std::string line; std::getline(in, line);) {
        long long kB = 0;
        if (std::sscanf(line.c_str(), "VmHWM: %lld kB", &kB) == 1)
            return kB * 1024;
    }
    return 0;
}

void remove_if_there(const std::filesystem::path& file)
{
    try {
        remove_plain_file(file);
    } catch (const std::exception&) { // it stays
    }
}

} // namespace

Checkpoint PartRun::checkpoint_here()
{
    Checkpoint c;
    c.fingerprint = fingerprint_;
    c.state = stepper_->snapshot();
    c.probes = samples_.table();
    c.probes_of = probes_print(session_.probes);
    if (!ecg_.empty())
        c.tables["ecg.csv"] = {ecg_.table(), ecg_.print()};
    c.threshold_mV = session_.activation_threshold_mV;
    c.provenance = provenance().text;
    return c;
}

/// All take part, whatever fails in writing; what fails beside it ends all ranks.
void PartRun::write_checkpoint_here()
{
    const auto taken = group_.at_first(samples_.taken(*stepper_));
    if (group_.is_first())
        samples_.add(taken, session_.dt_ms);
    const auto file = piece_of_checkpoint(options_.out / checkpoint_name(stepper_->time_ms()),
                                          group_.rank(), group_.size());
    std::exception_ptr failure;
    const auto write = [&] {
        try {
            write_checkpoint(checkpoint_here(), file);
        } catch (const std::exception&) { // a full disk, or no memory for a copy of the states
            failure = std::current_exception();
        }
    };
    // The first one's is there while all others are: a run goes on by its name.
    if (!group_.is_first())
        write();
    if (!group_.any(failure != nullptr) && group_.is_first())
        write();
    if (!group_.any(failure != nullptr)) {
        checkpoints_.push_back(file);
        return remove_old_checkpoints();
    }
    remove_if_there(file); // one of some ranks alone is none
    checkpoints_failed_ = true;
    Pack why;
    why << (failure ? failure_text(failure) : std::string());
    const auto said = group_.at_first(why.take());
    for (std::size_t rank = 0; rank < said.size(); ++rank) {
        std::string text;
        Unpack(said[rank]) >> text;
        if (!text.empty())
            return say(Notice::Level::warning,
                       "a checkpoint could not be written, and the run goes on without: rank " +
                           std::to_string(rank) + ": " + text);
    }
}

void PartRun::remove_old_checkpoints()
{
    const auto kept = static_cast<std::size_t>(session_.output->checkpoints_kept);
    if (kept == 0 || checkpoints_.size() <= kept)
        return;
    if (group_.is_first())
        remove_if_there(checkpoints_.front());
    group_.any(false);
    if (!group_.is_first())
        remove_if_there(checkpoints_.front());
    checkpoints_.pop_front();
}

void PartRun::resume()
{
    if (options_.resume.empty())
        return;
    const auto& named = options_.resume;
    const auto whole = checkpoint_of_piece(named, group_.size());
    if (whole.empty())
        throw InputError(named.string(),
                         "is no checkpoint of a mesh in " + std::to_string(group_.size()) +
                             " parts; name that of the first part, which ends in -0of" +
                             std::to_string(group_.size()) + ".tcp");
    const auto file = piece_of_checkpoint(whole, group_.rank(), group_.size());
    const auto& group = tissue_->share.problem.group;
    auto c = read_checkpoint(file, [&](const Checkpoint& begun) {
        if (begun.fingerprint != fingerprint_)
            throw InputError(file.string(),
                             "is of another run: " + difference(begun.fingerprint, fingerprint_));
        CheckpointBounds bounds;
        bounds.unknowns = group.size();
        bounds.states = numbers_per_unknown(tissue_->share.problem, options_.device.precision);
        bounds.group = group;
        bounds.probes = session_.probes.size();
        bounds.tables.emplace();
        if (!ecg_.empty())
            bounds.tables->emplace("ecg.csv", ecg_.table().names.size());
        bounds.parts = 0;
        return bounds;
    });
    if (c.probes_of != probes_print(session_.probes))
        throw InputError(file.string(), "has samples of other probes; give the same ones");
    stepper_->restore(c.state);
    samples_.table() = std::move(c.probes);
    if (const auto rows = c.tables.find("ecg.csv"); rows != c.tables.end() && !ecg_.empty()) {
        if (rows->second.of != ecg_.print())
            throw InputError(file.string(), "has an electrocardiogram of other leads; give the "
                                            "same ones");
        ecg_.table() = std::move(rows->second.rows);
    }
    first_step_ = stepper_->step();
    if (group_.largest(static_cast<double>(first_step_)) != static_cast<double>(first_step_))
        throw InputError(file.string(), "is of an earlier step than that of another part");
}

void PartRun::write_frame()
{
    auto& t = *tissue_;
    std::vector<double> v(t.share.problem.group.size());
    stepper_->potential(v);
    char name[40];
    std::snprintf(name, sizeof name, "frames/%09lld", static_cast<long long>(stepper_->step()));
    const auto files =
        write_pieces(t, group_, {{"V_mV", places(t.tissue), at_unknowns(t, group_, v)}},
                     options_.out, name, provenance());
    files_.insert(files_.end(), files.begin(), files.end());
    frames_.push_back({stepper_->time_ms(), files.front()});
    group_.write([&] {
        if (group_.is_first())
            write_pvd(frames_, provenance(), options_.out / "frames.pvd");
    });
}

/// Maps and tables, whatever becomes of the others: the first that failed, or null; the same in
/// all.
std::exception_ptr PartRun::write_results(const device::Maps& maps)
{
    auto& t = *tissue_;
    const auto& out = options_.out;
    const auto taken = group_.at_first(samples_.taken(*stepper_)); // since they agreed last
    if (group_.is_first())
        samples_.add(taken, session_.dt_ms);
    std::exception_ptr failed;
    const auto attempt = [&](auto&& write) {
        try {
            write();
        } catch (const WriteFailed&) {
            failed = failed ? failed : std::current_exception();
        }
    };
    const auto table = [&](const char* name, const ProbeTable& rows) {
        attempt([&] {
            group_.write([&] {
                if (group_.is_first())
                    write_probes_csv(rows, out / name);
            });
            files_.emplace_back(name);
        });
    };
    table("probes.csv", samples_.table()); // what all depends on comes first
    if (!ecg_.empty())
        table("ecg.csv", ecg_.table());
    const auto fields = [&](const char* name, std::span<const double> values) {
        return mesh::io::Extra{name, places(t.tissue), at_unknowns(t, group_, values)};
    };
    std::vector<double> apd90(maps.activation_ms.size());
    for (std::size_t u = 0; u < apd90.size(); ++u)
        apd90[u] = maps.apd90(u);
    attempt([&] {
        const auto pieces = write_pieces(t, group_,
                                         {fields("activation_ms", maps.activation_ms),
                                          fields("repolarisation_ms", maps.repolarisation_ms),
                                          fields("apd90_ms", apd90)},
                                         out, "activation", provenance());
        files_.insert(files_.end(), pieces.begin(), pieces.end());
    });
    attempt([&] {
        write_activation(t, group_, session_, maps, out / "activation.csv");
        files_.emplace_back("activation.csv");
    });
    return failed;
}

/// Writes what was reached, and the report.
/// @throws WriteFailed  the first of what could not be written, after all others were, unless the
///                      run had failed before
RunReport PartRun::finish(const std::optional<Stopped>& stopped)
{
    const auto maps = stepper_->maps();
    auto failed = write_results(maps);
    if (!frames_.empty())
        files_.emplace_back("frames.pvd");
    files_.emplace_back("report.json");
    const std::string ended = stopped  ? stopped->text.empty() ? "cancelled" : stopped->text
                              : failed ? failure_text(failed)
                                       : "end";
    RunReport r;
    r.json = report_text(ended, maps, r);
    try {
        group_.write([&] {
            if (group_.is_first())
                write_whole(options_.out / "report.json",
                            [&](std::ostream& text) { text << r.json << "\n"; });
        });
    } catch (const WriteFailed&) {
        failed = failed ? failed : std::current_exception();
    }
    if (failed && !stopped)
        std::rethrow_exception(failed);
    if (failed)
        say(Notice::Level::warning, "some results could not be written: " + failure_text(failed));
    return r;
}

/// What the first process has, where others answer no more.
/// @param why  they do not
void PartRun::keep_what_is_here(const std::exception_ptr& why)
{
    if (!group_.is_first())
        return;
    const auto attempt = [&](const char* name, auto&& write) {
        try {
            write(options_.out / name);
            files_.emplace_back(name);
        } catch (const std::exception& e) {
            say(Notice::Level::warning,
                "some results could not be written: " + std::string(e.what()));
        }
    };
    using Path = std::filesystem::path;
    attempt("probes.csv", [&](const Path& file) { write_probes_csv(samples_.table(), file); });
    if (!ecg_.empty())
        attempt("ecg.csv", [&](const Path& file) { write_probes_csv(ecg_.table(), file); });
    if (!frames_.empty())
        files_.emplace_back("frames.pvd");
    attempt("report.json", [&](const Path& file) {
        auto files = files_;
        files.emplace_back("report.json");
        std::sort(files.begin(), files.end());
        files.erase(std::unique(files.begin(), files.end()), files.end());
        const auto report = least_report(options_, failure_text(why),
                                         "the ranks ended apart from each other", files);
        write_whole(file, [&](std::ostream& text) { text << report << "\n"; });
    });
}

/// What the files say of this run. No process has the whole mesh: what the index says of its parts
/// stands for that.
Provenance PartRun::provenance() const
{
    std::string sums;
    for (const auto& p : tissue_->index.parts)
        sums += std::to_string(p.checksum) + "\n";
    return provenance_of(session_, model_digests(tissue_->tissue, session_.folder),
                         "of its parts' checksums: " + sha256(sums),
                         std::to_string(group_.size()) + " ranks: " + devices_, options_);
}

std::string PartRun::report_text(const std::string& ended, const device::Maps& maps, RunReport& r)
{
    const auto& t = *tissue_;
    const auto own = t.share.own();
    double last = 0;
    std::int64_t activated = 0;
    for (std::size_t u = 0; u < own; ++u)
        if (std::isfinite(maps.activation_ms[u])) {
            ++activated;
            last = std::max(last, maps.activation_ms[u]);
        }
    r.activated = group_.count(activated);
    r.last_activation_ms = group_.largest(last);
    const auto cells = group_.count(static_cast<std::int64_t>(own));
    r.unknowns = t.unknowns();
    r.steps = stepper_->step() - first_step_;
    r.seconds = group_.largest(stepping_s_);
    if (r.seconds > 0)
        r.cell_steps_per_s = static_cast<double>(r.steps) * static_cast<double>(cells) / r.seconds;
    r.velocity_m_per_s.fill(std::numeric_limits<double>::quiet_NaN());
    const auto of_ranks =
        group_.at_first((Pack() << own << t.own.size() << t.share.problem.group.size() - own
                                << peak_memory_bytes() << stepping_s_)
                            .take());
    Json j = Json::object();
    j["program"] = "tawara";
    j["version"] = program_version();
    j["provenance"] = Json::parse(provenance().text);
    j["session"] = session_.name;
    j["session_file"] = options_.session_file;
    j["ended"] = ended;
    j["devices"] = Json::array(
        {std::to_string(group_.size()) + " ranks, each with its part of the mesh: " + devices_});
    j["precision"] = name(options_.device.precision);
    j["mesh"] = {{"title", t.index.title},
                 {"vertices", t.index.vertices},
                 {"tetrahedra", t.index.tetrahedra}};
    j["diffusion"] = report::diffusion_json(t.share.problem);
    j["unknowns"] = r.unknowns;
    j["unknowns_with_cells"] = cells;
    j["dt_ms"] = session_.dt_ms;
    j["first_step"] = first_step_;
    j["steps"] = r.steps;
    j["time_ms"] = stepper_->time_ms();
    if (!options_.resume.empty())
        j["resumed_from"] = options_.resume.string();
    j["activated"] = r.activated;
    j["last_activation_ms"] = r.activated > 0 ? Json(r.last_activation_ms) : Json(nullptr);
    j["seconds"] = {{"total", since(born_)}, {"setup", setup_s_}, {"stepping", r.seconds}};
    j["cell_steps_per_s"] = r.cell_steps_per_s;
    j["ranks"] = Json::array();
    for (const auto& message : of_ranks) {
        Unpack in(message);
        const auto stepped = in.read<std::size_t>(), held = in.read<std::size_t>(),
                   taken = in.read<std::size_t>();
        const auto peak = in.read<std::int64_t>();
        j["ranks"].push_back({{"unknowns_stepped", stepped},
                              {"unknowns_held", held},
                              {"unknowns_taken", taken},
                              {"peak_memory_bytes", peak > 0 ? Json(peak) : Json(nullptr)},
                              {"stepping_s", in.read<double>()}});
    }
    j["notices"] = Json::array();
    for (const auto& n : notices_)
        j["notices"].push_back(n.text);
    j["files"] = files_;
    return j.dump(2, ' ', false, Json::error_handler_t::replace);
}

} // namespace tawara::simulation::parts
