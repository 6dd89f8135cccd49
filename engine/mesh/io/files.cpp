// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/io/files.hpp"

#include "engine/core/error.hpp"
#include "engine/core/part_file.hpp"
#include "engine/core/whole_file.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <unistd.h>

namespace tawara::mesh::io {

namespace fs = std::filesystem;

void write_all(const std::vector<FileToWrite>& files, const std::vector<fs::path>& stale)
{
    std::vector<std::unique_ptr<PartFile>> parts;
    for (const auto& f : files) {
        if (fs::is_directory(f.path))
            throw InputError(f.path.string(), "is a folder; name a file");
        parts.push_back(std::make_unique<PartFile>(f.path));
        write_part(*parts.back(), f.writer);
    }
    std::error_code circle; // a link that leads in one is removed as any other is
    for (const auto& s : stale)
        if (fs::is_directory(s, circle))
            throw InputError(s.string(), "is a folder, where a file of another mesh would be "
                                         "removed; give the mesh another name");
    for (const auto& part : parts)
        part->commit();
    for (const auto& s : stale) {
        const auto place = place_of(s, false);
        if (unlinkat(place.folder.fd(), place.name.c_str(), 0) != 0 && errno != ENOENT)
            throw InputError(s.string(), std::string("is of an earlier mesh and cannot be removed "
                                                     "(") +
                                             std::strerror(errno) +
                                             "); remove it, else it is taken for this mesh's");
    }
}

Printer& Printer::operator<<(std::string_view text)
{
    if (buffer_.size() + text.size() > capacity)
        flush();
    buffer_ += text;
    return *this;
}

Printer& Printer::operator<<(char c)
{
    return *this << std::string_view(&c, 1);
}

namespace {
template <class T>
std::string_view print(std::array<char, 40>& b, T value)
{
    const auto r = std::to_chars(b.data(), b.data() + b.size(), value);
    return {b.data(), static_cast<std::size_t>(r.ptr - b.data())};
}
} // namespace

Printer& Printer::operator<<(std::int64_t i)
{
    std::array<char, 40> b;
    return *this << print(b, i);
}
Printer& Printer::operator<<(double d)
{
    std::array<char, 40> b;
    return *this << print(b, d);
}
Printer& Printer::operator<<(float f)
{
    std::array<char, 40> b;
    return *this << print(b, f);
}

void Printer::flush()
{
    out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    buffer_.clear();
}

} // namespace tawara::mesh::io
