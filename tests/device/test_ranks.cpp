// SPDX-License-Identifier: GPL-3.0-or-later
// One tissue over several ranks gives what one process gives, bit for bit.
#include "engine/cell/numerics_error.hpp"
#include "engine/core/error.hpp"
#include "engine/device/cpu/interpolated_currents.hpp"
#include "engine/device/ranks/share.hpp"
#include "tests/calcium/dyad_tissue.hpp"
#include "tests/device/on_gpu.hpp"
#include "tests/device/rank_team.hpp"
#include "tests/device/tissue_problem.hpp"

#include <QtTest>
#include <array>
#include <cmath>
#include <numeric>
#include <thread>

using namespace tawara;
using namespace tawara::device;
using namespace tawara::test;

namespace {

constexpr Vec3 slab_mm{9, 3, 3};
constexpr double spacing_mm = 0.5;

/// How tissue is stepped.
struct Way
{
    const char* name;
    diffusion::Scheme scheme = diffusion::Scheme::fvm;
    IonicCurrents currents = IonicCurrents::nodal;
    Splitting splitting = Splitting::godunov;
    double dt_ms = 0.02, rest_tolerance_mV = 0, faster = 1; ///< times the conductivity
    bool single = false;

    TissueProblem problem() const
    {
        ProblemOptions o;
        o.scheme = scheme;
        o.currents = currents;
        o.splitting = splitting;
        o.dt_ms = dt_ms;
        o.types = 3;
        o.insulated = true;
        o.sigma = {0.1334 * faster, 0.0176 * faster, 0.0176 * faster};
        auto p = slab_problem(slab_mm, spacing_mm, o);
        p.rest_tolerance_mV = rest_tolerance_mV;
        return p;
    }
    Precision precision() const { return single ? Precision::single : Precision::double_; }
};
using enum diffusion::Scheme;
using enum IonicCurrents;
constexpr Way ways[]{
    {"fvm", fvm},
    {"p1", p1},
    {"p1 in single precision", p1, nodal, Splitting::godunov, 0.02, 0, 1, true},
    {"p1, Strang", p1, nodal, Splitting::strang},
    {"p1, stages of RKL2", p1, nodal, Splitting::godunov, 0.05, 0, 40},
    {"p1, Euler passes", p1, nodal, Splitting::godunov, 0.05, 0, 8},
    {"interpolated", p1, interpolated},
    {"interpolated, Strang", p1, interpolated, Splitting::strang},
    {"interpolated at rest", p1, interpolated, Splitting::godunov, 0.02, 0.02},
    {"fvm at rest", fvm, nodal, Splitting::godunov, 0.02, 0.02},
    {"p1 at rest, several passes", p1, nodal, Splitting::godunov, 0.05, 0.02, 8},
};

template <class Value>
bool same(const std::vector<Value>& a, const std::vector<Value>& b)
{
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](Value x, Value y) {
               return x == y || (std::isnan(x) && std::isnan(y));
           });
}

/// Both are of the problem's unknowns with cells; what others have at their places is no matter.
bool same(const TissueProblem& p, const Snapshot& a, const Snapshot& b)
{
    const auto places = places_of(p, a);
    for (std::size_t u = 0; u < p.size(); ++u)
        for (std::size_t k = 0; p.has_cells(u) && k < places.numbers(); ++k)
            if (places.of(a.states, k, u) != places.of(b.states, k, u))
                return false;
    return a.step == b.step && same(a.v, b.v) && same(a.activation_ms, b.activation_ms) &&
           same(a.repolarisation_ms, b.repolarisation_ms) && same(a.quiescent, b.quiescent);
}

Gather some_probes(const TissueProblem& p)
{
    Gather g;
    for (std::size_t u = 3; u < p.size(); u += p.size() / 7) {
        g.unknown.insert(g.unknown.end(), {static_cast<std::int32_t>(u),
                                           static_cast<std::int32_t>((u + 411) % p.size())});
        g.weight.insert(g.weight.end(), {0.3F, 0.7F});
        g.first.push_back(static_cast<std::int64_t>(g.unknown.size()));
    }
    return g;
}

StimulusSource far_corner(const TissueProblem& p)
{
    StimulusSource s;
    s.amplitude_pA_per_pF = 40;
    s.start_ms = 3;
    s.duration_ms = 1;
    for (std::size_t u = 0; u < p.size(); ++u)
        if (p.has_cells(u) && p.position_mm[u][0] > 8 && p.position_mm[u][1] > 2)
            s.unknowns.push_back(static_cast<std::int32_t>(u));
    return s;
}

/// What a run of some 6 ms leaves: samples, and its state.
struct Ended
{
    std::vector<std::int64_t> steps;
    std::vector<double> samples, potential, calcium;
    std::vector<float> display;
    Snapshot state;
};

Ended run(Stepper& s, const TissueProblem& p)
{
    s.set_probes(some_probes(p), 3);
    s.set_display(some_probes(p));
    const auto gone = s.add_stimulus(left_end(p, 0.3, 500));
    s.remove_stimulus(gone);
    s.add_stimulus(left_end(p, 1));
    s.add_stimulus(far_corner(p));
    const auto n = static_cast<std::int64_t>(std::llround(6 / p.dt_ms));
    s.advance(n / 3);
    auto types = p.groups[0].types; // drugs while it runs
    for (auto& t : types)
        t.parameters[0] *= 0.9;
    s.set_types(0, types);
    s.advance(n - n / 3);
    Ended e;
    s.take_samples(e.steps, e.samples);
    e.display.resize(some_probes(p).size());
    s.display(e.display);
    e.potential.resize(p.size());
    e.calcium.resize(p.size());
    s.potential(e.potential);
    s.state(1, e.calcium);
    e.state = s.snapshot();
    return e;
}

} // namespace

class TestRanks : public QObject
{
    Q_OBJECT

    static void each_way(bool on_gpus = false)
    {
        QTest::addColumn<const Way*>("way");
        for (const auto& w : ways)
            if (!on_gpus || w.currents == nodal)
                QTest::addRow("%s", w.name) << &w;
    }

    static void theSameBits(const Way* way, const char* devices, Precision precision)
    {
        const auto p = way->problem();
        const StepperOptions on{devices, precision, 1};
        const auto alone = make_stepper(p, on);
        const auto wanted = run(*alone, p);
        QVERIFY(std::any_of(wanted.state.activation_ms.begin(), wanted.state.activation_ms.end(),
                            [](double t) { return t > 2; }));
        if (way->rest_tolerance_mV > 0)
            QVERIFY(alone->share_quiescent() > 0.05);
        for (const int n : {2, 3, 5}) {
            const bool shares = n != 3;
            RankTeam team(n, shares);
            const auto s = make_stepper(p, on, team.progress());
            const auto got = run(*s, p);
            QCOMPARE(got.steps, wanted.steps);
            QVERIFY(same(got.samples, wanted.samples));
            QVERIFY(same(got.potential, wanted.potential));
            QVERIFY(same(got.calcium, wanted.calcium));
            if (on.devices.kind == Devices::Kind::cpu) // GPUs add a field's terms in another order
                QVERIFY(same(got.display, wanted.display));
            QVERIFY(same(p, got.state, wanted.state));
            QVERIFY(same(s->maps().activation_ms, alone->maps().activation_ms));
            QVERIFY(s->device().starts_with(std::to_string(n) + " ranks"));
            QCOMPARE(s->device().find("through MPI") != std::string::npos,
                     !shares && on.devices.kind == Devices::Kind::cuda);
        }
    }

    static void statesGoOn(const Way* way, const char* devices)
    {
        const auto p = way->problem();
        const auto goes_on = [&](Stepper& s, const Snapshot& from) {
            s.add_stimulus(left_end(p, 1));
            s.restore(from);
            s.advance(37);
            return s.snapshot();
        };
        const StepperOptions on{devices, way->precision(), 1};
        RankTeam two(2), three(3);
        const auto of_two = make_stepper(p, on, two.progress());
        of_two->add_stimulus(left_end(p, 1));
        of_two->advance(123);
        const auto begun = of_two->snapshot();
        of_two->advance(37);
        const auto wanted = of_two->snapshot();
        QVERIFY(same(p, goes_on(*make_stepper(p, on, three.progress()), begun), wanted));
        QVERIFY(same(p, goes_on(*make_stepper(p, on), begun), wanted));
        const auto alone = make_stepper(p, on);
        alone->add_stimulus(left_end(p, 1));
        alone->advance(123);
        QVERIFY(
            same(p, goes_on(*make_stepper(p, on, three.progress()), alone->snapshot()), wanted));
    }

    static void aFailureStopsAll(const char* devices)
    {
        const auto p = Way{"", p1}.problem();
        RankTeam team(3);
        const auto s = make_stepper(p, {devices, Precision::double_, 1}, team.progress());
        const auto begun = s->snapshot();
        const auto wrong = s->add_stimulus(left_end(p, 0.6, 1e7));
        std::string text;
        std::int64_t at = -1;
        const auto fails = [&] {
            try {
                s->advance(20);
            } catch (const NumericsError& e) {
                text = e.what();
                at = e.step;
                QVERIFY(p.position_mm[static_cast<std::size_t>(e.unknown)][0] < 1.2);
                QCOMPARE(e.position_mm, p.position_mm[static_cast<std::size_t>(e.unknown)]);
                QVERIFY2(text.find("unknown " + std::to_string(e.unknown) + ",") !=
                             std::string::npos,
                         e.what());
            }
        };
        fails();
        QVERIFY(!text.empty());
        QCOMPARE(s->step(), at);
        const auto first = std::exchange(text, {});
        fails();
        QCOMPARE(text, first);
        s->remove_stimulus(wrong);
        s->restore(begun);
        s->advance(20);
        QCOMPARE(s->step(), 20);
    }

  private Q_SLOTS:
    void anyNumberOfRanksGivesTheSameBits_data() { each_way(); }
    void anyNumberOfRanksGivesTheSameBits()
    {
        QFETCH(const Way*, way);
        theSameBits(way, "cpu", way->precision());
    }
    /// All of them on one GPU: each has a share there.
    void theSameBitsOnGpus_data() { each_way(true); }
    void theSameBitsOnGpus()
    {
        if (!need_gpu())
            return;
        QFETCH(const Way*, way);
        theSameBits(way, "cuda:0", way->precision());
        if (!way->single && way->rest_tolerance_mV == 0)
            theSameBits(way, "cuda:0", Precision::mixed);
        if (usable("cuda:1"))
            theSameBits(way, "cuda:0,1", way->precision());
    }

    /// A state of n ranks goes on on m, and in one process, and the other way round.
    void statesGoOnOnAnyNumberOfRanks_data() { each_way(); }
    void statesGoOnOnAnyNumberOfRanks()
    {
        QFETCH(const Way*, way);
        statesGoOn(way, "cpu");
    }
    void statesGoOnOnGpus_data() { each_way(true); }
    void statesGoOnOnGpus()
    {
        if (!need_gpu())
            return;
        QFETCH(const Way*, way);
        statesGoOn(way, "cuda:0");
    }

    /// Every rank stops at the step in which one's cells went astray, and goes on once restored.
    void aFailureStopsEveryRank() { aFailureStopsAll("cpu"); }
    void aFailureStopsEveryRankOnGpus()
    {
        if (need_gpu())
            aFailureStopsAll("cuda:0");
    }

    /// The whole state of a cell comes from the rank that has it.
    void cellsAreFoundOnTheirRanks()
    {
        const auto p = Way{"", p1}.problem();
        RankTeam team(4);
        const auto s = make_stepper(p, {"cpu", Precision::double_, 1}, team.progress());
        const auto alone = make_stepper(p, {"cpu", Precision::double_, 1});
        for (auto* stepper : {s.get(), alone.get()}) {
            stepper->add_stimulus(left_end(p, 1));
            stepper->advance(50);
        }
        const auto rank_of = s->shard_of_unknown();
        std::vector<int> seen(4, 0);
        for (std::size_t u = 0; u < p.size(); u += 29) {
            if (!p.has_cells(u))
                continue;
            CellNumbers got, wanted;
            s->cell_numbers(u, got);
            alone->cell_numbers(u, wanted);
            QCOMPARE(got.v_mV, wanted.v_mV);
            QCOMPARE(got.numbers, wanted.numbers);
            ++seen[static_cast<std::size_t>(rank_of[u])];
        }
        QVERIFY(std::all_of(seen.begin(), seen.end(), [](int n) { return n > 0; }));
    }

    /// A share has its part of the tissue, and a thin layer of others'.
    void sharesHaveTheirPartAlone()
    {
        ProblemOptions o;
        o.scheme = p1;
        o.currents = interpolated;
        const auto p = slab_problem({20, 5, 5}, spacing_mm, o);
        const auto rank_of = ranks::ranks_of_unknowns(p, 4);
        const auto places = cpu::element_places(p, make_layout(p));
        std::vector<int> stepped(p.size(), 0);
        const auto whole = static_cast<double>(p.size());
        for (int r = 0; r < 4; ++r) {
            const auto s = ranks::share_of(p, rank_of, r, places);
            QVERIFY(std::abs(static_cast<double>(s.own()) - whole / 4) < 0.02 * whole);
            QVERIFY(static_cast<double>(s.problem.size() - s.own()) < 0.12 * whole);
            QVERIFY(static_cast<double>(s.problem.elements.size()) <
                    0.33 * static_cast<double>(p.elements.size()));
            for (const auto u : s.whole)
                ++stepped[static_cast<std::size_t>(u)];
            const auto again = ranks::unpacked_share(ranks::packed(s));
            QCOMPARE(again.problem.system.alpha.column, s.problem.system.alpha.column);
            QCOMPARE(again.problem.elements.corner, s.problem.elements.corner);
            QCOMPARE(again.whole, s.whole);
        }
        QVERIFY(std::all_of(stepped.begin(), stepped.end(), [](int n) { return n == 1; }));
    }

    /// Each rank finds on the others' shelves what it takes of them, in turns on both sets.
    void valuesLieOnShelves()
    {
        const auto p = Way{"", fvm}.problem();
        const auto rank_of = ranks::ranks_of_unknowns(p, 3);
        const auto mail = std::make_shared<Mail>(3);
        std::array<int, 3> wrong{-1, -1, -1};
        const auto one = [&](int rank) {
            ThreadRank me(mail, rank);
            const auto s = ranks::share_of(p, rank_of, rank, {});
            ranks::RankHalo halo(s, me);
            const auto shelves = halo.shelves();
            int bad = shelves && shelves->memory.size() == 1 + s.neighbours.size() ? 0 : 1;
            for (int turn = 0; turn < 5 && bad == 0; ++turn) {
                const auto& shelf = shelves->set.at(static_cast<std::size_t>(turn % 2));
                auto* to = reinterpret_cast<float*>(shelf.given.data()); // of single precision
                for (std::size_t k = 0; k < halo.given().size(); ++k)
                    to[k] = static_cast<float>(
                        turn + 10 * s.whole[static_cast<std::size_t>(halo.given()[k])]);
                halo.meet();
                std::size_t k = 0;
                for (const auto& piece : shelf.taken)
                    for (std::size_t i = 0; i < piece.count; ++i, ++k) {
                        const auto& x = p.position_mm; // alike in the whole and in the share
                        const auto u = static_cast<std::size_t>(halo.taken()[k]);
                        const auto got = static_cast<std::int64_t>(
                            reinterpret_cast<const float*>(piece.given)[piece.first + i]);
                        bad += got % 10 != turn || x[static_cast<std::size_t>(got / 10)] !=
                                                       s.problem.position_mm[u]
                                   ? 1
                                   : 0;
                    }
                bad += k == halo.taken().size() ? 0 : 1;
            }
            wrong[static_cast<std::size_t>(rank)] = bad;
        };
        std::vector<std::thread> team;
        for (int r = 0; r < 3; ++r)
            team.emplace_back(one, r);
        for (auto& t : team)
            t.join();
        QCOMPARE(wrong, (std::array<int, 3>{0, 0, 0}));
    }

    void whatRanksCannotStepIsSaid()
    {
        RankTeam team(2);
        const auto why = [&](const TissueProblem& p, const StepperOptions& on) {
            try {
                make_stepper(p, on, team.progress());
            } catch (const InputError& e) {
                return e.file + ": " + e.reason;
            }
            return std::string();
        };
        const StepperOptions cpu{"cpu", Precision::double_, 1};
        ProblemOptions o;
        o.scheme = p1;
        o.stepping = Stepping::newton;
        QVERIFY(why(slab_problem({2, 1, 1}, 0.5, o), cpu).starts_with("--distributed: Newton"));
        o.stepping = Stepping::crank_nicolson;
        QVERIFY(why(slab_problem({2, 1, 1}, 0.5, o), cpu).find("linear system") !=
                std::string::npos);
        o.stepping = Stepping::explicit_;
        const auto good = slab_problem({2, 1, 1}, 0.5, o);
        const StepperOptions gpu{"cuda:0", Precision::double_, 1};
        if (gpu_reason().empty()) {
            QCOMPARE(why(good, gpu), std::string());
            auto other = o;
            other.currents = IonicCurrents::interpolated;
            QVERIFY(why(slab_problem({2, 1, 1}, 0.5, other), gpu)
                        .starts_with("--devices: interpolated currents are not computed on GPUs"));
        } else {
            QVERIFY(why(good, gpu).starts_with("--devices: cuda:0 cannot be used"));
        }
        QVERIFY(why(good, {"cpu", Precision::mixed, 1}).starts_with("--precision: mixed"));
        QCOMPARE(why(good, cpu), std::string());
        auto dyads = slab_problem({2, 1, 1}, 0.5, o);
        put_dyads(dyads, 1, dyad_types(), {10, 2, 1});
        QVERIFY(why(dyads, cpu).find("is not stepped over several ranks") != std::string::npos);
        RankTeam many(30);
        const auto few = slab_problem({1, 1, 1}, 0.5, o);
        try {
            make_stepper(few, cpu, many.progress());
            QFAIL("27 cells went to 30 ranks");
        } catch (const InputError& e) {
            QVERIFY(e.reason.find("30 ranks for 27 unknowns") != std::string::npos);
        }
    }

    /// What is left of a team of which one rank has ended says so, and does not wait for it.
    void aRankThatEndsIsSaid()
    {
        const auto p = Way{"", p1}.problem();
        RankTeam team(3);
        const auto s = make_stepper(p, {"cpu", Precision::double_, 1}, team.progress());
        s->advance(5);
        team.mail().fail();
        bool said = false;
        try {
            s->advance(1000);
        } catch (const DeviceError&) {
            said = true;
        }
        QVERIFY(said);
    }
};

QTEST_GUILESS_MAIN(TestRanks)
#include "test_ranks.moc"
