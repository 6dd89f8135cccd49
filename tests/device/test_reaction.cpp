// SPDX-License-Identifier: GPL-3.0-or-later
// Reactions of their own beside compiled models: state of any shape, many types, chance.
#include "engine/cell/numerics_error.hpp"
#include "engine/core/aligned.hpp"
#include "engine/core/error.hpp"
#include "engine/core/thread_pool.hpp"
#include "engine/partition/decomposition.hpp"
#include "tests/device/channel_rows.hpp"
#include "tests/device/on_gpu.hpp"
#include "tests/device/random_on_gpu.hpp"
#include "tests/device/tissue_problem.hpp"

#include <QtTest>
#include <cmath>

using namespace tawara;
using namespace tawara::device;
using namespace tawara::test;

namespace {

/// A slab of cells with channels; its left half of TT06 if `mixed`.
TissueProblem problem(bool mixed, Splitting splitting = Splitting::godunov)
{
    ProblemOptions o;
    o.splitting = splitting;
    return with_channels(slab_problem({4, 1, 1}, 0.5, o),
                         std::make_shared<ChannelModel>(values_of_types()), mixed);
}

std::unique_ptr<Stepper> cpu(const TissueProblem& p, unsigned threads,
                             Precision precision = Precision::double_)
{
    StepperOptions o;
    o.devices = "cpu";
    o.precision = precision;
    o.threads = threads;
    return make_stepper(p, o);
}

/// V and all numbers of each unknown, in the mesh's order.
using Values = std::vector<std::vector<double>>;

/// Steps each share of a tissue by itself, without diffusion.
Values by_shares(const TissueProblem& p, int count, unsigned threads, int steps)
{
    const auto& alpha = p.system.alpha;
    const auto all =
        partition::decompose({{alpha.first, alpha.column}, p.position_mm, p.group, p.type}, count,
                             partition::Ordering::metis);
    ThreadPool pool(threads);
    Values out(p.size());
    for (const auto& part : all.parts) {
        const auto reaction = p.groups[0].reaction->on_cpu_double();
        const auto slots = static_cast<std::size_t>(part.slots);
        std::vector<cell::TypeIndex> type(slots, 0);
        for (std::size_t i = 0; i < slots; ++i)
            if (part.old_of[i] >= 0)
                type[i] = p.type[static_cast<std::size_t>(part.old_of[i])];
        AlignedVector<double> v(slots);
        std::vector<AlignedVector<double>> arrays;
        std::vector<double*> states;
        for (const auto& a : reaction->arrays())
            arrays.emplace_back(slots * a.per_unknown);
        for (auto& a : arrays)
            states.push_back(a.data());
        cell::ReactionCells<double> c;
        c.cells.v = v.data();
        c.cells.states = states.data();
        c.cells.type = type.data();
        c.unknown = part.old_of.data();
        c.cells.end = slots;
        reaction->prepare(c);
        for (int step = 0; step < steps; ++step)
            pool.for_range(slots, 16, [&](std::size_t begin, std::size_t end, unsigned) {
                auto piece = c;
                piece.cells.begin = begin;
                piece.cells.end = end;
                reaction->advance(piece, {step, 0, step * p.dt_ms, p.dt_ms});
            });
        for (std::size_t i = 0; i < slots; ++i) {
            if (part.old_of[i] < 0)
                continue;
            auto& of = out[static_cast<std::size_t>(part.old_of[i])];
            of.push_back(v[i]);
            for (std::size_t k = 0; k < arrays.size(); ++k) {
                const auto n = reaction->arrays()[k].per_unknown;
                of.insert(of.end(), arrays[k].begin() + static_cast<std::ptrdiff_t>(i * n),
                          arrays[k].begin() + static_cast<std::ptrdiff_t>((i + 1) * n));
            }
        }
    }
    return out;
}

} // namespace

class TestReaction : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void sharesAndThreadsDoNotChangeABit()
    {
        const auto p = problem(false);
        const auto whole = by_shares(p, 1, 1, 500);
        QCOMPARE(whole[0].size(), 1 + 2 * ChannelValues::channels + 1);
        for (const unsigned threads : {1U, 2U, 3U, 7U})
            for (const int count : {1, 3})
                QVERIFY(by_shares(p, count, threads, 500) == whole);
    }

    void typesBeyondAByteAreToldApart()
    {
        const auto p = problem(false);
        const auto at_end = by_shares(p, 1, 1, 2000);
        double openings = 0;
        for (std::size_t u = 0; u < p.size(); ++u) {
            if (p.type[u] == never_opens)
                QCOMPARE(at_end[u].back(), 0.0);
            if (p.type[u] == never_opens - 256)
                openings += at_end[u].back();
        }
        QVERIFY(openings > 0);
    }

    /// Open channels, in the mean over time and unknowns, against opening / (opening + closing).
    void channelsAreOpenAsOftenAsTheirRatesSay()
    {
        auto v = values_of_types();
        std::fill(v.opening_per_ms.begin(), v.opening_per_ms.end(), 0.25);
        auto p = problem(false);
        p.groups[0].reaction = std::make_shared<ChannelModel>(v);
        constexpr int steps = 10000;
        const auto at_end = by_shares(p, 1, 2, steps);
        double open_ms = 0;
        for (const auto& of : at_end)
            for (std::size_t k = 0; k < ChannelValues::channels; ++k)
                open_ms += of[1 + ChannelValues::channels + k];
        const double share = open_ms / (steps * p.dt_ms) /
                             static_cast<double>(at_end.size() * ChannelValues::channels);
        QVERIFY2(std::abs(share - 1.0 / 3) < 0.01, qPrintable(QString::number(share)));
    }

    void tissueOfBothKindsIsStepped_data() { add_channel_rows(); }
    void tissueOfBothKindsIsStepped()
    {
        QFETCH(bool, mixed);
        QFETCH(int, splitting);
        QFETCH(int, precision);
        const auto p = problem(mixed, static_cast<Splitting>(splitting));
        std::vector<Snapshot> last;
        for (const unsigned threads : {1U, 2U, 5U}) {
            const auto s = cpu(p, threads, static_cast<Precision>(precision));
            s->add_stimulus(left_end(p, 1));
            s->advance(700);
            last.push_back(s->snapshot());
        }
        QVERIFY(same_bits(last[0], last[1]) && same_bits(last[0], last[2]));
        const auto begun = cpu(p, 2, static_cast<Precision>(precision));
        const auto resumed = cpu(p, 3, static_cast<Precision>(precision));
        begun->add_stimulus(left_end(p, 1));
        resumed->add_stimulus(left_end(p, 1));
        begun->advance(333);
        resumed->restore(begun->snapshot());
        resumed->advance(367);
        QVERIFY(same_bits(last[0], resumed->snapshot()));

        // the numbers of an unknown are counted over its arrays
        const auto n = ChannelValues::channels;
        QVERIFY(last[0].states.size() >= 2 * n + 1);
        double openings = 0;
        std::vector<double> of_state(p.size());
        begun->restore(last[0]);
        begun->state(2 * n + 1, of_state);
        const auto places = places_of(p, last[0]);
        for (std::size_t u = 0; u < p.size(); ++u) {
            if (!p.groups[p.group[u]].reaction)
                continue;
            openings += of_state[u];
            for (std::size_t k = 0; k < n; ++k)
                QVERIFY(places.of(last[0].states, k, u) == 0 ||
                        places.of(last[0].states, k, u) == 1);
        }
        QVERIFY(openings > 0);
    }

    /// A snapshot has each unknown's own numbers, in the mesh's order, and takes those of the
    /// former layout.
    void snapshotsHoldWhatGroupsHave()
    {
        const std::vector<std::uint8_t> group{1, 0, no_cells, 2, 1, 0};
        const std::size_t numbers[] = {3, 5, 3, 4}; // the last is nobody's
        const StatePlaces places(group, numbers);
        QCOMPARE(places.lengths(), (std::vector<std::size_t>{6, 6, 6, 2, 2}));
        QCOMPARE(places.bytes(), 8.0 * 22);
        QVERIFY(places.has(4, 0) && !places.has(5, 0) && places.has(2, 3) && !places.has(3, 3));
        QCOMPARE(places.packed(3, {0, 1, 2, 3, 4, 5}), (std::vector<double>{0, 4}));
        auto states = places.zeros();
        places.of(states, 4, 4) = 7;
        places.of(states, 2, 4) = 8;
        QCOMPARE(states[4], (std::vector<double>{0, 7}));
        QCOMPARE(states[2], (std::vector<double>{0, 0, 0, 0, 8, 0}));
        std::vector<std::vector<double>> former(5, {0, 1, 2, 3, 4, 5});
        QCOMPARE(places.of(std::as_const(former), 4, 4), 4.0);

        const auto p = problem(true);
        const auto s = cpu(p, 2), other = cpu(p, 2);
        s->add_stimulus(left_end(p, 1));
        s->advance(200);
        const auto snapshot = s->snapshot();
        const auto at = places_of(p, snapshot);
        double numbers_in_all = 0;
        for (std::size_t u = 0; u < p.size(); ++u)
            numbers_in_all +=
                static_cast<double>(numbers_per_cell(p.groups[p.group[u]], Precision::double_));
        QCOMPARE(at.bytes(), 8 * numbers_in_all);
        auto full = snapshot;
        for (std::size_t k = 0; k < full.states.size(); ++k) {
            QCOMPARE(snapshot.states[k].size(), at.length(k));
            full.states[k].assign(p.size(), 0);
            for (std::size_t u = 0; u < p.size(); ++u)
                if (at.has(k, u))
                    full.states[k][u] = at.of(snapshot.states, k, u);
        }
        QVERIFY(full.states != snapshot.states);
        other->restore(full);
        QVERIFY(same_bits(other->snapshot(), snapshot));
        full.states.back().pop_back();
        QVERIFY_THROWS_EXCEPTION(InputError, other->restore(full));
    }

    /// A group of compiled cells computes what it computes without others.
    void compiledCellsAreWhatTheyWere()
    {
        ProblemOptions o;
        o.sigma = {1e-9, 1e-9, 1e-9}; // no neighbour matters
        auto alone = slab_problem({4, 1, 1}, 0.5, o);
        auto mixed = problem(true);
        mixed.system = alone.system;
        mixed.substeps = alone.substeps;
        const auto a = cpu(alone, 2), b = cpu(mixed, 2);
        for (auto* s : {a.get(), b.get()}) {
            s->add_stimulus(left_end(alone, 1));
            s->advance(500);
        }
        const auto x = a->snapshot(), y = b->snapshot();
        const auto at = places_of(mixed, y);
        for (std::size_t u = 0; u < alone.size(); ++u)
            if (mixed.group[u] == 0) {
                QVERIFY(std::abs(x.v[u] - y.v[u]) < 1e-4);
                for (std::size_t k = 0; k < x.states.size(); ++k)
                    QVERIFY(std::abs(x.states[k][u] - at.of(y.states, k, u)) < 1e-4);
            }
    }

    void gpusDrawTheSameNumbers()
    {
        if (!need_gpu())
            return;
        const RandomPlace first{7, 1000, 3, 1};
        const auto drawn = uniforms_on_gpu(first, 1000);
        QCOMPARE(drawn.size(), std::size_t{1000});
        for (std::size_t i = 0; i < drawn.size(); ++i) {
            auto place = first;
            place.unknown += i;
            const auto w = random_words(place, 0);
            QCOMPARE(drawn[i], uniform_of(w[0], w[1]));
        }
    }

    void failuresNameTheReaction()
    {
        const auto p = problem(false);
        const auto s = cpu(p, 1);
        s->add_stimulus(left_end(p, 1, 1e9));
        try {
            s->advance(10);
            QFAIL("ran on");
        } catch (const NumericsError& e) {
            QVERIFY2(QString(e.what()).contains("model toy channels"), e.what());
            QCOMPARE(e.model, std::string("toy channels"));
        }
        QVERIFY_THROWS_EXCEPTION(InputError, s->set_types(0, {}));
        auto resting = p;
        resting.rest_tolerance_mV = 0.1;
        try {
            cpu(resting, 1);
            QFAIL("rests");
        } catch (const InputError& e) {
            QVERIFY2(QString(e.what()).contains("toy channels"), e.what());
        }
    }
};
QTEST_GUILESS_MAIN(TestReaction)
#include "test_reaction.moc"
