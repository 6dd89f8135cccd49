// SPDX-License-Identifier: GPL-3.0-or-later
// Cells with dyads: the same bits however they are computed, calcium's balance, a beat.
#include "engine/calcium/cells.hpp"
#include "engine/calcium/dyad.hpp"
#include "engine/calcium/paced_cell.hpp"
#include "engine/calcium/picture.hpp"
#include "engine/calcium/reaction.hpp"
#include "engine/core/error.hpp"
#include "tests/several.hpp"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

using namespace tawara;
using namespace tawara::calcium;

namespace {

constexpr double dt = 0.05;

bool same_bits(const CellState& a, const CellState& b)
{
    return std::ranges::equal(std::as_bytes(std::span(&a, 1)), std::as_bytes(std::span(&b, 1)));
}

/// A cell that is stimulated for its first millisecond.
template <class Real>
void run(Cells<Real>& cells, ThreadPool& pool, std::int64_t from, std::int64_t to)
{
    const std::vector<double> pulse(cells.size(), 80.0);
    for (std::int64_t step = from; step < to; ++step)
        cells.advance(pool, step, step < 20 ? std::span<const double>(pulse) : std::span<double>());
}

template <class Real>
std::unique_ptr<Cells<Real>> made(const Grid& grid, std::size_t count, std::uint64_t seed,
                                  std::uint64_t first = 0, const Parameters& p = {})
{
    auto cells = std::make_unique<Cells<Real>>(CellModel<Real>(p, grid, dt), count, seed, first);
    cells->begin(start_named("paced"));
    return cells;
}

template <class Real>
void same_dyads(DyadArrays<Real> a, DyadArrays<Real> b, std::size_t n)
{
    const auto same = [&](const auto* x, const auto* y) {
        return std::memcmp(x, y, n * sizeof *x) == 0;
    };
    QVERIFY(same(a.c_myo, b.c_myo) && same(a.c_ss, b.c_ss) && same(a.c_d, b.c_d));
    QVERIFY(same(a.c_nsr, b.c_nsr) && same(a.c_jsr, b.c_jsr) && same(a.n_ca, b.n_ca));
    QVERIFY(same(a.camk_t, b.camk_t) && same(a.activated, b.activated));
    QVERIFY(same(a.C1, b.C1) && same(a.O1, b.O1) && same(a.C2, b.C2) && same(a.C3, b.C3));
}

template <class Real>
void bits_stay()
{
    const Grid grid{30, 9, 2}; // rows of odd length, a last block that is not full
    constexpr std::int64_t steps = 160;
    auto whole = made<Real>(grid, 5, 8);
    {
        ThreadPool pool(1);
        run(*whole, pool, 0, steps);
    }
    for (const unsigned threads : {2U, 3U, 5U}) {
        ThreadPool pool(threads);
        auto same = made<Real>(grid, 5, 8);
        run(*same, pool, 0, steps);
        QVERIFY(same->save() == whole->save());
        // one cell, shared by blocks
        auto one = made<Real>(grid, 1, 8, 3);
        run(*one, pool, 0, steps);
        same_dyads(one->dyads(0), whole->dyads(3), 540);
        QVERIFY(same_bits(one->cell(0), whole->cell(3)));
    }
    // other cells and other seeds have other numbers
    QVERIFY(std::memcmp(whole->dyads(0).O1, whole->dyads(1).O1, 540) != 0);
    ThreadPool pool(2);
    auto other = made<Real>(grid, 5, 9);
    run(*other, pool, 0, steps);
    QVERIFY(std::memcmp(other->dyads(0).O1, whole->dyads(0).O1, 540) != 0);
    // a saved state goes on
    auto half = made<Real>(grid, 5, 8);
    run(*half, pool, 0, 70);
    const auto saved = half->save();
    auto later = std::make_unique<Cells<Real>>(half->model(), 5, 8);
    later->restore(saved);
    run(*later, pool, 70, steps);
    QVERIFY(later->save() == whole->save());
    const Cells<Real> fewer(half->model(), 4, 8);
    QVERIFY_THROWS_EXCEPTION(Error,
                             std::make_unique<Cells<Real>>(half->model(), 4, 8)->restore(saved));
    // the run was one in which things happen
    double open = 0;
    for (std::size_t i = 0; i < 540; ++i)
        open += whole->dyads(0).activated[i] >= 0 ? 1 : 0;
    QVERIFY(open > 100);
}

/// Vectors and blocks give what step_dyad() gives dyad by dyad.
template <class Real>
void vectors_give_what_one_gives()
{
    Parameters p;
    p.D_myo = p.D_ss = p.D_nsr = 0;
    const Grid grid{147, 1, 1};
    auto cells = made<Real>(grid, 1, 21, 6, p);
    ThreadPool pool(1);
    const std::size_t n = 147;
    for (std::int64_t step = 0; step < 120; ++step) {
        std::vector<DyadState<Real>> dyads(n);
        const auto a = cells->dyads(0);
        for (std::size_t i = 0; i < n; ++i)
            dyads[i] = {a.c_myo[i], a.c_ss[i],      a.c_d[i], a.n_ca[i], a.camk_t[i], a.c_nsr[i],
                        a.c_jsr[i], a.activated[i], a.C1[i],  a.O1[i],   a.C2[i],     a.C3[i]};
        CellState cell = cells->cell(0);
        MembraneCurrents i;
        const bool forced = step >= 100;
        const auto in = begin_cell<Real>(cells->model().membrane, cell,
                                         static_cast<std::int32_t>(step), forced, i);
        DyadSums sums;
        for (std::uint32_t d = 0; d < n; ++d)
            step_dyad(cells->model().dyad, in,
                      DyadRandom{{21, 6, static_cast<std::uint64_t>(step), 0}, d}, dyads[d], sums);
        const double stimulus = step < 20 ? 80 : 0;
        cells->advance(pool, step, std::span(&stimulus, 1), forced);
        for (std::size_t d = 0; d < n; ++d) {
            const auto& s = dyads[d];
            QCOMPARE(a.c_myo[d], s.c_myo);
            QCOMPARE(a.c_ss[d], s.c_ss);
            QCOMPARE(a.c_d[d], s.c_d);
            QCOMPARE(a.c_nsr[d], s.c_nsr);
            QCOMPARE(a.c_jsr[d], s.c_jsr);
            QCOMPARE(a.n_ca[d], s.n_ca);
            QCOMPARE(a.camk_t[d], s.camk_t);
            QCOMPARE(a.activated[d], s.activated);
            QCOMPARE(a.C1[d], s.C1);
            QCOMPARE(a.O1[d], s.O1);
            QCOMPARE(a.C2[d], s.C2);
            QCOMPARE(a.C3[d], s.C3);
        }
        const auto& got = cells->last(0).sums;
        const auto near = [](double x, double y) {
            return std::abs(x - y) <= 2e-5 * std::abs(y) + 1e-12;
        };
        QVERIFY(near(got.open, sums.open) && near(got.i_Ca, sums.i_Ca));
        QVERIFY(near(got.ncx, sums.ncx) && near(got.pCa, sums.pCa));
        QVERIFY(near(got.c_myo, sums.c_myo) && near(got.camk, sums.camk));
        QVERIFY(near(got.release, sums.release));
        QCOMPARE(got.LCC, sums.LCC);
        QCOMPARE(got.RyR, sums.RyR);
    }
    QCOMPARE(cells->last(0).sums.RyR, 147 * 100.0); // held open
}

/// How much calcium a run makes from nothing: of what came and went in all.
double lost(const Parameters& p, double step_ms)
{
    const Grid grid{12, 7, 5};
    Cells<double> cells(CellModel<double>(p, grid, step_ms), 1, 4);
    cells.begin(start_named("paced"));
    ThreadPool pool(1);
    const auto& m = cells.model();
    const double before = total_calcium(m, p, cells.dyads(0));
    double came = 0, moved = 0;
    for (std::int64_t k = 0; static_cast<double>(k) * step_ms < 30; ++k) {
        const double stimulus = static_cast<double>(k) * step_ms < 1 ? 80 : 0;
        cells.advance(pool, k, std::span(&stimulus, 1));
        const auto& i = cells.last(0).dyads;
        const double flux = -step_ms * m.membrane.amount / 2 * (i.CaL + i.Cab + i.pCa - 2 * i.NCX);
        came += flux;
        moved += std::abs(flux);
    }
    return std::abs(total_calcium(m, p, cells.dyads(0)) - before - came) / moved;
}

/// Cells of a tissue, in slots 0 and 2, beside the same ones alone.
template <class Real>
void reaction_steps_cells(double within_mV)
{
    const Grid grid{20, 5, 1};
    const DyadReactionModel model(
        {{Parameters{}, &start_named("paced")}, {Parameters{}, &start_named("paced_low_IK1")}},
        grid, 17);
    const auto reaction = [&] {
        if constexpr (sizeof(Real) == sizeof(double))
            return model.on_cpu_double();
        else
            return model.on_cpu_single();
    }();
    constexpr std::size_t slots = 16;
    std::vector<AlignedVector<Real>> memory;
    std::vector<Real*> states;
    for (const auto& a : reaction->arrays())
        states.push_back(memory.emplace_back(slots * a.per_unknown, Real(0)).data());
    AlignedVector<Real> v(slots), stimulus(slots, Real(80));
    std::vector<cell::TypeIndex> type(slots, 0);
    std::vector<std::int64_t> unknown(slots, -1);
    unknown[0] = 4;
    unknown[2] = 9;
    type[2] = 1;
    cell::ReactionCells<Real> c;
    c.cells = {v.data(), states.data(), type.data(), stimulus.data(), 0, 3, 0};
    c.unknown = unknown.data();
    reaction->prepare(c);
    const CellModel<Real> alone({}, grid, dt);
    Cells<Real> first(alone, 1, 17, 4), second(alone, 1, 17, 9);
    first.begin(start_named("paced"));
    second.begin(start_named("paced_low_IK1"));
    ThreadPool pool(1);
    double most = -100;
    for (std::int64_t step = 0; step < 200; ++step) {
        c.cells.stimulus = step < 20 ? stimulus.data() : nullptr;
        reaction->advance(c, {step, 0, static_cast<double>(step) * dt, dt});
        run(first, pool, step, step + 1);
        run(second, pool, step, step + 1);
        QVERIFY(std::abs(static_cast<double>(v[0]) - first.cell(0).v) <= within_mV);
        QVERIFY(std::abs(static_cast<double>(v[2]) - second.cell(0).v) <= within_mV);
        most = std::max(most, static_cast<double>(v[2]));
    }
    QVERIFY(most > 30 && v[0] != v[2]);
    for (const auto& array : memory)
        QVERIFY(std::all_of(array.begin(), array.end(), [](Real x) { return std::isfinite(x); }));
}

/// The picture that is read from a reaction's arrays is that of the cell: its dyads exactly (single
/// precision of both), what is expected of its channels within what a step scatters.
template <class Real>
void picture_shows_the_cell()
{
    const Grid grid{30, 5, 2};
    const Parameters p;
    const DyadLayout<Real> layout(grid);
    auto cells = made<Real>(grid, 1, 12);
    ThreadPool pool(1);
    double expected = 0, drawn = 0, released = 0, release = 0;
    for (std::int64_t step = 0; step < 300; ++step) {
        run(*cells, pool, step, step + 1);
        if (step < 100 || step % 10 != 0)
            continue;
        const auto a = cells->dyads(0);
        const std::size_t n = layout.room();
        std::vector<double> numbers;
        const auto doubles = [&](const auto* from, std::size_t count) {
            for (std::size_t i = 0; i < count; ++i)
                numbers.push_back(static_cast<double>(static_cast<Real>(from[i])));
            if (sizeof(Real) == 4)
                for (std::size_t i = 0; i < count; ++i)
                    numbers.push_back(static_cast<double>(from[i]) -
                                      static_cast<double>(static_cast<Real>(from[i])));
        };
        doubles(&cells->cell(0).Na_i, CellState::count - 1);
        doubles(a.c_nsr, n);
        doubles(a.c_jsr, n);
        for (const Real* from : {a.c_myo, a.c_ss, a.c_d, a.n_ca, a.camk_t})
            numbers.insert(numbers.end(), from, from + n);
        doubles(a.activated, n);
        for (std::size_t i = 0; i < n; ++i)
            numbers.push_back(a.C1[i] + 256 * a.O1[i]);
        for (std::size_t i = 0; i < n; ++i)
            numbers.push_back(a.C2[i] + 256 * a.C3[i]);
        QCOMPARE(numbers.size(), cell::numbers_per_unknown(dyad_state_arrays(layout)));
        const auto shown = dyad_picture(p, grid, dt, cells->cell(0).v, numbers);
        QCOMPARE(shown.c_d_uM.size(), std::size_t{300});
        for (std::size_t i = 0; i < 300; ++i) {
            QCOMPARE(shown.c_d_uM[i], static_cast<float>(a.c_d[i]));
            QCOMPARE(shown.c_myo_uM[i], static_cast<float>(1e3 * static_cast<double>(a.c_myo[i])));
            QCOMPARE(shown.c_jsr_mM[i], static_cast<float>(a.c_jsr[i]));
            QCOMPARE(shown.open_RyR[i], a.O1[i]);
        }
        const auto o = cells->observed(0);
        QCOMPARE(shown.state.dyads.open_RyR, o.open_RyR);
        QCOMPARE(shown.state.dyads.active, o.active);
        QVERIFY(std::abs(shown.state.dyads.c_jsr / o.c_jsr - 1) < 1e-12);
        const auto& m = cells->model().membrane;
        release +=
            1e-3 * m.cleft_per_myo * cells->last(0).sums.release * p.full_dyads / m.sums_over;
        released += shown.state.release_mM_per_ms; // of the JSR after the step, a little emptier
        expected += shown.state.i_CaL;
        drawn += cells->last(0).dyads.CaL;
        if (step == 200)
            QVERIFY_THROWS_EXCEPTION(Error,
                                     dyad_picture(p, {30, 5, 3}, dt, cells->cell(0).v, numbers));
    }
    QVERIFY2(release > 1e-6 && std::abs(released / release - 1) < 0.05,
             qPrintable(QString("%1 %2").arg(released).arg(release)));
    QVERIFY2(drawn < -0.1 && std::abs(expected / drawn - 1) < 0.05,
             qPrintable(QString("%1 %2").arg(expected).arg(drawn)));
}

} // namespace

class TestCells : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void bitsStayInDoublePrecision() { bits_stay<double>(); }
    void bitsStayInMixedPrecision() { bits_stay<float>(); }
    void vectorsGiveWhatOneGives() { vectors_give_what_one_gives<double>(); }
    void mixedVectorsGiveWhatOneGives() { vectors_give_what_one_gives<float>(); }

    void reactionStepsCells() { reaction_steps_cells<double>(0); }
    void pictureShowsTheCell() { picture_shows_the_cell<double>(); }
    void mixedPictureShowsTheCell() { picture_shows_the_cell<float>(); }
    void mixedReactionStepsCells() { reaction_steps_cells<float>(0.05); }

    /// Counts stay those of the channels.
    void channelsAreKept()
    {
        auto cells = made<double>({20, 10, 1}, 1, 2);
        ThreadPool pool(1);
        for (std::int64_t step = 0; step < 1000; ++step) {
            run(*cells, pool, step, step + 1);
            QVERIFY(cells->last(0).sums.LCC <= 15 * 200);
            const auto a = cells->dyads(0);
            for (std::size_t i = 0; i < 200; ++i)
                QCOMPARE(a.C1[i] + a.O1[i] + a.C2[i] + a.C3[i], 100);
        }
    }

    /// To rounding without buffers; their free part, taken at a step's start, makes an error of the
    /// step's order.
    void calciumIsConserved()
    {
        Parameters p;
        p.closed = 1;
        p.sums_over_all = 0;
        const double buffered = lost(p, dt), finer = lost(p, dt / 4);
        QVERIFY2(buffered < 2 && finer < buffered / 3 && finer > buffered / 6,
                 qPrintable(QString("%1 %2").arg(buffered).arg(finer)));
        p.csqn = p.bsr = p.bsl = p.trpn = p.cmdn = 0;
        const double free = lost(p, dt);
        QVERIFY2(free < 1e-10, qPrintable(QString::number(free)));
    }

    /// Diffusion alone: equal stays equal, what differs comes together, closed faces keep the mean.
    void calciumSpreads()
    {
        for (const double closed : {0.0, 1.0})
            for (const Grid grid : {Grid{5, 4, 3}, Grid{18, 3, 1}, Grid{1, 1, 6}, Grid{1, 1, 1}}) {
                Parameters p;
                p.closed = closed;
                const CellModel<double> m(p, grid, dt);
                Cells<double> cells(m, 1, 1);
                cells.begin(start_named("paced"));
                const auto a = cells.dyads(0);
                const auto n = static_cast<std::size_t>(grid.count());
                Ahead<double> ahead(m.layout.room());
                const auto rows =
                    static_cast<std::size_t>(grid.ny) * static_cast<std::size_t>(grid.nz);
                const auto step = [&] {
                    std::copy_n(a.c_myo, n, ahead.c_myo());
                    std::copy_n(a.c_ss, n, ahead.c_ss());
                    std::copy_n(a.c_nsr, n, ahead.c_nsr());
                    diffuse(m.dyad, grid, closed != 0, ahead, a, 0, rows);
                };
                step();
                for (std::size_t i = 0; i < n; ++i) {
                    QCOMPARE(a.c_nsr[i], start_named("paced").c_nsr);
                    QVERIFY(std::abs(a.c_myo[i] / start_named("paced").c_myo - 1) < 1e-14);
                }
                a.c_nsr[n / 2] += 1; // one dyad has more
                double mean = 0;
                for (std::size_t i = 0; i < n; ++i)
                    mean += a.c_nsr[i] / static_cast<double>(n);
                for (int k = 0; k < 20'000; ++k)
                    step();
                double after = 0;
                for (std::size_t i = 0; i < n; ++i) {
                    after += a.c_nsr[i] / static_cast<double>(n);
                    QVERIFY(std::abs(a.c_nsr[i] - a.c_nsr[0]) < 1e-6);
                }
                if (closed != 0)
                    QVERIFY(std::abs(after - mean) < 1e-12);
            }
    }

    /// A beat of few dyads by an independent prototype's figures: third beat of 100 dyads, sums
    /// over these.
    void aBeatIsAsExpected()
    {
        for (const bool mixed : {false, true}) {
            PacedCellOptions o;
            o.parameters.sums_over_all = 0;
            o.grid = {100, 1, 1};
            o.start = &start_named("paced");
            o.mixed = mixed;
            o.end_ms = 1550;
            int rows = 0;
            const auto r = run_paced_cell(o, {}, [&](const Sample&) { ++rows; });
            QCOMPARE(rows, 1551);
            QCOMPARE(r.steps, 31'000L);
            QCOMPARE(r.beats.size(), std::size_t{3});
            const auto& b = r.calcium.at(3);
            const auto text = qPrintable(QString("%1 %2 %3 %4 %5")
                                             .arg(r.beats[2].apd90_ms)
                                             .arg(b.v_most_mV)
                                             .arg(b.c_myo_peak_uM)
                                             .arg(b.c_jsr_most_mM)
                                             .arg(b.i_CaL_peak));
            QVERIFY2(std::abs(r.beats[2].apd90_ms - 237) < 2.4, text);
            QVERIFY2(std::abs(b.v_most_mV - 42.4) < 0.5, text);
            QVERIFY2(std::abs(b.c_myo_peak_uM / 0.4685 - 1) < 0.02, text);
            QVERIFY2(std::abs(b.c_jsr_most_mM / 1.733 - 1) < 0.03, text);
            QVERIFY2(std::abs(b.i_CaL_peak / -1.48 - 1) < 0.05, text);
        }
    }
    void forcedOpeningEmptiesTheSR()
    {
        PacedCellOptions o;
        o.grid = {100, 1, 1};
        o.start = &start_named("paced");
        o.end_ms = 60;
        o.protocol.amplitude_pA_per_pF = 0;
        o.protocol.forced_from_ms = 50;
        o.protocol.forced_until_ms = 150;
        double most = 0;
        const auto r = run_paced_cell(o, {}, [&](const Sample& s) {
            if (s.t_ms <= 50)
                most = std::max(most, s.dyads.open_RyR);
            else
                QCOMPARE(s.dyads.open_RyR, 1e4);
        });
        QVERIFY(most < 1e3);
        QVERIFY(r.final_dyads.c_jsr > 0.1 && r.final_dyads.c_jsr < 0.2);
        QVERIFY(r.beats.empty());
    }
    void aCellSaysWhatItTakes()
    {
        QCOMPARE(DyadArrays<double>::bytes, std::size_t{64});
        QCOMPARE(DyadArrays<float>::bytes, std::size_t{44});
        QCOMPARE(bytes_of_cell<double>({100, 10, 10}), 10048 * 64 + sizeof(CellState));
        QCOMPARE(bytes_of_cell<float>({100, 10, 10}), 10048 * 44 + sizeof(CellState));
        PacedCellOptions o;
        o.start = &start_named("paced");
        o.dt_ms = 0;
        QVERIFY_THROWS_EXCEPTION(InputError, run_paced_cell(o, {}, [](const Sample&) {}));
    }
};

int main(int argc, char** argv)
{
    return tawara::test::run<TestCells>(argc, argv);
}
#include "test_cells.moc"
