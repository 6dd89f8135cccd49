// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/export_frames.hpp"

#include "engine/core/error.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/mesh/io/surface_io.hpp"
#include "engine/simulation/results/igb.hpp"
#include "engine/simulation/session/csv.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tawara::simulation {
namespace {

namespace fs = std::filesystem;

const Recording& recording_of(const ExportSource& s, const fs::path& file)
{
    if (!s.recording || s.recording->frame_count() == 0)
        throw InputError(file.string(),
                         "nothing was recorded; start a recording, run, then export again");
    if (s.recording->values_per_frame() != s.scene->surface->vertices.size())
        throw InputError(file.string(), "the recording is of another mesh; record this one");
    return *s.recording;
}

/// Files of a folder that go when the list of them is not written after all, the folder too when
/// nothing else is in it.
class Unfinished
{
  public:
    explicit Unfinished(fs::path folder) : folder_(std::move(folder)) {}
    ~Unfinished()
    {
        std::error_code none;
        for (const auto& f : files_)
            fs::remove(f, none);
        if (!kept_)
            fs::remove(folder_, none); // an empty one alone
    }
    Unfinished(const Unfinished&) = delete;
    Unfinished& operator=(const Unfinished&) = delete;
    void add(const fs::path& file) { files_.push_back(file); }
    void keep()
    {
        files_.clear();
        kept_ = true;
    }

  private:
    fs::path folder_;
    std::vector<fs::path> files_;
    bool kept_ = false;
};

/// The CARP files of a surface: points in um, triangles.
std::vector<fs::path> write_carp_surface(const ExportSource& s, const fs::path& file)
{
    const auto& m = *s.scene->mesh;
    const auto& surface = *s.scene->surface;
    fs::path pts = file, elem = file;
    pts.replace_extension(".pts");
    elem.replace_extension(".elem");
    write_whole(pts, [&](std::ostream& out) {
        std::string text = std::to_string(surface.vertices.size()) + "\n";
        for (auto v : surface.vertices) {
            const Vec3 p = m.vertex(static_cast<std::size_t>(v));
            for (std::size_t k = 0; k < 3; ++k) {
                append_number(text, 1e3 * p[k], 9);
                text += k < 2 ? ' ' : '\n';
            }
        }
        out << text;
    });
    write_whole(elem, [&](std::ostream& out) {
        std::string text = std::to_string(surface.triangles.size()) + "\n";
        for (const auto& t : surface.triangles)
            text += "Tr " + std::to_string(t[0]) + " " + std::to_string(t[1]) + " " +
                    std::to_string(t[2]) + " 1\n";
        out << text;
    });
    return {pts, elem};
}

} // namespace

std::vector<fs::path> write_recorded_pvd(const ExportSource& s, const fs::path& file,
                                         const Progress& progress)
{
    const auto& recording = recording_of(s, file);
    const std::string stem = file.stem().string(); // "slab-frames.pvd" is beside "slab-frames/"
    const fs::path folder =
        file.parent_path() / (stem.ends_with("frames") ? stem : stem + "_frames");
    std::vector<fs::path> written{file};
    const auto by = provenance_of(s);
    std::vector<ListedFrame> list;
    const auto times = recording.times();
    Unfinished unfinished(folder);
    for (std::size_t k = 0; k < times.size(); ++k) {
        progress.at(static_cast<double>(k) / static_cast<double>(times.size()), "writing frames");
        const auto frame = recording.at(times[k]);
        if (!frame || frame->time_ms != times[k])
            continue; // thinned out meanwhile
        char name[32];
        std::snprintf(name, sizeof name, "%06zu.vtp", k);
        mesh::io::write_surface_vtp(*s.scene->mesh, *s.scene->surface,
                                    {{"V_mV", mesh::Field::On::vertices, frame->values}},
                                    folder / name, by.text);
        unfinished.add(folder / name);
        written.push_back(folder / name);
        list.push_back({frame->time_ms, folder.filename().string() + "/" + name});
    }
    write_pvd(list, by, file);
    unfinished.keep();
    return written;
}

std::vector<fs::path> write_recorded_igb(const ExportSource& s, const fs::path& file,
                                         const Progress& progress)
{
    const auto& recording = recording_of(s, file);
    const auto times = recording.times();
    const double every = recording.every_ms();
    const double start = times.front();
    const auto frames = 1 + std::llround((times.back() - start) / every);
    IgbWriter out(file, recording.values_per_frame(), start, every, "mV");
    for (std::int64_t k = 0; k < frames; ++k) {
        progress.at(static_cast<double>(k) / static_cast<double>(frames), "writing frames");
        // half an interval on: the nearest frame, where times are off by a rounding
        const auto frame = recording.at(start + (static_cast<double>(k) + 1e-6) * every);
        if (!frame)
            throw InputError(file.string(), "the recording was given up meanwhile");
        out.add(frame->values);
    }
    std::vector<fs::path> written{file};
    for (auto& part : write_carp_surface(s, file))
        written.push_back(std::move(part));
    out.finish();
    const auto by = provenance_of(s).text;
    for (std::size_t k = 0, made = written.size(); k < made; ++k)
        written.push_back(write_provenance_beside(written[k], by));
    return written;
}

} // namespace tawara::simulation
