// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-bench-reaction: compiled CPU kernels of the library's models beside the hand-written TT06;
// prints one JSON record. One core, processor time of its thread; kernels in turn, many short
// repetitions each: the best of each, and the median of the ratios of neighbours in time.
//     tawara-bench-reaction [MODEL...]
#include "engine/cell/compiler/emit/llvm/compiled_kernel.hpp"
#include "engine/cell/compiler/emit/llvm/llvm_target.hpp"
#include "engine/cell/compiler/library.hpp"
#include "engine/cell/compiler/split.hpp"
#include "engine/core/aligned.hpp"
#include "tests/bench/built_from.hpp"
#include "tests/cell/oracle/oracle_kernel.hpp"

#include <hwy/highway.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

using namespace tawara;
using namespace tawara::cell;
using nlohmann::ordered_json;

namespace {

constexpr std::size_t cells = 1024; // as many as a worker of the tissue stepper takes at a time
constexpr int repetitions = 40, steps = 8, places = 3;
constexpr double dt_ms = 0.002;

template <class Real>
class Block
{
  public:
    /// Potentials spread over an action potential's range, or all at rest.
    Block(const std::vector<double>& initial, bool spread) : type_(cells, 0)
    {
        for (const double x : initial)
            arrays_.emplace_back(cells, static_cast<Real>(x));
        for (std::size_t s = 1; s < arrays_.size(); ++s)
            pointers_.push_back(arrays_[s].data());
        for (std::size_t i = 0; spread && i < cells; ++i)
            arrays_[0][i] = static_cast<Real>(-85 + 120 * static_cast<double>(i) / cells);
    }
    /// Cell-steps a second.
    double rate(const CpuKernel<Real>& k)
    {
        const CellArrays<Real> c{
            arrays_[0].data(), pointers_.data(), type_.data(), nullptr, 0, cells};
        const double start = seconds();
        for (int i = 0; i < steps; ++i)
            k.step(c, 0, dt_ms);
        return static_cast<double>(cells) * steps / (seconds() - start);
    }

  private:
    static double seconds()
    {
        timespec t{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
    }
    std::vector<AlignedVector<Real>> arrays_;
    std::vector<Real*> pointers_;
    std::vector<cell::TypeIndex> type_;
};

double median(std::vector<double> x)
{
    std::sort(x.begin(), x.end());
    return (x[(x.size() - 1) / 2] + x[x.size() / 2]) / 2;
}

/// Two kernels in turn, at some places in memory.
struct Pair
{
    double first = 0, second = 0, ratio = 0; ///< best rates, median of first / second
};
template <class Real>
Pair in_turn(const CpuKernel<Real>& first, const CpuKernel<Real>& second,
             const std::vector<double>& initial, bool spread)
{
    Pair out;
    std::vector<double> ratios;
    std::vector<Block<Real>> blocks;
    for (int p = 0; p < 2 * places; ++p)
        blocks.emplace_back(initial, spread);
    for (int r = 0; r < repetitions; ++r)
        for (std::size_t p = 0; p < blocks.size(); p += 2) {
            const double a = blocks[p].rate(first), b = blocks[p + 1].rate(second);
            out.first = std::max(out.first, a);
            out.second = std::max(out.second, b);
            ratios.push_back(a / b);
        }
    out.ratio = median(std::move(ratios));
    return out;
}

template <class Real>
ordered_json measure(const std::string& model, Scheme scheme, unsigned vector_bytes)
{
    const auto type = make_cell_type(model, "", {}, {});
    const auto target = compiler::processor_target(sizeof(Real) == 4, vector_bytes);
    const auto program = compiler::shared_program(compiler::system_of(type), scheme, target);
    const auto kernel = compiler::make_compiled_kernel<Real>(program, std::span(&type, 1));
    std::unique_ptr<CpuKernel<Real>> oracle;
    if (model == "ten_tusscher_2006")
        oracle = std::make_unique<tt06::OracleKernel<Real>>(std::span(&type, 1), scheme);
    ordered_json j{{"model", model},
                   {"scheme", std::string(name(scheme))},
                   {"precision", sizeof(Real) == 8 ? "double" : "single"},
                   {"instructions_estimated", kernel->flops_per_cell()},
                   {"compile_ms", kernel->compile_ms()}};
    for (const bool spread : {false, true}) {
        const auto pair = in_turn(*kernel, oracle ? *oracle : *kernel, type.initial, spread);
        ordered_json& out = j[spread ? "spread" : "at_rest"];
        out["cell_steps_per_s"] = pair.first;
        if (oracle) {
            out["oracle_cell_steps_per_s"] = pair.second;
            out["ratio"] = pair.ratio;
        }
    }
    if (model == "ten_tusscher_2006" || model == "ohara_rudy_2011") { // functions of V looked up
        auto o = compiler::options_for(*compiler::system_of(type), target);
        o.table_step_mV = 0.1;
        const auto looked_up = std::make_shared<compiler::Program>(
            compiler::compile(*compiler::system_of(type), scheme, o));
        const std::size_t tables = looked_up->lookups.size();
        const auto with = compiler::make_compiled_kernel<Real>(looked_up, std::span(&type, 1));
        const auto pair = in_turn(*with, *kernel, type.initial, true);
        j["tables"] = {{"step_mV", 0.1},
                       {"tables", tables},
                       {"cell_steps_per_s", pair.first},
                       {"ratio_to_plain", pair.ratio}};
    }
    // large models in parts as well
    constexpr std::size_t large = 30;
    if (type.initial.size() >= large)
        for (const std::size_t parts : {2u, 3u}) {
            const auto cut = compiler::make_split_kernel<Real>(program, parts, std::span(&type, 1));
            const auto pair = in_turn(*cut, *kernel, type.initial, false);
            j["in_parts"].push_back({{"parts", parts},
                                     {"passed", split_program(*program, parts).passed},
                                     {"cell_steps_per_s", pair.first},
                                     {"ratio_to_whole", pair.ratio}});
        }
    return j;
}

std::string processor()
{
    std::ifstream f("/proc/cpuinfo");
    for (std::string line; std::getline(f, line);)
        if (line.starts_with("model name"))
            return line.substr(line.find(':') + 2);
    return "unknown";
}

} // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): it ends the bench
int main(int argc, char** argv)
{
    std::vector<std::string> models(argv + 1, argv + argc);
    if (models.empty())
        models = model_names();
    ordered_json record{{"schema", 1},
                        {"commit", bench::built_from},
                        {"compiler", TAWARA_COMPILER},
                        {"processor", processor()},
                        {"cells", cells},
                        {"repetitions", repetitions},
                        {"places", places},
                        {"rates", "best of the repetitions, processor time"},
                        {"ratios", "median over neighbouring repetitions at all places"},
                        {"dt_ms", dt_ms},
                        {"results", ordered_json::array()}};
    const auto supported = hwy::SupportedTargets();
    const std::tuple<unsigned, std::int64_t> lengths[]{{64, HWY_AVX3}, {32, HWY_AVX2}};
    for (const auto& [bytes, target] : lengths) {
        if (!(supported & target))
            continue;
        hwy::SetSupportedTargetsForTest(target);
        for (const auto& m : models) {
            std::vector<Scheme> schemes{Scheme::rush_larsen_light};
            if (m == "ten_tusscher_2006")
                schemes = {Scheme::rush_larsen_light, Scheme::rush_larsen, Scheme::forward_euler,
                           Scheme::grl1};
            for (const Scheme s : schemes)
                for (auto j : {measure<double>(m, s, bytes), measure<float>(m, s, bytes)}) {
                    j["vectors"] = compiler::widest_vectors(bytes).second;
                    record["results"].push_back(std::move(j));
                }
        }
    }
    std::cout << record.dump(1) << '\n';
}
