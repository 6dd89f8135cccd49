// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-bench-paced [--threads N] [--budget S] [--seconds S] [--out FILE] [--schemes A,B,...]
//                    [--from FILE] [MODEL[:VARIANT]...]
// Cells paced for hundreds of beats at 300, 500, 1000 and 2000 ms by each scheme and step, against
// CVODE after the same beats, as one JSON record (standard output, or FILE, which is written anew
// after each result). What the budget of wall seconds leaves undone is listed as such. --from:
// steps that one beat rules out (records/cell_accuracy.json) are left out.
#include "engine/cell/compiler/equations/ranges.hpp"
#include "engine/cell/compiler/library.hpp"
#include "engine/cell/compiler/reference/reference.hpp"
#include "engine/cell/compiler/schemes/schemes.hpp"
#include "engine/cell/cpu_kernel.hpp"
#include "engine/core/aligned.hpp"
#include "engine/core/error.hpp"
#include "engine/core/whole_file.hpp"
#include "tests/bench/built_from.hpp"
#include "tests/bench/compact_json.hpp"
#include "tests/bench/paced_cell.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <mutex>
#include <optional>
#include <sstream>
#include <thread>

using namespace tawara;
using namespace tawara::cell;
using bench::Follower, bench::Paced;
using nlohmann::ordered_json;

namespace {

constexpr std::array cycles_ms{300., 500., 1000., 2000.};
constexpr std::size_t lanes = cycles_ms.size(), width = 16;
constexpr double pulse_pA_per_pF = 52, pulse_ms = 1;
constexpr double sample_ms = 1;       // of V in the last beats
constexpr double reference_ms = 0.05; // between looks at the reference there
constexpr double reference_tolerance = 1e-7;
constexpr double steps_ms[] = {0.1, 0.05, 0.02, 0.01, 0.005, 0.002};
// What counts as right when a chain of steps decides whether to go on to shorter ones.
constexpr double rrms_limit_percent = 1.5, concentration_limit_percent = 5;
constexpr std::size_t large = 60; // states: such cells are paced for a quarter of the time

struct Options
{
    unsigned threads = std::max(1U, std::thread::hardware_concurrency());
    double budget_s = 450, model_s = 200;
    std::string out;
    ordered_json accuracy; // of one beat
    std::vector<Scheme> schemes{
        Scheme::grl1,           Scheme::rush_larsen_light,     Scheme::rush_larsen,   Scheme::grl2,
        Scheme::backward_euler, Scheme::backward_euler_single, Scheme::forward_euler, Scheme::rk4};
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
        for (const bool single : {false, true})
            for (const Scheme s : o_.schemes)
                for (Cell* c : order)
                    if (!single || s == Scheme::rush_larsen_light || s == Scheme::grl1)
                        jobs_.push_back([this, c, s, single] { chain(*c, s, single); });
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

    double paced_ms(const Cell& c) const
    {
        return 1000 * o_.model_s / (c.type.initial.size() > large ? 4 : 1);
    }

    /// The largest step that one beat allows.
    double largest_ms(const Cell& c, Scheme s) const
    {
        std::string key = c.name;
        if (const auto at = key.find("_tissue"); at != std::string::npos)
            key.erase(at, 7); // has the calcium of the model it is made of
        if (!o_.accuracy.contains(key))
            return steps_ms[0];
        const auto& by = o_.accuracy[key]["schemes"];
        const std::string name(cell::name(s));
        if (!by.contains(name) || !by[name]["largest_step_ms"].is_number())
            return 0;
        return by[name]["largest_step_ms"].get<double>();
    }

    /// CVODE for one cycle length: all beats but two, then these, looked at more often.
    void refer(Cell& c, std::size_t lane)
    {
        const auto start = Clock::now();
        const double cycle = cycles_ms[lane];
        Follower f(cycle, paced_ms(c), c.type.initial.size());
        const auto system = compiler::system_of(c.type);
        try {
            const compiler::Reference reference(*system);
            compiler::ReferenceOptions r;
            r.relative_tolerance = reference_tolerance;
            r.largest_step_ms = 20;
            r.stimulus = [&](double t) { return f.stimulated(t) ? pulse_pA_per_pF : 0.; };
            std::vector<double> x0 = c.type.initial;
            const double last = f.end_ms() - 2 * cycle;
            for (const auto& [from, to, every] :
                 {std::array{0., last, sample_ms}, std::array{last, f.end_ms(), reference_ms}}) {
                r.jumps_ms.clear();
                for (double t = 0; t < to - from; t += cycle) {
                    r.jumps_ms.push_back(t);
                    r.jumps_ms.push_back(t + pulse_ms);
                }
                reference.run(c.type.parameters, std::vector(x0), to - from, every, r,
                              [&](double t, std::span<const double> x) {
                                  x0.assign(x.begin(), x.end());
                                  if (const auto left = compiler::left_range(*system, x);
                                      !left.empty())
                                      f.fail(from + t, left);
                                  if (from > 0 || t < last - 1e-6)
                                      f.at(from + t, x[0], [&](std::size_t s) { return x[s]; });
                                  return f.on() && !over();
                              });
            }
        } catch (const Error& e) {
            f.fail(0, e.what());
        }
        const std::scoped_lock lock(mutex_);
        c.reference[lane] = f.take();
        c.reference_s[lane] = std::chrono::duration<double>(Clock::now() - start).count();
        if (--c.references_left == 0)
            ready_.notify_all();
    }

    /// One scheme with shorter and shorter steps, until one is right.
    void chain(Cell& c, Scheme scheme, bool single)
    {
        {
            std::unique_lock lock(mutex_);
            ready_.wait(lock, [&] { return c.references_left == 0; });
        }
        const std::string key = std::string(cell::name(scheme)) + (single ? "_single" : "");
        const double largest = largest_ms(c, scheme);
        for (const double dt : steps_ms) {
            if (dt > largest)
                continue;
            if (dt < shortest_ms(scheme) && dt < largest)
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
            if (all_right)
                break;
        }
        write();
    }

    /// Backward Euler costs most and needs no short steps.
    static double shortest_ms(Scheme s) { return s == Scheme::backward_euler ? 0.02 : 0.005; }

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
            cells.emplace_back(cycle, paced_ms(c), n);
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
                    const double low = s[k].emptied ? NAN : 100 * (p.low[k] / r.low[k] - 1),
                                 high = 100 * (p.high[k] / r.high[k] - 1);
                    j["off_percent"][s[k].full_name] = {number(low, 3), number(high, 3)};
                    if (p.least[k] < 0)
                        j["below_0"][s[k].full_name] = number(p.least[k]);
                    worst = std::max({worst, s[k].emptied ? 0 : std::abs(low), std::abs(high)});
                }
                all_right =
                    all_right && rrms <= rrms_limit_percent && worst <= concentration_limit_percent;
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
            "fit in model_seconds (a quarter of it for models of more than 60 states) at each "
            "cycle length, by each scheme and step in double precision (_single: in single), "
            "against CVODE (relative tolerance 1e-7) after the same beats. rrms_percent: of V in "
            "the last two beats, sampled every ms, the worse; where beats alternate, of the better "
            "of both orders. apd90_ms: of the last two beats. off_percent: the least and the "
            "largest value of concentrations in the last two beats, null where the least is that "
            "of a "
            "store that its release empties. below_0: the least value that "
            "was met at a whole ms. failed_at_ms: where V left [-1000, 1000] mV or a concentration "
            "its range. Steps get shorter, from the largest that one beat allows, until one keeps "
            "rrms within 1.5 % and these concentrations within 5 % at all cycle lengths";
        j["commit"] = bench::built_from;
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
                    one = {{"beats", std::lround(std::floor(paced_ms(*c) / cycles_ms[i] + 1e-9))},
                           {"apd90_ms", {number(r.apd90_ms[0], 5), number(r.apd90_ms[1], 5)}},
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
        else if (a == "--from")
            o.accuracy = ordered_json::parse(std::ifstream(value())).at("models");
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
