// SPDX-License-Identifier: GPL-3.0-or-later
// The one-page report of a headless run.
#include "engine/cable/network/part.hpp"
#include "engine/simulation/results/report.hpp"
#include "engine/simulation/results/report_page.hpp"

#include <nlohmann/json.hpp>

namespace tawara::simulation {
namespace {

std::vector<KernelFigure> kernels_of(const RunReport& report, const std::string& device)
{
    std::vector<KernelFigure> out;
    const auto json = nlohmann::json::parse(report.json);
    for (const auto& k : json.at("kernels"))
        out.push_back({k.at("name"), device, k.at("calls"), k.at("ms"), k.at("bytes"),
                       k.at("flops"), k.at("ceiling_GB_per_s"), k.at("ceiling_GFLOP_per_s"),
                       k.at("fraction"), k.at("bound_by")});
    return out;
}

} // namespace

std::string html_report(const ReportInput& in, const RunReport& report, const StepTraces& traces,
                        const ProbeTable& ecg)
{
    auto scene = std::make_shared<Scene>();
    scene->session = in.session;
    scene->mesh = in.tissue.mesh;
    scene->surface = in.tissue.surface;
    scene->device = in.stepper.device();
    scene->precision = in.options.device.precision;
    scene->title = in.tissue.mesh_title;
    scene->unknowns = report.unknowns;
    scene->tuned = in.tissue.patches.tuned;
    scene->dt_ms = in.stepper.dt_ms();
    scene->notices = in.tissue.notices;
    scene->tissue_edits.assign(in.edits.begin(), in.edits.end());
    ExportSource s;
    s.by = in.by != nullptr ? *in.by : Provenance();
    s.scene = scene;
    s.on_vertices = in.tissue.on_vertices();
    s.time_ms = in.stepper.time_ms();
    if (report.maps_known)
        s.maps = maps_or_none(in.stepper, in.tissue.problem.size());
    s.cells = cell_map(in.session, in.tissue);
    const auto times = traces.times_ms(in.stepper.dt_ms());
    for (std::size_t p = 0; p < traces.V_mV.size(); ++p)
        s.traces.push_back({p, in.session.probes[p].name, {}, times, traces.V_mV[p]});
    s.pulses = in.pulses;
    s.ecg.leads = ecg.names;
    s.ecg.time_ms = ecg.time_ms;
    for (std::size_t l = 0; l < ecg.names.size(); ++l)
        s.ecg.mV.push_back(column(ecg, l));
    if (in.calcium != nullptr)
        s.calcium = *in.calcium;
    if (in.network != nullptr) {
        s.network = in.tissue.network;
        s.network_times = std::make_shared<const cable::NetworkTimes>(in.network->times());
    }
    s.kernels = kernels_of(report, in.stepper.device());
    s.wall_s = in.phases.stepping_s;
    s.steps = report.steps;
    s.newton = in.stepper.newton_counts();
    auto page = report_page(s);
    page.remarks.push_back(
        {Notice::Level::info, "Pictures of the heart: the workstation's File > Export > Report."});
    if (in.ended != "end")
        page.remarks.insert(page.remarks.begin(),
                            {Notice::Level::warning, "The run did not reach its end: " + in.ended});
    return to_html(page);
}

} // namespace tawara::simulation
