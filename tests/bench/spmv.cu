// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-bench-spmv [--precision double|single|mixed] [--out FILE] [--full] [--seconds N] MATRIX...
//
// Products of each matrix on the first GPU in all formats, orders and launches that are worth a
// try, beside cuSPARSE's: a table, and a JSON line for each try. MATRIX: heart:FILE:REFINEMENTS (of
// spmv_heart), the name of a stand-in or "stand-ins", or a Matrix Market file.
#include "engine/core/error.hpp"
#include "engine/core/units.hpp"
#include "engine/device/cuda/backend.hpp"
#include "engine/mesh/check.hpp"
#include "engine/sparse/bench/heart_matrix.hpp"
#include "engine/sparse/bench/stand_ins.hpp"
#include "engine/sparse/cuda/stopwatch.cuh"
#include "engine/sparse/matrix_market.hpp"
#include "engine/sparse/order.hpp"
#include "tests/bench/heart_file.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <future>
#include <random>
#include <thread>

namespace {

using namespace tawara;
using namespace tawara::sparse;
using namespace tawara::sparse::cuda;
using device::cuda::uploaded;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point t)
{
    return std::chrono::duration<double>(Clock::now() - t).count();
}

/// A matrix in one order, x and the product that is wanted.
struct Ordered
{
    std::string name;
    Csr a;
    std::vector<double> x, y;
    double seconds = 0; ///< to find the order and renumber
};

struct Result
{
    std::string order, format;
    WarpOptions options;
    WarpLaunch launch;
    int threads = 0;
    ProductTimes times;
    double bytes = 0, error = 0, padding = 1, layout_s = 0;
};

struct Setting
{
    Precision precision = Precision::double_;
    bool full = false;
    double seconds = 1e30; ///< after so many, no other matrix is begun
    std::FILE* out = nullptr;
    device::Ceilings ceilings;
    double nothing_us = 0;
    std::string gpu;
};

class Trial
{
  public:
    Trial(StreamRef s, const Stopwatch& watch, ThreadPool& pool, Setting& setting, std::string name,
          Csr a)
        : s_(s), watch_(watch), pool_(pool), set_(setting), name_(std::move(name))
    {
        Ordered own{"own", std::move(a), {}, {}, 0};
        std::mt19937 chance(1);
        std::uniform_real_distribution<double> value(-1, 1);
        own.x.resize(static_cast<std::size_t>(own.a.columns));
        for (auto& v : own.x)
            v = value(chance);
        own.y.resize(static_cast<std::size_t>(own.a.rows()));
        multiply(own.a, own.x, own.y);
        order_.push_back(std::move(own));
    }

    void run()
    {
        const auto& a = order_.front().a;
        const auto r = row_lengths(a);
        csr_bytes_ = static_cast<double>(a.entries()) * (stored() + 4.0) +
                     4.0 * static_cast<double>(a.rows()) +
                     real() * static_cast<double>(a.rows() + a.columns);
        std::printf("\n%s: %lld rows, %lld entries, %.2f a row (%lld to %lld, deviation %.2f)\n",
                    name_.c_str(), static_cast<long long>(a.rows()),
                    static_cast<long long>(a.entries()), r.mean, static_cast<long long>(r.least),
                    static_cast<long long>(r.most), r.deviation);
        std::fflush(stdout);
        if (set_.precision == Precision::double_)
            all<double, double>();
        else if (set_.precision == Precision::single)
            all<float, float>();
        else
            all<float, double>();
        report();
    }

  private:
    double stored() const { return set_.precision == Precision::double_ ? 8 : 4; }
    double real() const { return set_.precision == Precision::single ? 4 : 8; }

    void add_order(const std::string& name, std::vector<std::int32_t> (*order)(const Csr&))
    {
        const auto& own = order_.front();
        const auto start = Clock::now();
        const auto old_of = order(own.a);
        Ordered o{name, renumbered(own.a, old_of), {}, {}, since(start)};
        for (const auto i : old_of) {
            o.x.push_back(own.x[static_cast<std::size_t>(i)]);
            o.y.push_back(own.y[static_cast<std::size_t>(i)]);
        }
        std::printf("  order %s: %.2f s\n", name.c_str(), o.seconds);
        order_.push_back(std::move(o));
    }

    template <class Stored, class Real>
    void all()
    {
        peers<Stored, Real>(order_.front());
        if (order_.front().a.rows() == order_.front().a.columns) {
            add_order("rcm", cuthill_mckee);
            add_order("clusters", [](const Csr& a) { return nested_clusters(a); });
        }
        for (std::size_t k = 0; k < order_.size(); ++k)
            layouts<Stored, Real>(order_[k], k == 0);
        if (order_.size() > 1 && set_.full)
            peers<Stored, Real>(order_[1]);
    }

    template <class Stored, class Real>
    void peers(const Ordered& o)
    {
        for (const auto p : {Peer::csr_1, Peer::csr_2, Peer::coo_1, Peer::coo_2})
            attempt<Real>(o, std::string(name(p)), 0,
                          [&] { return make_cusparse_product<Stored, Real>(s_, o.a, p); });
        for (const int slice : {2, 8, 32, 64})
            attempt<Real>(o, std::string(name(Peer::sell)), slice, [&] {
                return make_cusparse_product<Stored, Real>(s_, o.a, Peer::sell, slice);
            });
        attempt<Real>(o, "merge path", 0,
                      [&] { return make_merge_product<Stored, Real>(s_, o.a); });
        for (const int threads : {1, 2, 4, 8, 16, 32})
            attempt<Real>(o, "CSR", threads,
                          [&] { return make_csr_product<Stored, Real>(s_, o.a, threads); });
        if (row_lengths(o.a).most * o.a.rows() < 5 * o.a.entries())
            attempt<Real>(o, "ELLPACK-R", 0,
                          [&] { return make_ellpack_product<Stored, Real>(s_, o.a); });
    }

    /// Thresholds of K2 that are worth a try.
    std::vector<std::int32_t> thresholds(const Csr& a) const
    {
        const auto r = row_lengths(a);
        std::vector<std::int32_t> out{0};
        if (r.deviation < r.mean && a.rows() > 500'000)
            return out;
        for (const double t : {r.mean / 4, r.mean / 2, r.mean, 2 * r.mean, 4 * r.mean})
            if (const auto n = static_cast<std::int32_t>(std::lround(t));
                n >= 1 && n < r.most && n != out.back())
                out.push_back(n);
        return out;
    }

    template <class Stored, class Real>
    void layouts(const Ordered& o, bool own)
    {
        const bool square = o.a.rows() == o.a.columns;
        const int widest = sizeof(Stored) == 8 ? 2 : 4;
        for (const auto threshold : thresholds(o.a)) {
            for (const int pack : {1, 2, 4}) {
                if (pack > widest || (pack < widest && !set_.full && threshold > 0))
                    continue;
                for (const std::int64_t window : {0, 256, 1024}) {
                    if (own && window == 256)
                        continue;
                    if (own && pack == widest) {
                        layout<Stored, Real>(o, {window, false, false, threshold, false, pack});
                        layout<Stored, Real>(o, {window, false, false, threshold, true, pack});
                    }
                    if (square)
                        layout<Stored, Real>(o, {window, true, true, threshold, true, pack});
                    if (square && own && pack == widest && window == 0) {
                        layout<Stored, Real>(o, {window, true, false, threshold, false, pack});
                        layout<Stored, Real>(o, {window, true, true, threshold, false, pack});
                    }
                }
            }
            if (own)
                layout<Stored, Real>(o, {1, false, false, threshold, false, widest});
        }
        for (const std::int32_t tile : {128, 256, 512, 1024})
            for (const int pack : {1, widest})
                if (square && (!own || tile == 512) && (pack == widest || set_.full))
                    layout<Stored, Real>(o, {tile, true, true, 0, false, pack, tile});
    }

    template <class Stored, class Real>
    void layout(const Ordered& o, const WarpOptions& options)
    {
        const auto start = Clock::now();
        WarpLayout l;
        try {
            l = make_layout(o.a, options, pool_);
        } catch (const Error&) {
            return; // a tile with too many columns
        }
        if (l.padded() > 6 * l.entries ||
            static_cast<double>(l.largest_tile()) * sizeof(Real) > 200e3)
            return; // nobody would
        const double seconds = since(start);
        const auto product = make_warp_product<Stored, Real>(s_, l, o.a.value, {}, pool_);
        const auto x = to_layout_order<Real>(l, o.x);
        const auto wanted = to_layout_order<double>(l, o.y);
        Vectors<Real> v(s_, x, o.a.rows());
        Result best;
        std::vector<int> blocks{64, 128, 256, 512}, flights{4, 8, 16};
        for (const int block : blocks)
            for (const int flight : flights)
                for (const bool other : {false, true}) {
                    // another way: in tiles a copy in bulk, else x asked for ahead
                    const bool tiles = options.tile > 0;
                    if (other && !tiles && !options.renumbered)
                        continue;
                    const WarpLaunch how{block, flight, other && !tiles, other && tiles};
                    try {
                        product->run_as(how);
                    } catch (const Error&) {
                        continue; // no room in shared memory
                    }
                    Result r{o.name, options.tile > 0 ? "tiles" : "warps", options, how};
                    r.times = watch_.measure([&] { product->multiply(s_, v.x.data(), v.y.data()); },
                                             set_.full ? 15 : 9, false);
                    r.bytes = product->bytes();
                    r.padding = static_cast<double>(l.padded()) / static_cast<double>(l.entries);
                    r.layout_s = seconds;
                    write(r); // bits do not depend on the launch: the best one's are looked at
                    if (best.format.empty() || r.times.cold_us < best.times.cold_us)
                        best = r;
                }
        product->run_as(best.launch);
        best.times =
            watch_.measure([&] { product->multiply(s_, v.x.data(), v.y.data()); }, 25, true);
        best.error = v.error(s_, wanted);
        write(best);
        result_.push_back(best);
    }

    template <class Real, class Make>
    void attempt(const Ordered& o, const std::string& format, int threads, Make make)
    {
        Result r{o.name, format, {}, {}, threads};
        try {
            const auto product = make();
            Vectors<Real> v(s_, std::vector<Real>(o.x.begin(), o.x.end()), o.a.rows());
            r.times =
                watch_.measure([&] { product->multiply(s_, v.x.data(), v.y.data()); }, 25, true);
            r.bytes = product->bytes();
            r.error = v.error(s_, o.y);
        } catch (const Error& e) {
            std::printf("  %s (%s): %s\n", format.c_str(), o.name.c_str(), e.what());
            return;
        }
        write(r);
        result_.push_back(r);
    }

    template <class Real>
    struct Vectors
    {
        Vectors(StreamRef s, const std::vector<Real>& from, std::int64_t rows)
            : x(uploaded(from, s)),
              y(uploaded(std::vector<Real>(static_cast<std::size_t>(rows), Real(NAN)), s))
        {
        }
        /// Largest difference over the largest number.
        double error(StreamRef s, const std::vector<double>& wanted) const
        {
            std::vector<Real> got(wanted.size());
            y.download(got, s);
            s.synchronize();
            double most = 1e-300, away = 0;
            for (std::size_t i = 0; i < got.size(); ++i) {
                most = std::max(most, std::abs(wanted[i]));
                const double d = std::abs(static_cast<double>(got[i]) - wanted[i]);
                away = d <= away ? away : d; // NaN is larger than all
            }
            return away / most;
        }
        Buffer<Real> x, y;
    };

    template <class Real>
    static std::vector<Real> to_layout_order(const WarpLayout& l, const std::vector<double>& x)
    {
        const std::vector<Real> from(x.begin(), x.end());
        return l.options.renumbered ? to_layout<Real>(l, from) : from;
    }

    std::string described(const Result& r) const
    {
        char text[160];
        if (r.format != "warps" && r.format != "tiles") {
            std::snprintf(text, sizeof text, "%s%s", r.format.c_str(),
                          r.threads > 0 ? (" " + std::to_string(r.threads)).c_str() : "");
            return text;
        }
        std::string kind = r.options.threshold > 0 ? "K2" : "K1";
        kind += r.options.sorted ? "rs" : r.options.renumbered ? "r" : "";
        std::snprintf(text, sizeof text, "%s %s window %lld t %d%s p%d%s b%d f%d%s",
                      r.format.c_str(), kind.c_str(), static_cast<long long>(r.options.window),
                      r.options.threshold, r.options.narrow ? " 16" : "", r.options.pack,
                      r.options.tile ? (" tile " + std::to_string(r.options.tile)).c_str() : "",
                      r.launch.block, r.launch.flight,
                      r.launch.ahead  ? " ahead"
                      : r.launch.bulk ? " bulk"
                                      : "");
        return text;
    }

    void write(const Result& r) const
    {
        if (!set_.out)
            return;
        const auto& a = order_.front().a;
        std::fprintf(
            set_.out,
            "{\"matrix\": \"%s\", \"rows\": %lld, \"entries\": %lld, \"precision\": \"%s\", "
            "\"order\": \"%s\", \"format\": \"%s\", \"threads\": %d, \"window\": %lld, "
            "\"renumbered\": %d, \"sorted\": %d, \"threshold\": %d, \"narrow\": %d, \"pack\": %d, "
            "\"tile\": %d, \"block\": %d, \"flight\": %d, \"ahead\": %d, \"bulk\": %d, "
            "\"padding\": %.4f, "
            "\"bytes\": %.0f, \"csr_bytes\": %.0f, \"cold_us\": %.3f, \"hot_us\": %.3f, "
            "\"many_us\": %.3f, \"error\": %.3g, \"layout_s\": %.3f}\n",
            name_.c_str(), static_cast<long long>(a.rows()), static_cast<long long>(a.entries()),
            std::string(tawara::name(set_.precision)).c_str(), r.order.c_str(), r.format.c_str(),
            r.threads, static_cast<long long>(r.options.window), r.options.renumbered,
            r.options.sorted, r.options.threshold, r.options.narrow, r.options.pack, r.options.tile,
            r.launch.block, r.launch.flight, r.launch.ahead, r.launch.bulk, r.padding, r.bytes,
            csr_bytes_, r.times.cold_us, r.times.hot_us, r.times.many_us, r.error, r.layout_s);
        std::fflush(set_.out);
    }

    void report()
    {
        std::sort(result_.begin(), result_.end(), [](const Result& x, const Result& y) {
            return x.times.cold_us < y.times.cold_us;
        });
        double best_peer = 1e30;
        for (const auto& r : result_)
            if (r.order == "own" && r.format.rfind("cuSPARSE", 0) == 0)
                best_peer = std::min(best_peer, r.times.cold_us);
        std::printf("  %-52s %-8s %9s %9s %9s %7s %7s %7s %6s %8s\n", "format", "order", "cold us",
                    "hot us", "many us", "bound", "of CSR", "x peer", "pad", "error");
        const double bound_us_per_byte = 1e-3 / set_.ceilings.triad_GB_per_s;
        int shown = 0, of_peers = 0;
        for (const auto& r : result_) {
            const bool peer = r.format != "warps" && r.format != "tiles";
            if (peer ? of_peers++ >= 12 : shown++ >= 14)
                continue;
            std::printf("  %-52s %-8s %9.2f %9.2f %9.2f %7.3f %7.3f %7.3f %6.3f %8.1e\n",
                        described(r).c_str(), r.order.c_str(), r.times.cold_us, r.times.hot_us,
                        r.times.many_us, r.bytes * bound_us_per_byte / r.times.cold_us,
                        csr_bytes_ * bound_us_per_byte / r.times.cold_us,
                        best_peer / r.times.cold_us, r.padding, r.error);
        }
        std::fflush(stdout);
    }

    StreamRef s_;
    const Stopwatch& watch_;
    ThreadPool& pool_;
    Setting& set_;
    std::string name_;
    std::vector<Ordered> order_;
    std::vector<Result> result_;
    double csr_bytes_ = 0;
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

int run(int count, char** text)
{
    const auto begin = Clock::now();
    Setting set;
    std::vector<std::string> matrices;
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
        } else if (t == "--full") {
            set.full = true;
        } else if (t == "stand-ins") {
            for (const auto& s : stand_ins())
                matrices.emplace_back(s.name);
        } else {
            matrices.push_back(t);
        }
    }
    ThreadPool pool(std::max(1U, std::thread::hardware_concurrency()));
    const device::cuda::Stream s(0);
    cudaDeviceProp properties{};
    device::cuda::check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties", 0);
    set.ceilings = device::cuda::measure_ceilings(0);
    const Stopwatch watch(s);
    set.nothing_us = watch.nothing_us();
    const auto why = cusparse_reason();
    std::printf("%s: triad %.1f GB/s, copy %.1f GB/s, a kernel that does nothing %.2f us, %s\n",
                properties.name, set.ceilings.triad_GB_per_s, set.ceilings.copy_GB_per_s,
                set.nothing_us,
                why.empty() ? ("cuSPARSE " + cusparse_version()).c_str() : why.c_str());
    if (set.out)
        std::fprintf(set.out,
                     "{\"gpu\": \"%s\", \"triad_GB_per_s\": %.2f, \"copy_GB_per_s\": %.2f, "
                     "\"nothing_us\": %.3f, \"cusparse\": \"%s\"}\n",
                     properties.name, set.ceilings.triad_GB_per_s, set.ceilings.copy_GB_per_s,
                     set.nothing_us, cusparse_version().c_str());
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
    for (std::size_t k = 0; k < matrices.size(); ++k) {
        if (since(begin) > set.seconds) {
            std::printf("\nno time for %s\n", matrices[k].c_str());
            continue;
        }
        auto [a, seconds] = (next.valid() ? std::move(next) : made(matrices[k])).get();
        if (k + 1 < matrices.size())
            next = made(matrices[k + 1]);
        const auto start = Clock::now();
        Trial(s, watch, pool, set, matrices[k], std::move(a)).run();
        std::printf("  %.1f s to make the matrix, %.1f s to measure, %.1f s since the start\n",
                    seconds, since(start), since(begin));
        std::fflush(stdout);
    }
    if (set.out)
        std::fclose(set.out);
    return 0;
}

} // namespace

int main(int count, char** text)
{
    try {
        return run(count, text);
    } catch (const tawara::Error& e) {
        std::fprintf(stderr, "error: %s\n", e.what());
        return 2;
    }
}
