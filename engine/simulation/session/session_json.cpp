// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/session/session_json.hpp"

#include "engine/core/error.hpp"
#include "engine/core/file_content.hpp"
#include "engine/core/json_size.hpp"
#include "engine/core/nearest.hpp"
#include "engine/core/utf8.hpp"
#include "engine/simulation/session/json_fault.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>

namespace tawara::simulation {
namespace {

constexpr std::size_t longest_shown = 60; ///< of a value or a key [bytes]; known keys are shorter

/// `~` and `/` as JSON pointers write them (RFC 6901).
std::string escaped(std::string_view key)
{
    std::string out;
    for (char c : key)
        out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return out;
}

/// A value as one short line.
std::string shown(const Json& v)
{
    if (v.is_object())
        return "an object";
    if (v.is_array())
        return v.empty() ? "an empty list" : "a list of " + std::to_string(v.size());
    return shortened(v.dump(-1, ' ', false, Json::error_handler_t::replace), longest_shown);
}

/// What may have been meant, else all that could be.
std::string nearest_or_all(const std::string& key, std::span<const std::string> known)
{
    if (const auto near = likely(key, known); !near.empty())
        return "; the nearest known is '" + near + "'";
    std::string list;
    for (const auto& k : known)
        list += (list.empty() ? "; known are " : ", ") + k;
    return list;
}

std::string plain(double v)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.10g", v);
    return text;
}

} // namespace

void JsonNode::fail(const std::string& reason) const
{
    throw InputError(file_, pointer_, reason);
}

void JsonNode::fail_value(const std::string& should) const
{
    fail("is " + shown(*value_) + "; it should be " + should);
}

void JsonNode::fail_exclusive(const std::string& reason) const
{
    throw ExclusiveKeys(file_, pointer_, reason, {pointer_});
}

void JsonNode::fail_exclusive(const std::string& reason, std::initializer_list<std::string_view> of,
                              std::string_view at) const
{
    std::vector<std::string> keys;
    for (auto key : of)
        if (has(key))
            keys.push_back(pointer_ + "/" + escaped(key));
    throw ExclusiveKeys(file_, at.empty() ? pointer_ : pointer_ + "/" + escaped(at), reason,
                        std::move(keys));
}

JsonNode JsonNode::child(std::string_view key, const Json& value) const
{
    return {value, file_, pointer_ + "/" + escaped(shortened(key, longest_shown))};
}

void JsonNode::need_object() const
{
    if (!value_->is_object())
        fail_value("an object, {...}");
}

void JsonNode::only(std::span<const std::string> known) const
{
    need_object();
    for (const auto& [key, value] : value_->items())
        if (std::find(known.begin(), known.end(), key) == known.end())
            child(key, value)
                .fail("unknown key '" + shortened(key, longest_shown) + "'" +
                      nearest_or_all(key, known));
}

void JsonNode::only(std::initializer_list<std::string_view> known) const
{
    only(std::vector<std::string>(known.begin(), known.end()));
}

std::vector<std::string> JsonNode::keys() const
{
    need_object();
    std::vector<std::string> out;
    for (const auto& item : value_->items())
        out.push_back(item.key());
    return out;
}

bool JsonNode::has(std::string_view key) const
{
    return value_->is_object() && value_->contains(std::string(key));
}

JsonNode JsonNode::at(std::string_view key, std::string_view should) const
{
    need_object();
    const auto it = value_->find(std::string(key));
    if (it == value_->end())
        throw InputError(file_, pointer_ + "/" + escaped(key),
                         "is missing; give " + std::string(should));
    return child(key, *it);
}

std::optional<JsonNode> JsonNode::find(std::string_view key) const
{
    need_object();
    const auto it = value_->find(std::string(key));
    return it == value_->end() ? std::nullopt : std::optional(child(key, *it));
}

std::string JsonNode::text() const
{
    if (!value_->is_string())
        fail_value("a text in quotes");
    return value_->get<std::string>();
}

std::size_t JsonNode::word(std::span<const std::string_view> known) const
{
    std::string list;
    for (auto w : known)
        list += (list.empty()        ? "\""
                 : w == known.back() ? " or \""
                                     : ", \"") +
                std::string(w) + "\"";
    if (!value_->is_string())
        fail_value(list);
    const auto given = value_->get<std::string>();
    const auto it = std::find(known.begin(), known.end(), given);
    if (it == known.end()) {
        const auto near = likely(given, std::vector<std::string>(known.begin(), known.end()));
        fail("is " + shown(*value_) + "; it should be " + list +
             (near.empty() ? "" : " (nearest: \"" + near + "\")"));
    }
    return static_cast<std::size_t>(it - known.begin());
}

bool JsonNode::truth() const
{
    if (!value_->is_boolean())
        fail_value("true or false");
    return value_->get<bool>();
}

double JsonNode::number(std::string_view should) const
{
    if (!value_->is_number())
        fail_value(std::string(should));
    const double v = value_->get<double>();
    if (!std::isfinite(v))
        fail_value("a finite number");
    return v;
}

double JsonNode::positive(std::string_view unit) const
{
    const std::string should = "a number above 0 " + std::string(unit);
    const double v = number(should);
    if (!(v > 0))
        fail_value(should);
    return v;
}

double JsonNode::not_negative(std::string_view unit) const
{
    const std::string should = "a number of at least 0 " + std::string(unit);
    const double v = number(should);
    if (!(v >= 0))
        fail_value(should);
    return v;
}

double JsonNode::within(double low, double high, std::string_view unit) const
{
    const std::string should = "a number from " + plain(low) + " to " + plain(high) +
                               (unit.empty() ? std::string() : " " + std::string(unit));
    const double v = number(should);
    if (!(v >= low && v <= high))
        fail_value(should);
    return v;
}

std::int64_t JsonNode::integer(std::int64_t low, std::int64_t high) const
{
    const std::string should =
        "a whole number from " + std::to_string(low) + " to " + std::to_string(high);
    const double v = number(should);
    if (v != std::floor(v) || v < static_cast<double>(low) || v > static_cast<double>(high))
        fail_value(should);
    return value_->is_number_integer() ? value_->get<std::int64_t>() : std::llround(v);
}

Vec3 JsonNode::point(std::string_view should) const
{
    if (!value_->is_array() || value_->size() != 3)
        fail_value(std::string(should));
    Vec3 out{};
    const auto parts = items(should);
    for (std::size_t k = 0; k < 3; ++k)
        out[k] = parts[k].number();
    return out;
}

std::vector<JsonNode> JsonNode::items(std::string_view should, std::size_t least) const
{
    if (!value_->is_array() || value_->size() < least)
        fail_value(std::string(should));
    std::vector<JsonNode> out;
    out.reserve(value_->size());
    for (std::size_t i = 0; i < value_->size(); ++i)
        out.push_back(child(std::to_string(i), (*value_)[i]));
    return out;
}

namespace {

/// Keys of all objects of a document, which is not deep.
std::size_t count_keys(const Json& v)
{
    std::size_t n = v.is_object() ? v.size() : 0;
    if (v.is_structured())
        for (const auto& part : v)
            n += count_keys(part);
    return n;
}

void need_short(std::size_t bytes, const std::string& file)
{
    if (bytes > most_session_bytes)
        throw InputError(file, "has more than " + std::to_string(most_session_bytes >> 20) +
                                   " MB; this is not a session file of Tawara");
}

} // namespace

Json parse_json(const std::string& text, const std::string& file)
{
    need_short(text.size(), file);
    if (const auto nul = text.find('\0'); nul != std::string::npos) // ends the text for the parser
        throw InputError(file,
                         static_cast<long>(
                             1 + std::count(text.begin(),
                                            text.begin() + static_cast<std::ptrdiff_t>(nul), '\n')),
                         "holds a byte 0, which no JSON has; save the file as UTF-8 text");
    const auto size = json_size(text, most_json_depth);
    if (const auto excess = json_excess(size, most_json_depth); !excess.empty())
        throw InputError(file, excess + "; this is not a session file of Tawara");
    if (text.find_first_not_of(" \t\r\n") == std::string::npos)
        throw InputError(file, "is empty; it should hold a JSON object");
    try {
        Json out = Json::parse(text);
        if (count_keys(out) == size.keys) // else a key is given twice
            return out;
    } catch (const Json::exception&) {
        const auto fault = json_fault(text);
        if (!fault)
            throw InputError(file, "is not JSON; check its quotes, commas and brackets");
        throw InputError(file, static_cast<long>(fault->line),
                         "is not JSON at column " + std::to_string(fault->column) + ": " +
                             fault->what);
    }
    const auto fault = json_key_twice(text);
    if (!fault)
        throw InputError(file, "a key is given twice in one object; keep one");
    throw InputError(file, static_cast<long>(fault->line),
                     "at column " + std::to_string(fault->column) + ", " + fault->what);
}

std::string read_text(const std::string& file)
{
    std::error_code none;
    if (std::filesystem::is_directory(file, none))
        throw InputError(file, "is a folder; name a file");
    if (!std::filesystem::exists(std::filesystem::symlink_status(file, none)))
        throw InputError(file, "does not exist; check the path");
    auto text = file_content(file, most_session_bytes, "this is not a session file of Tawara");
    return text;
}

} // namespace tawara::simulation
