// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-bench-paced [--threads N] [--budget S] [--seconds S] [--out FILE] [--schemes A,B,...]
//                    [MODEL[:VARIANT]...]
// Cells paced for hundreds of beats at 300, 500, 1000 and 2000 ms by each scheme and step, against
// CVODE after the same beats, as one JSON record (standard output, or FILE, which is written anew
// after each result). What the budget of wall seconds leaves undone is listed as such.
#include "engine/cell/compiler/library.hpp"
#include "engine/cell/compiler/ranges.hpp"
#include "engine/cell/compiler/reference.hpp"
#include "engine/cell/compiler/schemes/schemes.hpp"
#include "engine/cell/cpu_kernel.hpp"
#include "engine/core/aligned.hpp"
#include "engine/core/error.hpp"
#include "engine/core/whole_file.hpp"
#include "tests/bench/compact_json.hpp"
#include "tests/bench/paced_cell.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <iostream>
#include <mutex>
#include <optional>
#include <sstream>
#include <thread>

using namespace tawara;
using namespace tawara::cell;
using bench::Follower, bench::Paced, bench::pulse_ms, bench::sample_ms;
using nlohmann::ordered_json;

namespace {

constexpr std::array cycles_ms{300., 500., 1000., 2000.};
constexpr std::size_t lanes = cycles_ms.size(), width = 16;
constexpr double pulse_pA_per_pF = 52, pulse_ms = 1;
constexpr double sample_ms = 1;       // of V in the last beats
constexpr double reference_ms = 0.05; // between looks at the reference
constexpr double steps_ms[] = {0.1, 0.05, 0.02, 0.01, 0.005, 0.002};
// What counts as right when a chain of steps decides whether to go on to shorter ones.
constexpr double rrms_limit_percent = 1.5, drift_limit_percent = 1;

struct Options
{
    unsigned threads = std::max(1U, std::thread::hardware_concurrency());
    double budget_s = 450, model_s = 200;
    std::string out;
    std::vector<Scheme> schemes{Scheme::rush_larsen_light,
                                Scheme::grl1,
                                Scheme::grl2,
                                Scheme::rush_larsen,
                                Scheme::backward_euler_single,
                                Scheme::backward_euler,
                                Scheme::forward_euler,
                                Scheme::rk4};
    std::vector<std::string> names;
};

/// Numbers of figures; null for what is not finite.
ordered_json number(double x, int figures = 4)
{
    if (!std::isfinite(x))
        return nullptr;
    char text[40];
    std::snprintf(text, sizeof text, "%.*g", figures, x);
    return std::stod(text);
}

using Clock = std::chrono::steady_clock;

/// A model and a variant with its four references.
struct Cell
{
    std::string name;
    CellType type;
    std::array<Paced, lanes> reference;
    std::array<double, lanes> reference_s{};
    std::size_t references_left = lanes;
    ordered_json schemes = ordered_json::object();
};

class Bench
{
  public:
    explicit Bench(Options o) : o_(std::move(o)), end_(Clock::now() + seconds(o_.budget_s))
    {
        for (const auto& n : o_.names) {
            const auto colon = n.find(':');
            auto c = std::make_unique<Cell>();
            c->name = n;
            c->type = make_cell_type(n.substr(0, colon),
                                     colon == std::string::npos ? "" : n.substr(colon + 1), {}, {});
            cells_.push_back(std::move(c));
        }
        // the longest first: many beats of large models
        auto order = cells_of();
        std::stable_sort(order.begin(), order.end(), [](const Cell* a, const Cell* b) {
            return a->type.initial.size() > b->type.initial.size();
        });
        for (std::size_t lane = 0; lane < lanes; ++lane)
            for (Cell* c : order)
                jobs_.push_back([this, c, lane] { refer(*c, lane); });
        for (Cell* c : order)
            for (const Scheme s : o_.schemes)
                jobs_.push_back([this, c, s] { chain(*c, s, false); });
        for (Cell* c : order)
            for (const Scheme s : {Scheme::rush_larsen_light, Scheme::grl1})
                if (std::count(o_.schemes.begin(), o_.schemes.end(), s))
                    jobs_.push_back([this, c, s] { chain(*c, s, true); });
    }

    void run()
    {
        std::vector<std::thread> pool;
        for (unsigned k = 0; k < o_.threads; ++k)
            pool.emplace_back([this] {
                for (std::size_t j = next_++; j < jobs_.size(); j = next_++)
                    jobs_[j]();
            });
        for (auto& t : pool)
            t.join();
        write();
    }

  private:
    static Clock::duration seconds(double s)
    {
        return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(s));
    }
    bool over() const { return Clock::now() > end_; }
    std::vector<Cell*> cells_of() const
    {
        std::vector<Cell*> out;
        for (const auto& c : cells_)
            out.push_back(c.get());
        return out;
    }

    /// CVODE at 1e-8 for one cycle length.
    void refer(Cell& c, std::size_t lane)
    {
        const auto start = Clock::now();
        Follower f(cycles_ms[lane], 1000 * o_.model_s, c.type.initial.size());
        const auto system = compiler::system_of(c.type);
        try {
            const compiler::Reference reference(*system);
            compiler::ReferenceOptions r;
            r.largest_step_ms = 20;
            r.stimulus = [&](double t) { return f.stimulated(t) ? pulse_pA_per_pF : 0.; };
            for (double t = 0; t < f.end_ms(); t += cycles_ms[lane]) {
                r.jumps_ms.push_back(t);
                r.jumps_ms.push_back(t + pulse_ms);
            }
            reference.run(c.type.parameters, c.type.initial, f.end_ms(), reference_ms, r,
                          [&](double t, std::span<const double> x) {
                              if (const auto left = compiler::left_range(*system, x); !left.empty())
                                  f.fail(t, left);
                              f.at(t, x[0], [&](std::size_t s) { return x[s]; });
                              return f.on() && !over();
                          });
        } catch (const Error& e) {
            f.fail(0, e.what());
        }
        const std::scoped_lock lock(mutex_);
        c.reference[lane] = f.take();
        c.reference_s[lane] = std::chrono::duration<double>(Clock::now() - start).count();
        if (--c.references_left == 0)
            ready_.notify_all();
    }

    /// One scheme with shorter and shorter steps, until two in a row are right.
    void chain(Cell& c, Scheme scheme, bool single)
    {
        {
            std::unique_lock lock(mutex_);
            ready_.wait(lock, [&] { return c.references_left == 0; });
        }
        const std::string key = std::string(cell::name(scheme)) + (single ? "_single" : "");
        int right = 0;
        for (const double dt : steps_ms) {
            if (single && dt > 0.05)
                continue;
            if (dt < (single ? 0.02 : shortest_ms(scheme)))
                break;
            if (over())
                break;
            bool all_right = true;
            auto row = single ? step_row<float>(c, scheme, dt, all_right)
                              : step_row<double>(c, scheme, dt, all_right);
            if (!row.is_null()) {
                const std::scoped_lock lock(mutex_);
                c.schemes[key][text(dt)] = std::move(row);
            }
            std::cerr << c.name << ' ' << key << ' ' << dt << (all_right ? " right" : "") << '\n';
            right = all_right ? right + 1 : 0;
            if (right == 2 && !single)
                break;
        }
        write();
    }

    /// Explicit schemes may need 0.002 ms; backward Euler costs most and needs no short steps.
    static double shortest_ms(Scheme s)
    {
        if (s == Scheme::forward_euler || s == Scheme::rush_larsen_light || s == Scheme::grl1)
            return 0.002;
        return s == Scheme::backward_euler ? 0.01 : 0.005;
    }

    static std::string text(double dt)
    {
        std::ostringstream out;
        out << dt;
        return out.str();
    }

    template <class Real>
    std::array<Paced, lanes> pace(const Cell& c, Scheme scheme, double dt)
    {
        const auto kernel = make_cpu_kernel<Real>(std::span(&c.type, 1), scheme);
        const auto system = compiler::system_of(c.type);
        const std::size_t n = c.type.initial.size();
        AlignedVector<Real> memory((n + 1) * width);
        std::vector<Real*> x;
        for (std::size_t s = 0; s <= n; ++s) {
            x.push_back(memory.data() + s * width);
            std::fill_n(x.back(), width, s < n ? static_cast<Real>(c.type.initial[s]) : Real(0));
        }
        std::vector<Follower> cells;
        double end = 0;
        for (const double cycle : cycles_ms) {
            cells.emplace_back(cycle, 1000 * o_.model_s, n);
            end = std::max(end, cells.back().end_ms());
        }
        const CellArrays<Real> arrays{x[0], x.data() + 1, nullptr, x[n], 0, lanes};
        const long steps = std::lround(end / dt), whole_ms = std::lround(1 / dt);
        const double last = end - 2 * cycles_ms.back();
        for (long k = 0; k < steps; ++k) {
            const double t = static_cast<double>(k) * dt;
            if (k == 0)
                follow(cells, x, 0);
            if (k % whole_ms == 0) // pulses begin and end at whole ms
                for (std::size_t i = 0; i < lanes; ++i)
                    x[n][i] =
                        static_cast<Real>(cells[i].stimulated(t + dt / 2) ? pulse_pA_per_pF : 0);
            kernel->step(arrays, t, dt);
            for (std::size_t i = 0; i < lanes; ++i)
                if (!(std::abs(x[0][i]) < 1000) && cells[i].on()) {
                    const auto left = compiler::left_range(*system, static_cast<double>(x[0][i]));
                    cells[i].fail(t + dt, left.empty() ? "V is not finite" : left);
                }
            if (t > last || (k + 1) % whole_ms == 0)
                follow(cells, x, t + dt);
            if (k % (1000 * whole_ms) == 0 &&
                (over() ||
                 std::none_of(cells.begin(), cells.end(), [](auto& f) { return f.on(); })))
                break;
        }
        std::array<Paced, lanes> out;
        for (std::size_t i = 0; i < lanes; ++i)
            out[i] = cells[i].take();
        return out;
    }

    template <class Real>
    static void follow(std::vector<Follower>& cells, const std::vector<Real*>& x, double t)
    {
        for (std::size_t i = 0; i < lanes; ++i)
            cells[i].at(t, static_cast<double>(x[0][i]),
                        [&](std::size_t s) { return static_cast<double>(x[s][i]); });
    }

    /// Percent of the reference; beats that alternate may do so the other way round.
    static double rrms_percent(const Paced& p, const Paced& r)
    {
        const auto error = [](const std::vector<double>& v, const std::vector<double>& w) {
            if (v.size() != w.size() || v.empty())
                return double(INFINITY);
            double d = 0, q = 0;
            for (std::size_t k = 0; k < v.size(); ++k)
                d += (v[k] - w[k]) * (v[k] - w[k]), q += w[k] * w[k];
            return 100 * std::sqrt(d / q);
        };
        return std::min(std::max(error(p.v[0], r.v[0]), error(p.v[1], r.v[1])),
                        std::max(error(p.v[0], r.v[1]), error(p.v[1], r.v[0])));
    }

    /// What became of each cycle length; null when the time was over.
    template <class Real>
    ordered_json step_row(const Cell& c, Scheme scheme, double dt, bool& all_right)
    {
        const auto system = compiler::system_of(c.type);
        const auto start = Clock::now();
        const auto paced = pace<Real>(c, scheme, dt);
        ordered_json row;
        for (std::size_t i = 0; i < lanes; ++i) {
            const Paced &p = paced[i], &r = c.reference[i];
            if (!p.done || !r.done) {
                all_right = false;
                return nullptr;
            }
            ordered_json j;
            const auto& s = system->states;
            if (std::isfinite(p.failed_at_ms)) {
                j = {{"failed_at_ms", number(p.failed_at_ms, 7)}, {"why", p.why}};
                all_right = false;
            } else if (!std::isfinite(r.failed_at_ms)) {
                const double rrms = rrms_percent(p, r);
                j["rrms_percent"] = number(rrms);
                j["apd90_ms"] = {number(p.apd90_ms[0], 5), number(p.apd90_ms[1], 5)};
                double worst = 0;
                for (std::size_t k = 1; k < s.size(); ++k) {
                    if (!s[k].range)
                        continue;
                    const double d = 100 * (p.state[k] / r.state[k] - 1);
                    j["off_percent"][s[k].full_name] = number(d, 3);
                    if (p.least[k] < 0)
                        j["below_0"][s[k].full_name] = number(p.least[k]);
                    worst = std::max(worst, std::abs(d));
                }
                all_right = all_right && rrms <= rrms_limit_percent && worst <= drift_limit_percent;
            }
            row[text(cycles_ms[i])] = std::move(j);
        }
        row["seconds"] = number(std::chrono::duration<double>(Clock::now() - start).count(), 3);
        return row;
    }

    ordered_json record() const
    {
        ordered_json j;
        j["schema"] = 1;
        j["what"] =
            "cells paced from their initial states with 52 pA/pF for 1 ms, as many whole beats as "
            "fit in model_seconds at each cycle length, by each scheme and step in double "
            "precision (_single: in single), against CVODE (relative tolerance 1e-8) after the "
            "same beats. rrms_percent: of V in the last two beats, sampled every ms, the worse; "
            "where beats alternate, of the better of both orders. apd90_ms: of the last two beats. "
            "off_percent: concentrations at the end. below_0: the least value that was met at a "
            "whole ms. failed_at_ms: where V left [-1000, 1000] mV or a concentration its range. "
            "Steps get shorter until two in a row keep rrms within 1.5 % and concentrations within "
            "1 % at all cycle lengths";
        j["commit"] = TAWARA_COMMIT;
        j["model_seconds"] = o_.model_s;
        j["cycles_ms"] = cycles_ms;
        j["threads"] = o_.threads;
        j["wall_seconds"] =
            number(o_.budget_s - std::chrono::duration<double>(end_ - Clock::now()).count(), 4);
        j["complete"] = !over();
        for (const auto& c : cells_) {
            auto& m = j["models"][c->name];
            for (std::size_t i = 0; i < lanes; ++i) {
                const Paced& r = c->reference[i];
                auto& one = m["reference"][text(cycles_ms[i])];
                if (!r.done)
                    one = nullptr;
                else if (std::isfinite(r.failed_at_ms))
                    one = {{"failed_at_ms", number(r.failed_at_ms, 7)}, {"why", r.why}};
                else
                    one = {{"apd90_ms", {number(r.apd90_ms[0], 5), number(r.apd90_ms[1], 5)}},
                           {"seconds", number(c->reference_s[i], 3)}};
            }
            m["schemes"] = c->schemes;
        }
        return j;
    }

    void write()
    {
        const std::scoped_lock lock(mutex_);
        if (!o_.out.empty())
            write_whole(o_.out, [&](std::ostream& out) {
                tawara::bench::write_compact(out, record());
                out << '\n';
            });
        else if (next_ >= jobs_.size() + o_.threads) { // the last one
            tawara::bench::write_compact(std::cout, record());
            std::cout << '\n';
        }
    }

    Options o_;
    Clock::time_point end_;
    std::vector<std::unique_ptr<Cell>> cells_;
    std::vector<std::function<void()>> jobs_;
    std::atomic<std::size_t> next_{0};
    std::mutex mutex_;
    std::condition_variable ready_;
};

Options options(int argc, char** argv)
{
    Options o;
    for (int k = 1; k < argc; ++k) {
        const std::string a = argv[k];
        const auto value = [&] {
            if (k + 1 >= argc)
                throw InputError(a, "", "needs a value");
            return std::string(argv[++k]);
        };
        if (a == "--threads")
            o.threads = static_cast<unsigned>(std::stoul(value()));
        else if (a == "--budget")
            o.budget_s = std::stod(value());
        else if (a == "--seconds")
            o.model_s = std::stod(value());
        else if (a == "--out")
            o.out = value();
        else if (a == "--schemes") {
            o.schemes.clear();
            std::istringstream list(value());
            for (std::string s; std::getline(list, s, ',');)
                o.schemes.push_back(scheme_by_name(s));
        } else if (a.starts_with("--"))
            throw InputError(a, "", "is unknown; see the head of tests/bench/cell_paced.cpp");
        else
            o.names.push_back(a);
    }
    if (o.names.empty())
        for (const auto& name : compiler::library_names()) {
            const auto& m = model_info(name);
            o.names.push_back(name);
            const auto usual = make_cell_type(name, "", {}, {});
            for (const auto& v : m.variants) {
                const auto type = make_cell_type(name, v.name, {}, {});
                if (type.parameters != usual.parameters || type.initial != usual.initial)
                    o.names.push_back(name + ":" + v.name);
            }
        }
    return o;
}

} // namespace

int main(int argc, char** argv)
{
    try {
        Bench(options(argc, argv)).run();
        return 0;
    } catch (const std::exception& e) {
        std::cerr << "error: " << e.what() << '\n';
        return 2;
    }
}
