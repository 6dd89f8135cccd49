// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/error.hpp"
#include "engine/study/record_text.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace tawara::study {

/// @param what  is damaged, as sentences end by it
[[noreturn]] inline void refuse_damaged(const std::filesystem::path& ledger,
                                        const std::string& what)
{
    throw InputError(ledger.string(), "the ledger is damaged (" + what +
                                          "); put it back from a copy, or run the study into "
                                          "another folder by --out");
}

/// Whether a name is that of a folder in the study's own: no path that leads elsewhere.
inline bool names_a_folder(const std::string& name)
{
    constexpr std::string_view ends("/\0", 2); // a component, and a name as the system takes it
    return !name.empty() && name != "." && name != ".." &&
           name.find_first_of(ends) == std::string::npos;
}

/// What a text of the ledger says. @throws InputError where it is not what this program wrote
template <class Use>
auto understood(const std::filesystem::path& file, const char* what, const std::string& text,
                Use use)
{
    return use_of_json(
        text,
        InputError(file.string(), std::string("the ledger's record of its ") + what +
                                      " is damaged; run the study into another folder"),
        use);
}

} // namespace tawara::study
