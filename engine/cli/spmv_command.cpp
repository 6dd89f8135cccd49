// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cli/spmv_command.hpp"

#include "engine/cli/bench_triads.hpp"
#include "engine/cli/spmv_page.hpp"
#include "engine/core/error.hpp"
#include "engine/core/provenance.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/mesh/check.hpp"
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/simulation/tissue/heart_store.hpp"
#include "engine/sparse/bench/heart_matrix.hpp"
#include "engine/sparse/bench/stand_ins.hpp"
#include "engine/sparse/cpu/product.hpp"
#include "engine/sparse/cuda/measure.hpp"
#include "engine/sparse/matrix_market.hpp"
#include "engine/sparse/order.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>
#include <random>

namespace tawara::cli {
namespace {

using namespace sparse;
using Clock = std::chrono::steady_clock;

/// A matrix that was asked for; those of files are there already.
struct Wanted
{
    std::string name;
    std::optional<Csr> of_file;
};

bool is_heart(const std::string& name)
{
    return name == "heart" || name == "heart:1" || name == "heart:2";
}

/// @throws InputError for what is no matrix
Csr read_matrix(const std::string& name, ThreadPool& pool, Context& c)
{
    if (name.find('.') == std::string::npos) {
        std::string known;
        for (const auto& s : stand_ins())
            known += (known.empty() ? "" : ", ") + std::string(s.name);
        throw InputError("bench spmv", "'" + name +
                                           "' is no matrix; it should be heart, heart:1, heart:2, "
                                           "a .mtx file, a mesh, stand-ins or one of them: " +
                                           known);
    }
    auto a = name.ends_with(".mtx")
                 ? read_matrix_market(name)
                 : heart_matrix(mesh::io::read(name, {}, c.progress()).mesh, pool);
    if (a.rows() == 0 || a.columns == 0)
        throw InputError(name, "has " + std::to_string(a.rows()) + " rows and " +
                                   std::to_string(a.columns) +
                                   " columns, so that there is nothing to multiply; a matrix of 1 "
                                   "row and 1 column at least would be right");
    return a;
}

std::vector<Wanted> wanted_matrices(const std::vector<std::string>& asked, ThreadPool& pool,
                                    Context& c)
{
    std::vector<Wanted> out;
    for (const auto& name : asked)
        if (name == "stand-ins")
            for (const auto& s : stand_ins())
                out.push_back({std::string(s.name), {}});
        else if (stand_in(name) != nullptr || is_heart(name))
            out.push_back({name, {}});
        else
            out.push_back({name, read_matrix(name, pool, c)});
    return out;
}

Csr matrix_of(Wanted& w, ThreadPool& pool, Context& c)
{
    if (w.of_file)
        return std::move(*w.of_file);
    if (const auto* s = stand_in(w.name))
        return make_stand_in(*s);
    Notices notices;
    auto m = simulation::kept_heart({}, simulation::heart_folder(), notices, c.progress());
    for (int times = w.name == "heart" ? 0 : w.name.back() - '0'; times > 0; --times)
        m = mesh::refine(m, c.progress());
    return heart_matrix(m, pool);
}

/// What products of one matrix are measured with, and what is found.
struct Bench
{
    Context& c;
    Precision precision;
    double csr_bytes = 0;
    Json products = Json::array();

    void add(const std::string& device, unsigned threads, const std::string& order,
             const std::string& way, double us, double bytes, double triad_GB_per_s, double error)
    {
        const double bound = csr_bytes / us / 1e3 / triad_GB_per_s;
        // on a CPU products follow each other; a GPU's cache is filled with something else between
        const char* const cache = device == "cpu" ? "hot" : "cold";
        products.push_back({{"device", device},
                            {"threads", threads},
                            {"order", order},
                            {"way", way},
                            {"cache", cache},
                            {"us", us},
                            {"bytes", bytes},
                            {"GB_per_s", bytes / us / 1e3},
                            {"of_triad", bytes / us / 1e3 / triad_GB_per_s},
                            {"of_csr_bound", bound},
                            {"error", error}});
        char line[200];
        const auto on = device == "cpu" ? std::to_string(threads) + " x cpu" : device;
        std::snprintf(line, sizeof line,
                      "  %-8s %-4s %-22s %-4s %11.2f us %8.2f GB/s  %5.3f of triad  %5.3f of the "
                      "CSR bound  error %.1e",
                      on.c_str(), order.c_str(), way.c_str(), cache, us, bytes / us / 1e3,
                      bytes / us / 1e3 / triad_GB_per_s, bound, error);
        c.say(line);
    }
};

double error_of(const std::vector<double>& got, const std::vector<double>& wanted)
{
    double most = 1e-300, away = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
        most = std::max(most, std::abs(wanted[i]));
        const double d = std::abs(got[i] - wanted[i]);
        away = d <= away ? away : d;
    }
    return away / most;
}

/// Compressed rows (in double precision) and ELL-WARP on one number of threads.
template <class Stored, class Real>
void on_cpu(Bench& b, const std::string& order, const Csr& a, unsigned threads, double triad)
{
    ThreadPool pool(threads);
    std::mt19937 chance(1);
    std::uniform_real_distribution<double> value(-1, 1);
    std::vector<double> x(static_cast<std::size_t>(a.columns));
    std::generate(x.begin(), x.end(), [&] { return value(chance); });
    std::vector<double> wanted(static_cast<std::size_t>(a.rows())), got(wanted.size());
    multiply(a, x, wanted);
    if (b.precision == Precision::double_) {
        const double s = least_seconds([&] { cpu::multiply(a, x, got, pool); });
        const double bytes = 12.0 * static_cast<double>(a.entries()) +
                             16.0 * static_cast<double>(a.rows()) + // 8 of them where rows begin
                             8.0 * static_cast<double>(a.columns);
        b.add("cpu", threads, order, "CSR", 1e6 * s, bytes, triad, error_of(got, wanted));
    }
    const auto since = Clock::now();
    const auto layout = make_layout(a, cpu::options_for(a, true), pool);
    const cpu::WarpProduct<Stored, Real> product(layout, a.value, pool);
    const double layout_us =
        std::chrono::duration<double, std::micro>(Clock::now() - since).count();
    const auto turned = [&](const std::vector<double>& v) {
        return layout.options.renumbered ? to_layout<double>(layout, v) : v;
    };
    const auto x_of_layout = turned(x);
    const std::vector<Real> from(x_of_layout.begin(), x_of_layout.end());
    std::vector<Real> to(wanted.size());
    const double s = least_seconds([&] { product.multiply(from, to, pool); });
    b.add("cpu", threads, order, "ELL-WARP", 1e6 * s, product.bytes(), triad,
          error_of({to.begin(), to.end()}, turned(wanted)));
    b.products.back()["layout_us"] = layout_us;
}

void on_cpu(Bench& b, const std::string& order, const Csr& a, unsigned threads, double triad)
{
    switch (b.precision) {
    case Precision::double_:
        return on_cpu<double, double>(b, order, a, threads, triad);
    case Precision::single:
        return on_cpu<float, float>(b, order, a, threads, triad);
    case Precision::mixed:
        return on_cpu<float, double>(b, order, a, threads, triad);
    }
}

#if TAWARA_HAVE_CUDA
void on_gpu(Bench& b, const Csr& a, int gpu, double triad, ThreadPool& pool)
{
    std::vector<std::string> remarks;
    for (const auto& m : sparse::cuda::measure_products(a, b.precision, gpu, pool, remarks)) {
        b.add("cuda:" + std::to_string(gpu), 0, m.order, m.way, m.cold_us, m.bytes, triad, m.error);
        b.products.back()["hot_us"] = m.many_us; // one of a hundred in a row
    }
    for (const auto& r : remarks)
        b.c.say("  " + r);
}
#endif

/// How many rows have a length within each of at most 64 equal parts of what there is.
Json histogram_of(const Csr& a, const RowLengths& length)
{
    const auto span = length.most - length.least + 1, width = (span + 63) / 64;
    std::vector<std::int64_t> rows(static_cast<std::size_t>((span + width - 1) / width), 0);
    for (std::int64_t i = 0; i < a.rows(); ++i)
        ++rows[static_cast<std::size_t>((a.length(i) - length.least) / width)];
    return {{"width", width}, {"rows", rows}};
}

Json measure_one(Context& c, Wanted& wanted, Precision precision, const Triads& triads,
                 ThreadPool& pool)
{
    const auto& name = wanted.name;
    const auto a = matrix_of(wanted, pool, c);
    const auto length = row_lengths(a);
    const double stored = precision == Precision::double_ ? 8 : 4,
                 real = precision == Precision::single ? 4 : 8;
    Bench b{c, precision};
    b.csr_bytes = (stored + 4) * static_cast<double>(a.entries()) +
                  4.0 * static_cast<double>(a.rows()) +
                  real * static_cast<double>(a.rows() + a.columns);
    char line[240];
    std::snprintf(line, sizeof line,
                  "%s: %lld rows, %lld entries, %lld to %lld a row, mean %.2f, deviation %.2f",
                  name.c_str(), static_cast<long long>(a.rows()),
                  static_cast<long long>(a.entries()), static_cast<long long>(length.least),
                  static_cast<long long>(length.most), length.mean, length.deviation);
    c.say(line);
    const auto in_order = [&](const std::string& order, const Csr& m) {
        for (const auto& [threads, triad] : triads.cpu)
            on_cpu(b, order, m, threads, triad);
    };
    in_order("own", a);
    if (a.rows() == a.columns && !triads.cpu.empty())
        in_order("rcm", renumbered(a, cuthill_mckee(a)));
#if TAWARA_HAVE_CUDA
    if (triads.gpu_number >= 0)
        on_gpu(b, a, triads.gpu_number, triads.gpu, pool);
#endif
    return {{"matrix", name},
            {"rows", a.rows()},
            {"entries", a.entries()},
            {"least", length.least},
            {"most", length.most},
            {"mean", length.mean},
            {"deviation", length.deviation},
            {"histogram", histogram_of(a, length)},
            {"csr_bytes", b.csr_bytes},
            {"products", b.products}};
}

} // namespace

void MatrixArguments::declare(CLI::App& app)
{
    app.add_option("matrices", matrices,
                   "matrices in place of the tissue's: heart (heart:1 and heart:2: refined), "
                   "stand-ins, the name of one, "
                   ".mtx files, meshes")
        ->type_name("MATRIX");
    app.add_option("--out", out, "of matrices: a file for the result as JSON")->type_name("FILE");
    app.add_option("--page", page, "of matrices: a file for a page with plots (HTML)")
        ->type_name("FILE");
}

void measure_matrices(Context& c, const MatrixArguments& a, const DeviceArguments& device)
{
    const auto precision = device.parsed_precision();
    const unsigned all = device.threads > 0 ? device.threads : c.console().context.threads;
    ThreadPool pool(all);
    auto wanted = wanted_matrices(a.matrices, pool, c); // what is no matrix is said at once
    const Triads triads(c, device, all);
    Json matrices = Json::array();
    for (auto& w : wanted)
        matrices.push_back(measure_one(c, w, precision, triads, pool));
    const Json result{{"bench", "spmv"},
                      {"version", program_version()},
                      {"built_from", program_commit()},
                      {"precision", device.precision},
                      {"ceilings", triads.json},
                      {"matrices", matrices}};
    if (!a.out.empty())
        write_whole(a.out, [&](std::ostream& out) { out << result.dump(1) << '\n'; });
    if (!a.page.empty())
        write_whole(a.page, [&](std::ostream& out) { out << spmv_page(result); });
    c.result(result);
}

} // namespace tawara::cli
