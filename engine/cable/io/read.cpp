// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cable/io/read.hpp"

#include "engine/cable/io/graph.hpp"
#include "engine/core/error.hpp"
#include "engine/mesh/io/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace tawara::cable::io {
namespace {

constexpr std::array units{Unit::nm, Unit::um, Unit::mm, Unit::cm, Unit::m};

/// Words of the first line that is neither empty nor a comment.
std::size_t columns(std::string_view content)
{
    mesh::io::Text in("", content);
    if (in.at_end())
        return 0;
    std::size_t n = 0;
    for (; in.more_in_line(); ++n)
        in.word("");
    return n;
}

} // namespace

Unit unit_by_name(std::string_view text, const std::string& option)
{
    for (const auto u : units)
        if (name(u) == text)
            return u;
    throw InputError(option, "is '" + std::string(text) + "'; it should be nm, um, mm, cm or m");
}

std::string_view name(Unit u)
{
    constexpr std::array<std::string_view, 5> names{"nm", "um", "mm", "cm", "m"};
    return names[static_cast<std::size_t>(u)];
}

double mm_of(Unit u)
{
    constexpr std::array factors{1e-6, 1e-3, 1.0, 10.0, 1e3};
    return factors[static_cast<std::size_t>(u)];
}

Loaded read(const std::filesystem::path& file, const ReadOptions& options, const Progress& progress)
{
    std::error_code none;
    const std::string name = file.string();
    if (!std::filesystem::exists(file, none))
        throw InputError(name, "there is no such file; give a cable's: .swc, .vtk, .vtu, .vtp or a "
                               "table of x y z radius parent");
    if (std::filesystem::is_directory(file, none))
        throw InputError(name, "is a folder; name a cable's file");
    if (options.radius_um && !(*options.radius_um > 0 && *options.radius_um < 1e9))
        throw InputError("--radius",
                         "is " + std::to_string(*options.radius_um) + " um; it should be above 0");
    progress.at(0, "reading");
    auto extension = file.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (extension == ".swc")
        return read_swc(file, options);
    if (extension == ".vtk" || extension == ".vtu" || extension == ".vtp")
        return read_vtk_lines(file, options, progress);
    const auto content = mesh::io::content_of(file);
    if (content.starts_with("# vtk DataFile") || content.find("<VTKFile") != content.npos)
        return read_vtk_lines(file, options, progress);
    return columns(content) == 7 ? read_swc(file, options) : read_table(file, options);
}

} // namespace tawara::cable::io
