// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/io/vtu_blocks.hpp"

#include "engine/core/error.hpp"
#include "engine/mesh/io/raw.hpp"
#include "engine/mesh/io/text.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace tawara::mesh::io {
namespace {

/// The value of an attribute within a tag, empty where it is not there.
std::string_view attribute(std::string_view tag, std::string_view name)
{
    for (auto at = tag.find(name); at != tag.npos; at = tag.find(name, at + 1)) {
        const auto quote = at + name.size() + 1;
        if (at == 0 || tag[at - 1] > ' ' || quote >= tag.size() || tag[quote - 1] != '=')
            continue;
        const auto end = tag.find(tag[quote], quote + 1);
        return end == tag.npos ? std::string_view{} : tag.substr(quote + 1, end - quote - 1);
    }
    return {};
}

/// Up to `bytes` bytes of base64 text from its begin.
std::string decoded(std::string_view text, std::size_t bytes)
{
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    unsigned held = 0;
    int bits = 0;
    for (const char c : text) {
        const auto d = digits.find(c);
        if (out.size() >= bytes || c == '=' || c == '<')
            break;
        if (d == digits.npos)
            continue;
        held = (held << 6 | static_cast<unsigned>(d)) & 0xFFFFFF;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            out += static_cast<char>(held >> bits & 0xFF);
        }
    }
    return out;
}

struct Layout
{
    bool wide, swap, compressed;

    std::uint64_t number(std::string_view data, std::size_t i) const
    {
        const char* const p = data.data() + i * (wide ? 8 : 4);
        return wide ? stored<std::uint64_t>(p, swap) : stored<std::uint32_t>(p, swap);
    }
};

/// False when the header at the begin of `data` announces more than `left` bytes can hold.
bool plausible(const Layout& l, std::string_view data, std::uint64_t left)
{
    const std::size_t numbers = l.compressed ? 3 : 1;
    if (data.size() < numbers * (l.wide ? 8 : 4))
        return false;
    const auto first = l.number(data, 0);
    if (!l.compressed)
        return first <= left;
    const auto block = l.number(data, 1), last = l.number(data, 2);
    constexpr std::uint64_t most_shrinking = 10000;
    const std::uint64_t limit = most_shrinking * left + (1 << 20);
    return first <= left / 4 && block <= limit && last <= block + (block == 0 ? limit : 0) &&
           (first == 0 || block <= limit / first);
}

/// The tag that begins at `at`, up to its '>' or the text's end; a '>' in quotes does not end it.
std::string_view tag_at(std::string_view text, std::size_t at)
{
    char quote = 0;
    std::size_t end = at;
    for (; end < text.size() && (quote || text[end] != '>'); ++end)
        if (quote ? text[end] == quote : text[end] == '"' || text[end] == '\'')
            quote = quote ? '\0' : text[end];
    return text.substr(at, end - at);
}

/// Bytes of a value of an array; 0 for kinds whose length is not looked at.
std::uint64_t bytes_of(std::string_view type)
{
    for (const auto& [name, bytes] : {std::pair<const char*, std::uint64_t>{"Int8", 1},
                                      {"UInt8", 1},
                                      {"Int16", 2},
                                      {"UInt16", 2},
                                      {"Int32", 4},
                                      {"UInt32", 4},
                                      {"Float32", 4},
                                      {"Int64", 8},
                                      {"UInt64", 8},
                                      {"Float64", 8}})
        if (type == name)
            return bytes;
    return 0;
}

bool is_number(std::string_view word, bool integer)
{
    const char* const from = word.data() + (word[0] == '+');
    const char* const to = word.data() + word.size();
    std::int64_t i = 0;
    double d = 0;
    const auto r = integer ? std::from_chars(from, to, i) : std::from_chars(from, to, d);
    return r.ptr == to && r.ec != std::errc::invalid_argument;
}

/// Walks through the tags before the appended data and compares every array's length with what its
/// piece announces.
class Walk
{
  public:
    Walk(const std::string& text, const std::string& file) : text_(text), file_(file)
    {
        const auto root = tag_at(text_, std::min(text_.find("<VTKFile"), text_.size()));
        layout_ = {attribute(root, "header_type") == "UInt64",
                   (attribute(root, "byte_order") == "BigEndian") ==
                       (std::endian::native == std::endian::little),
                   !attribute(root, "compressor").empty()};
        end_ = base_ = text_.size();
        if (const auto appended = text_.find("<AppendedData"); appended != text_.npos) {
            end_ = appended;
            const auto tag = tag_at(text_, appended);
            base64_ = attribute(tag, "encoding") == "base64";
            base_ = std::min(text_.find('_', appended + tag.size()), text_.size() - 1) + 1;
        }
    }

    void all()
    {
        for (auto at = text_.find('<'); at < end_;) {
            if (text_.substr(at).starts_with("<!--")) {
                at = text_.find('<', std::min(text_.find("-->", at), text_.size()));
                continue;
            }
            const auto tag = tag_at(text_, at);
            look(at, tag);
            at = text_.find('<', at + std::max<std::size_t>(tag.size(), 1));
        }
    }

  private:
    [[noreturn]] void fail(std::size_t at, const std::string& reason) const
    {
        throw MeshError(
            file_, 1 + std::count(text_.begin(), text_.begin() + std::ptrdiff_t(at), '\n'), reason);
    }

    static std::uint64_t number_of(std::string_view tag, std::string_view key, std::uint64_t other)
    {
        const auto s = attribute(tag, key);
        std::from_chars(s.data(), s.data() + s.size(), other);
        return other;
    }

    void look(std::size_t at, std::string_view tag)
    {
        const auto name = tag.substr(1, tag.find_first_of(" \t\r\n/", 2) - 1);
        if (name == "Piece") {
            points_ = number_of(tag, "NumberOfPoints", 0);
            cells_ = number_of(tag, "NumberOfCells", 0);
        } else if (name == "Points" || name == "PointData" || name == "Cells" ||
                   name == "CellData" || name == "FieldData") {
            section_ = tag.ends_with('/') ? std::string_view{} : name;
        } else if (tag.starts_with("</") && tag.substr(2).starts_with(section_)) {
            section_ = {};
        } else if (name == "DataArray") {
            array(at, tag);
        }
    }

    static std::string called(std::string_view tag)
    {
        const auto name = attribute(tag, "Name");
        return name.empty() ? "without a name" : std::string(name.substr(0, 40));
    }

    void array(std::size_t at, std::string_view tag)
    {
        const auto format = attribute(tag, "format"), offset = attribute(tag, "offset");
        const auto after = std::min(at + tag.size() + 1, text_.size());
        if (format == "appended") {
            std::uint64_t n = 0;
            std::from_chars(offset.data(), offset.data() + offset.size(), n);
            coded(at, tag,
                  n < text_.size() - base_ ? base_ + static_cast<std::size_t>(n) : text_.size(),
                  base64_);
        } else if (format == "binary") {
            coded(at, tag, after, true);
        } else if (format == "ascii" && offset.empty()) {
            in_words(at, tag, tag.ends_with('/') ? text_.substr(after, 0) : text_.substr(after));
        }
    }

    void coded(std::size_t at, std::string_view tag, std::size_t from, bool in_base64) const
    {
        constexpr std::size_t header = 24;
        const auto rest = text_.substr(from);
        const std::string head =
            in_base64 ? decoded(rest.substr(0, 400), header) : std::string(rest.substr(0, header));
        if (!plausible(layout_, head, rest.size()))
            fail(at, "the data of array " + called(tag) +
                         " do not fit into the file; it is damaged or truncated");
        const auto size = bytes_of(attribute(tag, "type"));
        std::uint64_t bytes = layout_.number(head, 0);
        if (layout_.compressed && bytes > 0) {
            const auto block = layout_.number(head, 1), last = layout_.number(head, 2);
            bytes = last == 0 ? bytes * block : (bytes - 1) * block + last;
        }
        if (size > 0)
            compare(at, tag, bytes / size);
    }

    void in_words(std::size_t at, std::string_view tag, std::string_view rest) const
    {
        const auto type = attribute(tag, "type");
        if (bytes_of(type) == 0 || section_.empty() || section_ == "FieldData")
            return;
        const bool integer = !type.starts_with("Float");
        const auto end = std::min(rest.find('<'), rest.size());
        std::uint64_t count = 0;
        const auto blank = [&](std::size_t i) { return static_cast<unsigned char>(rest[i]) <= 32; };
        for (std::size_t i = 0; i < end;) {
            if (blank(i)) {
                ++i;
                continue;
            }
            const auto from = i;
            while (i < end && !blank(i))
                ++i;
            const auto word = rest.substr(from, i - from);
            if (!is_number(word, integer))
                fail(static_cast<std::size_t>(word.data() - text_.data()),
                     "array " + called(tag) + ": value " + std::to_string(count) +
                         " (counted from 0) is " + in_quotes(word) + ", which is no " +
                         (integer ? "integer" : "number"));
            ++count;
        }
        if (count > 0 || rest.empty() || rest.substr(end).starts_with("</DataArray"))
            compare(at, tag, count);
    }

    /// @param count  values that the array has
    void compare(std::size_t at, std::string_view tag, std::uint64_t count) const
    {
        if (!attribute(tag, "TimeStep").empty())
            return;
        const auto name = attribute(tag, "Name");
        const bool at_points = section_ == "Points" || section_ == "PointData";
        std::uint64_t each = number_of(tag, "NumberOfComponents", 1);
        if (section_ == "Cells") {
            if (name != "offsets" && name != "types")
                return;
            each = 1;
        } else if (!at_points && section_ != "CellData") {
            return;
        } else if (section_ == "Points" && each != 3) {
            fail(at, "the points have NumberOfComponents=" + std::to_string(each) + "; 3 is due");
        }
        const auto things = at_points ? points_ : cells_;
        if (each > 1000000 || count == things * each)
            return;
        const std::string what =
            section_ == "Points" ? "the array of the points" : "array " + called(tag);
        fail(at, what + " has " + std::to_string(count) + " values where " +
                     std::to_string(things * each) + " are due: " + std::to_string(each) +
                     " for each of " + std::to_string(things) +
                     (at_points ? " points (NumberOfPoints)" : " cells (NumberOfCells)"));
    }

    std::string_view text_;
    const std::string& file_;
    Layout layout_{};
    std::size_t end_ = 0, base_ = 0;
    bool base64_ = false;
    std::uint64_t points_ = 0, cells_ = 0;
    std::string_view section_;
};

} // namespace

void check_vtu_blocks(const std::string& text, const std::string& file)
{
    Walk(text, file).all();
}

} // namespace tawara::mesh::io
