// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/done_runs.hpp"

namespace tawara::study {

std::vector<std::string> values_of(const Ledger& ledger, const LedgerRow& run,
                                   std::span<const std::string> paths)
{
    const PlannedRun planned{run.number, run.name, ledger.settings(run.number)};
    std::vector<std::string> out;
    for (const auto& path : paths)
        out.push_back(setting_of(planned, path));
    return out;
}

std::vector<DoneRun> done_runs(const Ledger& ledger, const std::filesystem::path& folder,
                               std::string_view last_path)
{
    const auto paths = ledger.paths();
    std::vector<DoneRun> out;
    if (paths.empty() || paths.back() != last_path)
        return out;
    for (const auto& row : ledger.rows())
        if (row.state == State::done)
            out.push_back(
                {row.name, values_of(ledger, row, paths), folder / row.name / "report.json"});
    return out;
}

} // namespace tawara::study
