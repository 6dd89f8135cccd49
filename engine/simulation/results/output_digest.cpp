// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/output_digest.hpp"

#include "engine/core/error.hpp"
#include "engine/core/file_content.hpp"
#include "engine/digest/sha256.hpp"
#include "engine/mesh/io/vtu_series.hpp"
#include "engine/simulation/results/igb.hpp"
#include "engine/simulation/results/outputs.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

namespace tawara::simulation {
DigestOf digest_of(std::string_view name)
{
    if (name.ends_with(".csv"))
        return DigestOf::table;
    return name == igb_file || is_frame(name) ? DigestOf::values : DigestOf::bytes;
}

const char* digest_key(DigestOf what)
{
    switch (what) {
    case DigestOf::table:
        return "tables_sha256";
    case DigestOf::values:
        return "frames_sha256";
    case DigestOf::bytes:
        break;
    }
    return "files_sha256";
}

bool is_below(const std::filesystem::path& name)
{
    return !name.empty() && name.is_relative() && name.native().find('\0') == std::string::npos &&
           *name.lexically_normal().begin() != "..";
}

std::string sha256_of_file(const std::filesystem::path& file, std::size_t from)
{
    if (const auto why = no_plain_file(file); !why.empty())
        throw InputError(file.string(), why);
    errno = 0;
    std::ifstream in(file, std::ios::binary);
    in.seekg(static_cast<std::streamoff>(from));
    Sha256 hash;
    std::vector<char> piece(std::size_t{1} << 18);
    while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0)
        hash.add({piece.data(), static_cast<std::size_t>(in.gcount())});
    if (!in.eof())
        throw InputError(file.string(),
                         std::string("cannot be read: ") + std::strerror(errno ? errno : EIO));
    return hash.digits();
}

std::string digest_of_values(std::span<const float> values)
{
    return sha256({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
}

std::string output_digest(const std::filesystem::path& folder, const std::string& name)
{
    if (name == igb_file)
        return sha256_of_file(folder / name, igb_header_bytes);
    if (is_frame(name))
        return digest_of_values(mesh::io::values_of_vtu(folder / name, frame_array));
    return sha256_of_file(folder / name);
}

} // namespace tawara::simulation
