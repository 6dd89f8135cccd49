// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/error.hpp"
#include "tests/cell_compiler/paced_beat.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace tawara::cell::compiler {

/// What became of one file of a collection.
struct Outcome
{
    std::filesystem::path file;
    bool read = false;  ///< its equations stand; else `reason` says why not
    bool paced = false; ///< one beat by CVODE, finite all the way
    std::string reason;
    std::size_t states = 0;
    double lowest_mV = 0, highest_mV = 0;
    /// Of the beat by the first of Rush-Larsen and GRL1 at 0.005 ms, then 0.001 ms, that comes
    /// within 5 % of CVODE's; else of the best of them.
    double rrms_percent = INFINITY;
    Scheme scheme = Scheme::rush_larsen;
    double dt_ms = 0;
};

/// Files with the extensions of cell models below a folder, sorted.
inline std::vector<std::filesystem::path> model_files(const std::filesystem::path& folder)
{
    std::vector<std::filesystem::path> files;
    for (const auto& e : std::filesystem::recursive_directory_iterator(folder))
        if (const auto x = e.path().extension(); x == ".mmt" || x == ".cellml" || x == ".xml")
            files.push_back(e.path());
    std::sort(files.begin(), files.end());
    return files;
}

/// Reads a file; with `beat`, compiles it for the CPU and paces it for 400 ms from its initial
/// state by one outside stimulus.
/// @cost  a second or two with `beat`, milliseconds without
inline Outcome try_model(const std::filesystem::path& file, bool beat)
{
    Outcome o;
    o.file = file;
    try {
        const CellSystem s = resolve(read_model(file));
        o.read = true;
        o.states = s.states.size();
        if (!beat)
            return o;
        const auto p = s.parameter_values(), x = s.initial_values();
        const Pulse pulse{60, 1};
        constexpr double until = 400;
        const auto r = reference_beat(Reference(s), p, x, pulse, until, 1, 1e-7);
        o.lowest_mV = *std::min_element(r.begin(), r.end());
        o.highest_mV = *std::max_element(r.begin(), r.end());
        o.paced = true;
        const PacedBeat<double> rl(s, Scheme::rush_larsen), grl(s, Scheme::grl1);
        for (const double dt : {0.005, 0.001})
            for (const auto scheme : {Scheme::rush_larsen, Scheme::grl1}) {
                const auto v = (scheme == Scheme::grl1 ? grl : rl).run(p, x, pulse, dt, until, 1);
                const double rrms = rrms_percent(v, r, r.size());
                if (rrms < o.rrms_percent) {
                    o.rrms_percent = rrms;
                    o.scheme = scheme;
                    o.dt_ms = dt;
                }
                if (rrms < 5)
                    return o;
            }
        o.reason = "paced by CVODE alone: its fastest states are out of reach of these schemes "
                   "at 0.001 ms";
    } catch (const InputError& e) {
        o.reason = e.what();
    } catch (const Error& e) { // the solver
        o.reason = e.what();
    }
    return o;
}

/// A trace by another program against ours: all states, matched by the first row.
struct TraceComparison
{
    std::string model;
    std::size_t states = 0, columns = 0, matched = 0;
    double potential_mV = 0;      ///< largest difference of V
    double potential_percent = 0; ///< RRMS of V
    double worst_percent = 0;     ///< largest difference of a state over its range, of all states
    double worst_rrms_percent = 0;
    std::string worst_state, worst_rrms_state;
};

/// Rows of a comma-separated table, '#' lines left out.
inline std::vector<std::vector<double>> read_table(const std::filesystem::path& file)
{
    std::ifstream in(file);
    std::vector<std::vector<double>> rows;
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line[0] == '#')
            continue;
        std::vector<double> row;
        std::istringstream cells(line);
        for (std::string c; std::getline(cells, c, ',');)
            row.push_back(std::stod(c));
        rows.push_back(row);
    }
    return rows;
}

/// Initial values of a model; where all states but one are found in a row and one value is left
/// over, that value is the one's (the file was changed since).
inline std::vector<double> start_of(const CellSystem& s, const std::vector<double>& row)
{
    auto x = s.initial_values();
    std::vector<bool> taken(row.size());
    std::vector<std::size_t> missing;
    for (std::size_t k = 0; k < x.size(); ++k) {
        std::size_t q = 0;
        while (q < row.size() &&
               (taken[q] || std::abs(row[q] - x[k]) > 1e-6 * std::abs(x[k]) + 1e-12))
            ++q;
        if (q == row.size())
            missing.push_back(k);
        else
            taken[q] = true;
    }
    const auto left = std::count(taken.begin(), taken.end(), false);
    if (missing.size() == 1 && left == 1)
        x[missing[0]] = row[static_cast<std::size_t>(std::find(taken.begin(), taken.end(), false) -
                                                     taken.begin())];
    return x;
}

/// Solves a model by CVODE as its file stands and compares with a table of all states every 1 ms.
/// States that start alike are told apart by what fits best.
/// @param tolerance  relative; absolute a tenth of it
inline TraceComparison compare_traces(const std::filesystem::path& model,
                                      const std::filesystem::path& table, bool own_stimulus,
                                      double tolerance = 1e-8)
{
    const auto rows = read_table(table);
    ResolveOptions o;
    o.own_stimulus = own_stimulus;
    const CellSystem s = resolve(read_model(model), o);
    const auto initial = start_of(s, rows[0]);
    ReferenceOptions options;
    options.relative_tolerance = tolerance;
    options.absolute_tolerance = tolerance / 10;
    const auto result = Reference(s).run(s.parameter_values(), initial,
                                         static_cast<double>(rows.size() - 1), 1, options);
    TraceComparison c;
    c.model = model.stem().string();
    c.states = initial.size();
    c.columns = rows.empty() ? 0 : rows[0].size();
    std::vector<bool> taken(c.columns);
    for (std::size_t k = 0; k < initial.size(); ++k) {
        std::size_t best = c.columns;
        double best_rrms = INFINITY, largest = 0, range = 0;
        for (std::size_t q = 0; q < c.columns; ++q) {
            if (taken[q] || std::abs(rows[0][q] - initial[k]) > 1e-6 * std::abs(initial[k]) + 1e-12)
                continue;
            double d2 = 0, r2 = 0, most = 0, low = INFINITY, high = -INFINITY;
            for (std::size_t t = 0; t < rows.size(); ++t) {
                const double r = rows[t][q], d = result[t][k] - r;
                d2 += d * d;
                r2 += r * r;
                most = std::max(most, std::abs(d));
                low = std::min(low, r);
                high = std::max(high, r);
            }
            const double rrms = r2 > 0 ? 100 * std::sqrt(d2 / r2) : most > 0 ? INFINITY : 0;
            if (rrms < best_rrms) {
                best = q;
                best_rrms = rrms;
                largest = most;
                range = high - low;
            }
        }
        if (best == c.columns)
            continue;
        taken[best] = true;
        ++c.matched;
        // a state that hardly moves is measured against its size: tables have 16 digits
        const double scale = std::max(range, 1e-6 * std::abs(initial[k]));
        const double relative = scale > 0 ? 100 * largest / scale : 0;
        if (k == 0) {
            c.potential_mV = largest;
            c.potential_percent = best_rrms;
        }
        if (relative > c.worst_percent) {
            c.worst_percent = relative;
            c.worst_state = s.states[k].full_name;
        }
        if (best_rrms > c.worst_rrms_percent) {
            c.worst_rrms_percent = best_rrms;
            c.worst_rrms_state = s.states[k].full_name;
        }
    }
    return c;
}

} // namespace tawara::cell::compiler
