// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/calcium/cells_on_gpu.hpp"

#include "engine/calcium/cuda/cells.cuh"
#include "engine/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <sstream>
#include <vector>

namespace tawara::test {
namespace {

using namespace calcium;

constexpr double dt = 0.05;
constexpr Grid small{30, 9, 2}; ///< a last block that is not full
constexpr std::int32_t pulse_steps = 20;

/// A text of what is told.
template <class... Parts>
std::string text(const Parts&... parts)
{
    std::ostringstream out;
    out.precision(12);
    ((out << parts << ' '), ...);
    return out.str();
}

/// Cells on the first GPU, in so many shares, stimulated in their first millisecond.
template <class Real>
std::unique_ptr<cuda::Cells<Real>> on_gpu(const Grid& grid, std::size_t count, std::uint64_t seed,
                                          std::uint64_t first = 0, std::size_t shares = 1,
                                          const Parameters& p = {})
{
    auto cells = std::make_unique<cuda::Cells<Real>>(CellModel<Real>(p, grid, dt), count, seed,
                                                     std::vector<int>(shares, 0), first);
    cells->begin(start_named("paced"));
    cuda::Timetable t;
    t.pulse_steps = pulse_steps;
    cells->set_timetable(t, std::vector<double>(count, 80.0));
    return cells;
}

template <class Real>
std::unique_ptr<Cells<Real>> on_cpu(const Grid& grid, std::size_t count, std::uint64_t seed,
                                    const Parameters& p = {})
{
    auto cells = std::make_unique<Cells<Real>>(CellModel<Real>(p, grid, dt), count, seed);
    cells->begin(start_named("paced"));
    return cells;
}

template <class Real>
void run(Cells<Real>& cells, ThreadPool& pool, std::int64_t from, std::int64_t to)
{
    const std::vector<double> pulse(cells.size(), 80.0);
    for (std::int64_t step = from; step < to; ++step)
        cells.advance(pool, step,
                      step < pulse_steps ? std::span<const double>(pulse)
                                         : std::span<const double>());
}

/// What is not the same in two cells' dyads: an array's name, or nothing.
template <class Real>
std::string differing(const DyadArrays<Real>& a, const DyadArrays<Real>& b, std::size_t n)
{
    const auto differ = [&](const auto* x, const auto* y) {
        return std::memcmp(x, y, n * sizeof *x) != 0;
    };
    if (differ(a.activated, b.activated) || differ(a.C1, b.C1) || differ(a.O1, b.O1) ||
        differ(a.C2, b.C2) || differ(a.C3, b.C3))
        return "channels";
    if (differ(a.n_ca, b.n_ca) || differ(a.camk_t, b.camk_t))
        return "odds";
    if (differ(a.c_d, b.c_d) || differ(a.c_jsr, b.c_jsr))
        return "fluxes";
    return differ(a.c_myo, b.c_myo) || differ(a.c_ss, b.c_ss) || differ(a.c_nsr, b.c_nsr)
               ? "diffusion"
               : "";
}

/// Steps from the CPU's states, told by the GPU's cells: all bits of dyads and sums.
template <class Real>
std::string dyads_bits(double closed)
{
    Parameters p;
    p.closed = closed;
    ThreadPool pool(1);
    const auto cpu = on_cpu<Real>(small, 2, 8, p);
    const auto gpu = on_gpu<Real>(small, 2, 8, 0, 1, p);
    const auto& m = cpu->model();
    const auto n = m.layout.dyads();
    Ahead<Real> ahead(m.layout.room());
    double moved = 0;
    for (std::int64_t step = 0; step < 160; ++step) {
        gpu->restore(cpu->save());
        gpu->advance(step, 1);
        auto after = on_cpu<Real>(small, 2, 8, p);
        after->restore(gpu->save());
        for (std::size_t i = 0; i < 2; ++i) {
            const auto a = cpu->dyads(i);
            const auto told = gpu->part(0).told(i);
            const RandomPlace at{8, i, static_cast<std::uint64_t>(step), 0};
            std::vector<double> sums(DyadSums::count);
            for (std::size_t b = 0; b * block_dyads < n; ++b) {
                DyadSums s;
                react(m.dyad, told, at, a, ahead, b, {&s, 1}, n);
                for (int k = 0; k < DyadSums::count; ++k)
                    sums[static_cast<std::size_t>(k)] += (&s.open)[k];
            }
            diffuse(m.dyad, m.grid, closed != 0, ahead, a, 0, 18);
            if (const auto what = differing(a, after->dyads(i), n); !what.empty())
                return text(sizeof(Real), "bytes, step", step, "cell", i, what);
            const auto got = gpu->last(i).sums;
            if (std::memcmp(&got, sums.data(), sizeof got) != 0)
                return text(sizeof(Real), "bytes, step", step, "cell", i, "sums");
            for (std::size_t d = 0; d < n; ++d)
                moved += a.activated[d] == step ? 1 : 0;
            cpu->cell(i) = after->cell(i);
        }
    }
    return moved > 1000 ? "" : text("nothing happened:", moved);
}

/// Some ms on both, from the same start.
template <class Real>
std::string follow(double tolerance)
{
    ThreadPool pool(2);
    const auto cpu = on_cpu<Real>(small, 3, 8);
    const auto gpu = on_gpu<Real>(small, 3, 8);
    if (cpu->save() != gpu->save())
        return text(sizeof(Real), "bytes: another start");
    run(*cpu, pool, 0, 160);
    gpu->advance(0, 160);
    const auto observed = gpu->observed();
    for (std::size_t i = 0; i < 3; ++i) {
        const auto a = cpu->observed(i), b = observed[i];
        const auto near = [&](double x, double y) { return std::abs(x / y - 1) < tolerance; };
        if (!near(b.c_myo, a.c_myo) || !near(b.c_ss, a.c_ss) || !near(b.c_nsr, a.c_nsr) ||
            !near(b.c_jsr, a.c_jsr) || !near(b.c_d, a.c_d) || !near(b.n_ca, a.n_ca) ||
            !near(b.camk_t, a.camk_t) || !near(b.largest_c_d, a.largest_c_d) ||
            !near(gpu->cell(i).v, cpu->cell(i).v))
            return text(sizeof(Real), "bytes:", b.c_myo, a.c_myo, b.c_jsr, a.c_jsr, b.c_d, a.c_d,
                        gpu->cell(i).v, cpu->cell(i).v);
        if (sizeof(Real) == 8 && (a.open_RyR != b.open_RyR || a.active != b.active))
            return text("other draws:", b.open_RyR, a.open_RyR);
        if (a.active < 50)
            return text("nothing happened:", a.active);
    }
    return {};
}

template <class Real>
std::string shares()
{
    const auto whole = on_gpu<Real>(small, 5, 8);
    whole->advance(0, 161); // graphs and single steps
    const auto wanted = whole->save();
    for (const std::size_t n : {2U, 3U, 5U}) {
        const auto same = on_gpu<Real>(small, 5, 8, 0, n);
        same->advance(0, 70);
        same->advance(70, 91);
        if (same->save() != wanted)
            return text(n, "shares have other bits");
    }
    const auto alone = on_gpu<Real>(small, 1, 8, 3);
    alone->advance(0, 161);
    const auto& layout = whole->model().layout;
    const auto got = alone->save();
    if (std::memcmp(got.data(), wanted.data() + 3 * sizeof(CellState), sizeof(CellState)) != 0 ||
        std::memcmp(got.data() + sizeof(CellState),
                    wanted.data() + 5 * sizeof(CellState) + 3 * layout.bytes(),
                    layout.bytes()) != 0)
        return "a cell alone has other bits";
    const auto other = on_gpu<Real>(small, 5, 9);
    other->advance(0, 161);
    return other->save() == wanted ? "another seed has the same bits" : "";
}

template <class Real>
std::string go_on()
{
    const auto whole = on_gpu<Real>(small, 3, 8);
    whole->advance(0, 71); // an odd number: what diffuses lies in its second place
    const auto saved = whole->save();
    whole->advance(71, 60);
    const auto wanted = whole->save();
    const auto later = on_gpu<Real>(small, 3, 8);
    later->restore(saved);
    later->advance(71, 60);
    if (later->save() != wanted)
        return "a restored state goes on with other bits";
    // on processors
    const auto cpu = on_cpu<Real>(small, 3, 8);
    cpu->restore(saved);
    if (cpu->save() != saved)
        return "a processor's state is another";
    ThreadPool pool(2);
    run(*cpu, pool, 71, 131);
    const double a = cpu->observed(2).c_myo, b = whole->observed()[2].c_myo;
    if (!(std::abs(a / b - 1) <= 1e-3))
        return text("a processor goes on otherwise:", a, b);
    try {
        on_gpu<Real>(small, 2, 8)->restore(saved);
    } catch (const Error&) {
        return {};
    }
    return "a state of other cells was taken";
}

} // namespace

std::string dyads_give_the_cpus_bits()
{
    for (const double closed : {0.0, 1.0}) {
        auto failure = dyads_bits<double>(closed);
        failure += dyads_bits<float>(closed);
        if (!failure.empty())
            return failure;
    }
    return {};
}

std::string cells_follow_the_cpu()
{
    return follow<double>(1e-9) + follow<float>(1e-2);
}

std::string batches_and_devices_do_not_matter()
{
    return shares<double>() + shares<float>();
}

std::string states_go_on()
{
    return go_on<double>() + go_on<float>();
}

std::string forced_opening_empties_the_sr()
{
    const auto cells = on_gpu<float>({100, 1, 1}, 2, 1);
    cuda::Timetable t;
    t.forced_first = 100;
    t.forced_end = 300;
    cells->set_timetable(t, std::vector<double>(2, 0.0));
    cells->advance(0, 100);
    const auto before = cells->observed();
    cells->advance(100, 200);
    const auto open = cells->observed();
    const auto last = cells->last(1);
    cells->advance(300, 1);
    const auto after = cells->observed();
    if (before[0].open_RyR > 1e3 || open[0].open_RyR != 1e4 || open[1].open_RyR != 1e4 ||
        !last.forced || after[0].open_RyR >= 1e4 || cells->last(0).forced)
        return text("open:", before[0].open_RyR, open[0].open_RyR, after[0].open_RyR);
    if (!(open[0].c_jsr >= 0.1 && open[0].c_jsr <= 0.2))
        return text("SR:", open[0].c_jsr);
    return {};
}

std::string calcium_is_conserved()
{
    Parameters p;
    p.closed = 1;
    p.sums_over_all = 0;
    p.csqn = p.bsr = p.bsl = p.trpn = p.cmdn = 0;
    const Grid grid{12, 7, 5};
    const auto cells = on_gpu<double>(grid, 1, 4, 0, 1, p);
    const auto& m = cells->model();
    const auto calcium = [&] {
        const auto cpu = on_cpu<double>(grid, 1, 4, p);
        cpu->restore(cells->save());
        return total_calcium(m, p, cpu->dyads(0));
    };
    const double before = calcium();
    double came = 0, moved = 0;
    for (std::int64_t k = 0; k < 600; ++k) {
        cells->advance(k, 1);
        const auto i = cells->last(0).dyads;
        const double flux = -dt * m.membrane.amount / 2 * (i.CaL + i.Cab + i.pCa - 2 * i.NCX);
        came += flux;
        moved += std::abs(flux);
    }
    const double lost = std::abs(calcium() - before - came) / moved;
    return lost < 1e-10 ? "" : text("lost:", lost);
}

/// Means of several cells 30 ms after a pulse, by other seeds than the CPU's.
std::string means_lie_within_the_spread_of_seeds()
{
    constexpr std::size_t count = 12;
    constexpr Grid thousand{100, 10, 1};
    struct Spread
    {
        double mean = 0, error2 = 0; ///< error2: square of the mean's standard error
        explicit Spread(const std::vector<double>& x)
        {
            const auto n = static_cast<double>(x.size());
            for (const double v : x)
                mean += v / n;
            for (const double v : x)
                error2 += (v - mean) * (v - mean) / (n - 1) / n;
        }
    };
    Parameters p;
    p.sums_over_all = 0;
    ThreadPool pool(2);
    const auto cpu = on_cpu<double>(thousand, count, 1, p);
    run(*cpu, pool, 0, 600);
    const auto twice = on_gpu<double>(thousand, count, 100, 0, 1, p);
    const auto mixed = on_gpu<float>(thousand, count, 200, 0, 1, p);
    twice->advance(0, 600);
    mixed->advance(0, 600);
    std::vector<Observation> of_cpu;
    for (std::size_t i = 0; i < count; ++i)
        of_cpu.push_back(cpu->observed(i));
    const auto of_twice = twice->observed(), of_mixed = mixed->observed();
    for (const auto value : {&Observation::c_myo, &Observation::c_ss, &Observation::c_nsr,
                             &Observation::c_jsr, &Observation::n_ca, &Observation::camk_t}) {
        const auto spread = [&](const std::vector<Observation>& all) {
            std::vector<double> x;
            for (const auto& o : all)
                x.push_back(o.*value);
            return Spread(x);
        };
        const auto a = spread(of_cpu);
        for (const auto& b : {spread(of_twice), spread(of_mixed)})
            if (!(std::abs(a.mean - b.mean) <= 5 * std::sqrt(a.error2 + b.error2)))
                return text("means", a.mean, b.mean, "errors", std::sqrt(a.error2),
                            std::sqrt(b.error2));
    }
    return {};
}

std::string captured_steps_are_steps()
{
    const auto wanted = on_gpu<float>(small, 2, 8);
    wanted->advance(0, 9);
    const auto cells = on_gpu<float>(small, 2, 8);
    auto& part = cells->part(0);
    const auto graph = device::cuda::Graph::capture(part.stream(), [&] {
        part.enqueue_begin(part.stream());
        part.enqueue_dyads(part.stream());
        part.enqueue_end(part.stream());
    });
    for (int k = 0; k < 9; ++k)
        graph.launch(part.stream());
    return cells->save() == wanted->save() ? "" : "captured steps have other bits";
}

std::string too_many_cells_are_refused()
{
    try {
        const cuda::Cells<double> cells(CellModel<double>({}, Grid{}, dt), 4'000'000, 1, {0});
    } catch (const Error& e) {
        return std::string(e.what()).find("enough for") != std::string::npos ? "" : e.what();
    }
    return "4 million cells were taken";
}

} // namespace tawara::test
