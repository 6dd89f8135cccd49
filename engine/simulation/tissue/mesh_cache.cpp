// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/tissue/mesh_cache.hpp"

#include <memory>
#include <mutex>
#include <utility>

namespace tawara::simulation {
namespace {

namespace fs = std::filesystem;

/// What tells one state of a file from another.
struct Stamp
{
    fs::path file;
    std::uintmax_t size = 0;
    fs::file_time_type written;
    bool operator==(const Stamp&) const = default;
};

std::optional<Stamp> stamp_of(const fs::path& file)
{
    std::error_code e;
    Stamp s{fs::weakly_canonical(file, e), 0, {}};
    if (!e)
        s.size = fs::file_size(s.file, e);
    if (!e)
        s.written = fs::last_write_time(s.file, e);
    if (e)
        return {};
    return s;
}

struct Entry
{
    Stamp stamp;
    mesh::io::Loaded loaded;
};
std::mutex mutex;
std::unique_ptr<Entry> kept_mesh;

} // namespace

void keep_mesh(const fs::path& file, mesh::io::Loaded loaded)
{
    const auto stamp = stamp_of(file);
    const std::lock_guard lock(mutex);
    kept_mesh.reset();
    if (stamp)
        kept_mesh = std::make_unique<Entry>(*stamp, std::move(loaded));
}

std::optional<mesh::io::Loaded> take_mesh(const fs::path& file, std::optional<LengthUnit> unit)
{
    const auto stamp = stamp_of(file);
    const std::lock_guard lock(mutex);
    if (!stamp || !kept_mesh || kept_mesh->stamp != *stamp ||
        (unit && *unit != kept_mesh->loaded.unit))
        return {};
    return std::move(std::exchange(kept_mesh, nullptr)->loaded);
}

} // namespace tawara::simulation
