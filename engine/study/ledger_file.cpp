// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/ledger_file.hpp"

#include "engine/core/error.hpp"
#include "engine/core/output_folder.hpp"

#include <array>
#include <fstream>
#include <string_view>
#include <system_error>

namespace tawara::study {

namespace fs = std::filesystem;

void need_plain_ledger(const fs::path& ledger)
{
    for (const char* beside : {"", "-journal", "-wal", "-shm"}) {
        auto file = ledger;
        file += beside;
        if (!is_taken(file) || is_plain_file(file))
            continue;
        std::error_code none;
        const bool link = fs::is_symlink(file, none);
        throw InputError(file.string(),
                         std::string(link ? "is a symbolic link" : "is no plain file") +
                             ", and the ledger of a study belongs there; remove "
                             "it, or run the study into another folder by --out");
    }
}

void refuse_foreign(const fs::path& ledger, const std::string& fault)
{
    throw InputError(ledger.string(),
                     "this is no ledger of a study" + (fault.empty() ? "" : " (" + fault + ")") +
                         "; want study.sqlite as tawara-cli study run or the window make it");
}

void LedgerHead::need(const fs::path& ledger) const
{
    if (application != tawara && (application != 0 || version != current))
        refuse_foreign(ledger);
    if (version != current)
        throw InputError(ledger.string(), "is a ledger of version " + std::to_string(version) +
                                              "; this program has version " +
                                              std::to_string(current));
}

void need_head_of_ledger(const fs::path& ledger, bool make)
{
    // https://www.sqlite.org/fileformat.html, 1.3
    constexpr std::size_t bytes = 100, write_version = 18, read_version = 19, user_version = 60,
                          application_id = 68;
    constexpr std::string_view magic("SQLite format 3\0", 16);
    std::array<char, bytes> head{};
    std::ifstream in(ledger, std::ios::binary);
    in.read(head.data(), head.size());
    const auto got = in.gcount();
    if (got == 0 && !make)
        refuse_foreign(ledger, is_plain_file(ledger) && in.eof() ? "it is empty" : "");
    if (got < static_cast<std::streamsize>(bytes) ||
        !std::string_view(head.data(), bytes).starts_with(magic))
        return;
    const auto number = [&](std::size_t at) {
        std::uint32_t n = 0;
        for (std::size_t k = at; k < at + 4; ++k)
            n = n << 8 | static_cast<unsigned char>(head.at(k));
        return std::int64_t{static_cast<std::int32_t>(n)};
    };
    LedgerHead{number(application_id), number(user_version)}.need(ledger);
    if (head[write_version] != 1 || head[read_version] != 1)
        refuse_foreign(ledger, "it is kept in SQLite's WAL mode, and no ledger is");
}

void need_journal_of_one(const fs::path& ledger)
{
    // https://www.sqlite.org/fileformat.html, 3: such a journal ends as its head begins
    constexpr std::string_view magic("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8);
    auto journal = ledger;
    journal += "-journal";
    std::ifstream in(journal, std::ios::binary);
    std::array<char, magic.size()> end{};
    if (in.seekg(-static_cast<std::streamoff>(end.size()), std::ios::end) &&
        in.read(end.data(), end.size()) && std::string_view(end.data(), end.size()) == magic)
        throw InputError(journal.string(),
                         "names another file, which would be removed with it, and is no journal of "
                         "a study's ledger; put the ledger back from a copy, or run the study into "
                         "another folder by --out");
}

fs::path through_no_link(const fs::path& ledger)
{
    std::error_code failed;
    const auto parent = ledger.parent_path();
    const auto folder = fs::canonical(parent.empty() ? fs::path(".") : parent, failed);
    return failed ? ledger : folder / ledger.filename();
}

} // namespace tawara::study
