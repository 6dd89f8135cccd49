// SPDX-License-Identifier: GPL-3.0-or-later
// Checkpoints to files and back: everything that is read is checked before anybody uses it.
#include "engine/core/error.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/device/snapshot_check.hpp"
#include "engine/simulation/results/checkpoint.hpp"
#include "engine/simulation/results/checkpoint_stream.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tawara::simulation {
namespace {

// What no real checkpoint reaches.
constexpr std::size_t most_names = 100'000, longest_name = 1 << 16, longest_text = 1 << 24,
                      most_parts = 1'000'000;
/// A table with a place of its own in the file; tables that came later stand at its end, by name.
constexpr const char* placed = "ecg.csv";
constexpr std::size_t layout_size = 5;    ///< of layout_print()
constexpr std::size_t verdict_size = 4;   ///< numbers of a verdict (KnownPulses)
constexpr std::size_t place_of_pulse = 6; ///< the number of the pulse in KnownPulses::watch

double dt_of(const std::string& fingerprint)
{
    double dt_ms = 0;
    std::size_t unknowns = 0;
    std::sscanf(fingerprint.c_str(), "%zu unknowns, dt %lf ms", &unknowns, &dt_ms);
    return dt_ms;
}

bool is_table(std::size_t columns, std::size_t times, std::size_t values)
{
    return columns == 0 ? values == 0 : values / columns == times && values % columns == 0;
}

std::string no_table(const std::string& what, std::size_t columns)
{
    return "its " + what + " are no table of " + std::to_string(columns) +
           " columns; use an older checkpoint";
}

/// Rows of a table: rising times until now, and a value for each name in each.
void check_table(const ProbeTable& t, double now_ms, const std::string& what)
{
    if (!is_table(t.names.size(), t.time_ms.size(), t.V_mV.size()))
        throw InputError("checkpoint", no_table(what, t.names.size()));
    double last = -1;
    for (const double ms : t.time_ms) {
        if (!(ms > last && ms <= now_ms))
            throw InputError("checkpoint", "its " + what +
                                               " are not in the order of time; use an "
                                               "older checkpoint");
        last = ms;
    }
}

constexpr const char* traces_differ = "its traces differ in length; use an older checkpoint";

void check_traces(const StepTraces& t, std::int64_t step)
{
    for (const auto& v : t.V_mV)
        if (v.size() != t.V_mV.front().size())
            throw InputError("checkpoint", traces_differ);
    if (t.first_step < 0 || t.first_step > step + 1 || t.steps() > step + 1 - t.first_step)
        throw InputError("checkpoint", "it has traces of steps after its own step; use an older "
                                       "checkpoint");
}

void check_pulses(const std::vector<KnownPulses>& pulses, double now_ms)
{
    constexpr double most_pulses = 1e9;
    for (const auto& p : pulses) {
        bool good = p.verdicts.size() % verdict_size == 0;
        for (std::size_t k = 0; good && k < p.verdicts.size(); k += verdict_size)
            good = p.verdicts[k] >= 0 && p.verdicts[k] <= now_ms;
        if (p.watch.size() > place_of_pulse)
            good = good && p.watch[place_of_pulse] >= 0 && p.watch[place_of_pulse] <= most_pulses &&
                   !std::isnan(p.watch[1]) && p.watch[1] <= now_ms;
        if (!good)
            throw InputError("checkpoint",
                             "its record of pulses is invalid; use an older checkpoint");
    }
}

/// All of it, but for what only the tissue tells.
void check(const Checkpoint& c, std::span<const std::uint8_t> group)
{
    const double dt_ms = dt_of(c.fingerprint);
    if (!(dt_ms > 0 && dt_ms < 1e9))
        throw InputError("checkpoint", "it names no time step; use an older checkpoint");
    const auto& s = c.state;
    const auto longest = device::TissueProblem::most_quiescent_ms * (1 + 1e-9) / dt_ms;
    device::SnapshotShape shape{s.v.size(), {}, static_cast<int>(std::min(longest, 1e9))};
    for (const auto& state : s.states) { // of which unknowns they are restore() knows
        if (!shape.states.empty() && state.size() > shape.states.back())
            throw InputError("checkpoint", "holds values of a state for more unknowns than of the "
                                           "state before it; use an older checkpoint");
        shape.states.push_back(state.size());
    }
    for (const auto& part : s.parts)
        shape.parts.push_back(part.size());
    shape.longest_implicit = std::numeric_limits<int>::max(); // of Newton's steps
    device::check_shape(s, shape);                            // restore() knows the rest
    device::check_values(s, dt_ms, group);
    const double now_ms = (static_cast<double>(s.step) + 0.5) * dt_ms;
    check_table(c.probes, now_ms, "probes");
    for (const auto& [name, kept] : c.tables)
        check_table(kept.rows, now_ms, "rows of " + name);
    check_traces(c.traces, s.step);
    check_pulses(c.pulses, now_ms);
    const auto passed = [&](double ms) { return ms >= 0 && ms <= now_ms; };
    if (!passed(c.maps_from_ms) || !std::all_of(c.branches.begin(), c.branches.end(),
                                                [&](const auto& b) { return passed(b.time_ms); }))
        throw InputError("checkpoint",
                         "its maps or branches begin after its own time; use an older "
                         "checkpoint");
    if (std::isinf(c.threshold_mV) || (!c.layout.empty() && c.layout.size() != layout_size))
        throw InputError("checkpoint",
                         "its threshold or layout is invalid; use an older checkpoint");
}

std::size_t rows_until(std::int64_t step)
{
    return static_cast<std::size_t>(step) + 1;
}

struct Bounds : CheckpointBounds
{
    bool provenance_alone = false; ///< then numbers of unknowns and pulses are passed over
};

/// @return how many numbers the list has
std::size_t read_list(CheckpointReader& in, const Bounds& bounds, std::size_t most,
                      std::vector<double>& to)
{
    if (bounds.provenance_alone)
        return in.pass(sizeof(double), most);
    to = in.numbers(most);
    return to.size();
}

/// @return the number of unknowns
std::size_t read_state(CheckpointReader& in, const Bounds& bounds, Checkpoint& c)
{
    c.state.step = in.step();
    if (c.state.step < 0)
        in.refuse("the checkpoint is at step " + std::to_string(c.state.step) +
                  ", before any run begins; use an older checkpoint");
    if (bounds.step)
        bounds.step(c.state.step);
    const auto n = read_list(in, bounds, bounds.unknowns, c.state.v);
    c.state.states.resize(in.count(bounds.states, sizeof(std::uint64_t)));
    for (auto& s : c.state.states)
        read_list(in, bounds, n, s);
    for (auto* v :
         {&c.state.activation_ms, &c.state.repolarisation_ms, &c.state.peak_mV, &c.state.rest_mV})
        read_list(in, bounds, n, *v);
    return n;
}

/// Of a table with more columns than `most` the names alone are kept.
void read_table(CheckpointReader& in, std::int64_t step, const std::string& what, std::size_t most,
                ProbeTable& t)
{
    t.names = in.texts(most_names, longest_name);
    const auto columns = t.names.size();
    if (columns <= most) {
        t.time_ms = in.numbers(rows_until(step));
        t.V_mV = in.numbers(t.time_ms.size() * columns);
        return;
    }
    const auto times = in.pass(sizeof(double), rows_until(step)), values = in.pass(sizeof(double));
    if (!is_table(columns, times, values))
        in.refuse(no_table(what, columns));
}

/// As read_table() of the probes; in version 1 names stand behind the values that they are of.
void read_probes_of_version_1(CheckpointReader& in, std::int64_t step, std::size_t most,
                              ProbeTable& t)
{
    t.time_ms = in.numbers(rows_until(step));
    const auto times = t.time_ms.size(), values = in.count(times * most_names, sizeof(double));
    const bool few = values == 0 || values / times <= most;
    if (few) {
        t.V_mV.resize(values);
        in.get(t.V_mV.data(), values * sizeof(double));
    } else
        in.skip(values * sizeof(double));
    t.names = in.texts(most_names, longest_name);
    if (few)
        return;
    if (!is_table(t.names.size(), times, values))
        in.refuse(no_table("probes", t.names.size()));
    t.time_ms.clear();
}

/// Keeps a table that holds anything.
void keep_table(Checkpoint& c, const std::string& name, KeptRows kept)
{
    if (!kept.of.empty() || !kept.rows.names.empty() || !kept.rows.time_ms.empty() ||
        !kept.rows.V_mV.empty())
        c.tables[name] = std::move(kept);
}

/// @param name  of the table
void read_rows(CheckpointReader& in, const CheckpointBounds& bounds, const std::string& name,
               Checkpoint& c)
{
    std::size_t most = std::numeric_limits<std::size_t>::max();
    bool wanted = true;
    if (bounds.tables) {
        const auto known = bounds.tables->find(name);
        wanted = known != bounds.tables->end();
        most = wanted ? known->second : 0;
    }
    KeptRows kept;
    read_table(in, c.state.step, "rows of " + name, most, kept.rows);
    kept.of = in.text(longest_text);
    if (wanted)
        keep_table(c, name, std::move(kept));
}

/// Those without a place of their own.
void read_named_tables(CheckpointReader& in, const CheckpointBounds& bounds, Checkpoint& c)
{
    constexpr std::size_t lengths = 5; // of name, columns, times, values and text
    for (auto left = in.count(most_names, lengths * sizeof(std::uint64_t)); left > 0; --left) {
        const auto name = in.text(longest_name);
        read_rows(in, bounds, name, c);
    }
}

void read_traces(CheckpointReader& in, std::size_t most, Checkpoint& c)
{
    const auto longest = rows_until(c.state.step);
    c.traces.first_step = in.step();
    const auto count = in.count(most_names, sizeof(std::uint64_t));
    if (count <= most) {
        c.traces.V_mV.resize(count);
        for (auto& v : c.traces.V_mV)
            v = in.numbers<float>(longest);
        return;
    }
    const auto first = in.pass(sizeof(float), longest);
    for (std::size_t k = 1; k < count; ++k)
        if (in.pass(sizeof(float), longest) != first)
            in.refuse(traces_differ);
}

void read_pulses(CheckpointReader& in, const Bounds& bounds, Checkpoint& c)
{
    std::size_t left = std::size_t{1} << 23, letters_left = std::size_t{1} << 26; // of all
    const auto numbers = [&](std::size_t most, std::vector<double>& to) {
        left -= read_list(in, bounds, std::min(left, most), to);
    };
    c.pulses.resize(in.count(most_parts, 3 * sizeof(std::uint64_t)));
    for (auto& s : c.pulses) {
        s.of = in.text(std::min(longest_name, letters_left));
        letters_left -= s.of.size();
        numbers(verdict_size * rows_until(c.state.step), s.verdicts);
        numbers(left, s.watch);
    }
}

void read_parts(CheckpointReader& in, std::size_t most, Checkpoint& c)
{
    c.state.parts.resize(in.count(most_parts, sizeof(std::uint64_t)));
    auto left = most;
    for (auto& p : c.state.parts)
        if (most == 0)
            in.pass(sizeof(double));
        else {
            p = in.numbers(left);
            left -= p.size();
        }
}

void read_branches(CheckpointReader& in, Checkpoint& c)
{
    for (const double time_ms : in.numbers(most_parts))
        c.branches.push_back(branch_at(time_ms));
}

double one_of(CheckpointReader& in, double otherwise)
{
    const auto list = in.numbers(1);
    return list.empty() ? otherwise : list[0];
}

/// What follows the fingerprint in a file of version 1, which may end early: those of the first
/// programs lacked what came later.
void read_version_1(CheckpointReader& in, const Bounds& bounds, Checkpoint& c)
{
    read_state(in, bounds, c);
    read_probes_of_version_1(in, c.state.step, bounds.probes, c.probes);
    if (!in.at_end())
        c.state.quiescent = in.numbers(2 * c.state.v.size() + 2);
    if (in.at_end())
        return;
    c.probes_of = in.text(longest_text);
    read_rows(in, bounds, placed, c);
    read_traces(in, bounds.probes, c);
    if (!in.at_end())
        c.threshold_mV = one_of(in, c.threshold_mV);
    if (!in.at_end())
        read_pulses(in, bounds, c);
    if (!in.at_end())
        c.layout = in.numbers(layout_size);
    if (!in.at_end()) {
        read_branches(in, c);
        c.maps_from_ms = one_of(in, 0);
    }
}

void read_version_2(CheckpointReader& in, const Bounds& bounds, Checkpoint& c)
{
    const auto unknowns = read_state(in, bounds, c);
    read_list(in, bounds, 2 * unknowns + 2, c.state.quiescent);
    read_table(in, c.state.step, "probes", bounds.probes, c.probes);
    c.probes_of = in.text(longest_text);
    read_rows(in, bounds, placed, c);
    read_traces(in, bounds.probes, c);
    c.threshold_mV = one_of(in, c.threshold_mV);
    read_pulses(in, bounds, c);
    read_branches(in, c);
    c.maps_from_ms = one_of(in, 0);
    if (in.at_end()) // nothing is joined to the tissue, and no other tables
        return;
    read_parts(in, bounds.parts, c);
    if (!in.at_end())
        read_named_tables(in, bounds, c);
    if (in.at_end())
        return;
    constexpr std::size_t most_arrays = 8; // of an implicit step
    c.state.implicit.resize(in.count(most_arrays, sizeof(std::uint64_t)));
    for (auto& values : c.state.implicit)
        read_list(in, bounds, unknowns, values);
    if (!in.at_end())
        c.provenance = in.text(longest_text);
}

void read_begin(CheckpointReader& in, Checkpoint& c)
{
    c.version = in.version();
    c.fingerprint = in.text(longest_text);
    if (c.version > 1)
        c.layout = in.numbers(layout_size);
}

void put_table(CheckpointWriter& out, const ProbeTable& t)
{
    out.put(t.names);
    out.put(t.time_ms);
    out.put(t.V_mV);
}

void put_rows(CheckpointWriter& out, const KeptRows& kept)
{
    put_table(out, kept.rows);
    out.put(kept.of);
}

/// What earlier programs did not have; left out where there is none of it, so that they can read
/// the file.
void put_end(CheckpointWriter& out, const Checkpoint& c)
{
    const auto named = c.tables.size() - c.tables.count(placed);
    const bool says = !c.provenance.empty(), implicit = !c.state.implicit.empty() || says;
    if (c.state.parts.empty() && named == 0 && !implicit)
        return;
    out.put(static_cast<std::uint64_t>(c.state.parts.size()));
    for (const auto& p : c.state.parts)
        out.put(p);
    if (named == 0 && !implicit)
        return;
    out.put(static_cast<std::uint64_t>(named));
    for (const auto& [name, kept] : c.tables)
        if (name != placed) {
            out.put(name);
            put_rows(out, kept);
        }
    if (!implicit)
        return;
    out.put(static_cast<std::uint64_t>(c.state.implicit.size()));
    for (const auto& values : c.state.implicit)
        out.put(values);
    if (says)
        out.put(c.provenance);
}

} // namespace

void write_checkpoint(const Checkpoint& c, const std::filesystem::path& file)
{
    write_whole(file, [&](std::ostream& stream) {
        CheckpointWriter out(stream);
        out.put(c.fingerprint);
        out.put(c.layout);
        out.put(static_cast<std::uint64_t>(c.state.step));
        out.put(c.state.v);
        out.put(static_cast<std::uint64_t>(c.state.states.size()));
        for (const auto& s : c.state.states)
            out.put(s);
        for (const auto* v : {&c.state.activation_ms, &c.state.repolarisation_ms, &c.state.peak_mV,
                              &c.state.rest_mV, &c.state.quiescent})
            out.put(*v);
        put_table(out, c.probes);
        out.put(c.probes_of);
        const auto ecg = c.tables.find(placed);
        put_rows(out, ecg != c.tables.end() ? ecg->second : KeptRows());
        out.put(static_cast<std::uint64_t>(c.traces.first_step));
        out.put(static_cast<std::uint64_t>(c.traces.V_mV.size()));
        for (const auto& v : c.traces.V_mV)
            out.put(v);
        out.put(std::vector<double>{c.threshold_mV});
        out.put(static_cast<std::uint64_t>(c.pulses.size()));
        for (const auto& s : c.pulses) {
            out.put(s.of);
            out.put(s.verdicts);
            out.put(s.watch);
        }
        std::vector<double> branched_ms;
        for (const auto& b : c.branches)
            branched_ms.push_back(b.time_ms);
        out.put(branched_ms);
        out.put(std::vector<double>{c.maps_from_ms});
        put_end(out, c);
        out.finish();
    });
}

Checkpoint read_checkpoint(const std::filesystem::path& file,
                           const std::function<CheckpointBounds(const Checkpoint&)>& begun)
{
    CheckpointReader in(file);
    Checkpoint c;
    read_begin(in, c);
    const Bounds bounds{begun ? begun(c) : CheckpointBounds()};
    if (c.version > 1)
        read_version_2(in, bounds, c);
    else
        read_version_1(in, bounds, c);
    in.need_end();
    try {
        check(c, bounds.group);
    } catch (const InputError& e) {
        in.refuse(e.reason);
    }
    return c;
}

std::string provenance_of_checkpoint(const std::filesystem::path& file)
{
    CheckpointReader in(file);
    if (in.version() < 2)
        return {};
    Bounds none;
    none.probes = none.parts = 0;
    none.tables.emplace();
    none.provenance_alone = true;
    Checkpoint c;
    read_begin(in, c);
    read_version_2(in, none, c);
    in.need_end();
    return c.provenance;
}

} // namespace tawara::simulation
