// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cli/mesh_output.hpp"

#include "engine/core/error.hpp"
#include "engine/core/output_folder.hpp"
#include "engine/core/provenance.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/simulation/results/output_digest.hpp"
#include "engine/simulation/results/provenance.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <utility>

namespace tawara::cli {
namespace {

namespace fs = std::filesystem;

std::string extension_of(const fs::path& file)
{
    std::string out = file.extension().string();
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char x) { return static_cast<char>(std::tolower(x)); });
    return out;
}

/// CARP's files say nothing but numbers.
bool has_place_for_provenance(const fs::path& file)
{
    constexpr std::array carp{".pts", ".elem", ".lon", ".bpts", ".belem", ".blon"};
    return std::find(carp.begin(), carp.end(), extension_of(file)) == carp.end();
}

fs::path provenance_beside(fs::path file)
{
    return file += ".provenance.json";
}

void need_known_format(const std::string& file)
{
    constexpr std::array others{".vtu", ".vtk", ".node", ".ele", ".msh", ".msh2"};
    if (has_place_for_provenance(file) &&
        std::find(others.begin(), others.end(), extension_of(file)) == others.end())
        throw InputError(file, "has no extension of a known mesh format; use .vtu, .vtk, .pts "
                               "(CARP), .node (TetGen), .msh (Gmsh 4.1) or .msh2 (Gmsh 2.2)");
}

/// By device and inode, so that another name of the same file is found, too.
void need_other_file(const std::string& named, const fs::path& out,
                     const std::vector<fs::path>& sources)
{
    std::error_code none;
    for (const auto& in : sources)
        if (fs::equivalent(in, out, none))
            throw InputError(named, "would replace " + in.string() +
                                        ", which the mesh is read from; give another name");
}

/// Of the program, of the command and of what it reads.
std::string provenance_text(const Context& c, const std::vector<fs::path>& sources)
{
    auto j = Json::parse(program_provenance());
    j["command"] = Json::array();
    for (const auto& word : c.words())
        j["command"].push_back(word);
    j["sources_sha256"] = Json::object();
    std::error_code none;
    for (const auto& file : sources)
        if (fs::is_regular_file(file, none))
            j["sources_sha256"][file.string()] = simulation::sha256_of_file(file);
    return j.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// "a", "a and b", "a, b and c"; empty: none.
std::string list_of(const std::vector<fs::path>& files)
{
    std::string out;
    for (std::size_t k = 0; k < files.size(); ++k) {
        if (k > 0)
            out += k + 1 == files.size() ? " and " : ", ";
        out += files[k].string();
    }
    return out;
}

} // namespace

void need_place(const fs::path& file)
{
    std::error_code none;
    if (fs::is_symlink(file, none) && !fs::is_directory(file, none))
        need_writable_folder(file.has_parent_path() ? file.parent_path() : fs::path("."));
    else
        need_writable_file(file);
}

MeshOutput::MeshOutput(const Context& c, std::string file, const std::vector<fs::path>& sources)
    : file_(std::move(file))
{
    need_known_format(file_);
    need_place(file_);
    need_other_file(file_, file_, sources); // its own name is said before those beside it
    for (const auto& out : mesh::io::files_written(file_)) {
        need_other_file(file_, out, sources);
        need_place(out);
        if (has_place_for_provenance(out))
            continue;
        need_other_file(file_, provenance_beside(out), sources);
        need_place(provenance_beside(out));
    }
    c.say_new_folder(file_);
    if (!has_place_for_provenance(file_))
        provenance_ = provenance_text(c, sources);
}

void MeshOutput::write(const Context& c, const mesh::TetMesh& m) const
{
    const auto files = mesh::io::files_written(file_);
    // no link in it is followed
    const auto folder = OutputFolder::among_others(fs::path(file_).parent_path());
    std::vector<fs::path> there, replaced, removed;
    std::copy_if(files.begin(), files.end(), std::back_inserter(there), is_taken);
    mesh::io::write(m, file_, c.progress());
    for (const auto& file : there)
        (is_taken(file) ? replaced : removed).push_back(file);
    if (!replaced.empty())
        c.notice({Notice::Level::info, "replaced " + list_of(replaced)});
    if (!removed.empty())
        c.notice({Notice::Level::info,
                  "removed " + list_of(removed) + ", which would be taken for this mesh's"});
    c.show_notices();
    if (provenance_.empty())
        return;
    for (const auto& file : files)
        if (is_taken(file))
            simulation::write_provenance_beside(file, provenance_);
        else
            remove_plain_file(provenance_beside(file));
}

} // namespace tawara::cli
