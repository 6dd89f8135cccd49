// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/watch.hpp"

#include "engine/core/error.hpp"
#include "engine/core/file_content.hpp"
#include "engine/study/done_runs.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <set>

namespace tawara::study {
namespace {

namespace fs = std::filesystem;

constexpr const char* ledger_name = "study.sqlite";

fs::path folder_of_ledger(const fs::path& chosen)
{
    return chosen.filename() == ledger_name ? chosen.parent_path() : chosen;
}

double since_1970_s()
{
    using namespace std::chrono;
    return duration<double>(system_clock::now().time_since_epoch()).count();
}

Keeper keeper_of(const LedgerRow& r, double now_s)
{
    if (r.state != State::running)
        return Keeper::nobody;
    if (has_ended(r.owner))
        return Keeper::ended;
    if (now_s - r.heartbeat_s > Ledger::silent_s && !lives(r.owner))
        return Keeper::silent;
    return r.owner == this_owner() ? Keeper::here : Keeper::elsewhere;
}

/// Of all files below; what goes meanwhile counts for nothing, nor does what a link leads to.
double bytes_in(const fs::path& folder)
{
    double sum = 0;
    std::error_code none;
    if (fs::symlink_status(folder, none).type() != fs::file_type::directory)
        return sum;
    for (fs::recursive_directory_iterator at(folder, none), end; !none && at != end;
         at.increment(none))
        if (!at->is_symlink(none) && at->is_regular_file(none))
            if (const auto size = at->file_size(none); !none)
                sum += static_cast<double>(size);
    return sum;
}

std::string from_base64(std::string_view text)
{
    std::string out;
    unsigned bits = 0;
    int have = 0;
    for (const char c : text) {
        const unsigned v = c >= 'A' && c <= 'Z'   ? static_cast<unsigned>(c - 'A')
                           : c >= 'a' && c <= 'z' ? static_cast<unsigned>(c - 'a') + 26
                           : c >= '0' && c <= '9' ? static_cast<unsigned>(c - '0') + 52
                           : c == '+'             ? 62U
                           : c == '/'             ? 63U
                                                  : 64U;
        if (v == 64)
            break;
        bits = bits << 6 | v;
        if (have += 6; have >= 8)
            out += static_cast<char>(bits >> (have -= 8) & 0xFFU);
    }
    return out;
}

} // namespace

StudyWatch::StudyWatch(const fs::path& folder)
    : folder_(folder_of_ledger(folder)), ledger_(Ledger::to_look_at(folder_ / ledger_name))
{
}

StudyView StudyWatch::look()
{
    StudyView out;
    out.folder = folder_;
    out.name = ledger_.study_name();
    out.file = ledger_.study_file();
    out.digest = ledger_.digest();
    if (paths_.empty())
        paths_ = ledger_.paths();
    out.paths = paths_;
    std::set<std::string> names;
    const double now_s = since_1970_s();
    double bytes = 0;
    for (auto& row : ledger_.rows()) {
        RunView r;
        r.keeper = keeper_of(row, now_s);
        if (row.state == State::running)
            r.elapsed_s = std::max(0.0, now_s - row.started_s);
        const auto k = static_cast<std::size_t>(row.number);
        if (k >= values_.size())
            values_.push_back(values_of(ledger_, row, paths_));
        r.values = values_.at(k);
        if (row.state == State::done) {
            for (const auto& [name, value] : row.results)
                names.insert(name);
            if (out.searches_sites())
                r.site = site_of(row, out.left_out);
            const auto [size, fresh] = bytes_.try_emplace(row.number, 0.0);
            if (fresh)
                size->second = bytes_in(folder_ / row.name);
            bytes += size->second;
        }
        ++out.counts[static_cast<std::size_t>(row.state)];
        r.row = std::move(row);
        out.runs.push_back(std::move(r));
    }
    if (const auto done = out.counts[static_cast<std::size_t>(State::done)]; done > 0)
        out.run_bytes = bytes / static_cast<double>(done);
    out.result_names.assign(names.begin(), names.end());
    return out;
}

/// Nothing where its report is damaged, which is said: the others are as good as before.
std::shared_ptr<const SiteRecord> StudyWatch::site_of(const LedgerRow& row, Notices& left_out)
{
    auto& site = sites_[row.number];
    try {
        if (!site)
            site = std::make_shared<const SiteRecord>(
                reported_site(folder_ / row.name / "report.json"));
    } catch (const InputError& e) {
        left_out.push_back(
            {Notice::Level::warning, "the site of " + row.name + " is left out: " + e.what()});
    }
    return site;
}

StudyView planned_view(const Study& s, fs::path folder)
{
    StudyView out;
    out.folder = std::move(folder);
    out.name = s.name;
    out.file = s.file;
    out.digest = s.digest;
    out.paths = s.paths;
    for (const auto& run : s.runs) {
        RunView r;
        r.row.number = run.number;
        r.row.name = run.name;
        const PlannedRun all{run.number, run.name, differences(s, run)};
        for (const auto& path : s.paths)
            r.values.push_back(setting_of(all, path));
        out.runs.push_back(std::move(r));
    }
    out.counts[static_cast<std::size_t>(State::planned)] = static_cast<std::int64_t>(s.runs.size());
    return out;
}

fs::path usual_folder(const fs::path& study_file)
{
    return fs::path(study_file).replace_extension("").string() + "-study";
}

Study study_of(const StudyView& v)
{
    auto file = v.file;
    std::error_code none;
    if (file.empty() || !fs::is_regular_file(file, none)) {
        constexpr std::string_view ending = "-study";
        auto stem = fs::absolute(v.folder, none).lexically_normal().string();
        while (stem.ends_with('/'))
            stem.pop_back();
        if (stem.ends_with(ending))
            file = stem.substr(0, stem.size() - ending.size()) + ".json";
    }
    if (file.empty() || !fs::is_regular_file(file, none))
        throw InputError(v.folder.string(),
                         "the file of this study is not here" +
                             (file.empty() ? std::string() : " (" + file.string() + ")") +
                             "; it can be looked at, and gone on with where its file is");
    auto s = read_study(file);
    if (s.digest != v.digest)
        throw InputError(file.string(),
                         "is not the study of " + v.folder.string() +
                             " any more, or that was begun with --set; go on with the session and "
                             "the values that it was begun with");
    return s;
}

RunFiles files_of_run(const fs::path& folder)
{
    RunFiles out;
    std::error_code none;
    const auto there = [&](const char* name, fs::path& to) {
        if (to.empty() && fs::exists(folder / name, none))
            to = folder / name;
    };
    there("report.html", out.page);
    there("frames.pvd", out.frames);
    there("frames.igb", out.frames);
    there("report.json", out.report);
    return out;
}

std::string first_picture(const fs::path& page)
{
    constexpr std::string_view begins = "src=\"data:image/svg+xml;base64,";
    std::error_code none;
    if (!fs::is_regular_file(page, none))
        return {};
    constexpr std::uintmax_t most_bytes = 256U << 20;
    const auto text = file_content(page, most_bytes, "a run's page is smaller");
    const auto at = text.find(begins);
    return at == std::string::npos ? std::string()
                                   : from_base64(std::string_view(text).substr(at + begins.size()));
}

} // namespace tawara::study
