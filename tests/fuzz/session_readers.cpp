// SPDX-License-Identifier: GPL-3.0-or-later
// Sessions, studies, and what runs and studies have written.
#include "engine/core/error.hpp"
#include "engine/digest/sha256.hpp"
#include "engine/simulation/observe/recording_codec.hpp"
#include "engine/simulation/results/checkpoint.hpp"
#include "engine/simulation/results/checkpoint_stream.hpp"
#include "engine/simulation/results/comparison.hpp"
#include "engine/simulation/results/igb.hpp"
#include "engine/simulation/results/kept_states.hpp"
#include "engine/simulation/results/output_digest.hpp"
#include "engine/simulation/results/outputs.hpp"
#include "engine/simulation/results/provenance_read.hpp"
#include "engine/simulation/results/reproduction.hpp"
#include "engine/simulation/session/session.hpp"
#include "engine/simulation/tissue/tuning_store.hpp"
#include "engine/study/ledger.hpp"
#include "engine/study/restitution_record.hpp"
#include "engine/study/site_record.hpp"
#include "engine/study/study.hpp"
#include "engine/study/study_results.hpp"
#include "engine/study/watch.hpp"
#include "tests/fuzz/readers.hpp"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

namespace tawara::fuzz {

namespace fs = std::filesystem;

namespace {

/// Where the program's cache lies while this lives.
class InCache
{
  public:
    explicit InCache(const fs::path& folder)
    {
        if (const char* named = std::getenv(variable))
            before_ = named;
        setenv(variable, fs::absolute(folder).c_str(), 1);
    }
    ~InCache()
    {
        if (before_)
            setenv(variable, before_->c_str(), 1);
        else
            unsetenv(variable);
    }
    InCache(const InCache&) = delete;
    InCache& operator=(const InCache&) = delete;

  private:
    static constexpr const char* variable = "XDG_CACHE_HOME";
    std::optional<std::string> before_;
};

} // namespace

/// What was read is written so that the same is read again.
void session(std::string_view bytes, const fs::path&)
{
    const auto s = simulation::parse_session(std::string(bytes), "f.json");
    const auto text = simulation::to_json(s);
    need(simulation::to_json(simulation::parse_session(text, "again.json")) == text,
         "a session that was written reads back the same");
}

void heart_parameters(std::string_view bytes, const fs::path& folder)
{
    simulation::read_heart_parameters(put(folder / "heart.json", bytes));
}

/// The values of a checkpoint, packed and with the checksum that is right for them.
void checkpoint(std::string_view bytes, const fs::path& folder)
{
    {
        std::ofstream out(folder / "c.tcp", std::ios::binary | std::ios::trunc);
        simulation::CheckpointWriter packed(out);
        packed.put(bytes.data(), bytes.size());
        packed.finish();
    }
    const auto c = simulation::read_checkpoint(folder / "c.tcp");
    for (const auto& state : c.state.states)
        need(state.size() <= c.state.v.size(), "no more values of a state than unknowns");
    need(simulation::provenance_of_checkpoint(folder / "c.tcp") == c.provenance,
         "what made a checkpoint is told without reading the rest");
    const auto bare = simulation::read_checkpoint(folder / "c.tcp", [](const auto&) {
        simulation::CheckpointBounds none;
        none.probes = none.parts = 0;
        none.tables.emplace();
        return none;
    });
    need(bare.tables.empty() && bare.traces.steps() == 0 && bare.provenance == c.provenance,
         "what is passed over does not shift what follows");
    simulation::write_checkpoint(c, folder / "again.tcp");
    need(simulation::read_checkpoint(folder / "again.tcp").fingerprint == c.fingerprint,
         "a checkpoint that was written reads back the same");
}

void checkpoint_file(std::string_view bytes, const fs::path& folder)
{
    simulation::read_checkpoint(put(folder / "c.tcp", bytes));
}

/// Two bytes say of how many values a frame is; the rest is the frame.
void recording(std::string_view bytes, const fs::path&)
{
    if (bytes.size() < 2)
        return;
    const auto at = [&](std::size_t k) { return static_cast<unsigned char>(bytes[k]); };
    const std::size_t count = at(0) + 256U * (at(1) % 16U);
    try {
        const auto codes = simulation::decompress_codes(bytes.substr(2), {}, count);
        need(codes.size() == count, "a frame has its values");
        const auto later = simulation::decompress_codes(bytes.substr(2), codes, count);
        std::vector<float> values;
        simulation::Quantiser(-100, 60, 12).decode(later, values);
        need(values.size() == count, "a frame has its values");
    } catch (const InputError&) {
        throw;
    } catch (const Error& e) { // it is damaged
        throw InputError("recording", e.what());
    }
}

/// A folder into which a run writes over what another one left: nothing outside of it goes.
void run_folder(std::string_view bytes, const fs::path& folder)
{
    const auto in = folder / "run";
    fs::create_directories(in / "frames");
    put(in / "frames" / "000000050.vtu", "frame");
    put(in / "mine.txt", "mine");
    put(folder / "outside.txt", "outside");
    several_files(bytes, in, {"report.json", "frames.pvd", "frames.igb"});
    simulation::ComingOutputs coming;
    coming.files = {"probes.csv", "activation.csv"};
    coming.end_step = 1000;
    coming.frame_every = 50;
    coming.html = in / "report.json";
    simulation::what_folder_holds(in, coming, simulation::RunBegins::anew);
    for (const auto& f : simulation::listed_frames(in / "frames.pvd"))
        need(f.file.size() <= bytes.size(), "a frame's name is one of the list");
    if (fs::exists(in / "frames.igb")) {
        simulation::IgbWriter igb(in / "now.igb", 4, 5, 1, "mV");
        igb.go_on_from(in / "frames.igb");
    }
    simulation::remove_earlier_outputs(in, 2, simulation::FrameFormat::vtu);
    simulation::remove_earlier_outputs(in, 0, simulation::FrameFormat::igb);
    need(fs::exists(folder / "outside.txt"), "what lies outside of the folder stays");
    fs::remove_all(in);
}

void report(std::string_view bytes, const fs::path& folder)
{
    const auto file = put(folder / "report.json", bytes);
    const auto r = simulation::read_report(file);
    simulation::compare_reports(r.json, folder, R"({"program": "tawara", "reproduction": {}})",
                                folder);
    for (const auto& remark : simulation::compare_reports(r.json, folder, r.json, folder).remarks)
        need(!remark.ends_with(" now"), "a report is no other than itself");
}

/// Files of a run and what lies beside them. One that is known to be as it was written is told from
/// one with a byte more.
void provenance(std::string_view bytes, const fs::path& folder)
{
    const auto in = folder / "provenance";
    fs::create_directories(in / "frames");
    const auto there =
        several_files(bytes, in,
                      {"report.json", "beats.csv", "activation.vtu", "frames.pvd", "frames.igb",
                       "frames/000000050.vtu", "c.tcp", "page.html", "verify.json", "mesh.vtk",
                       "a.png", "movie.mp4", "movie.mp4.provenance.json"});
    for (const auto& name : there)
        try {
            const auto file = in / name;
            const auto found = simulation::find_provenance(file);
            need(simulation::is_provenance(found.text), "what is found is of this program");
            if (found.unchanged_by.empty() || found.values_alone)
                continue;
            std::ofstream(file, std::ios::binary | std::ios::app) << 'x';
            bool told = false;
            try {
                simulation::find_provenance(file);
            } catch (const InputError&) {
                told = true;
            }
            need(told, "a byte more is told");
        } catch (const InputError&) { // nothing tells what made this one
        }
}

/// Results of two runs, of which reports say that they differ: those of one are as its own.
void comparison(std::string_view bytes, const fs::path& folder)
{
    using Json = nlohmann::ordered_json;
    const auto in = folder / "comparison";
    fs::create_directories(in / "a" / "frames");
    fs::create_directories(in / "b" / "frames");
    const auto there = several_files(bytes, in,
                                     {"a/probes.csv", "a/activation.csv", "a/frames.igb",
                                      "a/frames/000000050.vtu", "b/probes.csv", "b/activation.csv",
                                      "b/frames.igb", "b/frames/000000050.vtu"});
    Json before{{"program", "tawara"}, {"first_step", 0}, {"steps", 50}, {"files", Json::array()}};
    Json now = before;
    for (const auto& name : there) {
        if (!name.starts_with("a/"))
            continue;
        const auto file = name.substr(2);
        const auto* kind = simulation::digest_key(simulation::digest_of(file));
        before["files"].push_back(file);
        before["reproduction"][kind][file] = "none";
        now["reproduction"][kind][file] = "of another run";
        try {
            before["reproduction"][kind][file] = simulation::output_digest(in / "a", file);
        } catch (const InputError&) { // it counts as changed
        }
    }
    if (!before.contains("reproduction"))
        return;
    const auto compared = [&](const char* with) {
        return simulation::compare_reports(before.dump(), in / "a", now.dump(), in / with).results;
    };
    compared("b");
    for (const auto& r : compared("a")) {
        if (r.how.starts_with("by how much is not known"))
            continue;
        const auto says = [&](const char* words) { return r.how.find(words) != r.how.npos; };
        need((!says("RMS") || says("RMS 0 mV, at most 0 mV")) && !says("in one run alone") &&
                 !says("other text") && !says("columns are others") && !says("rows, and has"),
             "a run's results do not differ from themselves");
    }
}

/// What a window left: each state is there once, with its files, and reads back as it is written.
void kept_states(std::string_view bytes, const fs::path& folder)
{
    const auto all = folder / "kept";
    fs::remove_all(all);
    simulation::KeptFolder kept(all);
    several_files(bytes, kept.path(),
                  {"12.kept.json", "12.session.json", "12.state.tcp", "7.kept.json",
                   "7.session.json", "7.state.tcp", "07.kept.json", "mesh-1-heart.vtu"});
    std::vector<std::string> damaged;
    const auto states = simulation::read_kept(kept.path(), &damaged);
    for (const auto& line : damaged)
        need(!line.empty() && line.find('\n') == line.npos, "what is damaged is said in a line");
    for (const auto& s : states) {
        need(fs::is_regular_file(s.session()), "a state has its session");
        need(!s.has_state || fs::is_regular_file(s.state()), "a state has its checkpoint");
        simulation::write_kept(s);
    }
    const auto again = simulation::read_kept(kept.path());
    need(again.size() == states.size(), "a state that was written is read again");
    for (std::size_t k = 0; k < states.size(); ++k) {
        const auto &a = states[k], &b = again[k];
        need(a.number == b.number && a.title == b.title && a.file == b.file &&
                 a.reason == b.reason && a.time_ms == b.time_ms && a.saved == b.saved &&
                 a.has_state == b.has_state && a.mesh == b.mesh,
             "a state that was written reads back the same");
        need(k == 0 || a.number < states[k - 1].number, "a state is there once, the newest first");
    }
    kept.keep_newest(1, 0);
    const auto left = simulation::read_kept(kept.path());
    need(states.empty() || (!left.empty() && left[0].number == states[0].number),
         "the newest state stays");
    kept.remove();
}

/// Numbers of a finding, with the sum that is right for them, and as they are.
void tuning_store(std::string_view bytes, const fs::path& folder)
{
    const InCache cache(folder / "cache");
    const std::string key = "a key", numbers(bytes);
    const auto files = folder / "cache" / "tawara" / "velocities";
    if (!fs::exists(files) || fs::is_empty(files))
        simulation::keep_tuning(key, {});
    need(!fs::is_empty(files), "what was found is kept");
    const auto file = fs::directory_iterator(files)->path();
    const std::string_view summed[] = {key, numbers};
    for (const auto& text : {numbers, numbers + sha256_of_parts(summed) + '\n'}) {
        put(file, text);
        simulation::forget_tunings();
        const auto found = simulation::kept_tuning(key);
        if (!found)
            continue;
        const auto same = [](const auto& a, const auto& b) {
            return a.conductivity_S_per_m == b.conductivity_S_per_m &&
                   a.on_fine_S_per_m == b.on_fine_S_per_m && a.wanted == b.wanted &&
                   a.reached == b.reached && a.edge_mm == b.edge_mm && a.strips == b.strips;
        };
        for (const double x :
             {found->conductivity_S_per_m.fibre, found->on_fine_S_per_m.normal, found->edge_mm})
            need(std::isfinite(x) && x > 0, "conductivities are above 0");
        simulation::keep_tuning(key, *found);
        simulation::forget_tunings();
        const auto again = simulation::kept_tuning(key);
        need(again && same(*again, *found), "a finding that was kept reads back the same");
    }
}

void study(std::string_view bytes, const fs::path& folder)
{
    several_files(bytes, folder, {"study.json", "session.json"});
    const auto s = study::read_study(folder / "study.json");
    constexpr std::size_t looked_at = 3;
    for (std::size_t k = 0; k < std::min(s.runs.size(), looked_at); ++k) {
        study::differences(s, s.runs[k]);
        study::session_of(s, s.runs[k]);
    }
}

void study_records(std::string_view bytes, const fs::path& folder)
{
    const auto there = several_files(bytes, folder, {"trials.json", "beats.json", "site.json"});
    for (const auto& name : there)
        if (name == "trials.json") {
            const study::TrialStore store(folder / name);
            store.known(true);
        } else if (name == "beats.json") {
            const study::RestitutionStore store(folder / name);
            for (const auto& beats : study::by_probe(store.beats()))
                to_json(study::summary_of(beats, beats.front().probe));
        } else {
            const auto once = to_json(study::reported_site(folder / name));
            need(to_json(study::site_record(once)) == once, "a site reads back as it is written");
        }
}

void study_ledger(std::string_view bytes, const fs::path& folder)
{
    const auto file = put(folder / "study.sqlite", bytes);
    for (const char* beside : {"study.sqlite-journal", "study.sqlite-wal", "study.sqlite-shm"})
        fs::remove(folder / beside);
    auto ledger = study::Ledger::to_look_at(file);
    ledger.study_name();
    ledger.digest();
    ledger.study_file();
    ledger.paths();
    ledger.calibration();
    ledger.counts();
    for (const auto& row : ledger.rows())
        ledger.settings(row.number);
}

/// A study's folder is looked at, and its tables and page are made anew.
void study_folder(std::string_view bytes, const fs::path& folder)
{
    const auto in = folder / "study";
    fs::remove_all(in);
    fs::create_directories(in / "run-0");
    fs::create_directories(in / "run-1");
    several_files(bytes, in, {"study.sqlite", "run-0/report.json", "run-1/report.json"});
    const auto view = study::StudyWatch(in).look();
    for (const auto& run : view.runs) {
        need(run.values.size() == view.paths.size(), "a run has a value of each key, or none");
        study::files_of_run(in / run.row.name);
    }
    study::write_results(study::Ledger::to_look_at(in / "study.sqlite"), in);
    for (const char* made : {"results.csv", "report.html"})
        need(fs::is_regular_file(in / made), "a study has its table and its page");
}

void study_page(std::string_view bytes, const fs::path& folder)
{
    const auto svg = study::first_picture(put(folder / "report.html", bytes));
    need(svg.size() <= bytes.size(), "a picture is a part of its page");
}

} // namespace tawara::fuzz
