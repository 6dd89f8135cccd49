// SPDX-License-Identifier: GPL-3.0-or-later
// Cells with dyads in tissue on a GPU, against those of processors. Skipped where there is no GPU.
#include "engine/calcium/picture.hpp"
#include "engine/core/error.hpp"
#include "engine/core/larger.hpp"
#include "engine/device/state_places.hpp"
#include "tests/calcium/dyad_tissue.hpp"
#include "tests/device/on_gpu.hpp"
#include "tests/several.hpp"

#include <QtTest>
#include <cmath>

using namespace tawara;
using namespace tawara::device;
using namespace tawara::test;

namespace {

const char* const shards[]{"cuda:0", "cuda:0,0,0"};
constexpr double bound_mm = 1.1; ///< dyads below it, other cells above

/// A slab with cells of two types with dyads, and others beside them.
TissueProblem problem(Splitting splitting = Splitting::godunov,
                      Stepping stepping = Stepping::explicit_, double below_mm = bound_mm)
{
    ProblemOptions o;
    o.scheme = diffusion::Scheme::p1;
    o.splitting = splitting;
    o.stepping = stepping;
    o.dt_ms = 0.05;
    auto p = slab_problem({2, 1, 0.5}, 0.5, o);
    put_dyads(p, below_mm, dyad_types());
    return p;
}

std::unique_ptr<Stepper> begun(const TissueProblem& p, const char* devices,
                               Precision precision = Precision::double_, const Tuning& tuning = {})
{
    auto s = on(p, devices, precision, tuning);
    s->add_stimulus(left_end(p, 0.6, 80, 1));
    return s;
}

bool has_dyads(const TissueProblem& p, std::size_t u)
{
    return p.has_cells(u) && p.groups[p.group[u]].reaction;
}

/// How two states of the same cells with dyads differ. What lies behind the dyads of a cell is not
/// looked at.
struct Difference
{
    int counts = 0;    ///< numbers of channels, times of activation
    double others = 0; ///< relative
    int open = 0;      ///< dyads with open RyR in the first
};
template <class Real>
Difference difference(const TissueProblem& p, const Snapshot& a, const Snapshot& b)
{
    const calcium::DyadLayout<Real> layout(few_dyads);
    const StatePlaces places(p, sizeof(Real) == 8 ? Precision::double_ : Precision::single);
    constexpr std::size_t words = sizeof(Real) == 8 ? 1 : 2;
    Difference d;
    std::size_t first = 0;
    for (const auto& array : calcium::dyad_state_arrays(layout)) {
        const bool of_cell = array.name == "membrane";
        const bool two = words == 2 && array.per_unknown % 2 == 0 &&
                         (of_cell || array.per_unknown > layout.room());
        const std::size_t room = of_cell ? array.per_unknown / words : layout.room();
        const std::size_t n = of_cell ? room : layout.dyads();
        const bool counted =
            array.name == "activated" || array.name == "C1_O1" || array.name == "C2_C3";
        for (std::size_t u = 0; u < p.size(); ++u)
            for (std::size_t k = 0; has_dyads(p, u) && k < n; ++k) {
                const auto value = [&](const Snapshot& s) {
                    return places.of(s.states, first + k, u) +
                           (two ? places.of(s.states, first + room + k, u) : 0);
                };
                const double x = value(a), y = value(b);
                d.counts += counted && x != y ? 1 : 0;
                d.open += array.name == "C1_O1" && x >= 256 ? 1 : 0;
                if (!counted)
                    d.others = larger_or_nan(d.others, std::abs(x - y) / (1e-6 + std::abs(x)));
            }
        first += array.per_unknown;
    }
    return d;
}
Difference difference(const TissueProblem& p, const Snapshot& a, const Snapshot& b,
                      Precision precision)
{
    return precision == Precision::single ? difference<float>(p, a, b)
                                          : difference<double>(p, a, b);
}

const char* text(const Difference& d, double v_mV)
{
    static QByteArray kept;
    kept = QString("V %1 mV, %2 counts, others %3, %4 dyads open")
               .arg(v_mV)
               .arg(d.counts)
               .arg(d.others)
               .arg(d.open)
               .toUtf8();
    return kept.constData();
}

void each_precision()
{
    QTest::addColumn<Precision>("precision");
    for (const auto precision : {Precision::double_, Precision::mixed, Precision::single})
        QTest::addRow("%s", std::string(name(precision)).c_str()) << precision;
}

} // namespace

Q_DECLARE_METATYPE(tawara::Precision)

class TestDyadTissue : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void init() { need_gpu(); }

    /// The same channels move in the first steps, and all else stays near: random numbers are those
    /// of the CPU. With an explicit step double precision differs by how e^x is rounded alone.
    void followsTheCpu_data()
    {
        QTest::addColumn<Precision>("precision");
        QTest::addColumn<int>("splitting");
        QTest::addColumn<int>("stepping");
        for (const auto precision : {Precision::double_, Precision::single})
            for (const auto splitting : {Splitting::godunov, Splitting::strang})
                for (const auto stepping : {Stepping::explicit_, Stepping::crank_nicolson})
                    QTest::addRow("%s %s %s", std::string(name(precision)).c_str(),
                                  splitting == Splitting::strang ? "strang" : "godunov",
                                  stepping == Stepping::explicit_ ? "explicit" : "Crank-Nicolson")
                        << precision << static_cast<int>(splitting) << static_cast<int>(stepping);
    }
    void followsTheCpu()
    {
        QFETCH(Precision, precision);
        QFETCH(int, splitting);
        QFETCH(int, stepping);
        const auto p = problem(static_cast<Splitting>(splitting), static_cast<Stepping>(stepping));
        const bool twice = precision == Precision::double_, solved = needs_solver(p);
        const auto cpu = begun(p, "cpu", precision);
        const auto first = cpu->snapshot();
        cpu->advance(steps_of(140)); // 7 ms, with both openings
        const auto a = cpu->snapshot();
        for (const char* devices : shards) {
            const auto gpu = begun(p, devices, precision);
            const auto start = difference(p, first, gpu->snapshot(), precision);
            QVERIFY2(start.counts == 0 && start.others < 1e-14, text(start, 0));
            gpu->advance(steps_of(140));
            const auto b = gpu->snapshot();
            const auto d = difference(p, a, b, precision);
            const double v = largest_difference_of_V(p, a.v, b.v);
            qInfo("%s: %s", devices, text(d, v));
            QVERIFY2(short_tests() || d.open > 100, text(d, v)); // something happened
            QVERIFY2(v < (!twice ? 0.5 : solved ? 1e-2 : 1e-7), text(d, v));
            if (twice && !solved)
                QVERIFY2(d.counts == 0 && d.others < 1e-7, text(d, v));
        }
    }

    /// Shards, cuts of a run and graphs do not change a bit.
    void shardsAndCutsDoNotMatter_data() { each_precision(); }
    void shardsAndCutsDoNotMatter()
    {
        QFETCH(Precision, precision);
        for (const auto splitting : {Splitting::godunov, Splitting::strang}) {
            const auto p = problem(splitting);
            const std::int64_t all = short_tests() ? 9 : 131;
            const auto whole = begun(p, "cuda:0", precision);
            whole->advance(all);
            const auto wanted = whole->snapshot();
            Tuning plain;
            plain.graph_steps = 0;
            for (const char* devices : {"cuda:0", "cuda:0,0", "cuda:0,0,0"}) {
                const auto s =
                    begun(p, devices, precision, devices == shards[0] ? plain : Tuning{});
                s->advance(1);
                s->advance(2);
                s->advance(all - 3);
                QVERIFY2(same_bits(wanted, s->snapshot()), devices);
            }
        }
    }

    /// A state goes on bit for bit on devices, whatever the shards are, and is the CPU's there.
    void checkpointsMoveBetweenBackEnds_data() { each_precision(); }
    void checkpointsMoveBetweenBackEnds()
    {
        QFETCH(Precision, precision);
        const auto p = problem();
        const std::int64_t all = short_tests() ? 9 : 131, some = short_tests() ? 4 : 71;
        const auto whole = begun(p, "cuda:0", precision);
        whole->advance(all);
        const auto first = begun(p, "cuda:0,0,0", precision);
        first->advance(some);
        const auto between = first->snapshot();
        for (const char* devices : shards) {
            const auto later = begun(p, devices, precision);
            later->restore(between);
            QVERIFY2(same_bits(between, later->snapshot()), devices);
            later->advance(all - some);
            QVERIFY2(same_bits(whole->snapshot(), later->snapshot()), devices);
        }
        // the CPU has no mixed precision of a tissue: its state is that of double precision
        const auto of_cpu = precision == Precision::mixed ? Precision::double_ : precision;
        const auto cpu = begun(p, "cpu", of_cpu);
        cpu->restore(between);
        auto d = difference(p, between, cpu->snapshot(), of_cpu);
        // single precision keeps 48 bits of a double there
        QVERIFY2(d.counts == 0 && d.others < (of_cpu == Precision::single ? 1e-13 : 1e-300),
                 text(d, 0));
        cpu->advance(all - some);
        const double v = largest_difference_of_V(p, whole->snapshot().v, cpu->snapshot().v);
        d = difference(p, whole->snapshot(), cpu->snapshot(), of_cpu);
        qInfo("on the CPU: %s", text(d, v));
        QVERIFY2(v < (precision == Precision::double_ ? 1e-7 : 0.5), text(d, v));
        // and back
        const auto back = begun(p, "cuda:0", precision);
        const auto from = cpu->snapshot();
        back->restore(from);
        d = difference(p, from, back->snapshot(), of_cpu);
        QVERIFY2(d.counts == 0 && d.others == 0, text(d, 0));
        back->advance(4);
    }

    /// Other parameters and openings from the next step on; what has not diffused yet does so as
    /// before.
    void typesChangeWhileRunning_data() { each_precision(); }
    void typesChangeWhileRunning()
    {
        QFETCH(Precision, precision);
        if (precision == Precision::mixed)
            QSKIP("as double precision");
        const auto p = problem();
        auto types = dyad_types();
        const std::pair<std::string, double> slow[]{
            {"sums_over_all", 0.0}, {"D_myo", 0.001}, {"g_K1", 0.1}};
        types[1] = cell::make_cell_type(calcium::dyad_model, "healthy", slow, {});
        types[1].protocol = {0, 1000};
        const auto group = static_cast<std::size_t>(p.groups[0].reaction ? 0 : 1);
        const std::int64_t before = short_tests() ? 3 : 33, after = short_tests() ? 3 : 20;
        const auto changed = [&](const char* devices) {
            auto s = begun(p, devices, precision);
            s->advance(before);
            s->set_types(group, types);
            s->advance(after);
            return s;
        };
        const auto cpu = changed("cpu"), gpu = changed("cuda:0"), three = changed("cuda:0,0,0");
        QVERIFY(same_bits(gpu->snapshot(), three->snapshot()));
        const auto d = difference(p, cpu->snapshot(), gpu->snapshot(), precision);
        const double v = largest_difference_of_V(p, cpu->snapshot().v, gpu->snapshot().v);
        qInfo("%s", text(d, v));
        QVERIFY2(d.open > 1000, text(d, v)); // all of the second type
        QVERIFY2(v < (precision == Precision::double_ ? 1e-7 : 0.5), text(d, v));
        if (precision == Precision::double_)
            QVERIFY2(d.counts == 0 && d.others < 1e-7, text(d, v));
        const std::pair<std::string, double> fewer[]{{"RyR", 50.0}};
        types[0] = cell::make_cell_type(calcium::dyad_model, "healthy", fewer, {});
        QVERIFY_THROWS_EXCEPTION(InputError, gpu->set_types(group, types));
        gpu->advance(1);
        types.pop_back();
        QVERIFY_THROWS_EXCEPTION(InputError, gpu->set_types(group, types));
    }

    /// One cell is read as a snapshot has it, and the run does not notice.
    void oneCellIsRead_data() { each_precision(); }
    void oneCellIsRead()
    {
        QFETCH(Precision, precision);
        const auto p = problem();
        const StatePlaces places(p, precision);
        for (const char* devices : shards) {
            const auto s = begun(p, devices, precision), alone = begun(p, devices, precision);
            CellNumbers c;
            for (std::size_t k = 0; k < 12; ++k) {
                s->advance(1);
                s->cell_numbers(k * 3 % p.size(), c);
            }
            const auto whole = s->snapshot();
            for (std::size_t u = 0; u < p.size(); ++u) {
                s->cell_numbers(u, c);
                QCOMPARE(c.v_mV, whole.v[u]);
                QVERIFY(has_dyads(p, u) == (c.numbers.size() == whole.states.size()));
                for (std::size_t k = 0; k < c.numbers.size(); ++k)
                    QVERIFY2(c.numbers[k] == places.of(whole.states, k, u), devices);
            }
            std::vector<double> first(p.size());
            s->state(2, first);
            QVERIFY(first == whole.states[1]);
            alone->advance(12);
            QVERIFY2(same_bits(whole, alone->snapshot()), devices);
            s->cell_numbers(0, c);
            const auto picture =
                calcium::dyad_picture({}, few_dyads, p.dt_ms, c.v_mV, c.numbers).state;
            QVERIFY(picture.dyads.c_jsr > 0.5 && picture.dyads.c_jsr < 3);
            QVERIFY_THROWS_EXCEPTION(InputError, s->cell_numbers(p.size(), c));
        }
    }

    /// Tissue of nothing else, and one type in it.
    void allCellsMayHaveThem()
    {
        ProblemOptions o;
        o.scheme = diffusion::Scheme::p1;
        o.dt_ms = 0.05;
        auto p = slab_problem({1, 1, 0.5}, 0.5, o);
        put_dyads(p, 1e9, dyad_types(1));
        QCOMPARE(p.groups.size(), std::size_t(1));
        const auto cpu = begun(p, "cpu"), gpu = begun(p, "cuda:0"), two = begun(p, "cuda:0,0");
        for (auto* s : {cpu.get(), gpu.get(), two.get()})
            s->advance(steps_of(120));
        const auto d = difference(p, cpu->snapshot(), gpu->snapshot(), Precision::double_);
        const double v = largest_difference_of_V(p, cpu->snapshot().v, gpu->snapshot().v);
        QVERIFY2(v < 1e-7 && d.counts == 0 && d.others < 1e-7, text(d, v));
        QVERIFY(same_bits(gpu->snapshot(), two->snapshot()));
        for (const auto& k : gpu->kernels())
            QVERIFY2(k.bytes > 0, k.name.c_str());
    }

    void whatDoesNotGoIsRefusedAloud()
    {
        auto rests = problem();
        rests.rest_tolerance_mV = 0.1;
        auto newton = problem(Splitting::godunov, Stepping::newton);
        for (const auto* p : {&rests, &newton})
            for (const char* devices : {"cpu", "cuda:0"})
                try {
                    on(*p, devices);
                    QFAIL(devices);
                } catch (const InputError& e) {
                    QVERIFY2(QString(e.what()).contains(calcium::dyad_model), e.what());
                }
    }

    void tooManyAreRefused()
    {
        auto p = problem();
        put_dyads(p, bound_mm, dyad_types(), {1000, 1000, 200});
        try {
            on(p, "cuda:0");
            QFAIL("it was taken");
        } catch (const InputError& e) {
            const QString line = e.what();
            QVERIFY2(line.contains("/tissue/regions") && line.contains("enough for ") &&
                         line.contains("dyads in each") && !line.contains('\n'),
                     e.what());
        }
    }
};

static const tawara::test::Further<TestDyadTissue> further;
#include "test_dyad_tissue.moc"
