// SPDX-License-Identifier: GPL-3.0-or-later
// What a run will write, and what it makes of the folder that it writes into.
#include "engine/core/batches.hpp"
#include "engine/core/error.hpp"
#include "engine/core/folder_lock.hpp"
#include "engine/simulation/results/going_on.hpp"
#include "engine/simulation/results/network_outputs.hpp"
#include "engine/simulation/results/outputs.hpp"
#include "engine/simulation/results/run_sources.hpp"
#include "engine/simulation/run/run_state.hpp"
#include "engine/simulation/session/intervals.hpp"
#include "engine/simulation/session/output_keys.hpp"
#include "engine/simulation/session/purkinje_keys.hpp"

#include <cmath>

namespace tawara::simulation {

ComingOutputs outputs_by_name(const Session& s, const RunOptions& o)
{
    ComingOutputs out;
    out.files = {"probes.csv", "activation.csv", "activation.vtu", "report.json"};
    if (o.picture != RunOptions::Picture::none)
        out.files.emplace_back("picture.png");
    if (!s.probes.empty())
        out.files.emplace_back("beats.csv");
    if (!s.electrodes.empty() || s.leads.kind != Leads::Kind::none)
        out.files.emplace_back("ecg.csv");
    if (s.purkinje->wanted)
        out.files.insert(out.files.end(), {network_csv, network_vtu, junctions_csv});
    out.dt_ms = s.dt_ms;
    out.end_step = std::llround((o.until_ms >= 0 ? o.until_ms : s.end_ms) / s.dt_ms);
    out.html = o.html;
    const auto every = interval_steps(s, "/output/frames_every_ms");
    if (every > 0 && s.output->frames == FrameFormat::igb)
        out.files.emplace_back(igb_file);
    else if (every > 0)
        out.files.emplace_back("frames.pvd");
    if (o.resume.empty() && s.output->frames == FrameFormat::vtu) // else the first is not known
        out.frame_every = every;
    return out;
}

ComingOutputs Run::outputs_to_come() const
{
    std::vector<std::string> out{"probes.csv", "activation.csv", "activation.vtu", "report.json"};
    if (options_.picture != RunOptions::Picture::none)
        out.emplace_back("picture.png");
    if (!probe_names().empty())
        out.emplace_back("beats.csv");
    if (simulation_.network() != nullptr)
        out.insert(out.end(), {network_csv, network_vtu, junctions_csv});
    for (const auto& table : tables_)
        out.push_back(table.file);
    if (frames_.every() > 0)
        for (auto& name : frames_.writer().names())
            out.push_back(std::move(name));
    const auto vtu_every = session_.output->frames == FrameFormat::vtu ? frames_.every() : 0;
    return {out,          first_step_, end_step_, vtu_every, checkpoints_.every(), session_.dt_ms,
            options_.html};
}

/// Nothing of an earlier run stays among the outputs of this one. A run that goes on from a
/// checkpoint in its own folder keeps the frames before it, and lists them. Checkpoints stay.
void Run::begin_folder(FolderLock& lock, const Progress& progress)
{
    progress.at(0, stage_of_outputs);
    need_ours(options_);
    need_sources_kept(session_, options_, outputs_to_come());
    std::error_code none;
    std::filesystem::create_directories(options_.out, none); // else the first file says why not
    lock.take(options_.out);
    const auto frame_every = frames_.every();
    const bool goes_on = frame_every > 0 && first_step_ > 0;
    const bool of_igb = session_.output->frames == FrameFormat::igb;
    const bool keeps = goes_on && begins(options_) == RunBegins::at_own_checkpoint;
    const bool unfinished = keeps && of_igb;
    folder_ = OutputFolder(options_.out, unfinished ? igb_file : "");
    int swept = folder_.swept();
    need_places(options_.out, outputs_to_come());
    if (const auto frames = options_.out / "frames";
        std::filesystem::symlink_status(frames, none).type() ==
        std::filesystem::file_type::directory)
        swept += sweep_parts(place_of(frames / "x", false).folder);
    if (const auto left = left_checkpoint(options_.out); options_.resume.empty() && !left.empty())
        say(Notice::Level::warning, left.string() +
                                        " is of a run here that did not come to its end, which "
                                        "begins anew now; " +
                                        how_to_go_on(options_, left));
    for (const auto& n : what_folder_holds(options_.out, outputs_to_come(), begins(options_)))
        say(n.level, n.text);
    auto earlier = remove_earlier_outputs(
        options_.out, keeps ? simulation_.time_ms() - 0.5 * session_.dt_ms : 0,
        frame_every > 0 ? session_.output->frames : FrameFormat::none);
    frames_.writer().of_run(here().fingerprint);
    if (goes_on) {
        const auto next = (first_step_ + frame_every - 1) / frame_every * frame_every;
        if (!frames_.writer().go_on(std::move(earlier), static_cast<double>(next) * session_.dt_ms))
            say(Notice::Level::info, "frames start at " + ms_text(next) + ": " +
                                         options_.out.string() + " has none from before that " +
                                         "these could go on from");
    }
    if (unfinished) // but for that of this run
        swept += sweep_parts(place_of(options_.out / igb_file, false).folder);
    for (const auto& n : what_was_swept(swept, options_.out))
        say(n.level, n.text);
}

} // namespace tawara::simulation
