// SPDX-License-Identifier: GPL-3.0-or-later
// The verification table: requirement and figure, row by row.
#pragma once
#include "engine/verify/check.hpp"

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tawara::verify {

/// A table, as far as it was made.
struct Table
{
    Settings settings;
    std::string begun; ///< when: "2026-11-30T09:40:00Z"
    std::vector<Row> rows;
    bool stopped = false; ///< before its end: rows that were not made are skipped
    double seconds = 0;
    std::size_t count(Verdict v) const;
};

/// Makes the rows of these groups, in order. A check that fails as a whole gives one missed row
/// with the error's line, and so does one that makes none; a row that cannot be made here is
/// skipped with the reason. Where the progress is cancelled, the table ends there, `stopped`, with
/// a skipped row for each check that was not made.
/// @param taken  is told of each row at once; may be empty
/// @thread any
Table make_table(const Settings& settings, std::span<const Group> groups,
                 const Progress& progress = {}, const std::function<void(const Row&)>& taken = {});

/// The groups of those names ("cells"), and checks of them ("cells.order"), in the table's order;
/// all of none.
/// @throws InputError naming the nearest known one
std::vector<Group> chosen(std::vector<Group> groups, std::span<const std::string> names);

/// Of a row for people: verdict, id, figure, requirement, seconds.
std::string line(const Row& r);
/// "41 passed, 1 missed, 3 skipped in 92 s".
std::string summary(const Table& t);

/// The table as one JSON object.
std::string json(const Table& t);
/// The table as a page that needs nothing else, with the rows' charts.
std::string page(const Table& t);
/// That write() could write there, asked before the checks; makes no folder.
/// @throws InputError what is in the way
void need_place(const std::filesystem::path& folder);
/// Writes verify.json and verify.html into a folder, each whole or not at all.
/// @throws InputError
void write(const Table& t, const std::filesystem::path& folder);

} // namespace tawara::verify
