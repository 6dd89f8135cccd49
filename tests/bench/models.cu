// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-bench-models: reaction kernels of compiled cell models on cuda:0, launched alone over
// arrays of so many cells; prints one JSON record. The first rows are models of the same numbers of
// states that do nothing but decay: what the same streams reach.
//     tawara-bench-models [--cells N] [--texts] [--scheme NAME] [--sweep] [--split N] [--shape
//     T,B,S]... [MODEL...]
// --cells: a million unless told. --texts needs no GPU and measures NVRTC alone, for all schemes or
// the one told, and LLVM for the same on this processor;
// --sweep tries launch shapes (15 625 and 4 million cells unless told);
// --shape takes blocks of T threads, B of them a multiprocessor, a ring of S stages, in double
// precision, instead of kernel_shape()'s;
// --split cuts the step into N kernels (split.hpp), each with the registers that it wants.
#include "engine/cell/compiler/emit/llvm/llvm_step.hpp"
#include "engine/cell/compiler/emit/llvm/llvm_target.hpp"
#include "engine/cell/compiler/library.hpp"
#include "engine/cell/compiler/split.hpp"
#include "engine/core/error.hpp"
#include "engine/device/cuda/compiled_reaction.cuh"
#include "engine/device/stepper.hpp"
#include "tests/bench/built_from.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

using namespace tawara;
using namespace tawara::device::cuda;
using cell::Scheme;
using nlohmann::ordered_json;

namespace {

namespace cc = cell::compiler;
namespace fs = std::filesystem;

struct Arguments
{
    std::int64_t cells = 0; ///< 0: not told
    bool texts = false, sweep = false;
    std::size_t split = 0; ///< kernels at most; 0: not told
    std::vector<KernelShape> shapes;
    std::optional<Scheme> scheme; ///< of the texts; not told: all
    std::vector<std::string> models;
};

/// A file with a model of so many states that only decay.
std::string decay(int states)
{
    const auto path = fs::temp_directory_path() / ("decay_" + std::to_string(states) + ".mmt");
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

std::string short_name(const std::string& model)
{
    return model.rfind('/') == std::string::npos ? model : fs::path(model).stem().string();
}

/// A matrix of 16 entries a row, neighbours within 600 slots.
template <class Real>
struct Rows
{
    Rows(std::int64_t slots, StreamRef s)
    {
        constexpr int width = 16 / sizeof(Real), chunks = 16 / width;
        const auto slices = static_cast<std::size_t>(slots / 32);
        std::vector<std::uint32_t> first, where;
        std::vector<std::int16_t> columns;
        static constexpr int steps[16] = {1,  -1,  2,  -2,  31,  -31,  33,  -33,
                                          64, -64, 95, -95, 256, -256, 600, -600};
        for (std::size_t k = 0; k <= slices; ++k) {
            first.push_back(static_cast<std::uint32_t>(k * chunks));
            where.push_back(static_cast<std::uint32_t>(k * chunks * 2));
        }
        for (std::int64_t k = 0; k < slots / 32; ++k)
            for (int c = 0; c < chunks; ++c)
                for (int lane = 0; lane < 32; ++lane)
                    for (int e = 0; e < width; ++e) {
                        const auto to = std::clamp<std::int64_t>(
                            k * 32 + lane + steps[c * width + e], 0, slots - 1);
                        columns.push_back(static_cast<std::int16_t>(to - k * 32));
                    }
        chunk = uploaded(first, s);
        column_chunk = uploaded(where, s);
        column = uploaded(columns, s);
        value = uploaded(std::vector<Real>(static_cast<std::size_t>(slots) * 16, Real(0.01)), s);
    }
    Matrix<Real> matrix() const
    {
        return {chunk.data(), column_chunk.data(), column.data(), value.data()};
    }
    Buffer<std::uint32_t> chunk, column_chunk;
    Buffer<std::int16_t> column;
    Buffer<Real> value;
};

/// Cells of one model, all alike but for their potentials, after their beat: nothing is left to be
/// noted of it.
template <class Real>
class Tissue
{
  public:
    /// @param passed  numbers of each cell behind its states
    Tissue(const cell::CellType& type, std::int64_t cells, StreamRef s, std::size_t passed = 0)
        : slots_((cells + 31) / 32 * 32), s_(s), status_(1, s.device)
    {
        const auto n = static_cast<std::size_t>(slots_), own = type.initial.size() - 1,
                   kept = own + passed;
        std::vector<Real> v(n), states(n * kept);
        for (std::size_t i = 0; i < n; ++i) {
            v[i] = static_cast<Real>(type.initial[0] + 0.1 * static_cast<double>(i % 61) / 61);
            for (std::size_t k = 0; k < own; ++k)
                states[(i / 32 * kept + k) * 32 + i % 32] = static_cast<Real>(type.initial[k + 1]);
        }
        v_[0] = uploaded(v, s);
        v_[1] = uploaded(v, s);
        states_ = uploaded(states, s);
        track_ = uploaded(v, s);
        rest_ = uploaded(v, s);
        phase_ = uploaded(std::vector<std::uint8_t>(n, 2), s);
        times_ = uploaded(std::vector<double>(2 * n), s);
        queue_ = uploaded(std::vector<unsigned>(2), s);
        status_.upload(std::vector<Status>(1), s);
        s.synchronize();
        r_.queue = queue_.data();
        r_.states = states_.data();
        r_.slots = static_cast<std::int64_t>(32 * kept);
        r_.record = {phase_.data(), track_.data(),     rest_.data(),
                     times_.data(), times_.data() + n, 0};
    }
    using Kernel = std::unique_ptr<const CompiledReaction<Real>>;
    /// ms of a step by kernels one after the other, the median of several groups of steps.
    double time(std::span<const Kernel> kernels, double dt_ms, const Rows<Real>* rows)
    {
        r_.dt = static_cast<Real>(dt_ms);
        constexpr int groups = 9;
        const int steps = slots_ > 100'000 ? 5 : 200;
        std::vector<Event> events;
        for (int g = 0; g <= groups; ++g)
            events.emplace_back(s_.device, true);
        const auto step = [&](int k) {
            Pass<Real> pass;
            if (rows) {
                pass.a = rows->matrix();
                pass.x = v_[k % 2].data();
                pass.tau = Real(0.01);
            }
            r_.v_in = r_.v_out = v_[1 - k % 2].data();
            for (const auto& kernel : kernels) {
                r_.v_before = &kernel == &kernels.back() ? v_[k % 2].data() : nullptr;
                kernel->launch(s_,
                               {rows ? &pass : nullptr, r_, {status_.data(), 0, dt_ms, 0, slots_}});
            }
        };
        const auto two = Graph::capture(s_, [&] {
            for (int k = 0; k < 2 * steps; ++k)
                step(k);
        });
        two.launch(s_);
        events[0].record(s_);
        for (int g = 0; g < groups; ++g) {
            two.launch(s_);
            events[static_cast<std::size_t>(g) + 1].record(s_);
        }
        s_.synchronize();
        std::vector<double> ms;
        for (int g = 0; g < groups; ++g)
            ms.push_back(static_cast<double>(events[static_cast<std::size_t>(g) + 1].since(
                             events[static_cast<std::size_t>(g)])) /
                         (2 * steps));
        std::nth_element(ms.begin(), ms.begin() + groups / 2, ms.end());
        return ms[groups / 2];
    }
    bool is_finite() const
    {
        std::vector<Status> status(1);
        status_.download(status, s_);
        s_.synchronize();
        return status[0].bad == no_failure;
    }
    std::int64_t slots() const { return slots_; }

  private:
    std::int64_t slots_;
    StreamRef s_;
    Buffer<Real> v_[2], states_, track_, rest_;
    Buffer<double> times_;
    Buffer<std::uint8_t> phase_;
    Buffer<unsigned> queue_;
    Buffer<Status> status_;
    Reaction<Real> r_;
};

/// One kernel on a tissue; fused with a pass where there are rows.
template <class Real>
ordered_json measure(const std::string& model, Scheme scheme, Tissue<Real>& tissue,
                     std::int64_t cells, const Rows<Real>* rows, std::optional<KernelShape> shape,
                     StreamRef s)
{
    constexpr bool single = sizeof(Real) == 4;
    constexpr double r = sizeof(Real), dt_ms = 0.005;
    const bool fused = rows;
    const device::CellGroup group{scheme, {cell::make_cell_type(model, "", {}, {})}};
    ReactionUse use{fused, !fused, 0, static_cast<std::size_t>(cells)};
    use.shape = shape;
    const typename Tissue<Real>::Kernel kernel[] = {
        std::make_unique<CompiledReaction<Real>>(group, use, s)};
    const double ms = tissue.time(kernel, dt_ms, rows);
    const auto n = static_cast<double>(kernel[0]->states()), count = static_cast<double>(cells);
    // every state and V in and out; the record's phase; 16 entries of the matrix
    const double bytes = count * (2 * r * n + 1 + (fused ? 16 * (r + 2) : 0));
    ordered_json j{{"model", short_name(model)},
                   {"states", kernel[0]->states()},
                   {"precision", single ? "single" : "double"},
                   {"scheme", std::string(cell::name(scheme))}};
    if (fused)
        j["fused"] = true;
    if (shape)
        j["shape"] = {shape->block_threads, shape->blocks, shape->stages};
    j["spilled_bytes"] = kernel[0]->spilled_bytes();
    j["us"] = ms * 1e3;
    j["ns_per_cell"] = ms * 1e6 / count;
    j["GB_per_s"] = bytes / ms * 1e-6;
    j["finite"] = tissue.is_finite();
    return j;
}

template <class Real>
ordered_json measure(const std::string& model, Scheme scheme, std::int64_t cells, StreamRef s)
{
    Tissue<Real> tissue(cell::make_cell_type(model, "", {}, {}), cells, s);
    return measure<Real>(model, scheme, tissue, cells, nullptr, {}, s);
}
ordered_json measure(const std::string& model, Scheme scheme, bool single, std::int64_t cells,
                     StreamRef s)
{
    return single ? measure<float>(model, scheme, cells, s)
                  : measure<double>(model, scheme, cells, s);
}

/// A step cut into kernels; the bytes are those of the whole step in one.
template <class Real>
ordered_json measure_split(const std::string& model, Scheme scheme, std::size_t parts, int blocks,
                           std::int64_t cells, StreamRef s)
{
    constexpr double dt_ms = 0.005;
    const auto type = cell::make_cell_type(model, "", {}, {});
    const auto whole =
        cc::shared_program(cc::system_of(type), scheme, cc::Target::gpu(sizeof(Real) == 4));
    const auto split = cc::split_program(*whole, parts);
    Tissue<Real> tissue(type, cells, s, split.passed);
    std::vector<typename Tissue<Real>::Kernel> kernels;
    for (std::size_t k = 0; k < split.parts.size(); ++k)
        for (int times = 0; times < split.times[k]; ++times) {
            ReactionUse use{false, true, 0, static_cast<std::size_t>(cells)};
            use.shape = KernelShape{128, blocks, 0};
            use.program = std::make_shared<const cc::Program>(split.parts[k]);
            kernels.push_back(std::make_unique<CompiledReaction<Real>>(
                device::CellGroup{scheme, {type}}, use, s));
        }
    std::vector<std::size_t> spilled;
    for (const auto& k : kernels)
        spilled.push_back(k->spilled_bytes());
    const double ms = tissue.time(kernels, dt_ms, nullptr);
    const auto count = static_cast<double>(cells);
    const double bytes = count * (2.0 * sizeof(Real) * static_cast<double>(whole->next.size()) + 1);
    return {{"model", short_name(model)},
            {"states", whole->next.size()},
            {"precision", sizeof(Real) == 4 ? "single" : "double"},
            {"scheme", std::string(cell::name(scheme))},
            {"kernels", kernels.size()},
            {"passed", split.passed},
            {"blocks", blocks},
            {"spilled_bytes", spilled},
            {"us", ms * 1e3},
            {"ns_per_cell", ms * 1e6 / count},
            {"GB_per_s", bytes / ms * 1e-6},
            {"finite", tissue.is_finite()}};
}

/// What NVRTC takes for a text, and its cache.
ordered_json compile(const std::string& model, Scheme scheme, bool single)
{
    const auto type = cell::make_cell_type(model, "", {}, {});
    const auto start = std::chrono::steady_clock::now();
    const auto program = cc::shared_program(cc::system_of(type), scheme, cc::Target::gpu(single));
    const std::chrono::duration<double, std::milli> text = std::chrono::steady_clock::now() - start;
    const auto source = reaction_source(
        *program, single, false, {},
        program->before.empty() ? kernel_shape(program->next.size(), single, false, 1'000'000)
                                : all_registers);
    const auto cache = fs::temp_directory_path() / "tawara-bench-models";
    fs::remove_all(cache);
    const std::clock_t before = std::clock();
    const auto fresh = compile_cuda(source, 90, cache);
    const double busy = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    const double cached = compile_cuda(source, 90, cache).ms;
    fs::remove_all(cache);
    const auto own = cc::shared_program(cc::system_of(type), scheme, cc::processor_target(single));
    const double llvm =
        single ? cc::JitStep<float>(*own).compile_ms() : cc::JitStep<double>(*own).compile_ms();
    return {{"model", short_name(model)},
            {"states", program->next.size()},
            {"precision", single ? "single" : "double"},
            {"scheme", std::string(cell::name(scheme))},
            {"text_kB", source.text.size() / 1000},
            {"optimise_ms", text.count()},
            {"nvrtc_ms", fresh.ms},
            {"nvrtc_processor_ms", busy * 1e3},
            {"cubin_kB", fresh.code.size() / 1000},
            {"cache_ms", cached},
            {"llvm_ms", llvm}};
}

void add(ordered_json& list, const ordered_json& row)
{
    list.push_back(row);
    std::cerr << row.dump() << std::endl;
}

/// Launch shapes worth a try.
std::vector<KernelShape> shapes_for(bool single, bool small)
{
    if (small)
        return {{128, 1, 0}, {64, 1, 0}, {32, 1, 0}, {128, 2, 2}, {64, 4, 2}};
    std::vector<KernelShape> shapes;
    for (const int warps : {8, 12, 14, 16, 20, 24, 28, 32})
        for (const int threads : {32, 64, 128}) {
            const int blocks = warps * 32 / threads;
            if (blocks * threads != warps * 32 || (!single && warps > 20) || (single && warps < 12))
                continue;
            if (threads >= 128)
                shapes.push_back({threads, blocks, 0});
            for (const int stages : {1, 2, 3})
                shapes.push_back({threads, blocks, stages});
        }
    return shapes;
}

/// Shapes of one model's kernel, small and large tissue, alone and fused.
template <class Real>
void sweep(ordered_json& out, const std::string& model, std::int64_t told, StreamRef s)
{
    const auto sizes = told ? std::vector{told} : std::vector<std::int64_t>{15'625, 4'000'000};
    for (const std::int64_t cells : sizes) {
        Tissue<Real> tissue(cell::make_cell_type(model, "", {}, {}), cells, s);
        const Rows<Real> rows(tissue.slots(), s);
        for (const auto* r : {static_cast<const Rows<Real>*>(nullptr), &rows})
            for (const auto& shape : shapes_for(sizeof(Real) == 4, cells < 100'000))
                try {
                    add(out, measure<Real>(model, Scheme::rush_larsen_light, tissue, cells, r,
                                           shape, s));
                } catch (const Error& e) {
                    std::cerr << e.what() << '\n';
                }
    }
}

Arguments parse(int argc, char** argv)
{
    Arguments a;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--cells" && i + 1 < argc)
            a.cells = std::stoll(argv[++i]);
        else if (word == "--texts")
            a.texts = true;
        else if (word == "--scheme" && i + 1 < argc)
            a.scheme = cell::scheme_by_name(argv[++i]);
        else if (word == "--shape" && i + 1 < argc) {
            KernelShape s;
            if (std::sscanf(argv[++i], "%d,%d,%d", &s.block_threads, &s.blocks, &s.stages) != 3)
                throw InputError("--shape", "three numbers are needed, e.g. 128,2,0");
            a.shapes.push_back(s);
        } else if (word == "--split" && i + 1 < argc)
            a.split = std::stoul(argv[++i]);
        else if (word == "--sweep")
            a.sweep = true;
        else
            a.models.push_back(word);
    }
    if (a.models.empty())
        a.models = cell::model_names();
    return a;
}

constexpr Scheme exponential[] = {Scheme::rush_larsen_light, Scheme::rush_larsen, Scheme::grl1};
constexpr Scheme every[] = {
    Scheme::forward_euler, Scheme::rk4,  Scheme::rush_larsen,           Scheme::rush_larsen_light,
    Scheme::grl1,          Scheme::grl2, Scheme::backward_euler_single, Scheme::backward_euler};

void texts(ordered_json& j, const Arguments& a)
{
    compile("mitchell_schaeffer_2003", Scheme::grl1, true); // NVRTC itself is loaded
    for (const auto& m : a.models)
        for (const Scheme scheme : every)
            for (const bool single : {false, true})
                if (scheme == a.scheme.value_or(scheme))
                    add(j["texts"], compile(m, scheme, single));
}

void kernels(ordered_json& j, const Arguments& a)
{
    const Current here(0);
    const Stream s(0);
    const auto c = device::measure_ceilings("cuda:0", 1);
    j["device"] = device::devices().at(1).name;
    j["ceilings"] = {{"triad_GB_per_s", c.triad_GB_per_s}, {"copy_GB_per_s", c.copy_GB_per_s}};
    if (a.sweep) {
        for (const auto& m : a.models) {
            sweep<double>(j["kernels"], m, a.cells, s);
            sweep<float>(j["kernels"], m, a.cells, s);
        }
        return;
    }
    const auto cells = a.cells ? a.cells : 1'000'000;
    j["cells"] = cells;
    for (const int n : {19, 41})
        for (const bool single : {false, true})
            add(j["kernels"], measure(decay(n), Scheme::rush_larsen_light, single, cells, s));
    if (a.split > 0) {
        for (const auto& m : a.models)
            for (std::size_t parts = 1; parts <= a.split; ++parts)
                for (const int blocks : {2, 3, 4})
                    add(j["kernels"], measure_split<double>(m, a.scheme.value_or(Scheme::grl1),
                                                            parts, blocks, cells, s));
        return;
    }
    for (const auto& m : a.models)
        for (const auto& shape : a.shapes) {
            const auto scheme = a.scheme.value_or(Scheme::grl1);
            Tissue<double> tissue(cell::make_cell_type(m, "", {}, {}), cells, s);
            add(j["kernels"], measure<double>(m, scheme, tissue, cells, nullptr, shape, s));
        }
    if (!a.shapes.empty())
        return;
    std::vector<Scheme> schemes(std::begin(exponential), std::end(exponential));
    if (a.scheme)
        schemes = {*a.scheme};
    for (const auto& m : a.models)
        for (const Scheme scheme : schemes)
            for (const bool single : {false, true})
                add(j["kernels"], measure(m, scheme, single, cells, s));
}

} // namespace

int main(int argc, char** argv)
{
    try {
        const auto a = parse(argc, argv);
        ordered_json j{{"schema", 2},
                       {"commit", bench::built_from},
                       {"compiler", TAWARA_COMPILER},
                       {"nvrtc", nvrtc_version()}};
        if (a.texts) {
            texts(j, a);
        } else {
            kernels(j, a);
        }
        std::cout << j.dump(1) << std::endl;
        return 0;
    } catch (const std::exception& e) {
        std::cerr << "error: " << e.what() << '\n';
        return 4;
    }
}
