// SPDX-License-Identifier: GPL-3.0-or-later
// The page of a run: what came out, and how fast it went.
#include "engine/simulation/results/report_page.hpp"

#include "engine/analysis/lead_sheet.hpp"
#include "engine/core/provenance.hpp"
#include "engine/simulation/observe/calcium_rows.hpp"
#include "engine/simulation/observe/ecg_beats.hpp"
#include "engine/simulation/results/charts.hpp"
#include "engine/simulation/results/figures.hpp"
#include "engine/simulation/results/report.hpp"
#include "engine/simulation/results/report_tables.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/session/output_keys.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iterator>
#include <limits>
#include <map>
#include <span>

namespace tawara::simulation {
namespace {

using page::count_text, page::with;

constexpr int chart_height = 160, ecg_row_height = 54, calcium_height = 300;
constexpr std::size_t most_probes = 6;  // in their table
constexpr std::size_t most_tissues = 4; // of a probe there

std::string spread(const std::array<double, 3>& p, int digits)
{
    return "5 to 95 %: " + number_text(p[0], digits) + " to " + number_text(p[2], digits);
}

/// 5th, 50th and 95th percentile of the finite values; NaN without any.
std::array<double, 3> percentiles(std::vector<double> x)
{
    std::erase_if(x, [](double v) { return !std::isfinite(v); });
    const double none = std::numeric_limits<double>::quiet_NaN();
    std::array<double, 3> out{none, none, none};
    if (x.empty())
        return out;
    std::sort(x.begin(), x.end());
    const double at[] = {0.05, 0.5, 0.95};
    for (std::size_t k = 0; k < 3; ++k)
        out[k] = x[static_cast<std::size_t>(at[k] * static_cast<double>(x.size() - 1))];
    return out;
}

/// What the page says of activation: of the beat that the maps show, else of the first.
struct Activation
{
    std::string of; ///< which beat
    std::vector<double> activation_ms, apd90_ms;
    bool on_vertices = true;
};

Activation activation_of(const ExportSource& s)
{
    if (!s.beat_label.empty())
        return {s.beat_label,
                {s.beat.activation.begin(), s.beat.activation.end()},
                {s.beat.apd90.begin(), s.beat.apd90.end()},
                true};
    Activation a{"first activation of each place", s.maps.activation_ms, {}, s.on_vertices};
    for (std::size_t u = 0; u < a.activation_ms.size(); ++u)
        a.apd90_ms.push_back(s.maps.apd90(u));
    return a;
}

/// Of a re-entry, whose places are activated turn after turn: how long a turn takes. Places show
/// their newest activation, so those are of no one front, and the time over them means nothing.
ReportPage::Figure turning_figure(const ExportSource& s, double last_ms)
{
    const auto cycle = percentiles({s.beat.period.begin(), s.beat.period.end()});
    if (!std::isfinite(cycle[1]))
        return {with(last_ms, 4, "ms"), "newest activation of the re-entry", ""};
    return {with(cycle[1], 3, "ms"), "cycle length of the re-entry, median",
            spread(cycle, 3) + "; newest turn, until " + number_text(last_ms, 4) + " ms"};
}

std::vector<ReportPage::Figure> key_figures(const ExportSource& s, const Activation& a)
{
    std::vector<ReportPage::Figure> out;
    double first = std::numeric_limits<double>::infinity(), last = -first;
    std::int64_t activated = 0;
    for (double t : a.activation_ms)
        if (std::isfinite(t)) {
            ++activated;
            first = std::min(first, t);
            last = std::max(last, t);
        }
    if (a.activation_ms.empty())
        return {{with(s.time_ms, 6, "ms"), "simulated", "what was activated is not known"}};
    if (activated == 0)
        return {{with(s.time_ms, 6, "ms"), "simulated", "nothing was activated"}};
    if (s.beat_label.empty() || !s.beat_span.turns)
        out.push_back({with(last - first, 3, "ms"), "total activation time",
                       "from " + number_text(first, 3) + " to " + number_text(last, 4) + " ms"});
    else
        out.push_back(turning_figure(s, last + s.beat_span.zero_ms()));
    out.push_back({number_text(100.0 * static_cast<double>(activated) /
                                   static_cast<double>(a.activation_ms.size()),
                               3) +
                       " %",
                   "activated",
                   count_text(activated) + " of " +
                       count_text(static_cast<std::int64_t>(a.activation_ms.size()))});
    const auto velocity =
        conduction_velocity(*s.scene->mesh, a.on_vertices,
                            without_stimulated(a.activation_ms, s.pulses, !s.beat_label.empty()));
    if (std::isfinite(velocity[1]))
        out.push_back({with(velocity[1], 3, "m/s"), "conduction velocity, median",
                       spread(velocity, 3) + "; paced places aside"});
    const auto apd = percentiles(a.apd90_ms);
    out.push_back({with(apd[1], 3, "ms"), "APD90, median",
                   std::isfinite(apd[1]) ? spread(apd, 3) : "no place has repolarised yet"});
    out.push_back({with(s.time_ms, 6, "ms"), "simulated", a.of});
    return out;
}

constexpr double never_ms = std::numeric_limits<double>::infinity();

/// Of a probe's beats the newest that had repolarised before the tissue was changed, else the
/// newest that has at all, else the newest.
/// @pre  there is one
const Beat& told(std::span<const Beat> beats, double change_ms)
{
    for (const double until_ms : {change_ms, never_ms})
        for (std::size_t k = beats.size(); k-- > 0;)
            if (beats[k].over_by(until_ms))
                return beats[k];
    return beats.back();
}

/// "1" where the tissue never changed before a beat; one more with every change.
std::string tissue_number(std::size_t edits_before)
{
    return std::to_string(edits_before + 1);
}

/// A probe's row of beats that ran with one tissue.
/// @param change_ms  when that was changed
std::vector<std::string> beat_row(const std::string& probe, std::span<const Beat> beats,
                                  double change_ms = never_ms)
{
    if (beats.empty())
        return {probe, "0", "–", "–", "–", "–", "–", "–", "–", "–", "–"};
    const auto& b = told(beats, change_ms);
    const auto cell = [](double x, int digits) {
        return std::isfinite(x) ? number_text(x, digits) : std::string("–");
    };
    return {probe,
            std::to_string(beats.size()),
            cell(b.activation_ms, 6),
            cell(b.upstroke_mV_per_ms, 4),
            cell(b.rest_mV, 3),
            cell(b.peak_mV, 3),
            cell(b.apd30_ms, 4),
            cell(b.apd50_ms, 4),
            cell(b.apd90_ms, 4),
            cell(b.diastolic_ms, 4),
            cell(b.cycle_ms, 5)};
}

/// The rows of a probe: one, or one for each tissue that beats ran with, the newest of them.
void add_beat_rows(ReportPage::Table& t, const std::string& probe, const std::vector<Beat>& beats,
                   std::span<const TissueEdit> edits)
{
    if (edits.empty())
        return t.rows.push_back(beat_row(probe, beats));
    std::vector<std::vector<std::string>> rows;
    for (std::size_t from = 0; from < beats.size();) {
        const auto tissue = edits_until(edits, beats[from].activation_ms);
        std::size_t to = from + 1;
        while (to < beats.size() && edits_until(edits, beats[to].activation_ms) == tissue)
            ++to;
        const auto group = std::span(beats).subspan(from, to - from);
        const double change_ms = tissue < edits.size() ? edits[tissue].time_ms : never_ms;
        const bool changed_in_it = tissue < edits.size() && told(group, change_ms).holds(change_ms);
        rows.push_back(beat_row(probe, group, change_ms));
        rows.back().insert(rows.back().begin() + 1,
                           tissue_number(tissue) + (changed_in_it ? "*" : ""));
        from = to;
    }
    if (rows.empty()) {
        rows.push_back(beat_row(probe, {}));
        rows.back().insert(rows.back().begin() + 1, "–");
    }
    const auto newest = std::min(rows.size(), most_tissues);
    t.rows.insert(t.rows.end(), rows.end() - static_cast<std::ptrdiff_t>(newest), rows.end());
}

/// Which tissue was when, and what was changed.
std::string tissues_text(std::span<const TissueEdit> edits)
{
    std::string out =
        "The tissue was changed during the run (lines in the curves): tissue 1 until " +
        number_text(edits.front().time_ms, 6) + " ms";
    const auto first = edits.size() > most_tissues ? edits.size() - most_tissues : 0;
    if (first > 0)
        out += ", …";
    for (std::size_t k = first; k < edits.size(); ++k)
        out += "; " + tissue_number(k + 1) + " from " + number_text(edits[k].time_ms, 6) +
               " ms on" + (edits[k].what.empty() ? "" : " (" + edits[k].what + ")");
    return out + ". * marks a beat during which it was changed.";
}

/// The newest beat of each probe that has repolarised, else its newest; of each tissue that it
/// had.
ReportPage::Section potentials(const ExportSource& s)
{
    ReportPage::Section out{"Action potentials", {}, {}};
    if (s.traces.empty()) {
        out.table.note = "No probes: a click with the Probe tool (P), or the session's \"probes\", "
                         "places them.";
        return out;
    }
    const auto& edits = s.scene->tissue_edits;
    std::vector<double> changes_ms;
    for (const auto& e : edits)
        changes_ms.push_back(e.time_ms);
    out.svg = trace_chart(s.traces, changes_ms, ReportPage::width, chart_height);
    auto& t = out.table;
    t.head = {"probe",    "beats",    "beat at ms", "upstroke mV/ms", "rest mV", "peak mV",
              "APD30 ms", "APD50 ms", "APD90 ms",   "DI ms",          "cycle ms"};
    if (!edits.empty())
        t.head.insert(t.head.begin() + 1, "tissue");
    for (const Trace& p : std::span(s.traces).first(std::min(s.traces.size(), most_probes)))
        add_beat_rows(t, p.name,
                      beats_of(p.time_ms, p.V_mV, switch_times_of(s.switched_ms, p.probe)), edits);
    t.note = s.traces.size() > most_probes
                 ? count_text(static_cast<std::int64_t>(s.traces.size() - most_probes)) +
                       " more probes are in the export of beats (CSV)."
                 : "Each probe's newest beat that has repolarised; APD from the largest dV/dt, DI "
                   "from the APD90 before.";
    if (!edits.empty())
        t.note += " " + tissues_text(edits);
    return out;
}

/// QRS, QT and RR of the newest beat that has repolarised.
std::string reading_of(const EcgIntervals& found)
{
    const EcgBeat* beat = newest_measured(found);
    if (beat == nullptr)
        return "no intervals: " + (found.none.empty() ? std::string("no beat yet") : found.none);
    return "beat at " + number_text(std::round(beat->steepest_ms), 7) +
           " ms: " + intervals_text(*beat);
}

/// The intervals of that beat as a row, and why one is not known.
ReportPage::Table interval_table(const EcgIntervals& found)
{
    ReportPage::Table t;
    const EcgBeat* beat = newest_measured(found);
    if (beat == nullptr) {
        t.note = "QRS, QT and RR: not known: " +
                 (found.none.empty() ? std::string("no beat yet") : found.none) + ".";
        return t;
    }
    const auto cell = [](double x) {
        return std::isfinite(x) ? number_text(std::round(x), 7) : std::string("–");
    };
    t.head = {"beat at ms", "heart rate /min", "RR ms", "QRS ms", "QT ms", "QTcF ms"};
    t.rows = {{cell(beat->steepest_ms), cell(60000 / beat->rr_ms), cell(beat->rr_ms),
               cell(beat->qrs_ms()), cell(beat->qt_ms()), cell(beat->qtc_ms())}};
    std::vector<std::pair<std::string, std::string>> reasons; // and what they are of
    for (const auto& [name, why] : {std::pair{"RR", beat->no_rr}, std::pair{"QRS", beat->no_qrs},
                                    std::pair{"QT", beat->no_qt}})
        if (!reasons.empty() && reasons.back().first == why)
            reasons.back().second += std::string(", ") + name;
        else if (!why.empty())
            reasons.emplace_back(why, name);
    for (const auto& [why, of] : reasons)
        t.note += (t.note.empty() ? "" : " ") + of + " –: " + why + ".";
    return t;
}

ReportPage::Section electrocardiogram(const ExportSource& s)
{
    ReportPage::Section out{"Electrocardiogram", {}, {}};
    const LeadSheet sheet(std::min(s.ecg.leads.size(), s.ecg.mV.size()));
    auto found = ecg_beats(s.ecg.leads, s.ecg.time_ms, s.ecg.mV, times_of_pulses(s.pulses));
    no_beats_without_activation(found, s.maps.activation_ms,
                                s.scene->tissue_edits.empty() && s.maps_from_ms == 0 &&
                                    s.scene->session.output->maps_from_ms == 0);
    const EcgBeat* beat = newest_measured(found);
    out.svg =
        ecg_chart(s.ecg, ReportPage::width, 18 + static_cast<int>(sheet.rows) * ecg_row_height,
                  reading_of(found), beat != nullptr ? beat->steepest_ms : EcgBeat::unknown);
    if (!out.svg.empty()) {
        out.table = interval_table(found);
        return out;
    }
    out.table.note = s.scene->session.has_ecg()
                         ? "No samples yet: run on."
                         : "No electrodes: \"12 leads\" or \"Electrode\" of the ECG panel, or the "
                           "session's \"ecg\", gives leads.";
    return out;
}

/// Curves of the cells with dyads, and how far each went.
ReportPage::Section calcium(const ExportSource& s)
{
    ReportPage::Section out{
        "Calcium", calcium_chart(s.calcium, ReportPage::width, calcium_height), {}};
    constexpr std::size_t n = std::size(calcium_columns);
    auto& t = out.table;
    t.head = {"probe",          "c_myo least uM",   "c_myo peak uM",     "at ms",
              "c_jsr least mM", "I_CaL peak uA/uF", "active dyads, most"};
    const auto rows = s.calcium.time_ms.size(), width = s.calcium.names.size();
    const auto value = [&](std::size_t row, std::size_t probe, std::size_t column) {
        return s.calcium.V_mV[row * width + probe * n + column];
    };
    for (std::size_t p = 0; p < std::min(width / n, most_probes) && rows > 0; ++p) {
        constexpr std::size_t c_myo = 1, c_jsr = 4, active = 6, i_CaL = 7;
        const auto extreme = [&](std::size_t column, bool least) {
            std::size_t at = 0;
            for (std::size_t r = 1; r < rows; ++r)
                if (least ? value(r, p, column) < value(at, p, column)
                          : value(r, p, column) > value(at, p, column))
                    at = r;
            return at;
        };
        const auto text = [&](std::size_t column, bool least) {
            return number_text(value(extreme(column, least), p, column), 3);
        };
        const auto& name = s.calcium.names[p * n];
        t.rows.push_back({name.substr(0, name.rfind('.')), text(c_myo, true), text(c_myo, false),
                          number_text(s.calcium.time_ms[extreme(c_myo, false)], 6),
                          text(c_jsr, true), text(i_CaL, true), text(active, false)});
    }
    t.note = "Means over the dyads of the cell nearest to each probe; I_CaL as its gates and "
             "calcium lead to expect.";
    return out;
}

/// What steps by Newton's method came to, where there were any.
void add_newton(ReportPage::Table& t, const device::NewtonCounts& c)
{
    if (c.steps <= 0)
        return;
    const auto steps = static_cast<double>(c.steps);
    const auto mean = [&](std::int64_t n) {
        return number_text(static_cast<double>(n) / steps, 3);
    };
    t.rows.push_back({"Steps that were solved", page::count_text(c.steps) + " by Newton's method"});
    t.rows.push_back({"Newton's iterations",
                      mean(c.newton) + " a step, " + std::to_string(c.most_newton) + " at most"});
    t.rows.push_back({"Conjugate gradients", mean(c.linear) + " iterations a step"});
    t.rows.push_back({"Long steps refused", page::count_text(c.rejected)});
    t.rows.push_back({"Time steps halved", page::count_text(c.halved) + " times"});
}

ReportPage::Table speed(const ExportSource& s)
{
    ReportPage::Table t{"Performance", {}, {}, {}};
    t.rows.push_back({"Device", s.scene->device});
    if (s.wall_s > 0 && s.steps > 0) {
        const double steps = static_cast<double>(s.steps);
        const double ratio = s.wall_s * 1e3 / (steps * s.scene->dt_ms);
        t.rows.push_back({"Steps, wall time", count_text(s.steps) + ", " + with(s.wall_s, 4, "s")});
        t.rows.push_back({ratio >= 1 ? "Slower than real time" : "Faster than real time",
                          number_text(ratio >= 1 ? ratio : 1 / ratio, 3) + " times"});
        t.rows.push_back(
            {"Cell-steps per second",
             number_text(steps * static_cast<double>(s.scene->unknowns) / s.wall_s / 1e6, 4) +
                 " million"});
    }
    if (s.newton)
        add_newton(t, *s.newton);
    return t;
}

ReportPage::Table kernels(const ExportSource& s)
{
    ReportPage::Table t{"Kernels",
                        {"kernel", "device", "calls", "ms a call", "GB/s", "G operations/s",
                         "of its ceiling", "bound by"},
                        {},
                        {}};
    bool measured = true;
    std::map<std::string, std::string> remarks; // and the kernels that they are of
    for (const auto& k : s.kernels) {
        if (k.calls <= 0 || !(k.ms > 0))
            continue;
        const bool known = !k.bound_by.empty();
        measured = measured && known;
        t.rows.push_back({k.name, k.device.substr(0, k.device.find(',')), count_text(k.calls),
                          number_text(k.ms / static_cast<double>(k.calls), 3),
                          number_text(k.bytes / k.ms / 1e6, 4),
                          number_text(k.flops / k.ms / 1e6, 4),
                          known ? number_text(100 * k.fraction, 3) + " %" : "not measured",
                          known ? k.bound_by : "not measured"});
        if (const auto remark = remark_on(k); !remark.empty())
            remarks[remark] += (remarks[remark].empty() ? "" : ", ") + k.name;
    }
    for (const auto& [remark, of] : remarks)
        t.note += (t.note.empty() ? "" : " ") + of + ": " + remark + ".";
    if (!measured)
        t.note = "Ceilings not measured: Performance > Measure ceilings does, before the report.";
    return t;
}

/// About how many lines tables take in a column of the page.
std::size_t lines_of(const std::vector<ReportPage::Table>& tables)
{
    constexpr std::size_t letters = 66; // of all cells beside each other
    std::size_t n = 0;
    for (const auto& t : tables) {
        n += (t.head.empty() ? 2 : 3) + (t.note.empty() ? 0 : page::lines(t.note, letters));
        for (const auto& row : t.rows) {
            std::size_t most = 1;
            for (const auto& text : row)
                most = std::max(most, page::lines(text, letters / row.size()));
            n += most;
        }
    }
    return n;
}

std::string now_text()
{
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &local);
    return text;
}

} // namespace

ReportPage report_page(const ExportSource& s)
{
    ReportPage p;
    const auto activation = activation_of(s);
    p.title = s.scene->session.name.empty() ? s.scene->title : s.scene->session.name;
    p.subtitle = "Report of a simulation · " +
                 (s.scene->title == p.title ? std::string() : s.scene->title + " · ") + now_text();
    p.key = key_figures(s, activation);
    p.sections = {potentials(s), electrocardiogram(s)};
    if (!s.calcium.names.empty())
        p.sections.push_back(calcium(s));
    p.results = {page::tissue(s), page::pacing(s)};
    p.settings = {page::mesh_table(s), page::numerics(s)};
    // below the shorter column
    (lines_of(p.results) < lines_of(p.settings) ? p.results : p.settings).push_back(speed(s));
    const bool carried = activation.on_vertices && !s.on_vertices; // to the vertices
    if (s.network && s.network_times)
        p.wide.push_back(page::network(s));
    p.wide.push_back(page::regions(s, activation.apd90_ms,
                                   carried ? cells_of_vertices(s.cells, *s.scene->mesh, false)
                                           : s.cells.of_unknown));
    if (auto t = kernels(s); !t.rows.empty())
        p.wide.push_back(std::move(t));
    std::string
        notes; // they say how far figures can be trusted; in one paragraph, for the page's sake
    for (const auto& n : s.scene->notices)
        if (n.level == Notice::Level::warning)
            p.remarks.push_back(n);
        else
            notes += (notes.empty() ? "" : " · ") + n.text;
    if (!notes.empty())
        p.remarks.push_back({Notice::Level::info, notes});
    p.provenance = provenance_of(s).text;
    p.foot = program_text() + " · for research; not a medical device";
    return p;
}

} // namespace tawara::simulation
