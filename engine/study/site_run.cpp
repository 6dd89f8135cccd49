// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/site_run.hpp"

#include "engine/core/error.hpp"
#include "engine/core/folder_lock.hpp"
#include "engine/core/output_folder.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/simulation/results/report.hpp"
#include "engine/simulation/session/purkinje_keys.hpp"
#include "engine/simulation/tissue/mesh_digest.hpp"
#include "engine/study/lesion.hpp"
#include "engine/study/record_text.hpp"
#include "engine/study/report_head.hpp"
#include "engine/study/site_page.hpp"

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

namespace tawara::study {
namespace {

using Json = nlohmann::ordered_json;
using simulation::ReportPage;

constexpr const char* trials_file = "search.json";
constexpr const char* trains[]{"checkpoint-s1.tcp", "checkpoint-s1-ablated.tcp"};
constexpr const char* pictures[]{"pictures.json", "pictures-ablated.json"};

simulation::Session without_stimuli(simulation::Session s)
{
    s.stimuli.clear();
    s.probes.clear();
    return s;
}

/// One search of a job: without the lesion, then with it.
class Searches
{
  public:
    Searches(const SiteJob& job, const Progress& progress)
        : job_(job), progress_(progress), store_(job.options.out / trials_file)
    {
    }

    SiteRecord go()
    {
        const auto session = without_stimuli(job_.session);
        const auto heart = job_.hearts.heart(session, progress_);
        simulation::Simulation s(heart->tissue(), job_.options.device, progress_);
        SiteRecord r;
        r.site = job_.site.name;
        r.place_mm = place(*heart);
        r.segment = job_.site.segment > 0 ? job_.site.segment : heart->segment_at(r.place_mm);
        r.before = search(s, session, r.place_mm, false);
        r.exit_segment = exit_of(*heart, r.before);
        count_clocks(s);
        device_ = s.stepper().device();
        mesh_sha256_ = simulation::mesh_sha256(*s.tissue().mesh);
        if (!job_.ablation || r.before.worst.outcome != Outcome::sustained)
            return r;
        const auto burnt = with_lesion(session, s.tissue(), *job_.ablation, job_.file);
        const auto ablated = job_.hearts.heart(burnt, progress_);
        simulation::Simulation after(ablated->tissue(), job_.options.device, progress_);
        r.after = search(after, burnt, r.place_mm, true);
        r.exit_segment_after = exit_of(*heart, *r.after);
        count_clocks(after);
        return r;
    }

    const std::string& device() const { return device_; }
    const std::string& mesh_sha256() const { return mesh_sha256_; }
    double stepping_s() const { return stepping_s_; }
    double observing_s() const { return observing_s_; }
    std::vector<ReportPage::Section> sections; ///< of each search's worst trial

  private:
    Vec3 place(const Heart& heart) const
    {
        if (job_.site.place_mm)
            return *job_.site.place_mm;
        const auto at = heart.middle_of(job_.site.segment);
        if (!at)
            throw InputError(job_.file, "/induction/sites",
                             "the mesh has no AHA segment " + std::to_string(job_.site.segment) +
                                 "; want a heart with its left ventricle, or points in mm");
        return *at;
    }

    void count_clocks(const simulation::Simulation& s)
    {
        stepping_s_ += s.stepping_s();
        observing_s_ += s.observing_s();
    }

    static int exit_of(const Heart& heart, const SearchResult& r)
    {
        return r.worst.outcome == Outcome::sustained ? heart.segment_at(r.worst.reentry.exit_mm)
                                                     : 0;
    }

    SearchResult search(simulation::Simulation& s, const simulation::Session& session,
                        const Vec3& at, bool lesion)
    {
        const auto page = job_.options.out / pictures[lesion ? 1 : 0];
        const SiteSearch* running = nullptr;
        SiteSearch search(
            s, session, job_.induction,
            {{at, job_.induction.radius_mm},
             job_.site.name,
             job_.options.out / trains[lesion ? 1 : 0],
             job_.file},
            job_.options.device.precision, store_.known(lesion), [&](const Trial& t) {
                need_ours(job_.options);
                if (t.outcome == Outcome::sustained)
                    keep_pictures(page, trial_sections(t, s.tissue(), running->watch(),
                                                       lesion ? "After ablation" : "Re-entry"));
                store_.add(lesion, t); // what is known of it is there before it is known
            });
        running = &search;
        auto found = search.go(progress_);
        for (auto& section : kept_pictures(page))
            sections.push_back(std::move(section));
        return found;
    }

    static void keep_pictures(const std::filesystem::path& file,
                              const std::vector<ReportPage::Section>& drawn)
    {
        Json all = Json::array();
        for (const auto& p : drawn)
            all.push_back({p.title, p.svg});
        write_whole(file, [&](std::ostream& out) { out << all.dump(); });
    }

    static std::vector<ReportPage::Section> kept_pictures(const std::filesystem::path& file);

    const SiteJob& job_;
    const Progress& progress_;
    TrialStore store_;
    std::string device_, mesh_sha256_;
    double stepping_s_ = 0, observing_s_ = 0;
};

std::vector<ReportPage::Section> Searches::kept_pictures(const std::filesystem::path& file)
{
    std::vector<ReportPage::Section> out;
    std::error_code none;
    if (!std::filesystem::exists(file, none))
        return out;
    use_of_record(file, "this is no list of pictures; remove the file", [&](const Json& all) {
        for (const auto& p : all)
            out.push_back({p.at(0).get<std::string>(), p.at(1).get<std::string>(), {}});
    });
    return out;
}

} // namespace

std::string run_site(const SiteJob& job, const Progress& progress)
{
    const auto begin = std::chrono::steady_clock::now();
    const auto& out = job.options.out;
    if (job.session.purkinje->wanted)
        throw InputError(job.options.session_file, "/purkinje",
                         "sites are searched in tissue without a Purkinje network; leave it out");
    const OutputFolder own(out);
    FolderLock lock;
    lock.take(out);
    Searches searches(job, progress);
    const auto record = searches.go();
    const double wall_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    auto report = report_head(job.session, job.options, searches.mesh_sha256(), searches.device());
    report["site"] = job.site.name;
    report["induction"] = to_json(record);
    report["seconds"] = {{"total", wall_s},
                         {"stepping", searches.stepping_s()},
                         {"observing", searches.observing_s()}};
    const auto page = site_page(record, job.induction, job.session.name, searches.sections);
    need_ours(job.options);
    write_whole(out / "report.html", [&](std::ostream& o) { o << to_html(page); });
    write_whole(out / "report.json", [&](std::ostream& o) { o << report.dump(1) << '\n'; });
    return report.dump();
}

void forget_search(const std::filesystem::path& folder)
{
    for (const char* name : {trials_file, trains[0], trains[1], pictures[0], pictures[1]})
        remove_plain_file(folder / name);
}

} // namespace tawara::study
