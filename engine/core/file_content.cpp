// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/file_content.hpp"

#include "engine/core/error.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tawara {
namespace {

namespace fs = std::filesystem;

/// Closes what it was given.
struct Descriptor
{
    explicit Descriptor(int n) : number(n) {}
    ~Descriptor()
    {
        if (number >= 0)
            ::close(number);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int number;
};

std::string kind_of(const struct stat& s)
{
    if (S_ISREG(s.st_mode))
        return {};
    return S_ISDIR(s.st_mode) ? "is a folder; name a file"
                              : "is a pipe or a device, not a file; copy its content into a file";
}

/// In MB, or in bytes where both would read the same.
std::string too_large(std::uintmax_t bytes, std::uintmax_t most)
{
    const bool alike = bytes >> 20 == most >> 20;
    const auto number = [&](std::uintmax_t n) { return std::to_string(alike ? n : n >> 20); };
    return "has " + number(bytes) + (alike ? " bytes" : " MB") + ", more than " + number(most);
}

} // namespace

std::string no_plain_file(const fs::path& file)
{
    struct stat s = {};
    return ::stat(file.c_str(), &s) == 0 ? kind_of(s) : std::string();
}

std::string file_content(const fs::path& file, std::uintmax_t most_bytes, const std::string& is_for)
{
    const auto fail = [&](const std::string& why) -> void { throw InputError(file.string(), why); };
    // a pipe to which nobody writes would be waited for without O_NONBLOCK
    const Descriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    if (in.number < 0) {
        const int why = errno;
        const auto kind = no_plain_file(file);
        fail(kind.empty() ? std::string("cannot be opened: ") + std::strerror(why) : kind);
    }
    struct stat s = {};
    if (::fstat(in.number, &s) != 0)
        fail(std::string("cannot be read: ") + std::strerror(errno));
    if (const auto kind = kind_of(s); !kind.empty())
        fail(kind);
    const auto bytes = static_cast<std::uintmax_t>(s.st_size);
    if (bytes > most_bytes)
        fail(too_large(bytes, most_bytes) + (is_for.empty() ? "" : "; " + is_for));
    std::string text(bytes, '\0');
    for (std::size_t at = 0; at < text.size();) {
        const auto n = ::read(in.number, text.data() + at, text.size() - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            fail(std::string("cannot be read: ") + std::strerror(errno));
        if (n == 0)
            fail("cannot be read to its end: it became shorter meanwhile");
        at += static_cast<std::size_t>(n);
    }
    return text;
}

} // namespace tawara
