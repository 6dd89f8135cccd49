// SPDX-License-Identifier: GPL-3.0-or-later
// The ledger of a study as a file among others.
#pragma once
#include <filesystem>

namespace tawara::study {

/// That SQLite may open or make a ledger of that name. SQLite would follow a link, and takes pipes
/// and folders for files.
/// @throws InputError where the ledger, or a journal beside it, is there and is no plain file
void need_plain_ledger(const std::filesystem::path& ledger);

/// The same file by a path whose folders are no links, as SQLITE_OPEN_NOFOLLOW wants it.
std::filesystem::path through_no_link(const std::filesystem::path& ledger);

} // namespace tawara::study
