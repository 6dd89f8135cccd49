// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/ledger_file.hpp"

#include "engine/core/error.hpp"
#include "engine/core/output_folder.hpp"

#include <string>
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

fs::path through_no_link(const fs::path& ledger)
{
    std::error_code failed;
    const auto parent = ledger.parent_path();
    const auto folder = fs::canonical(parent.empty() ? fs::path(".") : parent, failed);
    return failed ? ledger : folder / ledger.filename();
}

} // namespace tawara::study
