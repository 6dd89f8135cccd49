// SPDX-License-Identifier: GPL-3.0-or-later
// What became of a site, as the files of its run hold it.
#pragma once
#include "engine/study/site_search.hpp"

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace tawara::study {

/// A site's search, and the same with the lesion where re-entry was sustained.
struct SiteRecord
{
    std::string site;
    int segment = 0; ///< AHA; 0: not known
    Vec3 place_mm{};
    SearchResult before{};
    int exit_segment = 0;
    std::optional<SearchResult> after{};
    int exit_segment_after = 0;
};

/// The part `induction` of a run's report.
nlohmann::ordered_json to_json(const SiteRecord& r);
/// @throws nlohmann::json::exception where it is none
SiteRecord site_record(const nlohmann::ordered_json& o);
/// Of a report.json. @throws InputError  where it is no report of a site
SiteRecord reported_site(const std::filesystem::path& report);
nlohmann::ordered_json to_json(const Trial& t);
Trial trial_of(const nlohmann::ordered_json& o);

/// "600-300-250": the intervals with which re-entry was induced, S1's cycle first.
std::string intervals_text(double cycle_ms, const Trial& t);

/// Trials that are kept while a site is searched, so that a killed program's are not done again.
/// @thread one at a time
class TrialStore
{
  public:
    /// @throws InputError  where the file is no such file
    explicit TrialStore(std::filesystem::path file);
    SiteSearch::Known known(bool with_lesion) const;
    /// Writes the file anew, whole.
    void add(bool with_lesion, const Trial& t);

  private:
    std::filesystem::path file_;
    SiteSearch::Known before_, after_;
};

} // namespace tawara::study
