// SPDX-License-Identifier: GPL-3.0-or-later
// The ledger of a study as a file among others.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace tawara::study {

/// That SQLite may open or make a ledger of that name. SQLite would follow a link, and takes pipes
/// and folders for files.
/// @throws InputError where the ledger, or a journal beside it, is there and is no plain file
void need_plain_ledger(const std::filesystem::path& ledger);

/// What the head of a database says that it is.
struct LedgerHead
{
    static constexpr std::int64_t tawara = 0x5461774C; ///< "TawL", as application_id
    static constexpr std::int64_t current = 1;         ///< as user_version

    std::int64_t application = 0; ///< 0 in ledgers of before, and in most databases of others
    std::int64_t version = 0;
    bool is_blank() const { return application == 0 && version == 0; }
    /// @throws InputError where it is no ledger's, or one of another version
    void need(const std::filesystem::path& ledger) const;
};

/// The same of a file before SQLite has it, which would take back what another program has half
/// written there, and of databases in WAL mode makes files beside it. A file that is no database
/// passes: SQLite says it.
/// @param make  one that is empty, or not there, passes
void need_head_of_ledger(const std::filesystem::path& ledger, bool make);

/// SQLite takes back what a journal beside a ledger holds. A journal may name a file at its end,
/// the super-journal of several databases, and SQLite then removes that file. Each ledger is
/// changed alone, so its journal names none.
/// @throws InputError where there is a journal that names a file
void need_journal_of_one(const std::filesystem::path& ledger);

/// @param fault  what it has that no ledger has, or lacks; empty: it is not said
[[noreturn]] void refuse_foreign(const std::filesystem::path& ledger,
                                 const std::string& fault = {});

/// The same file by a path whose folders are no links, as SQLITE_OPEN_NOFOLLOW wants it.
std::filesystem::path through_no_link(const std::filesystem::path& ledger);

} // namespace tawara::study
