// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cable/step/run.hpp"
#include "engine/cli/cable_files.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tawara::cli {

struct CableRunArguments
{
    std::vector<std::string> files, set, membranes, stimuli, probes;
    CableFileArguments how;
    std::string model, variant, scheme, out, precision = "double";
    long copies = 1, traced = 1;
    double resistivity = 100, capacitance = 1, dt_ms = 0.01, until_ms = 50, every_ms = 0.1,
           spike_mV = 0;
    bool second_order = false;
    unsigned threads = 0;
    const CLI::Option* dt_given = nullptr;
};

/// One cable of a run, with names for what the user names.
struct NamedCable
{
    std::string name;
    cable::Compartments compartments;
    std::vector<std::int64_t> number; ///< of the morphology's points
    std::vector<std::string> probe_names;

    /// A node by the number of a point in the file, or "root". @throws InputError
    std::int32_t node(const std::string& option, const std::string& text) const;
};

/// The shortest text that gives a number back.
std::string shortest_text(double v);

/// traces.csv and spikes.csv of a run.
void write_cable_tables(const CableRunArguments& a, const std::vector<NamedCable>& cables,
                        const cable::CablesRunResult& r);
/// What a run computed and how.
Json cable_report(const CableRunArguments& a, const std::vector<NamedCable>& cables,
                  const std::vector<std::vector<std::int32_t>>& probes, double dt_ms,
                  const std::string& scheme, const cable::CablesRunResult& r);
/// Spikes and speed, for people.
void say_cables(Context& c, const CableRunArguments& a, const Json& report);

} // namespace tawara::cli
