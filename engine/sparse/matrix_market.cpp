// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sparse/matrix_market.hpp"

#include "engine/core/error.hpp"
#include "engine/core/file_content.hpp"
#include "engine/core/whole_file.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <string_view>

namespace tawara::sparse {
namespace {

/// A text's lines, whose words are taken one by one.
class Lines
{
  public:
    Lines(std::string file, std::string_view text)
        : file_(std::move(file)), at_(text.data()), end_(text.data() + text.size())
    {
    }

    /// Goes to the next line that is neither empty nor, where that is wanted, a comment.
    bool next(bool comments_too = false)
    {
        while (at_ < end_) {
            const char* stop = std::find(at_, end_, '\n');
            word_ = at_, line_end_ = stop;
            if (line_end_ > word_ && line_end_[-1] == '\r')
                --line_end_;
            at_ = stop < end_ ? stop + 1 : end_;
            ++line_;
            skip_blanks();
            if (word_ < line_end_ && (comments_too || *word_ != '%'))
                return true;
        }
        return false;
    }
    /// The next word of the line; empty at its end.
    std::string_view word()
    {
        skip_blanks();
        const char* begin = word_;
        while (word_ < line_end_ && !blank(*word_))
            ++word_;
        return {begin, static_cast<std::size_t>(word_ - begin)};
    }
    std::int64_t integer(const char* what, std::int64_t low, std::int64_t high)
    {
        const auto w = word();
        std::int64_t n = 0;
        const auto [stop, error] = std::from_chars(w.data(), w.data() + w.size(), n);
        if (w.empty() || error != std::errc() || stop != w.data() + w.size() || n < low || n > high)
            fail("'" + std::string(w.substr(0, 40)) + "' is " + what + ", which must be from " +
                 std::to_string(low) + " to " + std::to_string(high));
        return n;
    }
    double number(bool whole)
    {
        const auto text = word();
        std::string w(text);
        if (!w.empty() && w.front() == '+')
            w.erase(0, 1);
        std::replace_if(
            w.begin(), w.end(), [](char c) { return c == 'D' || c == 'd'; }, 'e'); // of Fortran
        double x = 0;
        const auto [stop, error] = std::from_chars(w.data(), w.data() + w.size(), x);
        if (error == std::errc::result_out_of_range && stop == w.data() + w.size())
            x = std::strtod(w.c_str(), nullptr); // 0 or infinite
        else if (w.empty() || error != std::errc() || stop != w.data() + w.size())
            fail("'" + std::string(text.substr(0, 40)) + "' must be a number");
        if (!std::isfinite(x))
            fail("'" + std::string(text.substr(0, 40)) + "' must be a finite number");
        if (whole && x != std::trunc(x))
            fail("'" + std::string(text.substr(0, 40)) +
                 "' must be an integer, as the first line announces; or write real there");
        return x;
    }
    void end_of_line()
    {
        if (const auto w = word(); !w.empty())
            fail("'" + std::string(w.substr(0, 40)) + "' is more than the header announces");
    }
    std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
    [[noreturn]] void fail(const std::string& why) const
    {
        if (line_ == 0) // nothing was read
            throw InputError(file_, why);
        throw InputError(file_, line_, why);
    }

  private:
    static bool blank(char c) { return c == ' ' || c == '\t'; }
    void skip_blanks()
    {
        while (word_ < line_end_ && blank(*word_))
            ++word_;
    }

    std::string file_;
    const char *at_, *end_;
    const char *word_ = nullptr, *line_end_ = nullptr;
    long line_ = 0;
};

std::string lower(std::string_view w)
{
    std::string out(w);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

enum class Symmetry { general, symmetric, skew };

struct Header
{
    bool pattern = false, integer = false;
    Symmetry symmetry = Symmetry::general;
};

Header header_of(Lines& lines)
{
    constexpr const char* wanted =
        "'%%MatrixMarket matrix coordinate real|integer|pattern general|symmetric|skew-symmetric'";
    if (!lines.next(true))
        lines.fail(std::string("the file is empty; a Matrix Market file begins with ") + wanted);
    Header h;
    const bool begins = lower(lines.word()) == "%%matrixmarket" && lower(lines.word()) == "matrix";
    if (!begins || lower(lines.word()) != "coordinate")
        lines.fail(std::string("this is no sparse Matrix Market file: its first line must be ") +
                   wanted);
    const auto field = lower(lines.word()), symmetry = lower(lines.word());
    if (field != "real" && field != "integer" && field != "double" && field != "pattern")
        lines.fail("numbers of type '" + field.substr(0, 40) +
                   "' are not read; real, integer and pattern are");
    h.pattern = field == "pattern";
    h.integer = field == "integer";
    if (symmetry == "symmetric")
        h.symmetry = Symmetry::symmetric;
    else if (symmetry == "skew-symmetric")
        h.symmetry = Symmetry::skew;
    else if (symmetry != "general")
        lines.fail("matrices that are '" + symmetry.substr(0, 40) +
                   "' are not read; general, symmetric and skew-symmetric ones are");
    return h;
}

} // namespace

Csr read_matrix_market(const std::filesystem::path& file)
{
    const std::string text = file_content(file);
    Lines lines(file.string(), text);
    const Header h = header_of(lines);
    if (!lines.next())
        lines.fail("the line with the numbers of rows, columns and entries is missing");
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const auto rows = lines.integer("the number of rows", 0, most);
    const auto columns = lines.integer("the number of columns", 0, most);
    constexpr std::size_t least_bytes = 4; // of a line with an entry
    const auto room = static_cast<std::int64_t>(lines.left() / least_bytes + 1);
    const auto count = lines.integer("the number of entries", 0, std::int64_t{1} << 60);
    lines.end_of_line();
    if (count > room)
        lines.fail(std::to_string(count) +
                   " entries are announced, and what follows has room for " + std::to_string(room) +
                   " at most: the file ends too soon");
    constexpr std::int64_t always = 1'000'000, per_entry = 16; // real matrices have an entry a row
    if (rows > always + per_entry * count)
        lines.fail(std::to_string(rows) + " rows with " + std::to_string(count) +
                   " entries in all are nearly all empty; at most " + std::to_string(per_entry) +
                   " rows an entry are read");
    const bool mirrored = h.symmetry != Symmetry::general;
    if (mirrored && rows != columns)
        lines.fail("a symmetric matrix has as many rows as columns");
    std::vector<Entry> entries;
    entries.reserve(static_cast<std::size_t>(count) * (h.symmetry == Symmetry::skew ? 2 : 1));
    for (std::int64_t k = 0; k < count; ++k) {
        if (!lines.next())
            lines.fail("the file ends after " + std::to_string(k) + " of " + std::to_string(count) +
                       " entries");
        Entry e;
        e.row = static_cast<std::int32_t>(lines.integer("a row", 1, rows) - 1);
        e.column = static_cast<std::int32_t>(lines.integer("a column", 1, columns) - 1);
        e.value = h.pattern ? 1 : lines.number(h.integer);
        lines.end_of_line();
        if (mirrored && (e.row < e.column || (e.row == e.column && h.symmetry == Symmetry::skew)))
            lines.fail("row " + std::to_string(e.row + 1) + ", column " +
                       std::to_string(e.column + 1) + " lies " +
                       (e.row < e.column ? "above" : "on") +
                       " the diagonal; what the first line announces has entries below it" +
                       (h.symmetry == Symmetry::skew ? " alone" : " and on it alone"));
        entries.push_back(e);
        if (h.symmetry == Symmetry::skew && e.row != e.column)
            entries.push_back({e.column, e.row, -e.value});
    }
    if (lines.next())
        lines.fail("more entries follow than the " + std::to_string(count) + " announced");
    return csr_of(rows, columns, entries, h.symmetry == Symmetry::symmetric);
}

void write_matrix_market(const std::filesystem::path& file, const Csr& a,
                         const std::string& comment)
{
    write_whole(file, [&](std::ostream& out) {
        out << "%%MatrixMarket matrix coordinate real general\n";
        std::istringstream lines(comment);
        for (std::string line; std::getline(lines, line);)
            out << "% " << line << '\n';
        out << a.rows() << ' ' << a.columns << ' ' << a.entries() << '\n';
        char text[32];
        for (std::int64_t i = 0; i < a.rows(); ++i)
            for (auto e = a.first[static_cast<std::size_t>(i)];
                 e < a.first[static_cast<std::size_t>(i) + 1]; ++e) {
                const auto k = static_cast<std::size_t>(e);
                const auto end = std::to_chars(text, text + sizeof text, a.value[k]).ptr;
                out << i + 1 << ' ' << a.column[k] + 1 << ' '
                    << std::string_view(text, static_cast<std::size_t>(end - text)) << '\n';
            }
    });
}

} // namespace tawara::sparse
