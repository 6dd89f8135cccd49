// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-bench-models: reaction kernels of all library models on cuda:0, double and single
// precision, with the times of NVRTC and of its cache; prints one JSON record. The first rows are
// models of the same number of states that do nothing but decay: what the same streams reach.
//     tawara-bench-models [--cubes N] [MODEL...]
#include "engine/cell/compiler/library.hpp"
#include "engine/core/error.hpp"
#include "engine/device/cuda/reaction_text.hpp"
#include "engine/device/stepper.hpp"
#include "engine/mesh/check.hpp"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

using namespace tawara;
using nlohmann::ordered_json;

namespace {

namespace cc = cell::compiler;

device::TissueProblem slab(int cubes)
{
    const double spacing = 0.425, size = cubes * spacing;
    const auto m = mesh::slab({size, size, size}, spacing);
    const std::vector<std::int32_t> region(m.tetrahedron_count(), 0);
    const diffusion::Conductivity sigma{0.1334, 0.0176, 0.0176};
    diffusion::Options o;
    o.check_stability = false;
    device::TissueProblem p;
    p.dt_ms = o.dt_ms = 0.005;
    p.system = diffusion::assemble(
        m, mesh::face_neighbours(m),
        diffusion::diffusivities(m, region, std::span(&sigma, 1), 140, 0.01), o);
    p.substeps = diffusion::choose_substeps(p.dt_ms, p.system.stable_dt_ms);
    for (std::size_t u = 0; u < p.size(); ++u)
        p.position_mm.push_back(m.centroid(u));
    p.group.assign(p.size(), 0);
    p.type.assign(p.size(), 0);
    return p;
}

/// A file with a model of so many states that only decay.
std::string decay(int states)
{
    const auto path =
        std::filesystem::temp_directory_path() / ("decay_" + std::to_string(states) + ".mmt");
    std::ofstream out(path);
    out << "[[model]]\nname: decay\ncell.V = -85\n";
    for (int k = 1; k < states; ++k)
        out << "cell.x" << k << " = 0.5\n";
    out << "\n[engine]\ntime = 0 [ms] in [ms] bind time\npace = 0 bind pace\n\n[cell]\n"
           "i_stim = -40 [mV/ms] * engine.pace in [mV/ms] label stimulus_current\n"
           "dot(V) = -0.001 * (V + 80) - i_stim\n    in [mV]\n    label membrane_potential\n";
    for (int k = 1; k < states; ++k)
        out << "dot(x" << k << ") = -0.001 * x" << k << "\n";
    return path.string();
}

ordered_json measure(device::TissueProblem& p, const std::string& model, Precision precision,
                     cell::Scheme scheme)
{
    const bool single = precision == Precision::single;
    p.groups = {{scheme, {cell::make_cell_type(model, "", {}, {})}}};
    const auto program = cc::shared_program(cc::system_of(p.groups[0].types[0]), scheme, single);
    const auto n = program->next.size();
    const auto source = device::cuda::reaction_source(*program, single, false, false,
                                                      device::cuda::kernel_shape(n, single));
    const auto cache = std::filesystem::temp_directory_path() / "tawara-bench-models";
    std::filesystem::remove_all(cache);
    const double nvrtc = device::cuda::compile_cuda(source, 90, cache).ms;
    const double cached = device::cuda::compile_cuda(source, 90, cache).ms;
    device::StepperOptions o;
    o.devices = "cuda:0";
    o.precision = precision;
    o.tuning.fused = false;
    o.tuning.compiled_cells = true;
    const auto stepper = device::make_stepper(p, o);
    device::StimulusSource s;
    s.amplitude_pA_per_pF = 40;
    s.duration_ms = 1;
    for (std::size_t u = 0; u < p.size() / 10; ++u)
        s.unknowns.push_back(static_cast<std::int32_t>(u));
    stepper->add_stimulus(s);
    stepper->advance(1040); // steps 4 and 1028 are timed kernel by kernel
    const auto kernels = stepper->kernels();
    ordered_json j{{"model", model.rfind('/') == std::string::npos
                                 ? model
                                 : std::filesystem::path(model).stem().string()},
                   {"states", n},
                   {"precision", single ? "single" : "double"},
                   {"scheme", std::string(cell::name(scheme))}};
    for (const auto& k : kernels)
        if (k.name == "reaction") {
            const double ms = k.ms / static_cast<double>(k.calls);
            const double r = single ? 4 : 8;
            // every state and V in and out; V before the step, the record's track and phase
            const double bytes =
                static_cast<double>(p.size()) * (2 * r * static_cast<double>(n) + 2 * r + 1);
            j["ms"] = ms;
            j["ns_per_cell"] = ms * 1e6 / static_cast<double>(p.size());
            j["GB_per_s"] = bytes / ms * 1e-6;
        }
    j["nvrtc_ms"] = nvrtc;
    j["cache_ms"] = cached;
    return j;
}

} // namespace

int main(int argc, char** argv)
{
    try {
        int cubes = 55;
        std::vector<std::string> models;
        for (int i = 1; i < argc; ++i)
            if (std::string(argv[i]) == "--cubes" && i + 1 < argc)
                cubes = std::stoi(argv[++i]);
            else
                models.emplace_back(argv[i]);
        if (models.empty()) {
            models = cell::model_names();
            for (const int n : {41, 19})
                models.insert(models.begin(), decay(n));
        } else {
            models.insert(models.begin(), decay(19));
        }
        auto p = slab(cubes);
        const auto c = device::measure_ceilings("cuda:0");
        ordered_json j{
            {"schema", 1},
            {"commit", TAWARA_COMMIT},
            {"compiler", TAWARA_COMPILER},
            {"nvrtc", device::cuda::nvrtc_version()},
            {"device", device::devices().at(1).name},
            {"unknowns", p.size()},
            {"dt_ms", p.dt_ms},
            {"ceilings",
             {{"triad_GB_per_s", c.triad_GB_per_s}, {"copy_GB_per_s", c.copy_GB_per_s}}}};
        for (const auto& m : models)
            for (const auto precision : {Precision::double_, Precision::single}) {
                try {
                    j["kernels"].push_back(
                        measure(p, m, precision, cell::Scheme::rush_larsen_light));
                } catch (const NumericsError&) { // stiff in more than its gates
                    j["kernels"].push_back(measure(p, m, precision, cell::Scheme::grl1));
                }
                std::cerr << j["kernels"].back().dump() << std::endl;
            }
        std::cout << j.dump(1) << std::endl;
        return 0;
    } catch (const std::exception& e) {
        std::cerr << "error: " << e.what() << '\n';
        return 4;
    }
}
