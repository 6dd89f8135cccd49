// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/error.hpp"
#include "engine/verify/traces/traces.hpp"
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

using verify::compare_traces;
using verify::read_table;
using verify::start_of;
using verify::TraceComparison;

} // namespace tawara::cell::compiler
