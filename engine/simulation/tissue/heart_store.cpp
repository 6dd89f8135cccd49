// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/tissue/heart_store.hpp"

#include "engine/core/cache_folder.hpp"
#include "engine/core/error.hpp"
#include "engine/core/kept_files.hpp"
#include "engine/digest/sha256.hpp"
#include "engine/mesh/generator/identity.hpp"
#include "engine/mesh/io/mesh_io.hpp"

#include <cstdio>

namespace tawara::simulation {
namespace {

namespace fs = std::filesystem;
using mesh::generator::HeartParameters;

constexpr double bytes_per_tetrahedron = 55; ///< of a compressed VTU, about

/// The name of a heart: its shape, and SHA-256 of the build and its parameters.
std::string name_of(const HeartParameters& p)
{
    std::string text;
    for (const auto& row : mesh::generator::parameter_table()) {
        char number[64];
        std::snprintf(number, sizeof number, " %a", p.*row.value);
        text += ' ';
        text += row.name;
        text += number;
    }
    const std::string shape(name(p.shape));
    const std::string_view parts[] = {mesh::generator::identity(), text, shape};
    return shape + "-" + sha256_of_parts(parts);
}

/// The mesh that was kept, or nothing.
std::optional<mesh::TetMesh> read_kept(const KeptFiles& hearts, const std::string& heart,
                                       Notices& notices, const Progress& progress)
{
    if (!hearts.has(heart))
        return {};
    const auto file = hearts.file(heart);
    try {
        auto loaded = mesh::io::read(file, LengthUnit::mm, progress);
        notices.push_back({Notice::Level::info,
                           "the heart was made before with these parameters: " + file.string()});
        return std::move(loaded.mesh);
    } catch (const Cancelled&) {
        throw;
    } catch (const Error& e) {
        notices.push_back({Notice::Level::info,
                           std::string("the heart that was kept is made anew: ") + e.what()});
        return {};
    }
}

void keep(const mesh::TetMesh& m, const KeptFiles& hearts, const std::string& heart,
          Notices& notices, const Progress& progress)
{
    const auto bytes = static_cast<std::uintmax_t>(bytes_per_tetrahedron *
                                                   static_cast<double>(m.tetrahedron_count()));
    const auto file = hearts.file(heart);
    if (!hearts.make_room(bytes))
        return;
    try {
        mesh::io::write(m, file, progress);
        hearts.take_from_others(heart);
        notices.push_back(
            {Notice::Level::info, "the heart is kept for the next time: " + file.string()});
    } catch (const Cancelled&) {
        throw;
    } catch (const Error& e) {
        notices.push_back({Notice::Level::info,
                           std::string("the heart is not kept for the next time: ") + e.what()});
    }
}

} // namespace

fs::path heart_folder()
{
    const auto cache = cache_folder();
    return cache.empty() ? cache : cache / "hearts";
}

mesh::TetMesh kept_heart(const HeartParameters& parameters, const fs::path& folder,
                         Notices& notices, const Progress& progress, std::uintmax_t most_bytes)
{
    mesh::generator::validate(parameters);
    if (folder.empty())
        return mesh::generator::generate_heart(parameters, progress);
    const KeptFiles hearts(folder, ".vtu", most_bytes);
    if (!hearts.distrust().empty())
        notices.push_back({Notice::Level::warning,
                           "the heart is not kept for the next time: " + hearts.distrust()});
    const auto heart = name_of(parameters);
    if (auto kept = read_kept(hearts, heart, notices, progress))
        return std::move(*kept);
    auto made = mesh::generator::generate_heart(parameters, progress);
    keep(made, hearts, heart, notices, progress);
    return made;
}

} // namespace tawara::simulation
