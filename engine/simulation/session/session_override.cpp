// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/session/session_override.hpp"

#include "engine/core/error.hpp"
#include "engine/core/json_size.hpp"
#include "engine/core/nearest.hpp"
#include "engine/core/utf8.hpp"
#include "engine/simulation/session/json_fault.hpp"

#include <algorithm>

namespace tawara::simulation {
namespace {

constexpr std::size_t longest_told = 200; ///< of an override, in messages

/// A key, a pointer or an override as messages tell it.
std::string told(const std::string& text)
{
    return shortened(text, longest_told);
}

/// The parts of a path, e.g. of "tissue.regions.0.variant".
std::vector<std::string> parts_of(const std::string& path, const std::string& file)
{
    std::vector<std::string> out;
    for (std::size_t begin = 0; begin <= path.size();) {
        const auto end = std::min(path.find('.', begin), path.size());
        out.push_back(path.substr(begin, end - begin));
        if (out.back().empty())
            throw InputError(file, "the path has an empty part; write e.g. time.dt_ms");
        if (out.back().ends_with(']'))
            throw InputError(file, "'" + told(out.back()) +
                                       "' has brackets; write an index as a part of the "
                                       "path, e.g. tissue.regions.0.variant");
        if (out.size() > most_json_depth)
            throw InputError(file.substr(0, 60), "the path has more than " +
                                                     std::to_string(most_json_depth) + " parts");
        begin = end + 1;
    }
    return out;
}

/// An index into a list at `pointer`, up to and with `last`.
std::size_t index_of(const Json& list, const std::string& key, std::size_t last,
                     const std::string& pointer, const std::string& file)
{
    const bool digits = key.find_first_not_of("0123456789") == std::string::npos;
    const auto index = digits && key.size() < 9 ? std::stoul(key) : last + 1;
    if (index > last)
        throw InputError(file, "'" + told(key) + "' is no index of " + told(pointer) +
                                   ", which has " + std::to_string(list.size()) +
                                   " elements; count from 0");
    return index;
}

[[noreturn]] void no_parts(const std::string& pointer, const std::string& key,
                           const std::string& file)
{
    throw InputError(file, (pointer.empty() ? "the session" : told(pointer)) +
                               " has no parts, so none can be '" + told(key) + "'");
}

/// Puts a value where a path says; missing objects on the way are made.
/// @return the place as a JSON pointer
std::string put(Json& document, const std::vector<std::string>& path, Json value,
                const std::string& file)
{
    Json* at = &document;
    std::string pointer;
    for (const auto& key : path) {
        if (at->is_null())
            *at = Json::object();
        if (at->is_array()) {
            const auto index = index_of(*at, key, at->size(), pointer, file);
            if (index == at->size())
                at->push_back(nullptr);
            at = &(*at)[index];
        } else if (at->is_object()) {
            at = &(*at)[key];
        } else {
            no_parts(pointer, key, file);
        }
        pointer += "/" + key;
    }
    *at = std::move(value);
    return pointer;
}

/// Takes out the key that a path names; it must be there.
/// @return its place as a JSON pointer
std::string take_out(Json& document, const std::vector<std::string>& path, const std::string& file)
{
    Json* at = &document;
    std::string pointer;
    for (std::size_t k = 0; k < path.size(); ++k) {
        const auto& key = path[k];
        const bool last = k + 1 == path.size();
        if (at->is_array()) {
            if (last)
                throw InputError(file, told(pointer + "/" + key) +
                                           " is an element of a list, and null takes out keys of "
                                           "objects alone; give the list without it");
            if (at->empty())
                throw InputError(file,
                                 told(pointer) + " is an empty list; there is nothing to take out");
            at = &(*at)[index_of(*at, key, at->size() - 1, pointer, file)];
        } else if (!at->is_object()) {
            no_parts(pointer, key, file);
        } else if (!at->contains(key)) {
            std::vector<std::string> keys;
            for (const auto& item : at->items())
                keys.push_back(item.key());
            const auto near = likely(key, keys);
            throw InputError(file, (pointer.empty() ? "the session" : told(pointer)) +
                                       " has no key '" + told(key) + "' that null could take out" +
                                       (near.empty() ? "" : "; the nearest is '" + near + "'"));
        } else if (last) {
            at->erase(key);
        } else {
            at = &(*at)[key];
        }
        pointer += "/" + key;
    }
    return pointer;
}

} // namespace

Override apply_override(Json& document, const std::string& text)
{
    if (!is_utf8(text))
        throw InputError("--set " + readable(text).substr(0, 60),
                         "is not UTF-8, which sessions are; give it in that encoding");
    const std::string file = "--set " + told(text);
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
        throw InputError(file, "should be PATH=VALUE, e.g. --set time.dt_ms=0.01");
    if (const auto excess = json_excess(text.substr(equals + 1), most_json_depth); !excess.empty())
        throw InputError(file.substr(0, 60), excess);
    Json value = Json::parse(text.substr(equals + 1), nullptr, false);
    if (value.is_discarded())
        value = text.substr(equals + 1);
    const auto path = parts_of(text.substr(0, equals), file);
    return {told(text), value.is_null() ? take_out(document, path, file)
                                        : put(document, path, std::move(value), file)};
}

std::string how_to_leave_out(const ExclusiveKeys& e, std::span<const Override> applied)
{
    std::string out;
    std::size_t left = 0;
    for (auto key : e.keys) {
        if (std::any_of(applied.begin(), applied.end(), [&](const Override& o) {
                return (key + "/").starts_with(o.pointer + "/") || o.pointer.starts_with(key + "/");
            }))
            continue;
        ++left;
        std::replace(key.begin(), key.end(), '/', '.');
        out += " " + key.substr(1) + "=null";
    }
    const bool all_of_several = left == e.keys.size() && left > 1;
    return applied.empty() || left == 0 || all_of_several ? "" : " (leave out by --set" + out + ")";
}

} // namespace tawara::simulation
