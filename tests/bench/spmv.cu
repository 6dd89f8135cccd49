// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-bench-spmv [--precision double|single|mixed] [--ours] [--out FILE] [--seconds N] MATRIX...
//
// Products of each matrix on the first GPU in all formats, orders and launches that are worth a
// try, beside cuSPARSE's: a table, and a JSON line for each try. --ours: without cuSPARSE. MATRIX:
// heart:FILE:REFINEMENTS (of spmv_heart), the name of a stand-in or "stand-ins", or a Matrix Market
// file.
#include "engine/device/cuda/backend.hpp"
#include "engine/mesh/check.hpp"
#include "engine/sparse/bench/heart_matrix.hpp"
#include "engine/sparse/bench/stand_ins.hpp"
#include "engine/sparse/matrix_market.hpp"
#include "tests/bench/heart_file.hpp"
#include "tests/bench/spmv_trial.cuh"

#include <future>
#include <thread>

namespace {

using namespace tawara;
using namespace tawara::bench;

struct Setting
{
    Precision precision = Precision::double_;
    bool ours = false;
    double seconds = 1e30; ///< after so many, no other matrix is begun
    std::FILE* out = nullptr;
    std::vector<std::string> matrices;
};

Csr matrix_of(const std::string& text, ThreadPool& pool)
{
    if (text.rfind("heart:", 0) == 0) {
        const auto colon = text.rfind(':');
        auto m = bench::read_heart(text.substr(6, colon - 6));
        for (int k = std::stoi(text.substr(colon + 1)); k > 0; --k)
            m = mesh::refine(m);
        return heart_matrix(m, pool);
    }
    if (const auto* s = stand_in(text))
        return make_stand_in(*s);
    return read_matrix_market(text);
}

Setting setting_of(int count, char** text)
{
    Setting set;
    for (int k = 1; k < count; ++k) {
        const std::string t = text[k];
        if (t == "--precision" && k + 1 < count) {
            const std::string p = text[++k];
            set.precision = p == "single"  ? Precision::single
                            : p == "mixed" ? Precision::mixed
                                           : Precision::double_;
        } else if (t == "--out" && k + 1 < count) {
            set.out = std::fopen(text[++k], "a");
        } else if (t == "--seconds" && k + 1 < count) {
            set.seconds = std::stod(text[++k]);
        } else if (t == "--ours") {
            set.ours = true;
        } else if (t == "stand-ins") {
            for (const auto& s : stand_ins())
                set.matrices.emplace_back(s.name);
        } else {
            set.matrices.push_back(t);
        }
    }
    return set;
}

int run(const Setting& set)
{
    const auto begin = Clock::now();
    ThreadPool pool(std::max(1U, std::thread::hardware_concurrency()));
    const device::cuda::Stream s(0);
    cudaDeviceProp properties{};
    device::cuda::check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties", 0);
    const auto ceilings = device::cuda::measure_ceilings(0);
    const Stopwatch watch(s);
    const Machine machine{ceilings.triad_GB_per_s, watch.nothing_us()};
    const auto why = cusparse_reason();
    std::printf("%s: triad %.1f GB/s, copy %.1f GB/s, a kernel that does nothing %.2f us, %s\n"
                "net: less the kernel that does nothing\n",
                properties.name, ceilings.triad_GB_per_s, ceilings.copy_GB_per_s,
                machine.nothing_us,
                why.empty() ? ("cuSPARSE " + cusparse_version()).c_str() : why.c_str());
    if (set.out)
        std::fprintf(set.out,
                     "{\"gpu\": \"%s\", \"triad_GB_per_s\": %.2f, \"copy_GB_per_s\": %.2f, "
                     "\"nothing_us\": %.3f, \"cusparse\": \"%s\"}\n",
                     properties.name, ceilings.triad_GB_per_s, ceilings.copy_GB_per_s,
                     machine.nothing_us, cusparse_version().c_str());
    Summary summary;
    const auto measured = [&](const std::string& matrix, Csr a) {
        // without the folder
        const auto slash = matrix.rfind('/');
        const auto name = slash == std::string::npos ? matrix : matrix.substr(slash + 1);
        const auto in = [&](auto stored, auto real) {
            Trial<decltype(stored), decltype(real)> trial(s, watch, pool, machine, set.out,
                                                          set.precision, name, std::move(a));
            summary.add(trial.run(set.ours));
        };
        set.precision == Precision::double_  ? in(0.0, 0.0)
        : set.precision == Precision::single ? in(0.0F, 0.0F)
                                             : in(0.0F, 0.0);
    };
    // each matrix is made while the one before is measured
    const auto made = [](const std::string& m) {
        return std::async(std::launch::async, [&m] {
            const auto start = Clock::now();
            ThreadPool own(4);
            auto a = matrix_of(m, own);
            return std::pair(std::move(a), since(start));
        });
    };
    std::future<std::pair<Csr, double>> next;
    for (std::size_t k = 0; k < set.matrices.size(); ++k) {
        if (since(begin) > set.seconds) {
            std::printf("\nno time for %s\n", set.matrices[k].c_str());
            continue;
        }
        auto [a, seconds] = (next.valid() ? std::move(next) : made(set.matrices[k])).get();
        if (k + 1 < set.matrices.size())
            next = made(set.matrices[k + 1]);
        const auto start = Clock::now();
        measured(set.matrices[k], std::move(a));
        std::printf("  %.1f s to make the matrix, %.1f s to measure, %.1f s since the start\n",
                    seconds, since(start), since(begin));
        std::fflush(stdout);
    }
    summary.print(machine);
    if (set.out)
        std::fclose(set.out);
    return 0;
}

} // namespace

int main(int count, char** text)
{
    try {
        return run(setting_of(count, text));
    } catch (const tawara::Error& e) {
        std::fprintf(stderr, "error: %s\n", e.what());
        return 2;
    }
}
