// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/parallel/sections.hpp"

#include "engine/core/file_content.hpp"
#include "engine/mesh/mesh_error.hpp"
#include "engine/mesh/parallel/files.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <zlib.h>

namespace tawara::mesh::parallel {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are written as they lie");

constexpr std::array<char, 8> magic{'T', 'A', 'W', 'A', 'R', 'A', 'P', 'T'};
constexpr std::size_t most_name = 23;
constexpr const char* last = "end";

struct FileHead
{
    std::array<char, 8> is = magic;
    std::uint32_t version = parts_version;
    std::int32_t number = 0, parts = 0;
    std::uint32_t none = 0;
};
static_assert(sizeof(FileHead) == 24);

struct ArrayHead
{
    std::array<char, most_name + 1> name{};
    std::uint64_t bytes = 0;
    std::uint32_t crc = 0, none = 0;
};
static_assert(sizeof(ArrayHead) == 40);

std::uint32_t crc_of(std::uint32_t crc, const void* data, std::size_t bytes)
{
    constexpr std::size_t piece = 1U << 30; // zlib counts in 32 bits
    const auto* at = static_cast<const Bytef*>(data);
    for (; bytes > 0;) {
        const auto n = std::min(bytes, piece);
        crc = static_cast<std::uint32_t>(crc32(crc, at, static_cast<uInt>(n)));
        at += n, bytes -= n;
    }
    return crc;
}

} // namespace

Sections::Sections(std::ostream& out, std::int32_t number, std::int32_t parts) : out_(out)
{
    FileHead head;
    head.number = number;
    head.parts = parts;
    checksum_ = crc_of(checksum_, &head, sizeof head);
    write(&head, sizeof head);
}

void Sections::put(const std::string& name, const void* data, std::size_t bytes)
{
    ArrayHead head;
    std::copy_n(name.begin(), std::min(name.size(), most_name), head.name.begin());
    head.bytes = bytes;
    head.crc = crc_of(0, data, bytes);
    checksum_ = crc_of(checksum_, &head, sizeof head);
    write(&head, sizeof head);
    write(data, bytes);
}

void Sections::end()
{
    put(last, nullptr, 0);
}

void Sections::write(const void* data, std::size_t bytes)
{
    if (bytes > 0)
        out_.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
    bytes_ += bytes;
}

SectionReader::SectionReader(std::filesystem::path file, std::int32_t number, std::int32_t parts)
    : file_(std::move(file))
{
    std::error_code none;
    if (const auto why = no_plain_file(file_); !why.empty())
        fail(why);
    in_.open(file_, std::ios::binary);
    if (!in_)
        fail("cannot be opened; the index names it as part " + std::to_string(number));
    left_ = std::filesystem::file_size(file_, none);
    FileHead head;
    if (none || left_ < sizeof head)
        fail("is no part of a mesh: it is too short");
    read(&head, sizeof head);
    if (head.is != magic)
        fail("is no part of a mesh (tawara-cli mesh partition writes them)");
    if (head.version != parts_version)
        fail("is of version " + std::to_string(head.version) +
             " of parts, and this program reads "
             "version " +
             std::to_string(parts_version) + "; partition the mesh again");
    if (head.number != number || head.parts != parts)
        fail("is part " + std::to_string(head.number) + " of " + std::to_string(head.parts) +
             ", where the index names part " + std::to_string(number) + " of " +
             std::to_string(parts));
    checksum_ = crc_of(0, &head, sizeof head);
}

void SectionReader::fail(const std::string& why) const
{
    throw MeshError(file_.string(), why);
}

std::size_t SectionReader::begin(const std::string& name, std::size_t each)
{
    ArrayHead head;
    if (left_ < sizeof head)
        fail("ends before its array " + name + "; it was cut short");
    read(&head, sizeof head);
    checksum_ = crc_of(checksum_, &head, sizeof head);
    head.name.back() = 0;
    if (name.substr(0, most_name) != head.name.data())
        fail("has the array '" + std::string(head.name.data()) + "' where " + name + " should be");
    if (head.bytes > left_)
        fail("ends within its array " + name + "; it was cut short");
    if (each > 0 && head.bytes % each != 0)
        fail("its array " + name + " has " + std::to_string(head.bytes) +
             " bytes, which is no multiple of " + std::to_string(each));
    crc_ = head.crc;
    return head.bytes;
}

void SectionReader::fill(void* data, std::size_t bytes, const std::string& name)
{
    read(data, bytes);
    if (crc_of(0, data, bytes) != crc_)
        fail("its array " + name + " is damaged: the checksum is another");
}

void SectionReader::end()
{
    if (begin(last, 0) != 0 || left_ != 0)
        fail("has more behind its arrays than a part has");
}

void SectionReader::read(void* data, std::size_t bytes)
{
    if (bytes == 0)
        return;
    if (!in_.read(static_cast<char*>(data), static_cast<std::streamsize>(bytes)))
        fail("cannot be read to its end");
    left_ -= bytes;
}

} // namespace tawara::mesh::parallel
