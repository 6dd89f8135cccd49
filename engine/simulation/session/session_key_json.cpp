// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/session/session_key_json.hpp"

#include "engine/simulation/session/csv.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tawara::simulation {
namespace {

void set_member(const JsonNode& n, const Key& key, void* into)
{
    const Member& m = key.member;
    switch (m.type) {
    case Member::Type::number:
        return m.set(into, key_number(n, key));
    case Member::Type::integer:
        return m.set(into,
                     static_cast<double>(n.integer(static_cast<std::int64_t>(key.range.low),
                                                   static_cast<std::int64_t>(key.range.high))));
    case Member::Type::truth:
        return m.set(into, n.truth());
    case Member::Type::choice:
        return m.set(into, key.also.first + static_cast<double>(n.word(key.words_list())));
    case Member::Type::text:
        m.text(into) = n.text();
        return;
    case Member::Type::none:
        return;
    }
}

/// The member as JSON; null: it is not written.
Json written(const Key& key, const void* from)
{
    const Member& m = key.member;
    const bool changed = key.also.write == Key::Write::changed;
    if (m.type == Member::Type::text) {
        const std::string& text = m.text(const_cast<void*>(from));
        return changed && text.empty() ? Json() : Json(text);
    }
    const double v = m.get(from);
    if (changed && v == m.fallback())
        return {};
    if (m.type == Member::Type::truth)
        return v != 0;
    if (m.type == Member::Type::choice)
        return key.words_list().at(static_cast<std::size_t>(v) -
                                   static_cast<std::size_t>(key.also.first));
    return json_number(v);
}

} // namespace

std::vector<std::string_view> Key::words_list() const
{
    std::vector<std::string_view> out;
    for (std::size_t begin = 0; begin < also.words.size();) {
        const auto end = std::min(also.words.find(' ', begin), also.words.size());
        out.push_back(also.words.substr(begin, end - begin));
        begin = end + 1;
    }
    return out;
}

const Key& session_key(std::string_view at)
{
    const auto all = session_keys();
    const auto key = std::find_if(all.begin(), all.end(), [&](const Key& k) { return k.at == at; });
    if (key == all.end())
        throw std::logic_error("the table of session keys has no " + std::string(at));
    return *key;
}

std::vector<const Key*> keys_of(std::string_view object)
{
    std::vector<const Key*> out;
    for (const Key& key : session_keys())
        if (key.object() == object)
            out.push_back(&key);
    return out;
}

void only_keys(const JsonNode& n, std::string_view object)
{
    std::vector<std::string> names;
    for (const Key* key : keys_of(object))
        names.emplace_back(key->name());
    n.only(names);
}

JsonNode need_key(const JsonNode& n, std::string_view at)
{
    const Key& key = session_key(at);
    return n.at(key.name(), key.also.needed);
}

double key_number(const JsonNode& n, const Key& key)
{
    const auto& [low, high, above] = key.range;
    if (std::isinf(low))
        return n.number();
    if (low != 0 || !(above || std::isinf(high)))
        return n.within(low, high, key.unit);
    const double v = above ? n.positive(key.unit) : n.not_negative(key.unit);
    if (v > high)
        n.fail_value("at most " + number_text(high, 10) + " " + std::string(key.unit) +
                     (key.also.beyond.empty() ? "" : ": " + std::string(key.also.beyond)));
    return v;
}

void read_member(const JsonNode& n, const Key& key, void* into, const std::type_info& owner)
{
    if (!key.member.of(owner))
        return;
    if (!key.also.needed.empty())
        set_member(n.at(key.name(), key.also.needed), key, into);
    else if (const auto at = n.find(key.name()))
        set_member(*at, key, into);
}

void read_members(const JsonNode& n, std::string_view object, void* into,
                  const std::type_info& owner)
{
    only_keys(n, object);
    for (const Key* key : keys_of(object))
        read_member(n, *key, into, owner);
}

Json write_members(std::string_view object, const void* from, const std::type_info& owner,
                   Json others)
{
    Json out = Json::object();
    for (const Key* key : keys_of(object)) {
        const std::string name(key->name());
        if (const auto other = others.find(name); other != others.end()) {
            out[name] = std::move(*other);
            others.erase(other);
        } else if (key->member.of(owner)) {
            if (auto value = written(*key, from); !value.is_null())
                out[name] = std::move(value);
        }
    }
    if (!others.empty())
        throw std::logic_error("the table of session keys has no " + std::string(object) + "/" +
                               others.begin().key());
    return out;
}

Json json_number(double v)
{
    if (std::floor(v) == v && std::abs(v) < 1e15)
        return static_cast<std::int64_t>(v);
    return v;
}

} // namespace tawara::simulation
