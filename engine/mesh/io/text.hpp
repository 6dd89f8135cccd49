// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/mesh_error.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace tawara::mesh::io {

/// The whole content of a file. @throws MeshError when it cannot be read
std::string content_of(const std::filesystem::path& file);

/// Walks through the words and numbers of a text file that was read in whole, counting lines, so
/// that every error names file and line. '#' starts a comment that ends with its line.
class Text
{
  public:
    explicit Text(const std::filesystem::path& file);
    /// Over content that was read already and outlives this object.
    Text(std::string file_name, std::string_view content, bool comments = true);
    Text(const Text&) = delete;
    Text& operator=(const Text&) = delete;

    /// Nothing but blanks and comments is left.
    bool at_end();
    /// Another word or number follows before the end of this line.
    bool more_in_line();
    /// @throws MeshError when nothing follows in this line, in which `what` is due
    void need_in_line(const char* what);
    /// Goes to the next line; what is left of this one is ignored.
    void skip_line();
    /// The rest of this line without its end; goes to the next line.
    std::string_view rest_of_line();

    /// The next word, over line ends. @throws MeshError at the end of the file; `what` was wanted
    std::string_view word(const char* what);
    std::int64_t integer(const char* what);
    /// An integer in [low, high].
    std::int64_t integer(const char* what, std::int64_t low, std::int64_t high);
    /// A finite number.
    double number(const char* what);
    /// A finite number that a heart can have in any unit.
    double coordinate();
    /// A number that may be NaN or infinite.
    double any_number(const char* what);
    /// A count that is followed by as many records of at least `least_bytes` bytes.
    std::size_t count(const char* what, std::size_t least_bytes);

    [[noreturn]] void fail(const std::string& reason) const;
    const std::string& file() const { return file_; }
    long line() const { return line_; }

    /// For binary sections: bytes left, and taking some of them.
    std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
    const char* take(std::size_t bytes, const char* what);
    /// Goes behind the next occurrence of `token`; false (and to the end) where there is none.
    bool skip_past(std::string_view token);

  private:
    void skip_blanks(bool over_lines);

    std::string file_, own_;
    const char* at_ = nullptr;
    const char* end_ = nullptr;
    long line_ = 1;
    bool comments_ = true;
};

/// A coordinate beyond this is an error: a kilometre in um is 1e9.
constexpr double absurd_coordinate = 1e12;

/// A word, shortened and with unprintable bytes replaced, to be quoted in an error.
std::string in_quotes(std::string_view word);

} // namespace tawara::mesh::io
