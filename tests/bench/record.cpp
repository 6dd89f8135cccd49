// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-bench: times a slab of tissue and prints one JSON record a line.
//     tawara-bench [--cubes N] [--spacing MM] [--scheme fvm|p1] [--types N] [--stages N] CASE...
//     CASE: BENCH,DEVICES,PRECISION,STEPS[,option...]   e.g. step,cuda:0;1,single,1000,metis
//     (';' in DEVICES stands for ','; options: metis, fused, unfused, nograph)
// The slab is N x N x N cubes of 6 tetrahedra.
#include "engine/core/error.hpp"
#include "engine/device/bench.hpp"
#include "engine/mesh/check.hpp"

#include <chrono>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace tawara;
using nlohmann::ordered_json;

namespace {

struct Slab
{
    int cubes = 40, types = 1, stages = 0;
    double spacing_mm = 0.425; // tetrahedra as large as those of a heart cut into 11.7 million
    std::string scheme = "fvm";
};

device::TissueProblem problem(const Slab& s)
{
    const double size = s.cubes * s.spacing_mm;
    const auto m = mesh::slab({size, size, size}, s.spacing_mm);
    const std::vector<std::int32_t> region(m.tetrahedron_count(), 0);
    const diffusion::Conductivity sigma{0.1334, 0.0176, 0.0176};
    diffusion::Options o;
    o.scheme = s.scheme == "p1" ? diffusion::Scheme::p1 : diffusion::Scheme::fvm;
    o.check_stability = false; // a regular slab; the analysis takes longer than the measurement
    device::TissueProblem p;
    o.dt_ms = p.dt_ms;
    p.system = diffusion::assemble(
        m, mesh::face_neighbours(m),
        diffusion::diffusivities(m, region, std::span(&sigma, 1), 140, 0.01), o);
    p.substeps = diffusion::choose_substeps(p.dt_ms, p.system.stable_dt_ms);
    if (s.stages)
        p.substeps = {diffusion::SubStepping::Kind::euler, s.stages};
    device::CellGroup g;
    for (int k = 0; k < s.types; ++k)
        g.types.push_back(cell::make_cell_type(
            "ten_tusscher_2006", std::array{"epi", "m", "endo"}[static_cast<std::size_t>(k % 3)],
            {}, {}));
    p.groups.push_back(g);
    p.group.assign(p.size(), 0);
    for (std::size_t u = 0; u < p.size(); ++u) {
        p.position_mm.push_back(o.scheme == diffusion::Scheme::p1 ? m.vertex(u) : m.centroid(u));
        p.type.push_back(static_cast<std::uint8_t>(
            std::min(s.types - 1, static_cast<int>(p.position_mm[u][0] / size * s.types))));
    }
    return p;
}

/// A hash of the operator: FNV-1a over its values' bits and columns.
std::string hash(const diffusion::Rows& a)
{
    std::uint64_t h = 1469598103934665603ULL;
    auto mix = [&h](std::uint64_t x) { h = (h ^ x) * 1099511628211ULL; };
    for (std::size_t k = 0; k < a.column.size(); ++k) {
        mix(static_cast<std::uint64_t>(a.column[k]));
        mix(std::bit_cast<std::uint64_t>(a.value[k]));
    }
    std::ostringstream s;
    s << std::hex << h;
    return s.str();
}

std::string driver()
{
    std::ifstream f("/proc/driver/nvidia/version");
    std::string line;
    std::getline(f, line);
    return line;
}

device::BenchOptions options_of(const std::string& text)
{
    std::vector<std::string> words;
    std::stringstream s(text);
    for (std::string w; std::getline(s, w, ',');)
        words.push_back(w);
    if (words.size() < 4)
        throw InputError("CASE",
                         "'" + text + "' is none; use BENCH,DEVICES,PRECISION,STEPS[,option...]");
    device::BenchOptions o;
    o.bench = words[0];
    std::replace(words[1].begin(), words[1].end(), ';', ',');
    o.stepper.devices = words[1];
    o.stepper.precision = words[2] == "single" ? Precision::single : Precision::double_;
    o.steps = std::stoll(words[3]);
    for (std::size_t k = 4; k < words.size(); ++k) {
        if (words[k] == "metis")
            o.stepper.tuning.ordering = device::Ordering::metis;
        if (words[k] == "unfused")
            o.stepper.tuning.fused = false;
        if (words[k] == "fused")
            o.stepper.tuning.fused = true;
        if (words[k] == "nograph")
            o.stepper.tuning.graph_steps = 0;
    }
    return o;
}

ordered_json record(const Slab& slab, const device::TissueProblem& p, const std::string& text,
                    const std::string& mesh_hash, double seconds_of_setup)
{
    const auto start = std::chrono::steady_clock::now();
    const auto r = device::bench(p, options_of(text));
    const double total =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    ordered_json j;
    j["schema"] = 1;
    j["commit"] = TAWARA_COMMIT;
    j["compiler"] = TAWARA_COMPILER;
    j["driver"] = driver();
    j["case"] = text;
    j["bench"] = r.bench;
    j["device"] = r.device;
    j["precision"] = r.precision;
    j["mesh"] = {{"kind", "slab"},
                 {"cubes", slab.cubes},
                 {"spacing_mm", slab.spacing_mm},
                 {"tetrahedra", 6LL * slab.cubes * slab.cubes * slab.cubes},
                 {"operator_hash", mesh_hash}};
    j["scheme"] = slab.scheme;
    j["model"] = "ten_tusscher_2006";
    j["cell_types"] = slab.types;
    j["reaction_scheme"] = "rush_larsen_light";
    j["dt_ms"] = p.dt_ms;
    j["stable_dt_ms"] = p.system.stable_dt_ms;
    j["diffusion_stages"] = r.diffusion_stages;
    j["nonzeros_per_row"] =
        static_cast<double>(p.system.alpha.column.size()) / static_cast<double>(p.size());
    j["unknowns"] = r.unknowns;
    j["steps"] = r.steps;
    j["seconds"] = r.seconds;
    j["unknown_steps_per_s"] = r.unknown_steps_per_s;
    j["median_ms"] = r.median_ms;
    j["samples_ms"] = r.samples_ms;
    j["seconds_per_simulated_second"] = r.median_ms / p.dt_ms;
    j["ceilings"] = {{"triad_GB_per_s", r.ceilings.triad_GB_per_s},
                     {"copy_GB_per_s", r.ceilings.copy_GB_per_s},
                     {"fp64_GFLOP_per_s", r.ceilings.fp64_GFLOP_per_s},
                     {"fp32_GFLOP_per_s", r.ceilings.fp32_GFLOP_per_s}};
    // The bound of the design notes: 216 B per cell and sub-step over triad, 305 B per cell over
    // copy; half of the bytes in single precision but for the indices and types (144 and 153).
    const bool twice = r.precision == "double";
    const double bound = static_cast<double>(r.unknowns) * 1e-6 *
                         ((twice ? 216 : 144) * r.diffusion_stages / r.ceilings.triad_GB_per_s +
                          (twice ? 305 : 153) / r.ceilings.copy_GB_per_s);
    j["memory_bound_ms"] = bound;
    j["times_memory_bound"] = r.median_ms / bound;
    for (const auto& k : r.kernels)
        j["kernels"].push_back({{"name", k.name},
                                {"ms", k.ms},
                                {"bytes", k.bytes},
                                {"flops", k.flops},
                                {"GB_per_s", k.bytes / k.ms * 1e-6},
                                {"ceiling_GB_per_s", k.ceiling_GB_per_s},
                                {"fraction", k.fraction},
                                {"bound_by", k.bound_by}});
    j["seconds_of_setup"] = {{"operator", seconds_of_setup}, {"case", total - r.seconds}};
    return j;
}

} // namespace

int main(int argc, char** argv)
{
    try {
        Slab slab;
        std::vector<std::string> cases;
        for (int i = 1; i < argc; ++i) {
            const std::string a = argv[i];
            const auto value = [&] {
                if (++i >= argc)
                    throw InputError(a, "needs a value");
                return std::string(argv[i]);
            };
            if (a == "--cubes")
                slab.cubes = std::stoi(value());
            else if (a == "--spacing")
                slab.spacing_mm = std::stod(value());
            else if (a == "--scheme")
                slab.scheme = value();
            else if (a == "--types")
                slab.types = std::stoi(value());
            else if (a == "--stages")
                slab.stages = std::stoi(value());
            else
                cases.push_back(a);
        }
        const auto start = std::chrono::steady_clock::now();
        const auto p = problem(slab);
        const double setup =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        const auto h = hash(p.system.alpha);
        for (const auto& c : cases)
            std::cout << record(slab, p, c, h, setup).dump() << std::endl;
        return 0;
    } catch (const InputError& e) {
        std::cerr << "error: " << e.what() << '\n';
        return 2;
    } catch (const std::exception& e) {
        std::cerr << "error: " << e.what() << '\n';
        return 4;
    }
}
