// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/io/files.hpp"

#include "engine/core/error.hpp"
#include "engine/core/whole_file.hpp"

#include <array>
#include <charconv>

namespace tawara::mesh::io {

namespace fs = std::filesystem;

void write_all(const std::vector<FileToWrite>& files, const std::vector<fs::path>& stale)
{
    std::vector<fs::path> parts;
    const auto clean = [&] {
        std::error_code ignored;
        for (const auto& p : parts)
            fs::remove(p, ignored);
    };
    try {
        for (const auto& f : files) {
            if (fs::is_directory(f.path))
                throw InputError(f.path.string(), "is a folder; name a file");
            const fs::path part =
                f.path.parent_path() / ("." + f.path.filename().string() + ".new");
            parts.push_back(part);
            try {
                write_whole(part, f.writer);
            } catch (const InputError& e) {
                if (e.file != part.string())
                    throw;
                throw InputError(f.path.string(), e.reason);
            }
        }
        for (std::size_t i = 0; i < files.size(); ++i) {
            std::error_code e;
            fs::rename(parts[i], files[i].path, e);
            if (e)
                throw InputError(files[i].path.string(), "cannot be written: " + e.message());
        }
    } catch (...) {
        clean();
        throw;
    }
    std::error_code ignored;
    for (const auto& s : stale)
        fs::remove(s, ignored);
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
