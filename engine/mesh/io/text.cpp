// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/io/text.hpp"

#include "engine/core/file_content.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace tawara::mesh::io {

namespace fs = std::filesystem;

std::string content_of(const fs::path& file)
{
    std::error_code e;
    if (fs::is_directory(file, e))
        throw MeshError(file.string(), "is a folder; name a mesh file");
    std::string text;
    try {
        text = file_content(file);
    } catch (const InputError& x) {
        throw MeshError(x.file, x.reason);
    }
    if (text.empty())
        throw MeshError(file.string(), "is empty");
    return text;
}

std::string in_quotes(std::string_view word)
{
    std::string s = "\"";
    for (const char c : word.substr(0, 40))
        s += c >= 32 && c < 127 ? c : '?';
    return s + (word.size() > 40 ? "...\"" : "\"");
}

Text::Text(const fs::path& file) : file_(file.string()), own_(content_of(file))
{
    at_ = own_.data();
    end_ = at_ + own_.size();
}

Text::Text(std::string file_name, std::string_view content, bool comments)
    : file_(std::move(file_name)), at_(content.data()), end_(content.data() + content.size()),
      comments_(comments)
{
}

void Text::fail(const std::string& reason) const
{
    throw MeshError(file_, line_, reason);
}

void Text::skip_blanks(bool over_lines)
{
    while (at_ < end_) {
        const char c = *at_;
        if (c == '\n') {
            if (!over_lines)
                return;
            ++line_;
            ++at_;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            ++at_;
        } else if (c == '#' && comments_) {
            const void* n = std::memchr(at_, '\n', left());
            at_ = n ? static_cast<const char*>(n) : end_;
        } else {
            return;
        }
    }
}

bool Text::at_end()
{
    skip_blanks(true);
    return at_ == end_;
}

bool Text::more_in_line()
{
    skip_blanks(false);
    return at_ < end_ && *at_ != '\n';
}

void Text::need_in_line(const char* what)
{
    if (!more_in_line())
        fail(std::string("the line ends where ") + what + " is due");
}

void Text::skip_line()
{
    rest_of_line();
}

std::string_view Text::rest_of_line()
{
    const char* const from = at_;
    const void* n = std::memchr(at_, '\n', left());
    const char* to = n ? static_cast<const char*>(n) : end_;
    at_ = to;
    if (n) {
        ++at_;
        ++line_;
    }
    if (to > from && to[-1] == '\r')
        --to;
    return {from, static_cast<std::size_t>(to - from)};
}

std::string_view Text::word(const char* what)
{
    skip_blanks(true);
    if (at_ == end_)
        fail(std::string("the file ends where ") + what + " is due; it seems truncated");
    const char* const from = at_;
    while (at_<end_&& static_cast<unsigned char>(*at_)> ' ')
        ++at_;
    if (at_ == from)
        ++at_; // a control byte: taken as a word, so that callers refuse it
    return {from, static_cast<std::size_t>(at_ - from)};
}

std::int64_t Text::integer(const char* what)
{
    const auto w = word(what);
    const char* const from = w.data() + (w[0] == '+');
    const char* const to = w.data() + w.size();
    std::int64_t i = 0;
    const auto r = std::from_chars(from, to, i);
    if (r.ec != std::errc() || r.ptr != to)
        fail(in_quotes(w) + " stands where " + what + ", an integer, is due");
    return i;
}

std::int64_t Text::integer(const char* what, std::int64_t low, std::int64_t high)
{
    const auto i = integer(what);
    if (i < low || i > high)
        fail(std::string(what) + " is " + std::to_string(i) + "; it must be from " +
             std::to_string(low) + " to " + std::to_string(high));
    return i;
}

double Text::any_number(const char* what)
{
    const auto w = word(what);
    const char* const from = w.data() + (w[0] == '+');
    const char* const to = w.data() + w.size();
    double d = 0;
    const auto r = std::from_chars(from, to, d);
    if (r.ec == std::errc::result_out_of_range &&
        r.ptr == to) // too small for a double, or too large
        d = w.find("e-") != w.npos || w.find("E-") != w.npos ? 0 : HUGE_VAL;
    else if (r.ec != std::errc() || r.ptr != to)
        fail(in_quotes(w) + " stands where " + what + ", a number, is due");
    return d;
}

double Text::number(const char* what)
{
    const double d = any_number(what);
    if (!std::isfinite(d))
        fail(std::string(what) + " is not finite");
    return d;
}

double Text::coordinate()
{
    const double d = number("a coordinate");
    if (std::abs(d) > absurd_coordinate) {
        char text[80];
        std::snprintf(text, sizeof text, "a coordinate is %.3g, which no heart has in any unit", d);
        fail(text);
    }
    return d;
}

std::size_t Text::count(const char* what, std::size_t least_bytes)
{
    const auto n = integer(what);
    if (n < 0)
        fail(std::string(what) + " is " + std::to_string(n) + "; it must not be negative");
    if (static_cast<std::uint64_t>(n) > left() / least_bytes + 1)
        fail(std::string(what) + " is " + std::to_string(n) +
             ", more than the file can hold; it is wrong or the file is truncated");
    return static_cast<std::size_t>(n);
}

const char* Text::take(std::size_t bytes, const char* what)
{
    if (bytes > left())
        throw MeshError(file_, std::string("the file ends within ") + what + ": " +
                                   std::to_string(bytes) + " bytes are due, " +
                                   std::to_string(left()) + " are left; it seems truncated");
    const char* const from = at_;
    at_ += bytes;
    return from;
}

bool Text::skip_past(std::string_view token)
{
    const std::string_view rest(at_, left());
    const auto found = rest.find(token);
    const auto skipped = rest.substr(0, found);
    line_ += std::count(skipped.begin(), skipped.end(), '\n');
    at_ += skipped.size() + (found == rest.npos ? 0 : token.size());
    return found != rest.npos;
}

} // namespace tawara::mesh::io
