// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/error.hpp"
#include "engine/core/file_content.hpp"
#include "engine/core/json_size.hpp"
#include "engine/simulation/session/json_fault.hpp"

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace tawara::study {

/// What a text says that this program wrote: `use` of its JSON.
/// @throws InputError  a copy of `otherwise`, where it is not JSON, is beyond the bounds of
///                     json_excess(), or `use` finds it is not what was written
template <class Use>
auto use_of_json(const std::string& text, const InputError& otherwise, Use use)
{
    if (!json_excess(text, simulation::most_json_depth).empty())
        throw InputError(otherwise);
    try {
        return use(nlohmann::ordered_json::parse(text));
    } catch (const nlohmann::ordered_json::exception&) {
        throw InputError(otherwise);
    }
}

/// The same of a file in a run's folder.
/// @param otherwise  reason of the error where the file is not such a record
template <class Use>
auto use_of_record(const std::filesystem::path& file, const std::string& otherwise, Use use)
{
    constexpr std::uintmax_t most_bytes = 256U << 20;
    return use_of_json(file_content(file, most_bytes, "what a study's run records is smaller"),
                       InputError(file.string(), otherwise), use);
}

/// A record is not as this program wrote it.
/// @throws nlohmann::json::exception  with `why`, which use_of_record() says in its own words
[[noreturn]] inline void no_record(const char* why)
{
    throw nlohmann::ordered_json::other_error::create(501, why, nullptr);
}

/// A number that counts or names something in a record: whole, and from 0 on.
/// @throws nlohmann::json::exception  where it is no such number, or above `most`
template <class Int>
Int whole_number(const nlohmann::ordered_json& v, Int most)
{
    const auto n = v.is_number_integer() ? v.get<std::int64_t>() : -1;
    if (n < 0 || static_cast<std::uint64_t>(n) > static_cast<std::uint64_t>(most))
        no_record("no whole number within bounds");
    return static_cast<Int>(n);
}

} // namespace tawara::study
