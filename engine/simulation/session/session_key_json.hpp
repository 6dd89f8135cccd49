// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/session/session_json.hpp"
#include "engine/simulation/session/session_keys.hpp"

namespace tawara::simulation {

/// The object has no keys but those of the table.
void only_keys(const JsonNode& n, std::string_view object);

/// A key that must be there, by its pointer in the table.
JsonNode need_key(const JsonNode& n, std::string_view at);

/// A number in the key's range, or its error.
double key_number(const JsonNode& n, const Key& key);

void read_member(const JsonNode& n, const Key& key, void* into, const std::type_info& owner);
void read_members(const JsonNode& n, std::string_view object, void* into,
                  const std::type_info& owner);
Json write_members(std::string_view object, const void* from, const std::type_info& owner,
                   Json others);

/// Reads the keys of an object that are members of `into`; those that are not there keep their
/// values. Refuses keys that the table does not have, and a needed one that is missing.
/// @throws InputError
template <class T>
void read_keys(const JsonNode& n, std::string_view object, T& into)
{
    read_members(n, object, &into, typeid(T));
}

/// One key of an object, by its pointer in the table.
template <class T>
void read_key(const JsonNode& n, std::string_view at, T& into)
{
    read_member(n, session_key(at), &into, typeid(T));
}

/// An object with the keys that are members of `from`, and the others that it has, in the order of
/// the table. @throws std::logic_error if the table has one of the others not
template <class T>
Json write_keys(std::string_view object, const T& from, Json others = Json::object())
{
    return write_members(object, &from, typeid(T), std::move(others));
}

/// A number; whole ones without a fraction.
Json json_number(double v);

} // namespace tawara::simulation
