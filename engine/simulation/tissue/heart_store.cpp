// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/tissue/heart_store.hpp"

#include "engine/core/cache_folder.hpp"
#include "engine/core/error.hpp"
#include "engine/mesh/generator/identity.hpp"
#include "engine/mesh/io/mesh_io.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace tawara::simulation {
namespace {

namespace fs = std::filesystem;
using mesh::generator::HeartParameters;

constexpr double bytes_per_tetrahedron = 55; ///< of a compressed VTU, about

/// The file of a heart: its shape, and a sum (64 bit FNV-1a) over its parameters and the build.
fs::path file_of(const HeartParameters& p, const fs::path& folder)
{
    std::string text(mesh::generator::identity());
    for (const auto& row : mesh::generator::parameter_table()) {
        char number[64];
        std::snprintf(number, sizeof number, " %a", p.*row.value);
        text += ' ';
        text += row.name;
        text += number;
    }
    std::uint64_t sum = 0xcbf29ce484222325U;
    for (const char c : text + std::string(name(p.shape))) {
        sum ^= static_cast<unsigned char>(c);
        sum *= 0x100000001b3U;
    }
    char hex[32];
    std::snprintf(hex, sizeof hex, "-%016llx.vtu", static_cast<unsigned long long>(sum));
    return folder / (std::string(name(p.shape)) + hex);
}

/// The mesh that was kept, or nothing.
std::optional<mesh::TetMesh> read_kept(const fs::path& file, Notices& notices,
                                       const Progress& progress)
{
    std::error_code none;
    if (!fs::is_regular_file(file, none))
        return {};
    try {
        auto loaded = mesh::io::read(file, LengthUnit::mm, progress);
        fs::last_write_time(file, fs::file_time_type::clock::now(), none); // wanted now
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

/// Takes away the hearts that were not wanted for the longest time until `room` bytes are left.
void make_room(const fs::path& folder, std::uintmax_t room, std::uintmax_t most_bytes)
{
    struct Kept
    {
        fs::path file;
        fs::file_time_type wanted;
        std::uintmax_t bytes;
    };
    std::vector<Kept> all;
    std::uintmax_t sum = 0;
    std::error_code e;
    for (fs::directory_iterator entry(folder, e), end; !e && entry != end; entry.increment(e)) {
        const auto file = entry->path();
        if (file.extension() != ".vtu" || file.filename().string().starts_with('.'))
            continue; // no heart, or one that a program is writing
        std::error_code gone;
        const auto bytes = entry->file_size(gone);
        const auto wanted = gone ? fs::file_time_type() : entry->last_write_time(gone);
        if (gone)
            continue; // another program has just taken it away
        all.push_back({file, wanted, bytes});
        sum += bytes;
    }
    std::sort(all.begin(), all.end(),
              [](const Kept& a, const Kept& b) { return a.wanted < b.wanted; });
    for (const auto& k : all) {
        if (sum + room <= most_bytes)
            return;
        fs::remove(k.file, e);
        sum -= k.bytes;
    }
}

void keep(const mesh::TetMesh& m, const fs::path& file, Notices& notices, const Progress& progress,
          std::uintmax_t most_bytes)
{
    const auto bytes = static_cast<std::uintmax_t>(bytes_per_tetrahedron *
                                                   static_cast<double>(m.tetrahedron_count()));
    if (bytes > most_bytes)
        return;
    try {
        make_room(file.parent_path(), bytes, most_bytes);
        mesh::io::write(m, file, progress);
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
    const auto file = file_of(parameters, folder);
    if (auto kept = read_kept(file, notices, progress))
        return std::move(*kept);
    auto made = mesh::generator::generate_heart(parameters, progress);
    keep(made, file, notices, progress, most_bytes);
    return made;
}

} // namespace tawara::simulation
