// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/report.hpp"

#include "engine/core/machine.hpp"
#include "engine/core/provenance.hpp"
#include "engine/simulation/observe/ecg_beats.hpp"
#include "engine/simulation/observe/torso.hpp"
#include "engine/simulation/pacing/refractory.hpp"
#include "engine/simulation/results/network_outputs.hpp"
#include "engine/simulation/results/report_page.hpp"
#include "engine/simulation/results/report_steps.hpp"
#include "engine/simulation/results/reproduction_record.hpp"
#include "engine/simulation/session/output_keys.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>

namespace tawara::simulation {
namespace {

using Json = nlohmann::ordered_json;

Json kernel_json(const device::KernelRecord& k, const KernelFigure& f)
{
    const double seconds = k.ms / 1e3;
    Json j = Json::object();
    j["name"] = k.name;
    j["calls"] = k.calls;
    j["ms"] = k.ms;
    j["bytes"] = k.bytes;
    j["flops"] = k.flops;
    if (k.counted_bytes > 0)
        j["counted_bytes"] = k.counted_bytes;
    if (k.tetrahedra > 0)
        j["tetrahedra"] = k.tetrahedra;
    j["GB_per_s"] = seconds > 0 ? k.bytes / 1e9 / seconds : 0;
    j["GFLOP_per_s"] = seconds > 0 ? k.flops / 1e9 / seconds : 0;
    j["ceiling_GB_per_s"] = f.ceiling_GB_per_s;
    j["ceiling_GFLOP_per_s"] = f.ceiling_GFLOP_per_s;
    j["fraction"] = f.fraction;
    j["bound_by"] = f.bound_by;
    if (const auto remark = remark_on(f); !remark.empty())
        j["remark"] = remark;
    return j;
}

Json pulse_json(const Pulse& p)
{
    Json j = Json::object();
    j["site"] = p.site;
    if (!p.kind.empty())
        j["kind"] = p.kind;
    j["time_ms"] = p.time_ms;
    j["coupling_ms"] = p.coupling_ms > 0 ? Json(p.coupling_ms) : Json(nullptr);
    j["amplitude_pA_per_pF"] = p.amplitude_pA_per_pF;
    j["duration_ms"] = p.duration_ms;
    j["captured"] = p.captured ? Json(*p.captured) : Json(nullptr);
    j["around_mV"] = std::isfinite(p.around_mV) ? Json(p.around_mV) : Json(nullptr);
    j["overtaken"] = p.captured ? Json(p.overtaken) : Json(nullptr);
    return j;
}

Json refractory_json(const SiteRefractory& s)
{
    const auto ms = [](double x) { return x > 0 ? Json(x) : Json(nullptr); };
    Json j = Json::object();
    j["site"] = s.site;
    j["kind"] = s.found.kind;
    j["protocol"] = s.protocol;
    j["shortest_captured_ms"] = ms(s.found.captured_ms);
    j["longest_failed_ms"] = ms(s.found.failed_ms);
    j["effective_refractory_period_ms"] = ms(s.found.effective_ms().value_or(0));
    return j;
}

Json velocity_json(const std::array<double, 3>& v)
{
    if (!std::isfinite(v[1]))
        return nullptr;
    return {{"p5", v[0]}, {"median", v[1]}, {"p95", v[2]}};
}

Json known(double x)
{
    return std::isfinite(x) ? Json(x) : Json(nullptr);
}

/// The electrodes that leads are of, and which of them the program has placed.
Json electrodes_json(const ReportInput& in)
{
    Json out = Json::array();
    for (const auto& e : in.electrodes) {
        const bool given = std::any_of(in.session.electrodes.begin(), in.session.electrodes.end(),
                                       [&](const Electrode& own) { return own.name == e.name; });
        out.push_back({{"name", e.name},
                       {"position_mm", {e.position_mm[0], e.position_mm[1], e.position_mm[2]}},
                       {"placed_by", given ? "session" : "program"}});
    }
    return out;
}

/// Of how many unknowns the action potential's duration is known, and how far it spreads.
Json spread_json(const Spread& s)
{
    Json j{{"count", s.count}};
    constexpr const char* names[] = {"least", "p5", "median", "p95", "greatest"};
    for (std::size_t k = 0; k < s.at.size(); ++k)
        j[names[k]] = known(s.at[k]);
    return j;
}

/// What the unknowns are made of, and APD90 there.
Json regions_json(const CellMap& cells, std::span<const double> activation_ms,
                  std::span<const double> apd90_ms)
{
    Json out = Json::array();
    for (std::size_t k = 0; k < cells.regions.size(); ++k) {
        const auto& r = cells.regions[k];
        const auto here = [&](std::int32_t of) { return of == static_cast<std::int32_t>(k); };
        const auto unknowns = std::count_if(cells.of_unknown.begin(), cells.of_unknown.end(), here);
        if (unknowns == 0)
            continue;
        out.push_back({{"region", r.region},
                       {"name", r.name},
                       {"kind", r.kind},
                       {"model", r.model},
                       {"variant", r.variant},
                       {"unknowns", unknowns},
                       {"activated", spread_where(activation_ms, cells.of_unknown, here).count},
                       {"apd90_ms", spread_json(spread_where(apd90_ms, cells.of_unknown, here))}});
    }
    return out;
}

/// QRS, QT and RR of each beat; null with a reason beside it where one is not known.
/// @param activation_ms  empty where it is not known
Json ecg_json(const ReportInput& in, const ProbeTable& ecg, std::span<const double> activation_ms)
{
    std::vector<std::vector<float>> mV;
    for (std::size_t l = 0; l < ecg.names.size(); ++l)
        mV.push_back(column(ecg, l));
    auto found = ecg_beats(ecg.names, ecg.time_ms, mV, times_of_pulses(in.pulses));
    no_beats_without_activation(found, activation_ms,
                                in.edits.empty() && in.session.output->maps_from_ms == 0);
    Json j = Json::object();
    j["conductor"] = in_torso(in.session.electrodes, in.session.leads) ? "torso" : "unbounded";
    j["electrodes"] = electrodes_json(in);
    j["method"] = ecg_method_text(found);
    j["resolution_ms"] = found.step_ms;
    if (found.beats.empty())
        j["no_beats"] = found.none.empty() ? "no QRS complex in the leads" : found.none;
    j["beats"] = Json::array();
    for (const auto& b : found.beats) {
        Json x = Json::object();
        x["qrs_onset_ms"] = known(b.onset_ms);
        x["qrs_end_ms"] = known(b.end_ms);
        x["t_end_ms"] = known(b.t_end_ms);
        Json not_known = Json::object();
        for (const auto& [name, ms, why] :
             {std::tuple{"qrs_ms", b.qrs_ms(), b.no_qrs}, std::tuple{"qt_ms", b.qt_ms(), b.no_qt},
              std::tuple{"rr_ms", b.rr_ms, b.no_rr}}) {
            x[name] = known(ms);
            if (!why.empty())
                not_known[name] = why;
        }
        if (!not_known.empty())
            x["not_known"] = std::move(not_known);
        x["qtc_fridericia_ms"] = known(b.qtc_ms());
        j["beats"].push_back(x);
    }
    return j;
}

/// What ran: the program, the session, the mesh.
void add_what_ran(Json& j, const ReportInput& in)
{
    j["program"] = "tawara";
    j["version"] = program_version();
    j["built_from"] = program_commit().empty() ? Json(nullptr) : Json(program_commit());
    j["written"] = utc_now();
    j["processor"] = processor_name();
    j["session"] = in.session.name;
    j["session_file"] = in.options.session_file;
    j["ended"] = in.ended;
    j["devices"] = Json::array({in.stepper.device()});
    j["precision"] = name(in.options.device.precision);
    j["mesh"] = {{"title", in.tissue.mesh_title},
                 {"vertices", in.tissue.mesh->vertex_count()},
                 {"tetrahedra", in.tissue.mesh->tetrahedron_count()}};
}

/// How it was computed, from where to where.
void add_steps(Json& j, const ReportInput& in, const RunReport& r)
{
    const auto& p = in.tissue.problem;
    j["diffusion"] = report::diffusion_json(p);
    if (const auto& tuned = in.tissue.patches.tuned; !tuned.empty())
        j["velocity_tuning"] = report::tuning_json(tuned);
    if (p.rest_tolerance_mV > 0)
        j["rest"] = report::rest_json(p, in.stepper);
    if (const auto counts = in.stepper.newton_counts())
        j["newton"] = report::newton_json(p, *counts);
    if (auto dyads = report::dyads_json(p, in.options.device.precision, in.stepper); !dyads.empty())
        j["dyads"] = std::move(dyads);
    j["unknowns"] = r.unknowns;
    j["unknowns_with_cells"] = p.with_cells();
    j["dt_ms"] = p.dt_ms;
    j["first_step"] = in.first_step;
    j["steps"] = r.steps;
    j["time_ms"] = in.stepper.time_ms();
    j["maps_from_ms"] = in.session.output->maps_from_ms;
    if (!in.options.resume.empty())
        j["resumed_from"] = in.options.resume.string();
    if (!in.edits.empty())
        j["branched_at_ms"] = in.branched_ms();
    if (const auto& paced = in.session.prepacing; paced.beats > 0)
        j["prepacing"] = {
            {"beats", paced.beats},
            {"cycle_length_ms", paced.cycle_length_ms},
            {"until_steady", paced.until_steady},
            {"reached", in.tissue.prepaced ? Json(in.tissue.prepaced->text) : Json(nullptr)}};
}

/// What the tissue did: activation, APD90, velocity.
void add_maps(Json& j, const ReportInput& in, const device::Maps& maps, RunReport& r)
{
    for (const double a : maps.activation_ms)
        if (std::isfinite(a)) {
            ++r.activated;
            r.last_activation_ms = std::max(r.last_activation_ms, a);
        }
    j["activated"] = r.maps_known ? Json(r.activated) : Json(nullptr);
    j["last_activation_ms"] = r.activated ? Json(r.last_activation_ms) : Json(nullptr);
    std::vector<double> apd90_ms(maps.activation_ms.size());
    for (std::size_t u = 0; u < apd90_ms.size(); ++u)
        apd90_ms[u] = maps.apd90(u);
    j["regions"] = regions_json(cell_map(in.session, in.tissue), maps.activation_ms, apd90_ms);
    j["apd90_ms"] = spread_json(spread_of(std::move(apd90_ms)));
    r.velocity_m_per_s =
        conduction_velocity(*in.tissue.mesh, in.tissue.on_vertices(),
                            without_stimulated(maps.activation_ms, in.pulses, false));
    j["conduction_velocity_m_per_s"] = velocity_json(r.velocity_m_per_s);
}

void add_pulses(Json& j, const ReportInput& in)
{
    j["pulses"] = Json::array();
    for (const auto& pulse : in.pulses)
        j["pulses"].push_back(pulse_json(pulse));
    j["refractory"] = Json::array();
    for (const auto& site : refractory(in.pulses, in.branched_ms()))
        j["refractory"].push_back(refractory_json(site));
}

/// Wall times.
void add_seconds(Json& j, const ReportInput& in, const RunReport& r)
{
    j["seconds"] = {{"total", in.phases.total_s},
                    {"setup", in.phases.setup_s},
                    {"stepping", in.phases.stepping_s},
                    {"output", in.phases.output_s}};
    j["cell_steps_per_s"] = r.cell_steps_per_s;
    if (r.solved_steps >= 0)
        j["cell_steps_solved_per_s"] = r.cell_steps_solved_per_s;
}

/// The device's ceilings, measured now; why not where that fails or is not wanted. A run that was
/// stopped or failed is to end soon (mpirun gives it a second): it measures none.
std::optional<device::Ceilings> add_ceilings(Json& j, const ReportInput& in)
{
    if (const auto& why = in.options.no_ceilings; !why.empty()) {
        j["ceilings_not_measured"] = why;
        return {};
    }
    if (in.ended != "end") {
        j["ceilings_not_measured"] = "the run did not come to its end";
        return {};
    }
    try {
        const auto c = device::measure_ceilings(in.stepper.ceiling_device(), in.stepper.threads());
        j["ceilings"] = {{"triad_GB_per_s", c.triad_GB_per_s},
                         {"copy_GB_per_s", c.copy_GB_per_s},
                         {"fp64_GFLOP_per_s", c.fp64_GFLOP_per_s},
                         {"fp32_GFLOP_per_s", c.fp32_GFLOP_per_s}};
        return c;
    } catch (const std::exception& e) {
        j["ceilings_not_measured"] = e.what();
        return {};
    }
}

void add_kernels(Json& j, const ReportInput& in, const std::optional<device::Ceilings>& ceilings)
{
    const bool single = in.options.device.precision == Precision::single;
    j["kernels"] = Json::array();
    for (const auto& k : in.kernels)
        j["kernels"].push_back(kernel_json(k, figure(k, in.stepper.device(), ceilings, single)));
    if (!in.not_counted.empty())
        j["not_counted"] = in.not_counted;
}

/// What a user should know of the tissue, and of a run to its end what the pulses did.
void add_notices(Json& j, const ReportInput& in, const device::Maps& maps, RunReport& r)
{
    if (in.ended == "end") {
        r.notices = what_pulses_did(in.session, in.pulses, r.activated > 0 || !r.maps_known,
                                    in.stepper.time_ms(), in.seen, in.branched_ms());
        for (auto& n : where_waves_ended(static_cast<std::int64_t>(in.tissue.problem.with_cells()),
                                         r.activated, r.last_activation_ms, in.stepper.time_ms()))
            r.notices.push_back(std::move(n));
        for (auto& n : where_waves_are_too_fast(in.tissue, maps.activation_ms))
            r.notices.push_back(std::move(n));
        std::vector<double> v(maps.activation_ms.size());
        if (r.activated > 0)
            in.stepper.potential(v);
        for (auto& n :
             where_rest_is_above(cell_map(in.session, in.tissue), maps, v, in.stepper.time_ms()))
            r.notices.push_back(std::move(n));
    }
    j["notices"] = Json::array();
    for (const auto* list : std::initializer_list<const Notices*>{&in.tissue.notices, &r.notices})
        for (const auto& n : *list)
            j["notices"].push_back(n.text);
}

/// A path may hold bytes that are no UTF-8.
std::string text_of(const Json& j)
{
    return j.dump(2, ' ', false, Json::error_handler_t::replace);
}

} // namespace

device::Maps maps_or_none(const device::Stepper& stepper, std::size_t unknowns, std::string* why)
{
    std::string lost = device::no_maps_text;
    try {
        if (auto maps = stepper.maps(); maps.activation_ms.size() == unknowns)
            return maps;
    } catch (const std::exception& e) {
        lost = e.what();
    }
    if (why != nullptr)
        *why = lost;
    const std::vector<double> never(unknowns, std::numeric_limits<double>::quiet_NaN());
    return {never, never};
}

CountedKernels run_kernels(device::Stepper& stepper, bool counters, const std::string& ended)
try {
    if (!counters)
        return {stepper.kernels(), "", ""};
    if (ended == "end")
        return count_kernels(stepper);
    return {stepper.kernels(),
            "the run ended before its time; counters are read after the last step", ""};
} catch (const std::exception& e) { // of a device that failed nothing is known any more
    return {{}, counters ? e.what() : std::string(), ""};
}

Notices what_was_not_counted(const CountedKernels& c)
{
    Notices out;
    if (!c.not_counted.empty())
        out.push_back({Notice::Level::warning, "no hardware counters: " + c.not_counted});
    if (!c.not_restored.empty())
        out.push_back({Notice::Level::warning,
                       c.not_restored + " The tables were written before that. The final values in "
                                        "the report belong to the later state."});
    return out;
}

std::vector<float> column(const ProbeTable& t, std::size_t c)
{
    std::vector<float> out;
    out.reserve(t.time_ms.size());
    for (std::size_t k = 0; k < t.time_ms.size(); ++k)
        out.push_back(static_cast<float>(t.V_mV[k * t.names.size() + c]));
    return out;
}

RunReport make_report(const ReportInput& in, const ProbeTable& ecg)
{
    const auto& p = in.tissue.problem;
    std::string no_maps;
    const auto maps = maps_or_none(in.stepper, p.size(), &no_maps);
    RunReport r;
    r.maps_known = no_maps.empty();
    r.unknowns = static_cast<std::int64_t>(p.size());
    r.steps = in.stepper.step() - in.first_step;
    r.seconds = in.phases.stepping_s;
    const auto newton = in.stepper.newton_counts();
    if (newton)
        r.solved_steps = newton->steps;
    if (r.seconds > 0) {
        const double rate = static_cast<double>(p.with_cells()) / r.seconds;
        r.cell_steps_per_s = static_cast<double>(r.steps) * rate;
        r.cell_steps_solved_per_s = newton ? static_cast<double>(newton->steps) * rate : 0;
    }
    Json j = Json::object();
    add_what_ran(j, in);
    add_steps(j, in, r);
    add_maps(j, in, maps, r);
    add_pulses(j, in);
    if (!ecg.names.empty())
        j["ecg"] = ecg_json(in, ecg,
                            no_maps.empty() ? std::span<const double>(maps.activation_ms)
                                            : std::span<const double>());
    if (in.network != nullptr)
        j["purkinje"] = network_json(*in.tissue.network, in.network->times(), in.stepper.time_ms());
    add_seconds(j, in, r);
    const auto ceilings = add_ceilings(j, in);
    if (!no_maps.empty()) {
        j["maps_not_known"] = no_maps;
        for (auto& region : j["regions"])
            region["activated"] = nullptr;
    }
    add_kernels(j, in, ceilings);
    add_notices(j, in, maps, r);
    j["files"] = in.files;
    if (!in.options.out.empty()) // a run that leaves files, which can be compared
        j["reproduction"] = report::reproduction_json(in, maps);
    r.json = text_of(j);
    return r;
}

std::string least_report(const RunOptions& options, const std::string& ended,
                         const std::string& why, const std::vector<std::string>& files)
{
    Json j = Json::object();
    j["program"] = "tawara";
    j["version"] = program_version();
    j["built_from"] = program_commit().empty() ? Json(nullptr) : Json(program_commit());
    j["session_file"] = options.session_file;
    j["ended"] = ended;
    j["report_not_made"] = why;
    j["files"] = files;
    return text_of(j);
}

} // namespace tawara::simulation
