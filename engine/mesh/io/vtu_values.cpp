// SPDX-License-Identifier: GPL-3.0-or-later
//
// The arrays of a VTU file: text, or binary with a header of one word (bytes) or, compressed, of
// 3 + n words (blocks, bytes of a block, bytes of a shorter last one or 0, compressed bytes of
// each).
#include "engine/mesh/io/base64.hpp"
#include "engine/mesh/io/raw.hpp"
#include "engine/mesh/io/text.hpp"
#include "engine/mesh/io/vtk_errors.hpp"
#include "engine/mesh/io/vtu_file.hpp"
#include "engine/mesh/mesh_error.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <new>
#include <vtkLZ4DataCompressor.h>
#include <vtkLZMADataCompressor.h>
#include <vtkNew.h>
#include <zlib.h>

namespace tawara::mesh::io {
namespace {

/// Bytes of the data of an array, raw or base64.
class Source
{
  public:
    Source(std::string_view text, bool base64) : text_(text), base64_(base64), decoder_(text) {}
    /// How many there can be at most.
    std::uint64_t left() const { return base64_ ? text_.size() / 4 * 3 + 3 : text_.size() - at_; }
    /// The next bytes; fewer where the data end.
    std::string_view next(std::size_t bytes)
    {
        if (!base64_) {
            const auto piece = text_.substr(at_, bytes);
            at_ += piece.size();
            return piece;
        }
        decoded_.clear();
        decoder_.read(decoded_, bytes);
        return decoded_;
    }

  private:
    std::string_view text_;
    bool base64_;
    std::size_t at_ = 0;
    Base64 decoder_;
    std::string decoded_;
};

/// What the header of an array says.
struct Header
{
    std::uint64_t bytes = 0;               ///< of the values
    std::uint64_t block = 0;               ///< bytes of each but the last
    std::vector<std::uint64_t> compressed; ///< bytes of each block in the file
};

/// Puts a block back to its length; false where it does not have that.
bool expanded(const std::string& compressor, std::string_view from, char* to, std::size_t bytes)
{
    const auto* const in = reinterpret_cast<const unsigned char*>(from.data());
    auto* const out = reinterpret_cast<unsigned char*>(to);
    if (compressor == "vtkZLibDataCompressor") {
        uLongf made = bytes;
        const int state = uncompress(out, &made, in, from.size());
        if (state == Z_MEM_ERROR)
            throw std::bad_alloc();
        return state == Z_OK && made == bytes;
    }
    VtkErrors errors;
    if (compressor == "vtkLZ4DataCompressor")
        return vtkNew<vtkLZ4DataCompressor>()->Uncompress(in, from.size(), out, bytes) == bytes;
    return vtkNew<vtkLZMADataCompressor>()->Uncompress(in, from.size(), out, bytes) == bytes;
}

template <class Stored, class To>
std::vector<To> converted(std::string_view data, bool swap)
{
    std::vector<To> v;
    v.reserve(data.size() / sizeof(Stored));
    for (std::size_t i = 0; i + sizeof(Stored) <= data.size(); i += sizeof(Stored))
        v.push_back(static_cast<To>(stored<Stored>(data.data() + i, swap)));
    return v;
}

/// A number as its text has it, rounded to what the array holds.
template <class Stored, class To>
bool parsed(std::string_view word, To& to)
{
    const char* const from = word.data() + (word[0] == '+');
    const char* const end = word.data() + word.size();
    Stored v{};
    auto r = std::from_chars(from, end, v);
    if constexpr (std::is_floating_point_v<Stored>)
        if (r.ptr == end && r.ec == std::errc::result_out_of_range) { // as 0 or infinity
            const std::string copy(from, end);
            v = sizeof(Stored) == 4 ? static_cast<Stored>(std::strtof(copy.c_str(), nullptr))
                                    : static_cast<Stored>(std::strtod(copy.c_str(), nullptr));
            r.ec = {};
        }
    to = static_cast<To>(v); // a signed one stays so: NOLINT(bugprone-signed-char-misuse)
    return r.ec == std::errc() && r.ptr == end;
}

enum class Kind { i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, text };
struct Type
{
    const char* name;
    Kind kind;
    std::size_t bytes;
};
constexpr Type types[] = {
    {"Int8", Kind::i8, 1},     {"UInt8", Kind::u8, 1},   {"Int16", Kind::i16, 2},
    {"UInt16", Kind::u16, 2},  {"Int32", Kind::i32, 4},  {"UInt32", Kind::u32, 4},
    {"Int64", Kind::i64, 8},   {"UInt64", Kind::u64, 8}, {"Float32", Kind::f32, 4},
    {"Float64", Kind::f64, 8}, {"String", Kind::text, 1}};

const Type* type_of(pugi::xml_node array)
{
    const std::string_view name = array.attribute("type").value();
    for (const auto& t : types)
        if (name == t.name)
            return &t;
    return nullptr;
}

/// Calls f with a value of the kind.
auto by_kind(Kind k, auto&& f)
{
    switch (k) {
    case Kind::i8:
        return f(std::int8_t{});
    case Kind::u8:
        return f(std::uint8_t{});
    case Kind::i16:
    case Kind::text: // characters' codes, some programs' below 0
        return f(std::int16_t{});
    case Kind::u16:
        return f(std::uint16_t{});
    case Kind::i32:
        return f(std::int32_t{});
    case Kind::u32:
        return f(std::uint32_t{});
    case Kind::i64:
        return f(std::int64_t{});
    case Kind::u64:
        return f(std::uint64_t{});
    case Kind::f32:
        return f(float{});
    case Kind::f64:
        break;
    }
    return f(double{});
}

bool in_text(pugi::xml_node array)
{
    return !array.attribute("offset") &&
           std::string_view(array.attribute("format").value()) != "binary";
}

} // namespace

bool VtuFile::is_text(pugi::xml_node array) const
{
    const auto* const t = type_of(array);
    if (!t)
        fail(array, "array " + called(array) +
                        (array.attribute("type")
                             ? " is of type " + in_quotes(array.attribute("type").value())
                             : std::string(" has no type")) +
                        "; Float32, Float64, Int8 to Int64, UInt8 to UInt64 or String is due");
    return t->kind == Kind::text;
}

std::string_view VtuFile::inline_text(pugi::xml_node array) const
{
    const auto first = array.first_child();
    return first.type() == pugi::node_pcdata ? std::string_view(first.value()) : "";
}

/// Refuses another number of values than is due.
void VtuFile::need(pugi::xml_node array, std::uint64_t has, std::optional<std::uint64_t> due,
                   const std::string& each) const
{
    if (due && has != *due)
        fail(array,
             (std::string_view(array.parent().name()) == "Points" ? "the array of the points"
                                                                  : "array " + called(array)) +
                 " has " + std::to_string(has) + " values where " + std::to_string(*due) +
                 " are due" + each);
}

/// Refuses floating-point numbers where integers are due.
template <class Stored, class To>
void VtuFile::need_kind(pugi::xml_node array) const
{
    if constexpr (std::is_floating_point_v<Stored> && std::is_integral_v<To>)
        fail(array, "array " + called(array) + " is of type " + array.attribute("type").value() +
                        "; one of integers is due");
}

template <class To>
std::vector<To> VtuFile::words(pugi::xml_node array, std::optional<std::uint64_t> due,
                               const std::string& each)
{
    const auto text = inline_text(array);
    const Kind kind = type_of(array)->kind;
    const auto blank = [&](std::size_t i) { return static_cast<unsigned char>(text[i]) <= 32; };
    return by_kind(kind, [&]<class Stored>(Stored) {
        need_kind<Stored, To>(array);
        std::vector<To> v;
        v.reserve(std::min<std::size_t>(due.value_or(0), text.size() / 2 + 1));
        std::uint64_t count = 0;
        for (std::size_t i = 0; i < text.size();) {
            if (blank(i)) {
                ++i;
                continue;
            }
            const auto from = i;
            while (i < text.size() && !blank(i))
                ++i;
            To value{};
            if (!parsed<Stored>(text.substr(from, i - from), value))
                throw MeshError(
                    name_,
                    tag_of(array).last_line +
                        std::count(text.begin(), text.begin() + std::ptrdiff_t(from), '\n'),
                    "array " + called(array) + ": value " + std::to_string(count) +
                        " (counted from 0) is " + in_quotes(text.substr(from, i - from)) +
                        ", which is no " +
                        (std::is_floating_point_v<Stored>
                             ? "number"
                             : std::string("integer of type ") + array.attribute("type").value()));
            if (!due || count < *due)
                v.push_back(value);
            if (++count % 65536 == 0 && progress_.stop.stop_requested())
                throw Cancelled();
        }
        need(array, count, due, each);
        bound_.take(count * sizeof(To));
        return v;
    });
}

namespace {

/// Reads and checks the header; empty where the data cannot be what it says.
std::optional<Header> header_of(Source& source, bool compressed, bool wide, bool swap)
{
    const std::size_t word = wide ? 8 : 4;
    const auto numbers = [&](std::size_t n) -> std::optional<std::vector<std::uint64_t>> {
        const auto data = source.next(n * word);
        if (data.size() != n * word)
            return {};
        return wide ? converted<std::uint64_t, std::uint64_t>(data, swap)
                    : converted<std::uint32_t, std::uint64_t>(data, swap);
    };
    Header h;
    const auto first = numbers(compressed ? 3 : 1);
    if (!first)
        return {};
    if (!compressed) {
        h.bytes = (*first)[0];
        return h.bytes <= source.left() ? std::optional(h) : std::nullopt;
    }
    const auto blocks = (*first)[0], last = (*first)[2];
    h.block = (*first)[1];
    if (blocks == 0)
        return h;
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    if (blocks > source.left() / word || h.block == 0 || last > h.block ||
        h.block > static_cast<std::uint64_t>(most) / blocks)
        return {};
    h.bytes = last == 0 ? blocks * h.block : (blocks - 1) * h.block + last;
    if (auto sizes = numbers(blocks))
        h.compressed = std::move(*sizes);
    else
        return {};
    std::uint64_t sum = 0;
    for (const auto s : h.compressed) {
        if (s > source.left())
            return {};
        sum += s;
        if (sum > source.left())
            return {};
    }
    return h;
}

} // namespace

/// A binary array whose header was read.
struct VtuFile::Binary
{
    Source source;
    Header header;
};

VtuFile::Binary VtuFile::binary(pugi::xml_node array) const
{
    std::string_view text = inline_text(array);
    bool base64 = true;
    if (array.attribute("offset")) {
        const auto offset = count(array, "offset", 0);
        text = offset < appended_.size() ? appended_.substr(offset) : std::string_view();
        base64 = appended_base64_;
    }
    Source source(text, base64);
    auto header = header_of(source, !compressor_.empty(), wide_, swap_);
    if (!header)
        fail(array, "the data of array " + called(array) +
                        " do not fit into the file; it is damaged or truncated");
    return {std::move(source), std::move(*header)};
}

void VtuFile::check(pugi::xml_node array) const
{
    const auto components = count(array, "NumberOfComponents", 1),
               tuples = count(array, "NumberOfTuples", 0);
    is_text(array);
    const auto most = in_text(array) ? inline_text(array).size() / 2 + 1
                                     : binary(array).header.bytes / type_of(array)->bytes;
    if (components > 0 && tuples > most / components)
        fail(array, "array " + called(array) + " announces " + std::to_string(tuples) +
                        " tuples, more than it can hold");
}

/// The bytes of a binary array, expanded.
std::string VtuFile::bytes(pugi::xml_node array, std::optional<std::uint64_t> due,
                           const std::string& each, std::uint64_t value_bytes)
{
    auto [source, header] = binary(array);
    const auto size = type_of(array)->bytes;
    if (header.bytes % size != 0)
        fail(array, "array " + called(array) + " has " + std::to_string(header.bytes) +
                        " bytes, which is no multiple of the " + std::to_string(size) +
                        " of a value");
    need(array, header.bytes / size, due, each);
    bound_.take(std::max(header.bytes, header.bytes / size * value_bytes));
    std::string out;
    if (compressor_.empty()) {
        out = source.next(header.bytes);
        if (out.size() != header.bytes)
            fail(array, "the data of array " + called(array) + " end too early; the file is " +
                            "damaged or truncated");
        return out;
    }
    out.resize(header.bytes);
    std::uint64_t at = 0;
    for (const auto s : header.compressed) {
        if (progress_.stop.stop_requested())
            throw Cancelled();
        const auto bytes = std::min(header.block, header.bytes - at);
        const auto block = source.next(s);
        if (block.size() != s || !expanded(compressor_, block, out.data() + at, bytes))
            fail(array, "the compressed data of array " + called(array) +
                            " cannot be expanded; the file is damaged or truncated");
        at += bytes;
    }
    return out;
}

template <class To>
std::vector<To> VtuFile::values(pugi::xml_node array, std::optional<std::uint64_t> due,
                                const std::string& each)
{
    if (is_text(array))
        fail(array, "array " + called(array) + " is one of texts; numbers are due");
    if (in_text(array))
        return words<To>(array, due, each);
    const std::string data = bytes(array, due, each, sizeof(To));
    return by_kind(type_of(array)->kind, [&]<class Stored>(Stored) {
        need_kind<Stored, To>(array);
        return converted<Stored, To>(data, swap_);
    });
}

template std::vector<double> VtuFile::values(pugi::xml_node, std::optional<std::uint64_t>,
                                             const std::string&);
template std::vector<std::int64_t> VtuFile::values(pugi::xml_node, std::optional<std::uint64_t>,
                                                   const std::string&);

std::vector<std::string> VtuFile::texts(pugi::xml_node array)
{
    const auto due = count(array, "NumberOfTuples", 0);
    std::string codes;
    if (in_text(array))
        for (const auto c : words<std::int64_t>(array, {}, {}))
            codes += static_cast<char>(c);
    else
        codes = bytes(array, {}, {}, 1);
    const auto has = static_cast<std::uint64_t>(std::count(codes.begin(), codes.end(), '\0'));
    if (has < due)
        fail(array, "array " + called(array) + " has " + std::to_string(has) +
                        " texts where NumberOfTuples announces " + std::to_string(due));
    std::vector<std::string> out;
    for (std::size_t from = 0; out.size() < due; from += out.back().size() + 1)
        out.emplace_back(codes.c_str() + from);
    return out;
}

} // namespace tawara::mesh::io
