// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/restitution_run.hpp"

#include "engine/core/folder_lock.hpp"
#include "engine/core/output_folder.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/simulation/tissue/mesh_digest.hpp"
#include "engine/study/report_head.hpp"
#include "engine/study/restitution_pacing.hpp"
#include "engine/study/restitution_results.hpp"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

namespace tawara::study {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *beats_file = "beats.json", *state_file = "checkpoint-restitution.tcp";

/// As curves and tables have them: by the interval, longest first.
std::vector<RestitutionBeat> in_order(std::vector<RestitutionBeat> beats)
{
    std::stable_sort(beats.begin(), beats.end(),
                     [](const auto& a, const auto& b) { return a.interval_ms > b.interval_ms; });
    return beats;
}

} // namespace

std::string run_restitution(const RestitutionJob& job, const Progress& progress)
{
    const auto begin = std::chrono::steady_clock::now();
    const auto& out = job.options.out;
    const auto pulse = pulse_of(job.session, job.restitution, job.file);
    const OutputFolder own(out);
    FolderLock lock;
    lock.take(out);
    RestitutionStore store(out / beats_file);
    simulation::Simulation s(build_tissue(job.session, progress), job.options.device, progress);
    RestitutionPacing pacing(s, job.session, pulse, {job.file, out / state_file},
                             job.options.device.precision, store);
    if (job.protocol == PacingProtocol::dynamic)
        pacing.pace(*job.restitution.dynamic, progress);
    else
        pacing.pace(*job.restitution.s1s2, progress);
    const auto beats = in_order(store.beats());
    const double wall_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    Json points = Json::array();
    for (const auto& b : beats)
        points.push_back(to_json(b));
    auto report = report_head(job.session, job.options, simulation::mesh_sha256(*s.tissue().mesh),
                              s.stepper().device());
    report["protocol"] = name(job.protocol);
    report["restitution"] = to_json(summary_of(beats, job.session.probes[0].name));
    report["seconds"] = {{"total", wall_s}};
    report["restitution_beats"] = std::move(points);
    simulation::ReportPage page;
    page.title = job.session.name;
    page.subtitle = std::string("Restitution, ") + name(job.protocol);
    const MeasuredRun run{out.filename().string(), {}, name(job.protocol), beats};
    add_restitution(std::span(&run, 1), page);
    need_ours(job.options);
    write_whole(out / "report.html", [&](std::ostream& o) { o << to_html(page); });
    write_whole(out / "report.json", [&](std::ostream& o) { o << report.dump(1) << '\n'; });
    return report.dump();
}

void forget_restitution(const std::filesystem::path& folder)
{
    for (const char* file : {beats_file, state_file})
        remove_plain_file(folder / file);
}

} // namespace tawara::study
