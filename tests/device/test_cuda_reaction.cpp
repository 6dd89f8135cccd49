// SPDX-License-Identifier: GPL-3.0-or-later
// Reactions with kernels of their own, and tables of many cell types, on CUDA devices against the
// CPU. Where states lie and what is refused needs no GPU. What every back end promises is tested in
// test_contract.
#include "engine/cell/numerics_error.hpp"
#include "engine/core/error.hpp"
#include "engine/core/larger.hpp"
#include "engine/device/cuda/backend.hpp"
#include "engine/device/cuda/state_tiles.hpp"
#include "tests/device/channel_rows.hpp"
#include "tests/device/channels_on_cuda.hpp"
#include "tests/device/on_gpu.hpp"
#include "tests/device/tissue_problem.hpp"

#include <QtTest>
#include <cmath>
#include <set>

using namespace tawara;
using namespace tawara::device;
using namespace tawara::test;

namespace {

constexpr std::size_t numbers = 2 * ChannelRates::channels + 1;
const char* const shards[]{"cuda:0", "cuda:0,0,0"};

/// A slab of which some has no cells.
TissueProblem problem(bool mixed, Splitting splitting = Splitting::godunov, bool takes_pass = false)
{
    ProblemOptions o;
    o.splitting = splitting;
    o.insulated = true;
    return with_channels(slab_problem({4, 1, 1}, 0.5, o),
                         channels_on_cuda(values_of_types(), takes_pass), mixed);
}

bool is_own(const TissueProblem& p, std::size_t unknown)
{
    return p.has_cells(unknown) && p.groups[p.group[unknown]].reaction;
}

/// Whether all numbers of channels are the same bits.
bool same_channels(const TissueProblem& p, const Snapshot& a, const Snapshot& b)
{
    if (a.states.size() != b.states.size() || a.states.size() < numbers)
        return false;
    const auto places = places_of(p, a);
    for (std::size_t u = 0; u < p.size(); ++u)
        for (std::size_t k = 0; is_own(p, u) && places.has(k, u); ++k)
            if (places.of(a.states, k, u) != places.of(b.states, k, u))
                return false;
    return true;
}

/// Largest difference of the peaks of what was activated [mV].
double of_peaks(const Snapshot& a, const Snapshot& b)
{
    double most = 0;
    for (std::size_t u = 0; u < a.v.size(); ++u)
        if (std::isfinite(a.activation_ms[u]))
            most = larger_or_nan(most, std::abs(a.peak_mV[u] - b.peak_mV[u]));
    return most;
}

std::unique_ptr<Stepper> begun(const TissueProblem& p, const char* devices,
                               Precision precision = Precision::double_, const Tuning& tuning = {})
{
    auto s = on(p, devices, precision, tuning);
    s->add_stimulus(left_end(p, 1));
    return s;
}

/// A slab of TT06 with so many types, which differ in g_K1 and are strewn all over.
TissueProblem many_types(std::size_t count, const Vec3& size_mm)
{
    auto p = slab_problem(size_mm, 0.25);
    auto& table = p.groups[0].types;
    const std::pair<std::string, double> twice[]{{"g_K1", 2.0}};
    const auto other = cell::make_cell_type("ten_tusscher_2006", "epi", twice, {});
    const auto first = table.at(0);
    for (std::size_t k = 1; k < count; ++k) {
        auto t = first;
        for (std::size_t i = 0; i < t.parameters.size(); ++i)
            t.parameters[i] += 5e-4 * double(k) * (other.parameters[i] - first.parameters[i]);
        table.push_back(t);
    }
    for (std::size_t u = 0; u < p.size(); ++u)
        p.type[u] = static_cast<cell::TypeIndex>(u % count);
    return p;
}

} // namespace

class TestCudaReaction : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    /// Kernels count from an origin, and the host from the slot: the same numbers, each once.
    void tilesHoldEveryNumberOnce()
    {
        const std::vector<partition::SlotRange> ranges{
            {1, 0, 33}, {0, 64, 70}, {2, 96, 96 + 64}, {1, 160, 191}};
        const std::vector<std::size_t> of_group{3, 11, 0};
        const cuda::StateTiles tiles(ranges, of_group);
        QCOMPARE(tiles.most_numbers(), std::size_t{11});
        QCOMPARE(tiles.size(), std::size_t{32 * (2 * 11 + 3 + 11)});
        std::set<std::size_t> seen;
        for (std::size_t r = 0; r < ranges.size(); ++r) {
            const auto n = of_group[ranges[r].group];
            const auto strides = tiles.strides(r);
            QCOMPARE(strides.size, static_cast<std::int64_t>(32 * n));
            for (auto slot = ranges[r].begin; slot < (ranges[r].end + 31) / 32 * 32; ++slot) {
                const auto i = static_cast<std::size_t>(slot);
                QCOMPARE(tiles.numbers_at(i), n);
                for (std::size_t k = 0; k < n; ++k) {
                    const auto index = tiles.at(k, i);
                    QVERIFY(index < tiles.size() && seen.insert(index).second);
                    QCOMPARE(static_cast<std::int64_t>(index),
                             strides.origin + slot / 32 * strides.size +
                                 static_cast<std::int64_t>(k) * 32 + slot % 32);
                }
            }
        }
        QCOMPARE(seen.size(), tiles.size());
        QCOMPARE(tiles.numbers_at(192), std::size_t{0}); // unknowns without cells
    }

    void whatIsNotOnCudaIsRefusedAloud()
    {
#if TAWARA_HAVE_CUDA
        auto p = problem(false);
        QCOMPARE(cuda::unsupported_reason(p, Precision::double_), std::string());
        p.rest_tolerance_mV = 0.1;
        QVERIFY(QString::fromStdString(cuda::unsupported_reason(p, Precision::double_))
                    .contains("toy channels"));
        p.rest_tolerance_mV = 0;
        p.groups[0].reaction = std::make_shared<ChannelModel>(ChannelValues{});
        QVERIFY(QString::fromStdString(cuda::unsupported_reason(p, Precision::double_))
                    .contains("'toy channels' is computed on the CPU alone"));
#else
        QSKIP("no CUDA compiler was there");
#endif
    }

    void agreesWithTheCpu_data()
    {
        add_channel_rows();
    }
    void agreesWithTheCpu()
    {
        if (!need_gpu())
            return;
        QFETCH(bool, mixed);
        QFETCH(int, splitting);
        QFETCH(int, precision);
        const auto p = problem(mixed, static_cast<Splitting>(splitting));
        const auto number = static_cast<Precision>(precision);
        const bool twice = number == Precision::double_;
        const auto c = begun(p, "cpu", number);
        c->advance(steps_of(700));
        const auto a = c->snapshot();
        for (const char* devices : shards) {
            const auto g = begun(p, devices, number);
            g->advance(steps_of(700));
            const auto b = g->snapshot();
            QVERIFY2(same_channels(p, a, b), devices);
            const double v = largest_difference_of_V(p, a.v, b.v),
                         ms = largest_map_difference(a.activation_ms, b.activation_ms),
                         peak = of_peaks(a, b);
            qInfo("%s: V %.1e mV, states %.1e, activation %.1e ms, peak %.1e mV", devices, v,
                  difference_of_states(a, b), ms, peak);
            QVERIFY(v < (twice ? 1e-8 : 0.5));
            QVERIFY(difference_of_states(a, b) < (twice ? 1e-8 : 0.05));
            QVERIFY(ms < (twice ? 1e-8 : 0.02));
            QVERIFY(peak < (twice ? 1e-8 : 0.5));
        }
    }

    /// A kernel with the last diffusion pass, and passes in kernels of their own: the same bits.
    void thePassMayGoWithIt()
    {
        if (!need_gpu())
            return;
        for (const auto splitting : {Splitting::godunov, Splitting::strang})
            for (const auto number : {Precision::double_, Precision::single}) {
                const auto p = problem(false, splitting), with = problem(false, splitting, true);
                Tuning fused;
                fused.fused = true;
                const auto a = begun(p, "cuda:0", number, fused);
                a->advance(steps_of(300));
                for (const char* devices : shards) {
                    const auto b = begun(with, devices, number, fused);
                    b->advance(steps_of(300));
                    QVERIFY2(same_bits(a->snapshot(), b->snapshot()), devices);
                }
            }
    }

    void aMixedTissueMayBeFused()
    {
        if (!need_gpu())
            return;
        const auto p = problem(true), with = problem(true, Splitting::godunov, true);
        const auto c = begun(p, "cpu");
        c->advance(steps_of(700));
        for (const char* devices : shards) {
            const auto g = begun(with, devices);
            g->advance(steps_of(700));
            QVERIFY(same_channels(p, c->snapshot(), g->snapshot()));
            QVERIFY(largest_difference_of_V(p, c->snapshot().v, g->snapshot().v) < 1e-8);
        }
    }

    /// Several passes, and systems that are solved.
    void diffusionOfEachKindGoesBeforeIt()
    {
        if (!need_gpu())
            return;
        ProblemOptions o;
        o.scheme = diffusion::Scheme::p1;
        auto passes = slab_problem({4, 1, 1}, 0.25, o);
        passes.substeps = {diffusion::SubStepping::Kind::rkl2, 3};
        o.stepping = Stepping::crank_nicolson;
        for (const auto& slab : {passes, slab_problem({4, 1, 1}, 0.25, o)})
            for (const bool takes_pass : {false, true}) {
                const auto p =
                    with_channels(slab, channels_on_cuda(values_of_types(), takes_pass), true);
                const auto c = begun(p, "cpu");
                c->advance(steps_of(200));
                for (const char* devices : shards) {
                    const auto g = begun(p, devices);
                    g->advance(steps_of(200));
                    const double v = largest_difference_of_V(p, c->snapshot().v, g->snapshot().v);
                    qInfo("%s: V %.1e mV", devices, v);
                    QVERIFY2(same_channels(p, c->snapshot(), g->snapshot()), devices);
                    QVERIFY(v < (needs_solver(p) ? 1e-4 : 1e-8));
                }
            }
    }

    /// A snapshot goes on bit for bit on the devices it was taken on, and is taken by others.
    void snapshotsAreCarriedAcross_data()
    {
        add_channel_rows();
    }
    void snapshotsAreCarriedAcross()
    {
        if (!need_gpu())
            return;
        QFETCH(bool, mixed);
        QFETCH(int, splitting);
        QFETCH(int, precision);
        const auto p = problem(mixed, static_cast<Splitting>(splitting));
        const auto number = static_cast<Precision>(precision);
        const std::int64_t all = short_tests() ? 9 : 500, some = short_tests() ? 4 : 233;
        const auto whole = begun(p, "cuda:0", number);
        whole->advance(all);
        const auto expected = whole->snapshot();
        const auto first = begun(p, "cuda:0,0,0", number);
        first->advance(some);
        const auto between = first->snapshot();
        for (const char* devices : {"cuda:0", "cuda:0,0,0", "cpu"}) {
            const auto second = begun(p, devices, number);
            second->restore(between);
            QVERIFY2(same_but_record(between, second->snapshot()), devices);
            second->advance(all - some);
            const auto b = second->snapshot();
            QVERIFY2(same_channels(p, expected, b), devices);
            if (std::string(devices) != "cpu")
                QVERIFY2(same_but_record(expected, b) && of_peaks(expected, b) == 0, devices);
            else
                QVERIFY(largest_difference_of_V(p, expected.v, b.v) <
                        (number == Precision::double_ ? 1e-8 : 0.5));
        }
        const auto c = begun(p, "cpu", number);
        c->advance(some);
        const auto from_cpu = begun(p, "cuda:0", number);
        from_cpu->restore(c->snapshot());
        QVERIFY(same_but_record(c->snapshot(), from_cpu->snapshot()));
        std::vector<double> opened(p.size()), here(p.size());
        c->state(numbers, opened);
        from_cpu->state(numbers, here);
        QCOMPARE(here, opened);
    }

    void failuresNameTheReaction()
    {
        if (!need_gpu())
            return;
        const auto p = problem(false);
        for (const char* devices : shards) {
            const auto s = on(p, devices);
            s->add_stimulus(left_end(p, 1, 1e9));
            try {
                s->advance(10);
                QFAIL("ran on");
            } catch (const NumericsError& e) {
                QVERIFY2(QString(e.what()).contains("model toy channels"), e.what());
            }
            QVERIFY_THROWS_EXCEPTION(InputError, s->set_types(0, {}));
        }
    }

    /// More types of a compiled model than a byte counts.
    void manyTypesAreToldApart()
    {
        if (!need_gpu())
            return;
        constexpr std::size_t count = 1200;
        const auto p = many_types(count, {4, 1, 1});
        QVERIFY(p.size() > count);
        auto mistaken = p; // as if the index were a byte
        for (auto& t : mistaken.type)
            t %= 256;
        const auto steps = steps_of(5000);
        const auto c = begun(p, "cpu"), m = begun(mistaken, "cpu");
        c->advance(steps);
        m->advance(steps);
        const auto a = c->snapshot();
        const double otherwise = largest_difference_of_V(p, a.v, m->snapshot().v);
        QVERIFY2(short_tests() || otherwise > 1e-4, qPrintable(QString::number(otherwise)));
        for (const bool fused : {true, false})
            for (const char* devices : shards) {
                Tuning tuning;
                tuning.fused = fused;
                const auto g = begun(p, devices, Precision::double_, tuning);
                g->advance(steps);
                const double v = largest_difference_of_V(p, a.v, g->snapshot().v);
                qInfo("%s, %s: V %.1e mV", devices, fused ? "fused" : "apart", v);
                QVERIFY(v < 1e-6);
            }
        const auto single = begun(p, "cuda:0", Precision::single);
        single->advance(steps);
        QVERIFY(largest_difference_of_V(p, a.v, single->snapshot().v) < 0.5);

        auto turned = p.groups[0].types;
        std::reverse(turned.begin(), turned.end());
        const auto g = begun(p, "cuda:0,0,0");
        g->advance(steps_of(100));
        const auto from = begun(p, "cpu");
        from->advance(steps_of(100));
        for (auto* s : {g.get(), from.get()}) {
            s->set_types(0, turned);
            s->advance(steps);
        }
        QVERIFY(largest_difference_of_V(p, from->snapshot().v, g->snapshot().v) < 1e-6);
    }

    /// The same in tissue that has rings (cell_ring.cuh).
    void manyTypesOfLargeTissueAreToldApart()
    {
        if (!need_gpu())
            return;
        if (short_tests())
            QSKIP("a large tissue");
        const auto p = many_types(1200, {12, 4, 4});
        auto mistaken = p;
        for (auto& t : mistaken.type)
            t %= 256;
        const auto c = begun(p, "cpu"), m = begun(mistaken, "cpu");
        Tuning apart;
        apart.fused = false;
        for (const char* devices : shards) {
            const auto g = begun(p, devices, Precision::double_, apart);
            g->advance(100);
            if (c->step() == 0) {
                c->advance(100);
                m->advance(100);
                QVERIFY(largest_difference_of_V(p, c->snapshot().v, m->snapshot().v) > 1e-2);
            }
            QVERIFY(largest_difference_of_V(p, c->snapshot().v, g->snapshot().v) < 1e-8);
        }
    }
};
QTEST_GUILESS_MAIN(TestCudaReaction)
#include "test_cuda_reaction.moc"
