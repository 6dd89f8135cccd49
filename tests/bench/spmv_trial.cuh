// SPDX-License-Identifier: GPL-3.0-or-later
// Products of one matrix in all formats, orders and launches that are worth a try.
#pragma once
#include "engine/core/error.hpp"
#include "engine/sparse/order.hpp"
#include "tests/bench/spmv_result.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <future>
#include <optional>
#include <random>

namespace tawara::bench {

using namespace sparse;
using namespace sparse::cuda;
using device::cuda::uploaded;
using Clock = std::chrono::steady_clock;

inline double since(Clock::time_point t)
{
    return std::chrono::duration<double>(Clock::now() - t).count();
}

/// A matrix in one order, x and the product that is wanted.
struct Ordered
{
    std::string name;
    Csr a;
    std::vector<double> x, y;
};

/// Vectors of a product on the device.
template <class Real>
struct Vectors
{
    Vectors(StreamRef s, const std::vector<Real>& from, std::int64_t rows)
        : y(uploaded(std::vector<Real>(static_cast<std::size_t>(rows) + block, Real(NAN)), s))
    {
        auto whole = from;
        whole.resize(from.size() + block);
        x = uploaded(whole, s);
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
    static constexpr std::size_t block = 6; ///< more, for peers that read and write whole blocks
    Buffer<Real> x, y;
};

template <class Stored, class Real>
class Trial
{
  public:
    Trial(StreamRef s, const Stopwatch& watch, ThreadPool& pool, const Machine& machine,
          std::FILE* out, Precision precision, std::string name, Csr a)
        : s_(s), watch_(watch), pool_(pool), machine_(machine), out_(out)
    {
        m_.name = std::move(name);
        m_.precision = precision;
        m_.rows = a.rows(), m_.entries = a.entries();
        m_.csr_bytes =
            static_cast<double>(a.entries()) * (sizeof(Stored) + 4.0) +
            4.0 * static_cast<double>(a.rows()) +
            static_cast<double>(sizeof(Real)) * static_cast<double>(a.rows() + a.columns);
        length_ = row_lengths(a);
        runs_ = static_cast<double>(a.entries()) /
                std::max(1.0, 3.0 * static_cast<double>(count_runs(a, 3)));
        square_ = a.rows() == a.columns;
        Ordered own{"own", std::move(a), {}, {}};
        std::mt19937 chance(1);
        std::uniform_real_distribution<double> value(-1, 1);
        own.x.resize(static_cast<std::size_t>(own.a.columns));
        for (auto& v : own.x)
            v = value(chance);
        own.y.resize(static_cast<std::size_t>(own.a.rows()));
        multiply(own.a, own.x, own.y);
        order_.push_back(std::move(own));
    }

    /// @param ours  without peers and what is no choice of the rule's
    const Matrix& run(bool ours)
    {
        std::printf("\n%s, %s: %lld rows, %lld entries, %.2f a row (%lld to %lld, deviation "
                    "%.2f)\n",
                    m_.name.c_str(), std::string(tawara::name(m_.precision)).c_str(),
                    static_cast<long long>(m_.rows), static_cast<long long>(m_.entries),
                    length_.mean, static_cast<long long>(length_.least),
                    static_cast<long long>(length_.most), length_.deviation);
        std::fflush(stdout);
        if (!ours)
            peers<Stored>(order_.front(), "");
        if constexpr (sizeof(Stored) < sizeof(Real))
            if (!ours)
                peers<Real>(order_.front(), " in double");
        own_rows(order_.front());
        // the rule leaves rows that are unlike, but for networks, and long ones in their order
        const bool network = length_.deviation > 2 * length_.mean;
        if (square_ && (!ours || network || !(scattered() || length_.mean > 18)))
            add_order("rcm", cuthill_mckee);
        if (order_.size() > 1 && !ours)
            peers<Stored>(order_[1], "");
        for (const auto& o : order_)
            layouts(o);
        print(m_, machine_);
        if (!ours)
            effects();
        if (no_room_ > 0)
            std::printf("  left out, since blocks have no room for them: %d launches, as \"%s\"\n",
                        no_room_, why_no_room_.c_str());
        std::fflush(stdout);
        return m_;
    }

  private:
    static constexpr int widest = sizeof(Stored) == 8 ? 2 : 4;

    /// Rows are very unlike each other, as in networks.
    bool scattered() const { return length_.deviation > length_.mean / 2; }

    void add_order(const std::string& name, std::vector<std::int32_t> (*order)(const Csr&))
    {
        const auto& own = order_.front();
        const auto start = Clock::now();
        const auto old_of = order(own.a);
        Ordered o{name, renumbered(own.a, old_of), {}, {}};
        m_.order_s[name] = since(start);
        for (const auto i : old_of) {
            o.x.push_back(own.x[static_cast<std::size_t>(i)]);
            o.y.push_back(own.y[static_cast<std::size_t>(i)]);
        }
        order_.push_back(std::move(o));
    }

    template <class Kept>
    void peers(const Ordered& o, const std::string& more)
    {
        for (const auto p : {Peer::csr_1, Peer::csr_2, Peer::coo_1, Peer::coo_2})
            keep(other(o, std::string(name(p)) + more, 0,
                       [&] { return make_cusparse_product<Kept, Real>(s_, o.a, p); }));
        for (const int slice : {2, 8, 32, 64})
            keep(other(o, std::string(name(Peer::sell)) + more, slice, [&] {
                return make_cusparse_product<Kept, Real>(s_, o.a, Peer::sell, slice);
            }));
        if (runs_ > 0.8)
            for (const int block : {2, 3, 6})
                keep(other(o, std::string(name(Peer::bsr)) + more, block, [&] {
                    return make_cusparse_product<Kept, Real>(s_, o.a, Peer::bsr, block);
                }));
    }

    void own_rows(const Ordered& o)
    {
        keep(other(o, "merge path", 0, [&] { return make_merge_product<Stored, Real>(s_, o.a); }));
        for (const int threads : {1, 2, 4, 8, 16, 32})
            keep(other(o, "CSR", threads,
                       [&] { return make_csr_product<Stored, Real>(s_, o.a, threads); }));
        if (length_.most * m_.rows < 5 * m_.entries)
            keep(other(o, "ELLPACK-R", 0,
                       [&] { return make_ellpack_product<Stored, Real>(s_, o.a); }));
    }

    void keep(std::optional<Result> r)
    {
        if (!r)
            return;
        write(out_, m_, *r);
        m_.result.push_back(std::move(*r));
    }

    /// Thresholds of K2 that are worth a try, in places.
    std::vector<std::int32_t> thresholds(int run) const
    {
        std::vector<std::int32_t> out;
        if (!scattered())
            out.push_back(0);
        if (!scattered() && m_.rows > 500'000)
            return out;
        for (const double t : {0.125, 0.25, 0.5, 1.0, 2.0, 4.0})
            if (const auto n = static_cast<std::int32_t>(std::lround(t * length_.mean / run));
                (scattered() ? t > 0.3 : t < 0.7) && n >= 1 && n < length_.most &&
                (out.empty() || n != out.back()))
                out.push_back(n);
        return out;
    }

    std::vector<WarpOptions> layouts(bool own) const
    {
        std::vector<WarpOptions> out;
        for (const auto t : thresholds(1)) {
            const auto add = [&](std::int64_t window, bool renumbered, bool long_first) {
                out.push_back({window, renumbered, renumbered, t, true, widest, long_first});
                if (long_first && length_.most > 32 * t)
                    out.push_back({window, renumbered, renumbered, t, true, widest, true, 256});
            };
            if (own)
                add(1024, false, scattered());
            if (!square_)
                continue;
            if (scattered()) {
                add(0, true, false);
                add(1024, true, true);
                add(4096, true, true);
            } else
                for (const std::int64_t window : {256, 1024})
                    add(window, true, false);
        }
        for (int run : {2, 3})
            if (own && runs_ > 0.8)
                for (const auto t : thresholds(run))
                    out.push_back({1024, false, false, t, true, 1, false, 32, run});
        return out;
    }

    struct Made
    {
        WarpLayout l;
        double seconds;
    };
    static std::optional<Made> made(const Ordered& o, const WarpOptions& options)
    {
        const auto start = Clock::now();
        auto l = make_layout(o.a, options);
        if (l.padded() * options.run > 6 * l.entries)
            return {};
        return Made{std::move(l), since(start)};
    }

    /// All layouts of an order: made by many threads, tried one after the other.
    void layouts(const Ordered& o)
    {
        std::deque<std::future<std::optional<Made>>> ahead;
        const auto all = layouts(&o == &order_.front());
        for (std::size_t k = 0, asked = 0; k < all.size(); ++k) {
            for (; asked < all.size() && asked < k + pool_.size(); ++asked)
                ahead.push_back(std::async(
                    std::launch::async, [&o, options = all[asked]] { return made(o, options); }));
            const auto l = ahead.front().get();
            ahead.pop_front();
            if (l)
                keep(layout(o, *l));
        }
    }

    /// Tries launches. Nothing where nobody would lay out so.
    std::optional<Result> layout(const Ordered& o, const WarpOptions& options)
    {
        const auto m = made(o, options);
        return m ? layout(o, *m) : std::nullopt;
    }
    std::optional<Result> layout(const Ordered& o, const Made& made)
    {
        const auto& l = made.l;
        WarpLaunch first;
        first.block = 256; // rows of several warps have room
        std::unique_ptr<WarpProduct<Real>> product;
        try {
            product = make_warp_product<Stored, Real>(s_, l, o.a.value, first, pool_);
        } catch (const NoRoom& e) {
            no_room_++, why_no_room_ = e.what();
            return {};
        }
        const auto x = to_layout_order<Real>(l, o.x);
        const auto wanted = to_layout_order<double>(l, o.y);
        Vectors<Real> v(s_, x, o.a.rows());
        const auto work = [&] { product->multiply(s_, v.x.data(), v.y.data()); };
        std::vector<Result> tried;
        const auto attempt = [&](const WarpLaunch& how) {
            try {
                product->run_as(how);
            } catch (const NoRoom& e) {
                no_room_++, why_no_room_ = e.what();
                return;
            }
            Result r{o.name, "warps", l.options, how};
            r.times = watch_.measure(work, 9, false);
            r.bytes = product->bytes();
            r.padding = static_cast<double>(l.padded() * l.options.run) /
                        std::max(1.0, static_cast<double>(l.entries));
            r.layout_s = made.seconds;
            tried.push_back(r);
        };
        all_launches(l, attempt, tried);
        if (tried.empty())
            return {};
        auto& best = tried.front();
        for (const auto& r : tried)
            write(out_, m_, r); // bits do not depend on the launch: the best one's are looked at
        product->run_as(best.launch);
        best.times = watch_.measure(work, 25, true);
        best.error = v.error(s_, wanted);
        return best;
    }

    /// Leaves the best in front.
    template <class Attempt>
    void all_launches(const WarpLayout& l, const Attempt& attempt, std::vector<Result>& tried)
    {
        const bool turned = l.options.renumbered;
        std::vector<int> flights{4, 8};
        if (widest < 4 && length_.mean < 30)
            flights.insert(flights.begin(), 2);
        if (widest == 4 && length_.mean > 30)
            flights.push_back(16);
        for (const int flight : flights)
            for (const int block : {64, 128, 256, 512}) {
                if (block < l.options.widest)
                    continue;
                for (const auto early : {Early::nothing, Early::columns, Early::all})
                    attempt({block, flight, turned, early});
            }
        const auto sort = [&] {
            std::sort(tried.begin(), tried.end(), [](const auto& p, const auto& q) {
                return p.times.cold_us < q.times.cold_us;
            });
        };
        sort();
        for (std::size_t k = 0, n = turned ? std::min<std::size_t>(2, tried.size()) : 0; k < n;
             ++k) {
            auto how = tried[k].launch;
            how.ahead = !how.ahead;
            attempt(how);
        }
        sort();
    }

    template <class Make>
    std::optional<Result> other(const Ordered& o, const std::string& format, int threads,
                                const Make& make)
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
            return {};
        }
        return r;
    }

    /// What each step from compressed rows to ours is worth.
    void effects()
    {
        std::vector<std::pair<std::string, Result>> steps;
        const auto step = [&](const char* what, std::optional<Result> r) {
            if (r)
                steps.emplace_back(what, std::move(*r));
        };
        const auto& own = order_.front();
        step("rows, a thread each",
             other(own, "CSR", 1, [&] { return make_csr_product<Stored, Real>(s_, own.a, 1); }));
        WarpOptions o{1};
        const auto set = [&](const char* what, auto change, const Ordered& in) {
            change();
            step(what, layout(in, o));
        };
        set(
            "32 rows side by side", [] {}, own);
        set(
            "sorted by length", [&] { o.window = 0; }, own);
        if (scattered() || m_.rows < 250'000)
            set(
                "long rows shared", [&] { o.threshold = threshold(); }, own);
        if (o.threshold > 0)
            set(
                "sorted in windows, long ones first", [&] { o.window = 1024, o.long_first = true; },
                own);
        else
            set(
                "sorted in windows", [&] { o.window = 1024; }, own);
        if (square_) {
            set(
                "unknowns renumbered", [&] { o.renumbered = true; }, own);
            set(
                "entries sorted by column", [&] { o.sorted = true; }, own);
        }
        set(
            "packs", [&] { o.pack = widest; }, own);
        set(
            "16-bit columns", [&] { o.narrow = true; }, own);
        if (square_)
            set(
                "reverse Cuthill-McKee", [] {}, order_[1]);
        print_effects(steps, machine_);
    }
    std::int32_t threshold() const
    {
        return static_cast<std::int32_t>(
            std::max(1L, std::lround(scattered() ? 2 * length_.mean : length_.mean / 2)));
    }

    template <class To>
    static std::vector<To> to_layout_order(const WarpLayout& l, const std::vector<double>& x)
    {
        const std::vector<To> from(x.begin(), x.end());
        return l.options.renumbered ? to_layout<To>(l, from) : from;
    }

    StreamRef s_;
    const Stopwatch& watch_;
    ThreadPool& pool_;
    const Machine& machine_;
    std::FILE* out_;
    Matrix m_;
    RowLengths length_;
    double runs_ = 0; ///< entries of a run of 3, over 3
    bool square_ = false;
    std::vector<Ordered> order_;
    int no_room_ = 0;
    std::string why_no_room_;
};

} // namespace tawara::bench
