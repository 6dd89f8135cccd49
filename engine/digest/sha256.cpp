// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/digest/sha256.hpp"

#include "engine/core/error.hpp"
#include "engine/core/file_content.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/SHA256.h>
#include <vector>

namespace tawara {
namespace {

std::string in_digits(llvm::SHA256& h)
{
    return llvm::toHex(h.final(), true);
}

} // namespace

std::string sha256(std::string_view bytes)
{
    llvm::SHA256 h;
    h.update(llvm::StringRef(bytes.data(), bytes.size()));
    return in_digits(h);
}

std::string sha256_of_file(const std::filesystem::path& file, std::uintmax_t from)
{
    if (const auto why = no_plain_file(file); !why.empty())
        throw InputError(file.string(), why);
    errno = 0;
    std::ifstream in(file, std::ios::binary);
    in.seekg(static_cast<std::streamoff>(from));
    llvm::SHA256 h;
    std::vector<char> piece(std::size_t{1} << 18);
    while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0)
        h.update(llvm::StringRef(piece.data(), static_cast<std::size_t>(in.gcount())));
    if (!in.eof())
        throw InputError(file.string(),
                         std::string("cannot be read: ") + std::strerror(errno ? errno : EIO));
    return in_digits(h);
}

std::string sha256_of_parts(std::span<const std::string_view> parts)
{
    llvm::SHA256 h;
    for (const auto p : parts) {
        h.update(std::to_string(p.size()) + ":");
        h.update(llvm::StringRef(p.data(), p.size()));
    }
    return in_digits(h);
}

} // namespace tawara
