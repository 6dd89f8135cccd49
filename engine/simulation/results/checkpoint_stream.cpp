// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/checkpoint_stream.hpp"

#include "engine/core/error.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <zlib.h>

namespace tawara::simulation {
namespace {

constexpr char magic[8] = {'T', 'A', 'W', 'A', 'R', 'A', 'C', 'P'};
constexpr char magic_of_version_1[8] = {'T', 'A', 'W', 'A', 'R', 'A', 'C', '1'};
constexpr std::size_t piece = 1 << 18;
constexpr std::uint64_t most_packing = 1032; // zlib packs by so much to 1 at most

using Head = std::array<char, sizeof magic + 4 + 4 + 8 + 8>;

Head head_of(std::uint32_t crc, std::uint64_t full, std::uint64_t packed)
{
    Head head;
    char* at = head.data();
    const auto put = [&](const void* from, std::size_t n) {
        std::memcpy(at, from, n);
        at += n;
    };
    put(magic, sizeof magic);
    put(&checkpoint_version, sizeof checkpoint_version);
    put(&crc, sizeof crc);
    put(&full, sizeof full);
    put(&packed, sizeof packed);
    return head;
}

/// What zlib answers, unless it had no memory: the file is as good as before then.
int need_memory(int state)
{
    if (state == Z_MEM_ERROR)
        throw std::bad_alloc();
    return state;
}

std::uint32_t add(std::uint32_t crc, const void* data, std::size_t n)
{
    return static_cast<std::uint32_t>(
        crc32(crc, static_cast<const Bytef*>(data), static_cast<uInt>(n)));
}

std::uint32_t with_head(std::uint32_t crc, std::uint32_t version, std::uint64_t full,
                        std::uint64_t packed)
{
    crc = add(crc, &version, sizeof version);
    crc = add(crc, &full, sizeof full);
    return add(crc, &packed, sizeof packed);
}

} // namespace

struct CheckpointWriter::Zlib
{
    z_stream stream{};
    std::vector<char> out = std::vector<char>(piece);
    ~Zlib() { deflateEnd(&stream); }
};

CheckpointWriter::CheckpointWriter(std::ostream& out) : out_(out), zlib_(std::make_unique<Zlib>())
{
    if (need_memory(deflateInit(&zlib_->stream, 1)) != Z_OK)
        throw Error("zlib could not begin to compress a checkpoint");
    const auto head = head_of(0, 0, 0); // its place; finish() knows what it says
    out_.write(head.data(), head.size());
}

CheckpointWriter::~CheckpointWriter() = default;

void CheckpointWriter::pack(int flush)
{
    auto& z = zlib_->stream;
    int state = Z_OK;
    do {
        z.next_out = reinterpret_cast<Bytef*>(zlib_->out.data());
        z.avail_out = static_cast<uInt>(zlib_->out.size());
        state = deflate(&z, flush);
        if (state == Z_STREAM_ERROR)
            throw Error("zlib could not compress a checkpoint");
        const std::size_t n = zlib_->out.size() - z.avail_out;
        crc_ = add(crc_, zlib_->out.data(), n);
        packed_ += n;
        out_.write(zlib_->out.data(), static_cast<std::streamsize>(n));
    } while (flush == Z_FINISH ? state != Z_STREAM_END : z.avail_out == 0);
}

void CheckpointWriter::put(const void* data, std::size_t bytes)
{
    const auto* from = static_cast<const Bytef*>(data);
    full_ += bytes;
    while (bytes > 0 && out_) {
        const auto n = std::min<std::size_t>(bytes, 1u << 30);
        zlib_->stream.next_in = const_cast<Bytef*>(from); // zlib's interface; it does not write
        zlib_->stream.avail_in = static_cast<uInt>(n);
        pack(Z_NO_FLUSH);
        from += n;
        bytes -= n;
    }
}

void CheckpointWriter::put(const std::string& text)
{
    put(static_cast<std::uint64_t>(text.size()));
    put(text.data(), text.size());
}

void CheckpointWriter::put(const std::vector<std::string>& texts)
{
    put(static_cast<std::uint64_t>(texts.size()));
    for (const auto& t : texts)
        put(t);
}

void CheckpointWriter::finish()
{
    zlib_->stream.next_in = nullptr;
    zlib_->stream.avail_in = 0;
    pack(Z_FINISH);
    const auto head = head_of(with_head(crc_, checkpoint_version, full_, packed_), full_, packed_);
    out_.seekp(0);
    out_.write(head.data(), head.size());
}

struct CheckpointReader::Zlib
{
    z_stream stream{};
    std::vector<char> in = std::vector<char>(piece);
    ~Zlib() { inflateEnd(&stream); }
};

CheckpointReader::CheckpointReader(const std::filesystem::path& file)
    : file_(file), zlib_(std::make_unique<Zlib>())
{
    std::error_code none;
    if (std::filesystem::exists(file, none) && !std::filesystem::is_regular_file(file, none))
        throw InputError(file.string(), "is no file; give a checkpoint-*.tcp of an earlier run");
    in_.open(file, std::ios::binary);
    if (!in_)
        throw InputError(file.string(),
                         "cannot be opened; give a checkpoint-*.tcp of an earlier run");
    read_head();
    if (need_memory(inflateInit(&zlib_->stream)) != Z_OK)
        throw Error("zlib could not begin to read a checkpoint");
}

CheckpointReader::~CheckpointReader() = default;

void CheckpointReader::refuse(const std::string& why) const
{
    throw InputError(file_.string(), why);
}

void CheckpointReader::damaged() const
{
    refuse("the checkpoint is damaged or was cut short; use an older checkpoint");
}

void CheckpointReader::read_head()
{
    char first[sizeof magic] = {};
    in_.read(first, sizeof first);
    const bool old = in_ && std::memcmp(first, magic_of_version_1, sizeof first) == 0;
    if (!in_ || (!old && std::memcmp(first, magic, sizeof first) != 0))
        refuse("is no Tawara checkpoint; give a checkpoint-*.tcp");
    std::uint32_t crc = 0;
    std::uint64_t full = 0, packed = 0;
    const auto read = [&](auto& value) {
        if (!in_.read(reinterpret_cast<char*>(&value), sizeof value))
            damaged();
    };
    version_ = 1;
    if (!old) {
        read(version_);
        if (version_ != checkpoint_version)
            refuse("is a checkpoint of version " + std::to_string(version_) +
                   ", of another version of Tawara; this one reads versions 1 and " +
                   std::to_string(checkpoint_version));
        read(crc);
    }
    read(full);
    if (!old)
        read(packed);
    const auto begin = static_cast<std::uint64_t>(in_.tellg());
    const auto size = static_cast<std::uint64_t>(std::filesystem::file_size(file_));
    if (size < begin || (!old && packed != size - begin) ||
        full > most_packing * (size - begin) + piece)
        damaged();
    if (!old)
        check_sum(crc, full, packed);
    in_.clear();
    in_.seekg(static_cast<std::streamoff>(begin));
    left_ = full;
}

void CheckpointReader::check_sum(std::uint32_t crc, std::uint64_t full, std::uint64_t packed)
{
    std::uint32_t found = 0;
    for (std::uint64_t left = packed; left > 0;) {
        const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(left, zlib_->in.size()));
        if (!in_.read(zlib_->in.data(), static_cast<std::streamsize>(n)))
            damaged();
        found = add(found, zlib_->in.data(), n);
        left -= n;
    }
    if (with_head(found, version_, full, packed) != crc)
        damaged();
}

void CheckpointReader::get(void* to, std::size_t bytes)
{
    if (bytes > left_)
        refuse("the checkpoint ends too early; use an older checkpoint");
    left_ -= bytes;
    auto& z = zlib_->stream;
    auto* at = static_cast<Bytef*>(to);
    while (bytes > 0) {
        if (z.avail_in == 0) {
            in_.read(zlib_->in.data(), static_cast<std::streamsize>(zlib_->in.size()));
            z.next_in = reinterpret_cast<Bytef*>(zlib_->in.data());
            z.avail_in = static_cast<uInt>(in_.gcount());
        }
        const auto n = static_cast<uInt>(std::min<std::size_t>(bytes, 1u << 30));
        z.next_out = at;
        z.avail_out = n;
        const int state = need_memory(inflate(&z, Z_NO_FLUSH));
        const auto got = n - z.avail_out;
        at += got;
        bytes -= got;
        if ((state != Z_OK && bytes > 0) || (got == 0 && z.avail_in == 0 && in_.eof() && bytes > 0))
            damaged();
    }
}

void CheckpointReader::need_end()
{
    if (left_ != 0)
        damaged();
    auto& z = zlib_->stream; // what remains is zlib's own checksum, which it compares
    Bytef more = 0;
    for (;;) {
        if (z.avail_in == 0) {
            in_.read(zlib_->in.data(), static_cast<std::streamsize>(zlib_->in.size()));
            z.next_in = reinterpret_cast<Bytef*>(zlib_->in.data());
            z.avail_in = static_cast<uInt>(in_.gcount());
        }
        z.next_out = &more;
        z.avail_out = 1;
        const int state = need_memory(inflate(&z, Z_NO_FLUSH));
        if (state == Z_STREAM_END)
            return;
        if (state != Z_OK || z.avail_out == 0)
            damaged();
    }
}

std::int64_t CheckpointReader::step()
{
    std::int64_t n = 0;
    get(&n, sizeof n);
    return n;
}

std::size_t CheckpointReader::count(std::size_t most, std::size_t least)
{
    std::uint64_t n = 0;
    get(&n, sizeof n);
    if (n > left_ / least)
        damaged();
    if (n > most)
        refuse("the checkpoint holds " + std::to_string(n) + " values where there are " +
               std::to_string(most) + " at most; use an older checkpoint");
    return static_cast<std::size_t>(n);
}

std::string CheckpointReader::text(std::size_t longest)
{
    std::string s(count(longest, 1), '\0');
    get(s.data(), s.size());
    return s;
}

std::vector<std::string> CheckpointReader::texts(std::size_t most, std::size_t longest)
{
    constexpr std::size_t most_bytes = std::size_t{1} << 26; // of all of them
    std::vector<std::string> list(count(most, sizeof(std::uint64_t)));
    std::size_t sum = 0;
    for (auto& s : list) {
        s = text(longest);
        sum += s.size();
        if (sum > most_bytes)
            refuse("the checkpoint names columns by more than " + std::to_string(most_bytes >> 20) +
                   " MB; use an older checkpoint");
    }
    return list;
}

void CheckpointReader::skip(std::size_t bytes)
{
    std::array<char, 4096> passed{};
    while (bytes > 0) {
        const auto n = std::min(bytes, passed.size());
        get(passed.data(), n);
        bytes -= n;
    }
}

std::size_t CheckpointReader::pass(std::size_t each, std::size_t most)
{
    const auto n = count(most, each);
    skip(n * each);
    return n;
}

} // namespace tawara::simulation
