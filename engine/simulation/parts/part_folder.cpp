// SPDX-License-Identifier: GPL-3.0-or-later
// What a run on a mesh in parts makes of the folder that it writes into.
#include "engine/core/error.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/simulation/parts/part_run.hpp"
#include "engine/simulation/results/going_on.hpp"
#include "engine/simulation/results/run_sources.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/session/output_keys.hpp"

namespace tawara::simulation::parts {

namespace fs = std::filesystem;

namespace {

/// The parts of the mesh, and the files of the checkpoint that other ranks go on from.
std::vector<RunSource> sources_of_parts(const Session& s, const RunOptions& o, int ranks)
{
    std::vector<RunSource> out;
    if (const auto* mesh = std::get_if<MeshFile>(&s.mesh)) {
        const auto index = s.folder / mesh->file;
        try {
            for (const auto& part : mesh::parallel::read_index(index).parts)
                out.push_back({index.parent_path() / part.file, "is a part of this run's mesh"});
        } catch (const std::exception&) { // all ranks read it next, and say what is wrong
        }
    }
    if (const auto whole = checkpoint_of_piece(o.resume, ranks); !whole.empty())
        for (int rank = 1; rank < ranks; ++rank)
            out.push_back({piece_of_checkpoint(whole, rank, ranks),
                           "is of the checkpoint that this run goes on from"});
    return out;
}

} // namespace

/// Frames and tables; the first step is known once the checkpoint has been read.
ComingOutputs PartRun::outputs_to_come() const
{
    ComingOutputs out;
    out.files = {"activation.csv", "activation.pvtu", "probes.csv", "report.json"};
    for (int rank = 0; rank < group_.size(); ++rank)
        out.files.push_back(piece_name("activation", rank));
    if (frames_every_ > 0)
        out.files.emplace_back("frames.pvd");
    if (ecg_every_ > 0 &&
        (!session_.electrodes.empty() || session_.leads.kind != Leads::Kind::none))
        out.files.emplace_back("ecg.csv");
    out.first_step = first_step_;
    out.end_step = end_step_;
    out.frame_every = frames_every_;
    out.checkpoint_every = checkpoints_every_;
    out.dt_ms = session_.dt_ms;
    out.pieces = group_.size();
    return out;
}

/// Before the mesh is read: whether the run can write where it is to. The first process looks, and
/// all know of it.
void PartRun::look_at_places()
{
    if (group_.is_first()) {
        const auto& out = options_.out;
        need_writable_folder(out);
        lock_.take(out);
        auto coming = outputs_to_come();
        if (!options_.resume.empty()) // its step is not known yet
            coming.frame_every = 0;
        need_sources_kept(session_, options_, coming,
                          sources_of_parts(session_, options_, group_.size()));
        need_places(out, outputs_to_come());
    }
    group_.any(false); // the places are free
}

/// Nothing of an earlier run stays, but frames that this one goes on from.
void PartRun::begin_folder(const Progress& progress)
{
    if (group_.is_first()) {
        if (progress.report) // a stop is for all, who agree on it later
            progress.report(0, stage_of_outputs);
        take_folder();
    }
    group_.any(false); // the folder is there
    if (!group_.is_first())
        folder_ = OutputFolder(options_.out);
    group_.any(false); // everybody has it, before parts wait for each other's values
}

void PartRun::take_folder()
{
    const auto& out = options_.out;
    const auto coming = outputs_to_come();
    need_sources_kept(session_, options_, coming,
                      sources_of_parts(session_, options_, group_.size()));
    std::error_code none;
    fs::create_directories(out, none); // else the first file says why not
    lock_.take(out);
    folder_ = OutputFolder(out);
    need_places(out, coming);
    for (const auto& n : what_was_swept(folder_.swept() + sweep_pieces(out), out))
        say(n.level, n.text);
    if (const auto left = left_checkpoint(out, group_.size());
        options_.resume.empty() && !left.empty())
        say(Notice::Level::warning, left.string() +
                                        " is of a run here that did not come to its end, which "
                                        "begins anew now; " +
                                        how_to_go_on(options_, left));
    for (const auto& n : what_folder_holds(out, coming, begins(options_)))
        say(n.level, n.text);
    const bool goes_on = frames_every_ > 0 && first_step_ > 0;
    const bool keeps = goes_on && begins(options_) == RunBegins::at_own_checkpoint;
    frames_ =
        remove_earlier_outputs(out, keeps ? stepper_->time_ms() - 0.5 * session_.dt_ms : 0,
                               frames_every_ > 0 ? FrameFormat::vtu : FrameFormat::none, true);
    for (const auto& frame : frames_) {
        files_.push_back(frame.file);
        for (auto& piece :
             pieces_there(out, fs::path(frame.file).replace_extension().generic_string()))
            files_.push_back(std::move(piece));
    }
    if (!frames_.empty()) // the run may end before its next frame
        write_pvd(frames_, provenance(), out / "frames.pvd");
    if (goes_on && frames_.empty()) {
        const auto next = (first_step_ + frames_every_ - 1) / frames_every_ * frames_every_;
        say(Notice::Level::info,
            "frames start at " + number_text(static_cast<double>(next) * session_.dt_ms, 7) +
                " ms: " + out.string() + " has none from before that these could go on from");
    }
}

} // namespace tawara::simulation::parts
