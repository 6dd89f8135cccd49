// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/run_sources.hpp"

#include "engine/cell/model.hpp"
#include "engine/core/error.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/simulation/results/outputs.hpp"
#include "engine/simulation/session/session_paths.hpp"

#include <algorithm>

namespace tawara::simulation {

namespace fs = std::filesystem;

namespace {

std::vector<RunSource> run_sources(const Session& s, const RunOptions& o)
{
    std::vector<RunSource> out;
    if (!o.session_file.empty())
        out.push_back({o.session_file, "is the session of this run"});
    if (!o.resume.empty())
        out.push_back({o.resume, "is the checkpoint that this run goes on from"});
    const char* const named = "is a file that the session of this run names";
    if (const auto* mesh = std::get_if<MeshFile>(&s.mesh))
        for (auto& file : mesh::io::files_read(s.folder / mesh->file))
            out.push_back({std::move(file), named});
    for (const auto& file : files_named(s))
        out.push_back({s.folder / file, named});
    for (const auto& r : s.regions)
        if (cell::is_file(r.model))
            out.push_back({s.folder / cell::model_text(r.model, s.folder), named});
    return out;
}

/// The name of a file from a folder on; empty: it does not lie below.
/// @param file  in full, its folder without links
std::string name_below(const fs::path& folder, const fs::path& file)
{
    std::error_code none;
    fs::path name = file.filename();
    for (auto at = file.parent_path(); !at.empty(); at = at.parent_path()) {
        if (fs::equivalent(at, folder, none))
            return name.string();
        if (at == at.parent_path())
            break;
        name = at.filename() / name;
    }
    return {};
}

} // namespace

void need_sources_kept(const Session& s, const RunOptions& o, const ComingOutputs& coming,
                       const std::vector<RunSource>& more)
{
    const auto listed = listed_outputs(o.out);
    const auto goes = [&](const fs::path& file) {
        const auto name = name_below(o.out, file);
        return !name.empty() &&
               (std::find(coming.files.begin(), coming.files.end(), name) != coming.files.end() ||
                coming.has_frame(name) || std::binary_search(listed.begin(), listed.end(), name));
    };
    std::error_code none;
    auto sources = run_sources(s, o);
    sources.insert(sources.end(), more.begin(), more.end());
    for (const auto& [file, what] : sources) {
        if (!fs::exists(file, none))
            continue;
        const auto folder = fs::weakly_canonical(fs::absolute(file).parent_path(), none);
        if (goes(folder / file.filename()) || goes(fs::weakly_canonical(file, none)))
            throw InputError(file.string(), std::string(what) +
                                                ", which would replace or remove it in the folder "
                                                "of its outputs; choose another folder");
        if (!coming.html.empty() && fs::equivalent(coming.html, file, none))
            throw InputError(coming.html.string(), std::string(what) +
                                                       ", whose report would replace it; give the "
                                                       "report another name");
    }
}

} // namespace tawara::simulation
