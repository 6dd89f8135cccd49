// SPDX-License-Identifier: GPL-3.0-or-later
// What tawara-cli cable run writes and says.
#include "engine/cli/cable_run.hpp"
#include "engine/core/error.hpp"
#include "engine/core/provenance.hpp"
#include "engine/core/whole_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>

namespace tawara::cli {
namespace {

using namespace cable;

/// Path from the root to where two nodes' ways part, twice, less their own: the way between them.
double way_um(const Compartments& c, std::int32_t a, std::int32_t b)
{
    const auto from_root = [&](std::int32_t i) {
        return c.from_root_um[static_cast<std::size_t>(i)];
    };
    const double both = from_root(a) + from_root(b);
    while (a != b)
        (a > b ? a : b) = c.tree.parent[static_cast<std::size_t>(a > b ? a : b)];
    return both - 2 * from_root(a);
}

/// Spikes of a cable's copies by probe: how many, when the first came, and how fast from probe to
/// probe.
Json spikes_of(const NamedCable& c, std::size_t index, const std::vector<std::int32_t>& probes,
               const CablesRunResult& r)
{
    Json list = Json::array();
    std::vector<double> first(probes.size(), -1);
    for (std::size_t p = 0; p < probes.size(); ++p) {
        std::size_t count = 0, fired = 0;
        std::optional<std::size_t> last;
        for (const auto& s : r.spikes) {
            if (s.cable != index || s.probe != p)
                continue;
            ++count;
            fired += s.copy != last;
            last = s.copy;
            if (s.copy == 0 && first[p] < 0)
                first[p] = s.time_ms;
        }
        Json j{{"probe", c.probe_names[p]},
               {"node", probes[p]},
               {"from_root_um", c.compartments.from_root_um[static_cast<std::size_t>(probes[p])]},
               {"spikes", count},
               {"copies_that_fired", fired},
               {"first_of_copy_0_ms", first[p] < 0 ? Json(nullptr) : Json(first[p])}};
        if (p > 0 && first[p] >= 0 && first[p - 1] >= 0 && first[p] != first[p - 1])
            j["velocity_from_last_probe_m_per_s"] =
                1e-3 * way_um(c.compartments, probes[p - 1], probes[p]) /
                std::abs(first[p] - first[p - 1]);
        list.push_back(std::move(j));
    }
    return list;
}

} // namespace

std::string shortest_text(double v)
{
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), v).ptr};
}

std::int32_t NamedCable::node(const std::string& option, const std::string& text) const
{
    if (text == "root")
        return 0;
    std::int64_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    const auto at = std::find(number.begin(), number.end(), n);
    if (error != std::errc() || end != text.data() + text.size() || at == number.end())
        throw InputError(option, "'" + text + "' is no point of " + name +
                                     "; root is due, or the number of a point in the file");
    return compartments.node_of_point[static_cast<std::size_t>(at - number.begin())];
}

void write_cable_tables(const CableRunArguments& a, const std::vector<NamedCable>& cables,
                        const CablesRunResult& r)
{
    const std::filesystem::path out(a.out);
    write_whole(out / "traces.csv", [&](std::ostream& to) {
        to << "time_ms";
        for (std::size_t c = 0; c < cables.size(); ++c)
            for (std::size_t k = 0; k < r.traces[c].size(); ++k)
                for (const auto& probe : cables[c].probe_names)
                    to << "," << cables[c].name << "." << k << "." << probe << "_mV";
        to << "\n";
        for (std::size_t at = 0; at < r.time_ms.size(); ++at) {
            to << shortest_text(r.time_ms[at]);
            for (const auto& cable : r.traces)
                for (const auto& copy : cable)
                    for (const auto& probe : copy)
                        to << "," << shortest_text(probe[at]);
            to << "\n";
        }
    });
    write_whole(out / "spikes.csv", [&](std::ostream& to) {
        to << "cable,copy,probe,time_ms\n";
        for (const auto& s : r.spikes)
            to << cables[s.cable].name << "," << s.copy << ","
               << cables[s.cable].probe_names[s.probe] << "," << shortest_text(s.time_ms) << "\n";
    });
}

/// What the run computed and how.
Json cable_report(const CableRunArguments& a, const std::vector<NamedCable>& cables,
                  const std::vector<std::vector<std::int32_t>>& probes, double dt_ms,
                  const std::string& scheme, const CablesRunResult& r)
{
    Json list = Json::array();
    double nodes = 0;
    for (std::size_t c = 0; c < cables.size(); ++c) {
        nodes +=
            static_cast<double>(cables[c].compartments.nodes()) * static_cast<double>(a.copies);
        list.push_back({{"name", cables[c].name},
                        {"file", a.files[c]},
                        {"nodes", cables[c].compartments.nodes()},
                        {"branches", branches(cables[c].compartments.tree)},
                        {"copies", a.copies},
                        {"probes", spikes_of(cables[c], c, probes[c], r)}});
    }
    const double reached = static_cast<double>(r.steps) * dt_ms;
    return {{"program", "tawara"},
            {"version", program_version()},
            {"built_from", program_commit().empty() ? Json(nullptr) : Json(program_commit())},
            {"model", a.model},
            {"variant", a.variant},
            {"set", a.set},
            {"membranes", a.membranes},
            {"scheme", scheme},
            {"order_in_time", a.second_order ? 2 : 1},
            {"precision", a.precision},
            {"dt_ms", dt_ms},
            {"space_step_um", a.how.space_step_um},
            {"axial_resistivity_ohm_cm", a.resistivity},
            {"capacitance_uF_per_cm2", a.capacitance},
            {"stimuli", a.stimuli},
            {"spike_mV", a.spike_mV},
            {"end_ms", a.until_ms},
            {"stopped_at_ms", r.stopped ? Json(reached) : Json(nullptr)},
            {"steps", r.steps},
            {"seconds", r.seconds},
            {"node_steps_per_s", nodes * static_cast<double>(r.steps) / std::max(r.seconds, 1e-9)},
            {"cables", std::move(list)}};
}

/// Spikes and speed, for people.
void say_cables(Context& c, const CableRunArguments& a, const Json& report)
{
    for (const auto& cable : report["cables"])
        for (const auto& p : cable["probes"]) {
            char line[200];
            std::snprintf(line, sizeof line, "%s, %s: %zu spikes of %zu of %ld copies",
                          cable["name"].get<std::string>().c_str(),
                          p["probe"].get<std::string>().c_str(), p["spikes"].get<std::size_t>(),
                          p["copies_that_fired"].get<std::size_t>(), a.copies);
            std::string text = line;
            if (!p["first_of_copy_0_ms"].is_null()) {
                std::snprintf(line, sizeof line, "; the first of copy 0 at %.4f ms",
                              p["first_of_copy_0_ms"].get<double>());
                text += line;
            }
            if (p.contains("velocity_from_last_probe_m_per_s")) {
                std::snprintf(line, sizeof line, ", %.4g m/s from the probe before",
                              p["velocity_from_last_probe_m_per_s"].get<double>());
                text += line;
            }
            c.say(text);
        }
    char line[160];
    std::snprintf(line, sizeof line, "%lld steps of %g ms in %.3g s: %.3g node steps a second",
                  report["steps"].get<long long>(), report["dt_ms"].get<double>(),
                  report["seconds"].get<double>(), report["node_steps_per_s"].get<double>());
    c.say(line);
}

} // namespace tawara::cli
