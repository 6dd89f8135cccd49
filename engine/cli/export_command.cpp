// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-cli export: what a run has left in its folder, in other programs' formats.
#include "engine/cli/command.hpp"
#include "engine/core/error.hpp"
#include "engine/core/file_content.hpp"
#include "engine/core/nearest.hpp"
#include "engine/core/output_folder.hpp"
#include "engine/core/provenance.hpp"
#include "engine/core/utf8.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/mesh/io/provenance_field.hpp"
#include "engine/simulation/results/export.hpp"
#include "engine/simulation/results/igb.hpp"
#include "engine/simulation/results/output_digest.hpp"
#include "engine/simulation/results/outputs.hpp"
#include "engine/simulation/results/provenance.hpp"
#include "engine/simulation/results/provenance_read.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <utility>

namespace tawara::cli {
namespace {

namespace fs = std::filesystem;

struct ExportArguments
{
    std::string folder, kind, out;
};

const std::vector<std::string> kinds{"activation-dat", "repolarisation-dat", "apd90-dat",
                                     "frames-igb"};

/// What an export has written so far; it goes again where the export does not come to its end.
class Written
{
  public:
    Written() = default;
    ~Written()
    {
        for (const auto& f : files_)
            try {
                remove_plain_file(f);
            } catch (const std::exception&) { // it stays
            }
    }
    Written(const Written&) = delete;
    Written& operator=(const Written&) = delete;
    void add(const fs::path& file) { files_.push_back(file); }
    std::vector<fs::path> keep() { return std::exchange(files_, {}); }

  private:
    std::vector<fs::path> files_;
};

/// A field of a file of the run, carried to the mesh's vertices.
std::vector<float> field_at_vertices(const mesh::TetMesh& m, const char* name, const fs::path& file)
{
    const auto* f = m.field(name);
    if (f == nullptr)
        throw InputError(file.string(), std::string("has no array ") + name +
                                            "; want a folder that tawara-cli run has written");
    const std::vector<double> values(f->values.begin(), f->values.end());
    return simulation::at_vertices(m, f->on == mesh::Field::On::vertices, values);
}

/// A mesh without fibres has no .lon, and an older one would be taken for this mesh's.
void remove_fibres(Context& c, const fs::path& lon)
{
    std::error_code none;
    if (!fs::exists(lon, none))
        return;
    remove_plain_file(lon);
    remove_plain_file(lon.string() + ".provenance.json");
    c.say("removed " + lon.string() + ": this mesh has no fibres");
}

/// What is read is not written over: the result could not be made again.
void need_other_files(const std::vector<fs::path>& written, const std::vector<fs::path>& read)
{
    std::error_code none;
    for (const auto& out : written)
        for (const auto& in : read)
            if (fs::equivalent(out, in, none))
                throw InputError(out.string(), "would replace " + in.string() +
                                                   ", which the export is made from; give --out "
                                                   "another name");
}

/// Of the same name: the frames' file and those of the mesh beside it.
std::vector<fs::path> igb_files(const fs::path& igb)
{
    std::vector<fs::path> out{igb};
    for (const char* kind : {".pts", ".elem", ".lon"})
        out.push_back(fs::path(igb).replace_extension(kind));
    return out;
}

/// A run with output.frames "igb" has what is asked for.
/// @return the files that were written; none where those of the run are meant
std::vector<fs::path> copy_igb(Context& c, const fs::path& folder, const fs::path& out)
{
    std::error_code none;
    if (fs::equivalent(folder / "frames.igb", out, none)) {
        c.say("the run has written " + out.string() + " itself");
        return {};
    }
    need_other_files(igb_files(out), igb_files(folder / "frames.igb"));
    Written written;
    for (const char* kind : {".igb", ".pts", ".elem", ".lon"}) {
        auto to = out;
        if (std::string(kind) != ".igb")
            to.replace_extension(kind);
        const auto source = folder / (std::string("frames") + kind);
        if (const auto why = no_plain_file(source); !why.empty())
            throw InputError(source.string(), why);
        if (std::string(kind) == ".lon" && !fs::exists(source, none)) {
            remove_fibres(c, to);
            continue;
        }
        std::ifstream from(source, std::ios::binary);
        if (!from)
            throw InputError(source.string(), "cannot be read; want the files of output.frames "
                                              "\"igb\" that tawara-cli run has written");
        write_whole(to, [&](std::ostream& file) { file << from.rdbuf(); });
        written.add(to);
    }
    return written.keep();
}

bool lies_in(const fs::path& folder, const fs::path& file)
{
    std::error_code none;
    return fs::equivalent(file.parent_path().empty() ? fs::path(".") : file.parent_path(), folder,
                          none);
}

/// Says where a file was changed since its run.
void say_changed(Context& c, const fs::path& file)
{
    if (const auto how = simulation::changed_since(file); !how.empty())
        c.notice({Notice::Level::warning, how});
}

/// What a file of the run says of it; of this program alone where it is of an earlier one, or
/// what it says is another's.
std::string run_provenance(const fs::path& vtu)
{
    std::error_code none;
    const auto text = fs::exists(vtu, none) ? mesh::io::provenance_of_vtu(vtu) : std::string();
    return simulation::is_provenance(text) ? text : program_provenance();
}

/// What lies in the run's folder is the run's: the next run there, which it would not belong to,
/// replaces it (report.json, `files`).
void enter(Context& c, const fs::path& folder, const fs::path& file)
{
    std::error_code none;
    if (!lies_in(folder, file))
        return;
    const fs::path report = folder / "report.json";
    if (!simulation::add_to_report(folder, file.filename().string()) && fs::exists(report, none))
        c.notice({Notice::Level::warning, report.string() +
                                              " is no run's; the next run here will "
                                              "not know " +
                                              file.string()});
}

/// The mesh beside the frames, for CARP's tools: that of the maps, which has the fibres.
/// @param m  of a frame
/// @param to  gets its files
void write_mesh_beside(Context& c, const mesh::TetMesh& m, const fs::path& folder, fs::path out,
                       Written& to)
{
    const fs::path maps = folder / "activation.vtu";
    out.replace_extension(".pts");
    std::error_code none;
    std::optional<mesh::TetMesh> whole;
    if (fs::exists(maps, none))
        whole = mesh::io::read(maps, LengthUnit::mm, c.progress().silent()).mesh;
    if (whole && whole->corner != m.corner)
        whole.reset();
    Written begun; // where one of the files cannot be written none stays that was not there before
    const std::array<fs::path, 3> files{out, fs::path(out).replace_extension(".elem"),
                                        fs::path(out).replace_extension(".lon")};
    for (const auto& file : files)
        if (!fs::exists(file, none))
            begun.add(file);
    mesh::io::write(whole ? *whole : m, out);
    begun.keep();
    if (!whole)
        c.say("without fibres, which " + maps.string() + " of a run that has ended holds");
    for (const auto& file : files)
        if (fs::exists(file, none))
            to.add(file);
}

/// A frame that a run has listed lies below its folder, no link leads it out of there, and it is
/// listed once. @throws InputError for the first that is not so
std::vector<fs::path> files_of(const std::vector<simulation::ListedFrame>& frames,
                               const fs::path& folder, const fs::path& pvd)
{
    std::error_code none;
    const auto root = fs::canonical(folder, none);
    std::vector<fs::path> out;
    std::set<fs::path> known;
    for (const auto& frame : frames) {
        out.push_back(folder / frame.file);
        const auto real = fs::weakly_canonical(out.back(), none);
        if (std::mismatch(root.begin(), root.end(), real.begin(), real.end()).first != root.end())
            throw InputError(pvd.string(), "names " + readable(frame.file) +
                                               ", which is not below its folder; want frames as "
                                               "tawara-cli run has written them");
        if (!known.insert(real).second)
            throw InputError(pvd.string(), "names " + readable(frame.file) +
                                               " twice; want each frame once, as tawara-cli run "
                                               "has written them");
        if (!fs::exists(real, none))
            throw InputError(out.back().string(), "is not there, though " + pvd.string() +
                                                      " names it; run the session again");
    }
    return out;
}

/// @return the files that were written, of the mesh beside it too
std::vector<fs::path> export_igb(Context& c, const fs::path& folder, const fs::path& out)
{
    const fs::path pvd = folder / "frames.pvd";
    const auto frames = simulation::listed_frames(pvd);
    if (frames.empty() && fs::exists(folder / "frames.igb")) {
        say_changed(c, folder / "frames.igb");
        return copy_igb(c, folder, out);
    }
    if (frames.empty())
        throw InputError(pvd.string(),
                         "names no frames; run the session with output.frames \"vtu\" (or "
                         "\"igb\") and output.frames_every_ms above 0");
    const double every = frames.size() > 1 ? frames[1].time_ms - frames[0].time_ms : 1;
    for (std::size_t k = 0; k < frames.size(); ++k)
        if (!(std::fabs(frames[k].time_ms - frames[0].time_ms - static_cast<double>(k) * every) <=
              1e-3 * every))
            throw InputError(pvd.string(), "frames are not evenly apart, which .igb wants");
    const auto files = files_of(frames, folder, pvd);
    need_other_files(igb_files(out), files);
    Written written;
    std::unique_ptr<simulation::IgbWriter> igb;
    for (std::size_t k = 0; k < frames.size(); ++k) {
        c.progress().at(static_cast<double>(k) / static_cast<double>(frames.size()), "frames");
        if (!frames[k].sha256.empty() &&
            simulation::output_digest(folder, frames[k].file) != frames[k].sha256)
            c.notice({Notice::Level::warning,
                      files[k].string() +
                          ": has other values than its run wrote: it was changed since"});
        const auto m = mesh::io::read(files[k], LengthUnit::mm, c.progress().silent()).mesh;
        if (!igb)
            igb = std::make_unique<simulation::IgbWriter>(out, m.vertex_count(), frames[0].time_ms,
                                                          every, "mV");
        igb->add(field_at_vertices(m, "V_mV", files[k]));
        if (k + 1 == frames.size()) // no sooner: an export that is stopped leaves an earlier one's
            write_mesh_beside(c, m, folder, out, written);
    }
    igb->finish();
    written.add(out);
    return written.keep();
}

void run_export(Context& c, const ExportArguments& a)
{
    const fs::path folder = a.folder;
    if (std::find(std::begin(kinds), std::end(kinds), a.kind) == std::end(kinds)) {
        const auto near = likely(a.kind, kinds);
        throw InputError("--to", "'" + a.kind +
                                     "' is not known; want activation-dat, repolarisation-dat, "
                                     "apd90-dat or frames-igb" +
                                     (near.empty() ? "" : " (nearest: " + near + ")"));
    }
    std::error_code none;
    if (!fs::is_directory(folder, none))
        throw InputError(a.folder, "is no folder; want one that tawara-cli run has written");
    const std::string quantity = a.kind.substr(0, a.kind.find('-'));
    const fs::path out = a.out.empty()
                             ? folder / (quantity + (a.kind == "frames-igb" ? ".igb" : ".dat"))
                             : fs::path(a.out);
    need_other_files(a.kind == "frames-igb" ? igb_files(out) : std::vector<fs::path>{out},
                     {folder / "activation.vtu", folder / "frames.pvd", folder / "report.json"});
    OutputFolder guard; // a name that the program chose is the folder's own file
    if (a.out.empty())
        guard = OutputFolder(folder);
    else
        need_writable_file(out);
    c.say_new_folder(out);
    std::vector<fs::path> written{out};
    if (a.kind == "frames-igb") {
        written = export_igb(c, folder, out);
    } else {
        const fs::path file = folder / "activation.vtu";
        if (!fs::exists(file, none))
            throw InputError(file.string(),
                             "is not there; want a folder that tawara-cli run has written");
        say_changed(c, file);
        const auto m = mesh::io::read(file, LengthUnit::mm, c.progress().silent()).mesh;
        const auto field = field_at_vertices(m, (quantity + "_ms").c_str(), file);
        simulation::write_dat(field, -1, out);
        const auto known =
            std::count_if(field.begin(), field.end(), [](auto x) { return std::isfinite(x); });
        c.say(std::to_string(known) + " of " + std::to_string(field.size()) +
              " vertices have a value; the others are -1");
    }
    const bool elsewhere = !lies_in(folder, out); // else report.json says it
    const auto made_by = elsewhere ? run_provenance(folder / "activation.vtu") : std::string();
    for (const auto& file : written)
        if (elsewhere)
            simulation::write_provenance_beside(file, made_by);
        else
            enter(c, folder, file);
    c.end_progress();
    c.result({{"file", out.string()}});
    c.say("written to " + out.string());
}

} // namespace

void declare_export(const Declaration& d)
{
    auto a = std::make_shared<ExportArguments>();
    auto* sub = d.command(d.app, "export", "results of a run for CARP's tools",
                          [a](Context& c) { run_export(c, *a); });
    sub->add_option("folder", a->folder, "folder that tawara-cli run has written")
        ->type_name("RUN_DIR")
        ->required();
    sub->add_option(
           "--to", a->kind,
           "activation-dat, repolarisation-dat, apd90-dat (a value per vertex, -1 where it "
           "never happened) or frames-igb (V over time per vertex)")
        ->type_name("KIND")
        ->required();
    sub->add_option("--out", a->out,
                    "file to write; else in the folder, where the next run replaces it")
        ->type_name("FILE");
}

} // namespace tawara::cli
