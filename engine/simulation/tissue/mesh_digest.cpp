// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/tissue/mesh_digest.hpp"

#include "engine/digest/sha256.hpp"

#include <array>
#include <string_view>
#include <vector>

namespace tawara::simulation {
namespace {

template <class T>
std::string_view bytes_of(const std::vector<T>& v)
{
    return {reinterpret_cast<const char*>(v.data()), v.size() * sizeof(T)};
}

} // namespace

std::string mesh_sha256(const mesh::TetMesh& m)
{
    const std::array parts{bytes_of(m.x),         bytes_of(m.y),         bytes_of(m.z),
                           bytes_of(m.corner[0]), bytes_of(m.corner[1]), bytes_of(m.corner[2]),
                           bytes_of(m.corner[3]), bytes_of(m.region),    bytes_of(m.fibre.x),
                           bytes_of(m.fibre.y),   bytes_of(m.fibre.z),   bytes_of(m.sheet.x),
                           bytes_of(m.sheet.y),   bytes_of(m.sheet.z)};
    return sha256_of_parts(parts);
}

} // namespace tawara::simulation
