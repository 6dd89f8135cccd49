// SPDX-License-Identifier: GPL-3.0-or-later
// Sessions, studies, and what runs and studies have written.
#include "engine/core/error.hpp"
#include "engine/simulation/observe/recording_codec.hpp"
#include "engine/simulation/results/checkpoint.hpp"
#include "engine/simulation/results/checkpoint_stream.hpp"
#include "engine/simulation/results/comparison.hpp"
#include "engine/simulation/results/igb.hpp"
#include "engine/simulation/results/outputs.hpp"
#include "engine/simulation/results/reproduction.hpp"
#include "engine/simulation/session/session.hpp"
#include "engine/study/ledger.hpp"
#include "engine/study/restitution_record.hpp"
#include "engine/study/site_record.hpp"
#include "engine/study/study.hpp"
#include "tests/fuzz/readers.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

namespace tawara::fuzz {

namespace fs = std::filesystem;

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
    const auto there = several_files(bytes, folder, {"trials.json", "beats.json"});
    for (const auto& name : there)
        if (name == "trials.json") {
            const study::TrialStore store(folder / name);
            store.known(true);
        } else {
            const study::RestitutionStore store(folder / name);
            for (const auto& probe : study::probes_of(store.beats()))
                to_json(study::summary_of(store.beats(), probe));
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

} // namespace tawara::fuzz
