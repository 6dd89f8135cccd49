// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/io/mesh_io.hpp"

#include "engine/core/file_content.hpp"
#include "engine/mesh/face_markers.hpp"
#include "engine/mesh/io/raw.hpp"
#include "engine/mesh/io/text.hpp"
#include "engine/mesh/io/write.hpp"
#include "engine/mesh/mesh_error.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <new>

namespace tawara::mesh::io {
namespace {

namespace fs = std::filesystem;
using Reader = Raw (*)(const fs::path&, const Progress&);

constexpr const char* known = "known are .vtu, .vtk, .pts/.elem/.lon (CARP; binary "
                              ".bpts/.belem/.blon), .node/.ele (TetGen) and "
                              ".msh (Gmsh)";

std::string lower(std::string s)
{
    for (auto& c : s)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return s;
}

/// What a stem is completed by, the first that there is.
constexpr const char* mesh_extensions[] = {".vtu", ".vtk", ".pts", ".bpts", ".node", ".msh"};

Raw vtu(const fs::path& file, const Progress& progress)
{
    return read_vtu(file, progress);
}
Raw vtk_legacy(const fs::path& file, const Progress& progress)
{
    return read_vtk_legacy(file, progress);
}

Reader reader_of(const std::string& extension)
{
    if (extension == ".vtu")
        return vtu;
    if (extension == ".vtk")
        return vtk_legacy;
    for (const char* e : {".pts", ".elem", ".lon", ".bpts", ".belem", ".blon"})
        if (extension == e)
            return read_carp;
    for (const char* e : {".node", ".ele", ".face", ".ortho", ".axi"})
        if (extension == e)
            return read_tetgen;
    if (extension == ".msh" || extension == ".msh2")
        return read_gmsh;
    return nullptr;
}

/// What a file's first bytes say.
Reader reader_by_content(const fs::path& file)
{
    std::ifstream in(file, std::ios::binary);
    std::string head(256, '\0');
    in.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
    if (head.starts_with("# vtk DataFile"))
        return vtk_legacy;
    if (head.find("<VTKFile") != head.npos)
        return vtu;
    if (head.starts_with("$MeshFormat") || head.starts_with("$Comments"))
        return read_gmsh;
    return nullptr;
}

/// Where only the stem was named: the file that find_file() takes.
fs::path completed(const fs::path& file)
{
    std::error_code e;
    if (reader_of(lower(file.extension().string())) != nullptr || fs::is_regular_file(file, e))
        return file;
    for (const char* add : mesh_extensions) {
        fs::path named = file;
        named += add;
        if (fs::is_regular_file(named, e))
            return named;
    }
    return file;
}

/// The file and reader for what was named: a file, or the common stem of several.
std::pair<fs::path, Reader> find_file(const fs::path& file)
{
    const std::string extension = lower(file.extension().string());
    std::error_code e;
    if (fs::is_regular_file(file, e)) {
        // the content decides between the formats of one file, the extension among those of several
        Reader by_name = reader_of(extension);
        if (by_name == read_carp || by_name == read_tetgen)
            return {file, by_name};
        if (Reader by_content = reader_by_content(file))
            return {file, by_content};
        if (by_name)
            return {file, by_name};
        throw MeshError(file.string(), std::string("is of no known mesh format; ") + known);
    }
    if (fs::is_directory(file, e))
        throw MeshError(file.string(), "is a folder; name a mesh file");
    if (const auto kind = no_plain_file(file); !kind.empty())
        throw MeshError(file.string(), kind);
    if (const Reader r = reader_of(extension); r == read_carp || r == read_tetgen)
        return {file, r}; // says which file is missing
    if (const fs::path named = completed(file); named != file)
        return {named, reader_of(named.extension().string())};
    throw MeshError(file.string(), "does not exist");
}

} // namespace

std::vector<fs::path> files_read(const fs::path& file)
{
    fs::path named = completed(file);
    const auto with = [&](const char* x) { return fs::path(named).replace_extension(x); };
    if (reader_of(lower(named.extension().string())) == read_carp && !fs::exists(with(".pts")) &&
        fs::exists(with(".bpts")))
        named = with(".bpts");
    return files_written(named);
}

std::vector<fs::path> files_written(const fs::path& file)
{
    const std::string extension = lower(file.extension().string());
    const auto beside = [&](std::initializer_list<const char*> extensions) {
        std::vector<fs::path> out;
        for (const char* x : extensions)
            out.push_back(fs::path(file).replace_extension(x));
        return out;
    };
    if (reader_of(extension) == read_tetgen)
        return beside({".node", ".ele", ".face", ".ortho", ".axi"});
    if (reader_of(extension) == read_carp)
        return extension.starts_with(".b") ? beside({".bpts", ".belem", ".blon"})
                                           : beside({".pts", ".elem", ".lon"});
    return {file};
}

Loaded read(const fs::path& file, std::optional<LengthUnit> unit, const Progress& progress)
{
    const auto [found, reader] = find_file(file);
    try {
        return finish(reader(found, progress), found.string(), unit, progress);
    } catch (const std::bad_alloc&) {
        throw MeshError(found.string(),
                        "needs more memory than there is; or a count in it is wrong");
    } catch (const std::length_error&) {
        throw MeshError(found.string(),
                        "announces more than memory can hold; a count in it is wrong");
    }
}

Notices lost_in(const TetMesh& m, const fs::path& file)
{
    const std::string extension = lower(file.extension().string());
    const bool carp = reader_of(extension) == read_carp,
               tetgen = reader_of(extension) == read_tetgen;
    Notices out;
    const auto say = [&](Notice::Level level, const std::string& what) {
        out.push_back({level, file.string() + ": " + what});
    };
    if (!m.label_names.empty() && extension != ".vtu" && extension != ".msh" &&
        extension != ".msh2")
        say(Notice::Level::warning,
            "this format has no place for the regions' names; .vtu and .msh keep them");
    std::string fields;
    for (const auto& f : m.fields)
        if (carp || (tetgen && f.name != face_marker_name))
            fields += (fields.empty() ? "" : ", ") + f.name;
    if (!fields.empty())
        say(Notice::Level::warning,
            "this format has no place for " + fields + "; .vtu, .vtk and .msh keep fields" +
                (carp && face_markers(m) ? ", TetGen's .face the markers of faces" : ""));
    if (tetgen && !m.fibre.empty() && !m.sheet.empty() && m.normal.empty())
        say(Notice::Level::warning, "the sheets are left out: .ortho wants normals too");
    return out;
}

void write(const TetMesh& m, const fs::path& file, const Progress& progress)
{
    progress.at(0, "writing");
    const std::string extension = lower(file.extension().string());
    if (extension == ".vtu")
        write_vtu(m, {}, file);
    else if (extension == ".vtk")
        write_vtk_legacy(m, file);
    else if (extension == ".msh" || extension == ".msh2")
        write_gmsh(m, file, extension == ".msh2");
    else if (extension == ".bpts" || extension == ".belem" || extension == ".blon")
        write_carp(m, file, true);
    else if (reader_of(extension) == read_carp)
        write_carp(m, file, false);
    else if (reader_of(extension) == read_tetgen)
        write_tetgen(m, file);
    else
        throw InputError(file.string(),
                         "has an extension of no known mesh format; " + std::string(known));
    progress.at(1, "writing");
}

} // namespace tawara::mesh::io
