// SPDX-License-Identifier: GPL-3.0-or-later
// The report's section on the Purkinje network.
#include "engine/cable/network/part.hpp"
#include "engine/simulation/observe/ecg_beats.hpp"
#include "engine/simulation/results/network_outputs.hpp"
#include "engine/simulation/results/report_tables.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/session/output_keys.hpp"
#include "engine/simulation/tissue/purkinje.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace tawara::simulation::page {
namespace {

constexpr double never = std::numeric_limits<double>::quiet_NaN();

/// "left bundle"
std::string words(cable::Fascicle f)
{
    std::string out(cable::name(f));
    std::replace(out.begin(), out.end(), '_', ' ');
    return f == cable::Fascicle::other ? "not named" : out;
}

std::string ms_text(double ms)
{
    return std::isfinite(ms) ? number_text(std::round(10 * ms) / 10, 6) : "–";
}

/// First and last activation among some nodes.
struct Span
{
    double first = never, last = never;
    void add(double ms)
    {
        if (ms < 0)
            return;
        first = ms < first || std::isnan(first) ? ms : first;
        last = ms > last || std::isnan(last) ? ms : last;
    }
};

/// What junctions did first, of all of them or of some.
struct Passages
{
    std::array<int, passages> count{};
    std::vector<double> antegrade, retrograde;

    void add(double end_ms, double wall_ms, double reached_ms)
    {
        const auto p = passage_of(end_ms, wall_ms, reached_ms);
        ++count[static_cast<std::size_t>(p)];
        if (p == Passage::antegrade)
            antegrade.push_back(wall_ms - end_ms);
        if (p == Passage::retrograde)
            retrograde.push_back(end_ms - wall_ms);
    }
    int of(Passage p) const { return count[static_cast<std::size_t>(p)]; }
};

std::string delays(const std::vector<double>& ms)
{
    const auto [least, greatest] = std::minmax_element(ms.begin(), ms.end());
    return ms_text(median(ms)) + " ms (" + ms_text(*least) + " to " + ms_text(*greatest) + ")";
}

std::string qrs_text(const ExportSource& s)
{
    auto found = ecg_beats(s.ecg.leads, s.ecg.time_ms, s.ecg.mV, times_of_pulses(s.pulses));
    no_beats_without_activation(found, s.maps.activation_ms,
                                s.scene->tissue_edits.empty() && s.maps_from_ms == 0 &&
                                    s.scene->session.output->maps_from_ms == 0);
    const EcgBeat* beat = newest_measured(found);
    return beat != nullptr && std::isfinite(beat->qrs_ms())
               ? " QRS " + number_text(std::round(beat->qrs_ms()), 5) + " ms."
               : std::string();
}

} // namespace

ReportPage::Table network(const ExportSource& s)
{
    const auto& n = *s.network;
    const auto& t = *s.network_times;
    const auto& nodes = n.description.cables.compartments.node_of_point;
    ReportPage::Table out{"Conduction system",
                          {"fascicle", "length mm", "nodes", "junctions", "to the wall",
                           "backwards", "blocked", "first active ms", "last active ms", "conducts"},
                          {},
                          {}};
    double length_mm = 0;
    Passages all;
    Span whole;
    for (const auto& f : fascicles_of(n)) {
        Passages here;
        Span active;
        for (const auto k : f.junctions) {
            const auto j = static_cast<std::size_t>(k);
            const double end = t.node_ms[static_cast<std::size_t>(n.description.junctions[j].node)],
                         wall = t.junction_tissue_ms[j];
            here.add(end, wall, s.time_ms);
            all.add(end, wall, s.time_ms);
        }
        for (const auto p : f.points) {
            const double ms =
                t.node_ms[static_cast<std::size_t>(nodes[static_cast<std::size_t>(p)])];
            active.add(ms);
            whole.add(ms);
        }
        length_mm += f.length_mm;
        const bool some = f.cut_mm > 0, cut = f.cut_mm > 0.999 * f.length_mm;
        out.rows.push_back(
            {words(f.fascicle), number_text(std::round(f.length_mm), 6),
             count_text(static_cast<std::int64_t>(f.nodes)), std::to_string(f.junctions.size()),
             std::to_string(here.of(Passage::antegrade)),
             std::to_string(here.of(Passage::retrograde)),
             std::to_string(here.of(Passage::blocked)), ms_text(active.first), ms_text(active.last),
             cut    ? "cut"
             : some ? number_text(std::round(f.cut_mm), 5) + " mm cut"
                    : "yes"});
    }
    const auto& junctions = n.description.junctions;
    out.note = number_text(length_mm / 1e3, 3) + " m, " +
               count_text(static_cast<std::int64_t>(n.description.cables.compartments.nodes())) +
               " nodes, " + std::to_string(junctions.size()) + " junctions of " +
               number_text(junctions.front().resistance_kOhm, 4) + " kOhm";
    if (!n.unjoined.empty())
        out.note += "; " + std::to_string(n.unjoined.size()) + " ends without a junction";
    if (const int waiting = all.of(Passage::waiting); waiting > 0)
        out.note += "; " + std::to_string(waiting) + " were being passed at the end";
    out.note += ". Delay of the first passage to the wall ";
    out.note += all.antegrade.empty() ? "–" : delays(all.antegrade);
    out.note += ", backwards ";
    out.note += all.retrograde.empty() ? "–" : delays(all.retrograde);
    out.note += ". Active from " + ms_text(whole.first) + " to " + ms_text(whole.last) +
                " ms, by first activation." + qrs_text(s);
    return out;
}

} // namespace tawara::simulation::page
