// SPDX-License-Identifier: GPL-3.0-or-later
// A study as it stands, for whoever looks at it while programs work on it.
#pragma once
#include "engine/study/ledger.hpp"
#include "engine/study/site_record.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tawara::study {

/// Who computes a running run.
enum class Keeper {
    nobody,    ///< it is not running
    here,      ///< this program
    elsewhere, ///< another one, whose heart beats or that lives on this machine
    ended,     ///< a program of this machine that is gone: who takes it goes on with it
    silent     ///< one of another machine that was not heard of for Ledger::silent_s
};

/// A run as it stands.
struct RunView
{
    LedgerRow row;
    std::vector<std::string> values; ///< of StudyView::paths, as JSON; empty where it sets none
    Keeper keeper = Keeper::nobody;
    double elapsed_s = 0;                   ///< of a running one
    std::shared_ptr<const SiteRecord> site; ///< of one that has searched a site
};

/// A study as it stands: all values, no file.
struct StudyView
{
    std::filesystem::path folder;
    std::string name;
    std::filesystem::path file; ///< the study's, where the ledger knows it
    std::string digest;
    std::vector<std::string> paths;        ///< what runs differ by
    std::vector<std::string> result_names; ///< of all runs that are done, sorted
    std::vector<RunView> runs;
    Counts counts{};
    Notices left_out;     ///< runs whose site is not known, since their reports are damaged
    double run_bytes = 0; ///< of a run that is done, on disk, in the mean; 0: none is done
    bool searches_sites() const { return !paths.empty() && paths.back() == site_path; }
};

/// Looks at a study's folder again and again; what does not change is read once. Nothing is written
/// there.
/// @thread any; one at a time
class StudyWatch
{
  public:
    /// @param folder  of a study; or its ledger
    /// @throws InputError where there is none
    explicit StudyWatch(const std::filesystem::path& folder);
    /// @throws InputError where the ledger cannot be read
    StudyView look();

  private:
    std::shared_ptr<const SiteRecord> site_of(const LedgerRow& row, Notices& left_out);

    std::filesystem::path folder_;
    Ledger ledger_;
    std::vector<std::string> paths_;
    std::vector<std::vector<std::string>> values_;                    ///< [run][path]
    std::map<std::int64_t, std::shared_ptr<const SiteRecord>> sites_; ///< of runs that are done
    std::map<std::int64_t, double> bytes_;
};

/// A study that nobody has begun: all of its runs are planned.
StudyView planned_view(const Study& s, std::filesystem::path folder);

/// Where a study's runs and results go unless another folder is named: beside its file, "STUDY" of
/// STUDY.json with "-study".
std::filesystem::path usual_folder(const std::filesystem::path& study_file);

/// The study whose folder that is: the file that its ledger names, or one beside the folder after
/// usual_folder().
/// @throws InputError  where no such file is there, or it is another study than the ledger's
Study study_of(const StudyView& v);

/// What is seen of a run in its folder.
struct RunFiles
{
    std::filesystem::path page;   ///< report.html of a site; empty: none
    std::filesystem::path frames; ///< what shows recorded frames over time; empty: none
    std::filesystem::path report; ///< report.json; empty: none
};
RunFiles files_of_run(const std::filesystem::path& folder);

/// The first picture of a page that ReportPage made: SVG text; empty where there is none.
std::string first_picture(const std::filesystem::path& page);

} // namespace tawara::study
