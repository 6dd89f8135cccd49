// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/problem.hpp"
#include "engine/mesh/io/vtu_series.hpp"
#include "engine/simulation/observe/curves.hpp"
#include "engine/simulation/results/cell_map.hpp"
#include "engine/simulation/results/igb.hpp"
#include "engine/simulation/results/provenance.hpp"
#include "engine/simulation/tissue/tissue.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <string_view>

namespace tawara::simulation {

constexpr const char* igb_file = "frames.igb";
constexpr const char* frame_array = "V_mV"; ///< of frames/*.vtu

/// Whether FrameWriter gives a frame this name, relative to the folder: "frames/000000050.vtu".
bool is_frame(std::string_view name);

/// The name that it gives the frame of a step.
std::string frame_name(std::int64_t step);

/// Of a mesh in parts each rank writes its piece of a frame or map, and the first one a list of
/// them: "frames/000000050/0003.vtu" and "frames/000000050.pvtu".
/// @param stem  "frames/000000050"
std::string piece_name(const std::string& stem, int rank);
/// Whether a run gives a frame's list this name.
bool is_list_of_pieces(std::string_view name);
/// The names of the pieces of a frame or map that are there.
std::vector<std::string> pieces_there(const std::filesystem::path& out, const std::string& stem);

/// `time_ms`, then a column per probe.
void write_probes_csv(const ProbeTable& table, const std::filesystem::path& file);

/// id, position, activation, repolarisation, APD90 per unknown; empty where it never happened. Then
/// its cells: the region, the model, its variant.
void write_activation_csv(const Tissue& t, const CellMap& cells, const device::Maps& maps,
                          const std::filesystem::path& file);

/// The same on the mesh (NaN where it never happened).
void write_activation_vtu(const Tissue& t, const device::Maps& maps, const Provenance& by,
                          const std::filesystem::path& file);

/// A frame as frames.pvd lists it.
struct ListedFrame
{
    double time_ms;
    std::string file;        ///< relative to the .pvd
    std::string sha256 = {}; ///< digest_of_values() of a run's frame; empty: not known
};

/// A .pvd of such frames.
void write_pvd(const std::vector<ListedFrame>& frames, const Provenance& by,
               const std::filesystem::path& pvd);

/// The frames that a .pvd names; none where it cannot be opened.
std::vector<ListedFrame> listed_frames(const std::filesystem::path& pvd);

/// Lists one more file in the report of a run in this folder: the next run there replaces it.
/// @return false: there is no report of a run
bool add_to_report(const std::filesystem::path& folder, const std::string& file);

/// Where a tissue's unknowns are.
mesh::Field::On places(const Tissue& t);

/// Frames of the potential. vtu: frames/NNNNNN.vtu and a frames.pvd that lists those written, for
/// ParaView; each holds V and `region`. igb: frames.igb with V at the mesh's vertices, and the mesh
/// as frames.pts, .elem, .lon beside it, for CARP's tools; they appear with finish().
class FrameWriter
{
  public:
    /// @param threads  that compress, at least 1
    /// @param by       asked when the first frame is written
    FrameWriter(const Tissue& t, std::filesystem::path out, FrameFormat format, double every_ms,
                unsigned threads, ProvenanceSource by)
        : tissue_(t), out_(std::move(out)), format_(format), every_ms_(every_ms),
          by_(std::move(by)), vtu_(frame_array, places(t), threads, [this] { return by_().text; })
    {
    }
    FrameWriter(const FrameWriter&) = delete;
    FrameWriter& operator=(const FrameWriter&) = delete;
    /// Goes on with the frames that are in the folder from before the first of this run: of igb
    /// also those that a killed run of the same fingerprint has left unfinished.
    /// @param earlier  of vtu, as remove_earlier_outputs() gave them
    /// @return whether there were any
    bool go_on(std::vector<ListedFrame> earlier, double first_ms);
    /// Of which run frames are. Call it before the first.
    void of_run(const std::string& fingerprint);
    void write(std::int64_t step, double time_ms, std::span<const double> v);
    /// No more frames come.
    void finish();
    /// What was written, relative to the folder.
    std::vector<std::string> files() const;
    /// SHA-256 of the values of frames (output_digest()), as far as it is known, by their names.
    std::map<std::string, std::string> digests() const;
    /// Names that files beside those of frames/ will have.
    std::vector<std::string> names() const;

  private:
    void begin_igb(double first_ms);

    const Tissue& tissue_;
    std::filesystem::path out_;
    FrameFormat format_;
    double every_ms_;
    ProvenanceSource by_;
    mesh::io::VtuSeries vtu_;
    std::unique_ptr<IgbWriter> igb_;
    std::vector<ListedFrame> written_;
    std::string igb_sha256_; ///< empty before finish()
    std::string run_;        ///< a word that tells this run from others
    bool igb_mesh_ = false;  ///< that of the frames is written
};

/// Of a checkpoint, in the folder of the outputs.
std::string checkpoint_name(double time_ms);

/// A rank's file of a checkpoint: "checkpoint-00000004.000ms-0of16.tcp". That of the first one is
/// there while all others are.
/// @param whole  checkpoint_name()
std::filesystem::path piece_of_checkpoint(const std::filesystem::path& whole, int rank, int ranks);
/// Of which checkpoint a file is the first of so many; empty: of none.
std::filesystem::path checkpoint_of_piece(const std::filesystem::path& first, int ranks);
/// The first rank's file of the checkpoint that a run gave a file of another rank; empty: it has no
/// such name.
std::string first_piece_of(const std::string& name);

/// What a run will write into its folder.
struct ComingOutputs
{
    std::vector<std::string> files; ///< relative to it; frames/ and checkpoints aside
    std::int64_t first_step = 0, end_step = 0;
    std::int64_t frame_every = 0, checkpoint_every = 0; ///< steps; 0: none
    double dt_ms = 0.02;
    std::filesystem::path html;                    ///< the report for people; empty: none
    bool has_frame(const std::string& name) const; ///< "frames/000000050.vtu"
    bool has_checkpoint(const std::string& name) const;
    int pieces = 0; ///< ranks, of a mesh in parts: frames and checkpoints are in as many; 0: whole
};

/// The files that remove_earlier_outputs() may take away, relative to the folder, sorted.
std::vector<std::string> listed_outputs(const std::filesystem::path& out);

/// What a run begins with.
enum class RunBegins {
    anew,
    at_own_checkpoint, ///< in its folder, whose frames are of the same run
    elsewhere          ///< at a checkpoint of another folder
};

/// What is to be said of a folder before a run writes there: files under the names of its outputs
/// that the last run's report.json does not list, which are replaced all the same; checkpoints that
/// stay or are replaced, where the run begins anew. So is a file that is no such report and has the
/// name of the one for people.
Notices what_folder_holds(const std::filesystem::path& out, const ComingOutputs& coming,
                          RunBegins begins);

/// What is said of unfinished files of killed runs that were removed from a folder; nothing of
/// none.
Notices what_was_swept(int files, const std::filesystem::path& out);

/// Nothing that is no file stands where a run will write one, and nothing that is no folder where
/// its frames lie: told before anything is written or removed. Links under the names of files are
/// replaced. @throws InputError
void need_places(const std::filesystem::path& out, const ComingOutputs& coming);

/// Removes what the last run has written into a folder: the files that its report.json lists, and
/// the frames that its frames.pvd does. Of frames in `format`, those before `from_ms` stay (of igb
/// the whole file, if there is a time to stay before). frames.pvd
/// stays where a frame of it does: the run that goes on writes it anew. Checkpoints are not listed,
/// so they stay.
/// @param in_pieces  frames that stay are those of a mesh in parts, with all their pieces
/// @return the vtu frames that stayed
/// @throws InputError when one cannot be removed
std::vector<ListedFrame> remove_earlier_outputs(const std::filesystem::path& out, double from_ms,
                                                FrameFormat format, bool in_pieces = false);

/// Removes what a run on a mesh in parts that was killed left half done: pieces of a frame or map
/// without their list, files of a checkpoint without that of the first rank, temporary files among
/// them. Other names, and files without a fault, stay.
/// @return how many files
int sweep_pieces(const std::filesystem::path& out);

} // namespace tawara::simulation
