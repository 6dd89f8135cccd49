// SPDX-License-Identifier: GPL-3.0-or-later
// The part of a report.json by which its run can be done again, as it is read.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace tawara::simulation::report {

using Json = nlohmann::ordered_json;

constexpr const char* record_key = "reproduction";

/// A report as it stands. @throws InputError also where it is nested as no report is
Json parsed(const std::string& text, const std::string& file);
/// A report's part about its run. @throws InputError
Json record_of(const Json& report, const std::string& file);
/// The session is the one that `session_sha256` is of, where both are there. @throws InputError
void check_session(const Json& record, const std::string& file);
/// Digests of files by their names, empty where there are none. @throws InputError
/// @param key  e.g. "tables_sha256"
Json digests_in(const Json& record, const char* key, const std::string& file);

/// Files that digests are kept of lie below the report's folder. @throws InputError
void check_files(const Json& record, const std::string& file);

} // namespace tawara::simulation::report
