// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cli/bench_tissue.hpp"

#include "engine/calcium/paced_cell.hpp"
#include "engine/cell/special_variables.hpp"
#include "engine/core/error.hpp"
#include "engine/simulation/tissue/mesh_session.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace tawara::cli {

void BenchTissue::declare(CLI::App& app)
{
    app.add_option("--mesh", mesh, "mesh file; else a slab")->type_name("FILE");
    app.add_option("--size", size, "unknowns of the slab, about")->capture_default_str();
    app.add_option("--dt", dt_ms, "time step [ms]")->capture_default_str();
    app.add_option("--model", model, "cell model: library name, .mmt or .cellml file")
        ->type_name("MODEL");
    variables.declare(app);
    device.declare(app);
}

simulation::Session bench_session(const Context& c, const BenchTissue& a)
{
    if (a.size < 1 || a.size > 300'000'000)
        throw InputError("--size", "is " + std::to_string(a.size) +
                                       "; it should be from 1 to 300000000 unknowns");
    simulation::Session s;
    if (!a.mesh.empty()) {
        s = simulation::session_for_mesh({.mesh = a.mesh, .tune = false}, c.progress().silent());
    } else {
        const double spacing_mm = 0.2;
        const double per_cube = a.scheme == "p1" ? 1 : 6;
        const double side =
            spacing_mm *
            std::max(2.0, std::round(std::cbrt(static_cast<double>(a.size) / per_cube)));
        s.mesh = simulation::MeshSlab{{side, side, side}, spacing_mm};
        s.regions[0].variant = "epi";
    }
    if (!a.model.empty()) {
        const auto key =
            cell::key_with(cell::model_key(a.model, std::filesystem::current_path()),
                           {a.variables.potential, a.variables.stimulus, a.variables.time});
        cell::model_info(key);
        if (key == calcium::dyad_model)
            throw InputError("--model", std::string("is ") + key +
                                            ", whose cells bench calcium measures; take a compiled "
                                            "model of tawara-cli cell list");
        for (auto& r : s.regions)
            if (!r.inherits()) {
                r.model = key;
                r.variant.clear();
                r.parameters.clear();
                r.initial.clear();
            }
    }
    s.name = "bench";
    if (a.scheme != "fvm" && a.scheme != "p1")
        throw InputError("--scheme", "is '" + a.scheme + "'; it should be fvm or p1");
    s.scheme = a.scheme == "p1" ? diffusion::Scheme::p1 : diffusion::Scheme::fvm;
    s.reaction = cell::scheme_by_name(a.reaction, "--reaction");
    need_positive("--dt", a.dt_ms);
    s.dt_ms = a.dt_ms;
    // A wave from one side, so that cells are in all phases.
    simulation::Stimulus st;
    st.name = "S1";
    st.region = simulation::Box{{-1e9, -1e9, -1e9}, {1, 1e9, 1e9}};
    if (a.mesh.empty())
        s.stimuli.push_back(st);
    return s;
}

simulation::RunOptions bench_options(const BenchTissue& a)
{
    simulation::RunOptions options;
    options.device.devices = a.device.devices;
    options.device.precision = a.device.parsed_precision();
    options.device.threads = a.device.threads;
    return options;
}

double take_steps(device::Stepper& stepper, long steps, const Progress& progress)
{
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    long batch = 20; // doubled until one takes long enough to be asked how far it is
    for (long done = 0; done < steps;) {
        const long n = std::min(batch, steps - done);
        const auto began = Clock::now();
        stepper.advance(n);
        done += n;
        if (Clock::now() - began < std::chrono::milliseconds(50))
            batch *= 2;
        progress.at(static_cast<double>(done) / static_cast<double>(steps), "stepping");
    }
    return std::chrono::duration<double>(Clock::now() - start).count();
}

void say_kernels(Context& c, const Json& kernels)
{
    char line[240];
    for (const auto& k : kernels) {
        std::snprintf(
            line, sizeof line,
            "  %-22s %9.1f ms  %7.2f GB/s  %7.2f G operations/s  %5.1f %% of its %s bound",
            k["name"].get<std::string>().c_str(), k["ms"].get<double>(),
            k["GB_per_s"].get<double>(), k["GFLOP_per_s"].get<double>(),
            100 * k["fraction"].get<double>(), k["bound_by"].get<std::string>().c_str());
        std::string text = line;
        if (k.contains("counted_bytes")) {
            std::snprintf(line, sizeof line, ", %.3f times its bytes by counters",
                          k["counted_bytes"].get<double>() / k["bytes"].get<double>());
            text += line;
        }
        if (k["fraction"].get<double>() > 1)
            text += " (in cache, or the ceiling was measured on a busy machine)";
        c.say(text);
    }
}

} // namespace tawara::cli
