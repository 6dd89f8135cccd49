// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of a ledger with what each was given.
#pragma once
#include "engine/study/ledger.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tawara::study {

/// The values that a run has at each of the paths, as JSON; empty where it sets none.
std::vector<std::string> values_of(const Ledger& ledger, const LedgerRow& run,
                                   std::span<const std::string> paths);

struct DoneRun
{
    std::string name;
    std::vector<std::string> values; ///< as values_of() the ledger's paths
    std::filesystem::path report;
};

/// Those that are done, of a study whose last path is that one; of another study none.
std::vector<DoneRun> done_runs(const Ledger& ledger, const std::filesystem::path& folder,
                               std::string_view last_path);

} // namespace tawara::study
