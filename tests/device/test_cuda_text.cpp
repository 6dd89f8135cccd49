// SPDX-License-Identifier: GPL-3.0-or-later
// The texts of reaction kernels that NVRTC would get, compiled by the host's compiler and run on
// the host (host_kernel.hpp), against the CPU back end's machine code of the same equations. Needs
// neither GPU nor NVRTC.
#include "engine/cell/compiler/library.hpp"
#include "engine/cell/compiler/schemes/schemes.hpp"
#include "engine/cell/cpu_kernel.hpp"
#include "engine/core/aligned.hpp"
#include "engine/core/larger.hpp"
#include "engine/device/cuda/kernel_values.cuh"
#include "engine/device/cuda/reaction_text.hpp"
#include "engine/device/cuda/shards.hpp"
#include "tests/device/host_cells.hpp"
#include "tests/device/host_front.hpp"
#include "tests/device/host_kernel.hpp"
#include "tests/device/host_tissue.hpp"
#include "tests/device/tissue_problem.hpp"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

using namespace tawara;
using namespace tawara::device;
using namespace tawara::device::cuda;
using namespace tawara::test;
using cell::Scheme;
namespace cc = tawara::cell::compiler;

namespace {

const KernelShape direct{64, 1, 0}, ring{64, 1, 2};

/// Puts types' rows where a text looks them up. @return what lies in device memory
template <class Real>
std::vector<Real> place_rows(const HostKernel& kernel, const std::vector<Real>& numbers,
                             std::size_t types)
{
    const bool constant = constant_rows(types, numbers.size() / types * sizeof(Real)) > 0;
    auto* rows = kernel.find<Real>("cell_rows");
    if (rows) // the compiler leaves it out where nothing reads it
        std::copy_n(numbers.begin(), constant ? numbers.size() : numbers.size() / types, rows);
    return constant ? std::vector<Real>{} : numbers;
}

template <class Real>
TypeRows rows_of(const std::vector<cell::CellType>& types, const std::vector<Real>& numbers)
{
    TypeRows rows{types.size()};
    mark_differences<Real>(rows, numbers);
    return rows;
}

/// Largest relative difference of three steps by a text from those on the CPU.
template <class Real>
double difference(const std::vector<cell::CellType>& types, Scheme scheme, const KernelShape& shape,
                  const QString& folder, const TypeRows* wrong = nullptr)
{
    const auto p = program_of<Real>(types[0], scheme);
    const auto numbers = row_numbers<Real>(types, *p, nullptr);
    const TypeRows rows = wrong ? *wrong : rows_of(types, numbers);
    const HostKernel kernel(reaction_source(*p, single<Real>, false, rows, shape), folder);
    const auto tables = place_rows(kernel, numbers, types.size());
    const auto cpu = cell::make_cpu_kernel<Real>(types, scheme);
    Cells<Real> a(types), b(types);
    constexpr double dt = 0.002;
    for (int k = 0; k < 3; ++k) {
        a.step(*cpu, k * dt, dt);
        b.step(kernel, shape, tables, k, dt);
    }
    if (!a.finite())
        throw std::runtime_error("the CPU's values are not finite");
    if (!b.same_around(Cells<Real>(types)))
        throw std::runtime_error("the kernel wrote beyond its range");
    return a.from(b);
}

/// Largest relative difference of what an implicit step's text leaves from what the CPU does: V,
/// states, F and F'.
double implicit_difference(const std::vector<cell::CellType>& types, const QString& folder)
{
    const auto p = cc::shared_source_program(cc::system_of(types[0]), cc::Target::gpu(false));
    const auto numbers = row_numbers<double>(types, *p, nullptr);
    const HostKernel kernel(implicit_source(*p, rows_of(types, numbers), direct), folder);
    const auto tables = place_rows(kernel, numbers, types.size());
    Cells<double> a(types), b(types);
    const std::size_t n = a.kept, slots = Cells<double>::slots;
    constexpr double dt = 0.05;

    AlignedVector<double> rate(slots), slope(slots), rate_b(slots), slope_b(slots);
    std::vector<double*> columns;
    for (auto& s : a.states)
        columns.push_back(s.data());
    columns.insert(columns.end(), {rate.data(), slope.data()});
    cell::CellArrays<double> arrays;
    arrays.v = a.v.data(), arrays.states = columns.data(), arrays.type = a.type.data();
    arrays.stimulus = a.current.data();
    arrays.begin = Cells<double>::begin, arrays.end = Cells<double>::end;
    cell::make_source_kernel(types)->step(arrays, 0, dt);

    const auto at = [&](std::size_t s, std::size_t i) { return (i / 32 * n + s) * 32 + i % 32; };
    std::vector<double> before(slots * n), after(slots * n);
    for (std::size_t s = 0; s < n; ++s)
        for (std::size_t i = 0; i < slots; ++i)
            before[at(s, i)] = after[at(s, i)] = b.states[s][i];
    auto told = b.v;
    ImplicitCells<double> c;
    c.cells.v_in = b.v.data(), c.cells.v_out = told.data(), c.cells.states = before.data();
    c.cells.slots = static_cast<std::int64_t>(32 * n), c.cells.type = b.type.data();
    c.cells.tables = tables.data(), c.cells.stimulus = b.current.data(), c.cells.dt = dt;
    c.after = after.data(), c.rate = rate_b.data(), c.slope = slope_b.data();
    c.begin = Cells<double>::begin, c.end = Cells<double>::slots; // with the last slice's rest
    kernel.launch("cell_implicit", static_cast<int>(slots) / direct.block_threads,
                  direct.block_threads, c);
    b.v = told;
    for (std::size_t s = 0; s < n; ++s)
        for (std::size_t i = 0; i < slots; ++i)
            b.states[s][i] = after[at(s, i)];
    double most = a.from(b);
    for (std::size_t i = Cells<double>::begin; i < Cells<double>::end; ++i)
        for (const auto& [x, y] : {std::pair{rate[i], rate_b[i]}, std::pair{slope[i], slope_b[i]}})
            if (!(std::isnan(x) && std::isnan(y)))
                most = larger_or_nan(most, std::abs(x - y) / (1e-2 + std::abs(x)));
    return most;
}

TissueProblem slab_of_vertices(double rest_tolerance_mV)
{
    ProblemOptions o;
    o.scheme = diffusion::Scheme::p1;
    o.types = 3;
    auto p = slab_problem({6, 1.6, 1}, 0.2, o);
    p.rest_tolerance_mV = rest_tolerance_mV;
    return p;
}

Snapshot on_cpu(const TissueProblem& p, const StimulusSource& s, Precision precision, int steps)
{
    StepperOptions o;
    o.devices = "cpu";
    o.precision = precision;
    o.threads = 1;
    const auto cpu = make_stepper(p, o);
    cpu->add_stimulus(s);
    cpu->advance(steps);
    return cpu->snapshot();
}

} // namespace

class TestCudaText : public QObject
{
    Q_OBJECT
    QTemporaryDir dir_;
    int kernels_ = 0;
    QString folder() { return dir_.filePath(QString::number(kernels_++)); }

  private Q_SLOTS:
    void initTestCase()
    {
        if (!QFileInfo(TAWARA_HOST_COMPILER).isExecutable())
            QSKIP("the compiler of this build, " TAWARA_HOST_COMPILER ", is not on this machine");
    }

    /// On one shard and on three: of two models, cell types and insulators beside each other, with
    /// and without a stimulus; the same bits however many shards there are, and a second time.
    void currentsBetweenVerticesAgreeWithTheCpu()
    {
        const auto p = tissue_with_fronts();
        const auto check = [&](auto real, double bound) {
            using Real = decltype(real);
            Fields<Real> fields(p);
            std::vector<Real> of_one;
            for (const int shards : {1, 3}) {
                const QTemporaryDir folder;
                HostFront<Real> front(p, shards, folder.path());
                using Chunks = typename HostFront<Real>::Chunks;
                for (const auto& [stimulated, chunks] : {std::pair{false, Chunks::each},
                                                         {true, Chunks::each},
                                                         {false, Chunks::listed},
                                                         {true, Chunks::listed},
                                                         {false, Chunks::later},
                                                         {false, Chunks::strayed},
                                                         {false, Chunks::each}}) {
                    const auto expected = fields.on_cpu(stimulated);
                    const auto found = front.currents(fields, stimulated, chunks);
                    const bool later = chunks == Chunks::later;
                    double largest = 0, worst = 0;
                    std::size_t compared = 0;
                    for (std::size_t u = 0; u < p.size(); ++u) {
                        if (later && std::isnan(found[u]))
                            continue;
                        ++compared;
                        QVERIFY(!later || found[u] == of_one[u]);
                        largest = larger_or_nan(largest, std::abs(double(expected.current[u])));
                        worst = larger_or_nan(
                            worst, std::abs(double(found[u]) - double(expected.current[u])));
                    }
                    qInfo("%d shards: %.2g of %.3g, %lld tetrahedra", shards, worst, largest,
                          static_cast<long long>(expected.tetrahedra));
                    QVERIFY(largest > 1 && expected.tetrahedra > 100);
                    QVERIFY(worst < bound * largest);
                    QVERIFY(later ? compared > p.size() / 4 : compared == p.size());
                    QVERIFY(later || (shards > 1 ? front.found() > expected.tetrahedra
                                                 : front.found() == expected.tetrahedra));
                    if (!stimulated && of_one.empty())
                        of_one = found;
                    QVERIFY(stimulated || later || found == of_one);
                }
            }
        };
        check(0.0, 1e-9);
        check(0.0F, 2e-4);
    }

    void implicitTextsAgreeWithTheCpu()
    {
        for (const auto& [model, count] :
             {std::pair{"aliev_panfilov_1996", 1}, std::pair{"ten_tusscher_2006", 3}}) {
            const QTemporaryDir folder;
            const double d = implicit_difference(types_of(model, count), folder.path());
            qInfo("%s: %.2g", model, d);
            QVERIFY(d < 1e-7);
        }
    }

    void textsAgreeWithTheCpu_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("scheme");
        QTest::addColumn<int>("types");
        QTest::addColumn<bool>("rings");
        const auto add = [](const char* model, Scheme s, int types, bool rings) {
            QTest::addRow("%s, %s, %d types%s", model, std::string(cell::name(s)).c_str(), types,
                          rings ? ", ring" : "")
                << model << int(s) << types << rings;
        };
        const auto lrl = Scheme::rush_larsen_light;
        for (const int types : {1, 2, 3})
            add("ten_tusscher_2006", lrl, types, false);
        add("ten_tusscher_2006", lrl, 3, true);
        add("ten_tusscher_2006", Scheme::grl1, 3, false);
        add("ten_tusscher_2006", Scheme::forward_euler, 2, false);
        add("ten_tusscher_2006", Scheme::backward_euler, 2, false); // in several parts
        add("luo_rudy_1991", Scheme::backward_euler, 1, true);
        add("courtemanche_1998", Scheme::backward_euler, 1, false);
        add("ohara_rudy_2011", Scheme::backward_euler, 1, false);
        add("ohara_rudy_2011", Scheme::rush_larsen, 3, false);
        add("ohara_rudy_2011", Scheme::grl1, 2, false);
        add("courtemanche_1998", lrl, 3, false);
        add("courtemanche_1998", Scheme::grl1, 2, true);
        add("mitchell_schaeffer_2003", Scheme::forward_euler, 3, false);
        add("mitchell_schaeffer_2003", Scheme::rush_larsen, 1, true);
        add("mitchell_schaeffer_2003", lrl, 200, false);
        add("mitchell_schaeffer_2003", lrl, 1000, false); // more than a byte counts
        add("mitchell_schaeffer_2003", lrl, 1000, true);
        add("ten_tusscher_2006", Scheme::rush_larsen, 150, false); // rows in device memory
    }
    void textsAgreeWithTheCpu()
    {
        QFETCH(QString, model);
        QFETCH(int, scheme);
        QFETCH(int, types);
        QFETCH(bool, rings);
        const auto t = types_of(model.toStdString(), types);
        const auto s = static_cast<Scheme>(scheme);
        const double d = difference<double>(t, s, rings ? ring : direct, folder());
        const double f = difference<float>(t, s, rings ? ring : direct, folder());
        qInfo("largest relative difference: double %.1e, single %.1e", d, f);
        QVERIFY(d < 6e-12); // 2e-12 a step: exponentials of AVX2 are within 3.5e-14
        QVERIFY(f < 4e-3);  // what states near 0 and opposite currents leave of 2.4e-7
    }

    /// What differs has to be looked up: with any one number taken from the first row the result is
    /// another one.
    void aNumberThatIsNotLookedUpIsNoticed()
    {
        const std::vector<cell::CellType> types{
            cell::make_cell_type("ten_tusscher_2006", "epi", {}, {}),
            cell::make_cell_type("ten_tusscher_2006", "endo", {}, {})};
        const auto lrl = Scheme::rush_larsen_light;
        const auto p = program_of<double>(types[0], lrl);
        const auto right = rows_of(types, row_numbers<double>(types, *p, nullptr));
        int marked = 0;
        for (std::size_t k = 0; k < right.differ.size(); ++k) {
            if (!right.differ[k])
                continue;
            ++marked;
            auto wrong = right;
            wrong.differ[k] = false;
            const double d = difference<double>(types, lrl, direct, folder(), &wrong);
            QVERIFY2(d > 1e-9, qPrintable(QString("number %1: %2").arg(k).arg(d)));
        }
        QVERIFY(marked > 1 && marked < int(right.differ.size()) / 2);
        // and what is looked up without need does no harm
        const TypeRows all{types.size()};
        QVERIFY(difference<double>(types, lrl, direct, folder(), &all) < 1e-12);
    }

    void marksStayAndSayWhenTheyAreNew()
    {
        TypeRows r{2};
        const std::vector<double> a{1, 2, 3, 1, 5, 3}, b{1, 2, 3, 1, 2, 3}, c{1, 2, 3, 4, 2, 3};
        QVERIFY(mark_differences<double>(r, a));
        QCOMPARE(r.differ, (std::vector<bool>{false, true, false}));
        QVERIFY(!mark_differences<double>(r, b));
        QCOMPARE(r.differ, (std::vector<bool>{false, true, false}));
        QVERIFY(mark_differences<double>(r, c));
        QCOMPARE(r.differ, (std::vector<bool>{true, true, false}));
        TypeRows alone{1};
        QVERIFY(mark_differences<double>(alone, std::vector<double>{1, 2, 3})); // the first time
        QCOMPARE(alone.differ, std::vector<bool>(3, false));
        QVERIFY(!mark_differences<double>(alone, std::vector<double>{4, 5, 6}));
    }

    void tissueAgreesWithTheCpu_data()
    {
        QTest::addColumn<bool>("rings");
        QTest::addColumn<bool>("resting");
        QTest::addColumn<int>("passes");
        QTest::addColumn<int>("length"); // of long steps
        QTest::addRow("fused") << false << false << 1 << 1;
        QTest::addRow("fused, ring") << true << false << 1 << 1;
        QTest::addRow("at rest") << false << true << 1 << 10;
        QTest::addRow("at rest, two passes") << false << true << 2 << 10;
        QTest::addRow("at rest, long steps of two") << false << true << 1 << 2;
        QTest::addRow("at rest, two passes, long steps of two") << false << true << 2 << 2;
    }
    void tissueAgreesWithTheCpu()
    {
        QFETCH(bool, rings);
        QFETCH(bool, resting);
        QFETCH(int, passes);
        QFETCH(int, length);
        auto p = slab_of_vertices(resting ? 0.05 : 0);
        QCOMPARE(p.substeps.stages, 1);
        p.substeps.stages = passes;
        if (resting)
            p.longest_quiescent_ms = length * p.dt_ms;
        compareTissue<double>(p, rings, length, 1e-10, 1e-10, 1e-12);
        compareTissue<float>(p, rings, length, 1e-3, 1e-4, 1e-5);
    }

  private:
    template <class Real>
    void compareTissue(const TissueProblem& p, bool rings, int length, double v_mV, double states,
                       double activation_ms)
    {
        const bool resting = p.rest_tolerance_mV > 0;
        const auto source = left_end(p, 1.5, 60, 1);
        HostTissue<Real> t(p, source);
        const auto& types = p.groups[0].types;
        const auto scheme = p.groups[0].scheme;
        const auto program = program_of<Real>(types[0], scheme);
        std::shared_ptr<const cc::Program> lasting;
        if (resting)
            lasting = program_of<Real>(
                types[0],
                cc::scheme_of_long_steps(*cc::system_of(types[0]), scheme, p.longest_quiescent_ms));
        const auto numbers = row_numbers<Real>(types, *program, lasting.get());
        const auto rows = rows_of(types, numbers);
        const KernelShape shape = rings ? ring : direct;
        const HostKernel kernel(resting
                                    ? rest_source(*program, *lasting, single<Real>, rows, shape)
                                    : reaction_source(*program, single<Real>, true, rows, shape),
                                folder());
        const auto tables = place_rows(kernel, numbers, types.size());
        int k = 0;
        for (const int steps : {120, 121, 123, 129, 130}) { // ends of long steps, and inside them
            t.look(k);
            std::size_t strayed = 0;
            for (; k < steps; ++k)
                if (resting) {
                    t.resting_step(kernel, shape, tables, k, length);
                    const auto now = t.strays(k + 1);
                    QVERIFY(now && *now >= strayed);
                    strayed = *now;
                } else {
                    t.fused_step(kernel, shape, tables, k);
                }
            QVERIFY(!resting || (strayed > 0 && strayed < p.size() / 32) || steps > 120);
            const auto d = t.from(
                on_cpu(p, source, single<Real> ? Precision::single : Precision::double_, steps),
                steps);
            qInfo("%s, %d: V %.1e mV, states %.1e, activation %.1e ms of %d; %llu short steps",
                  single<Real> ? "single" : "double", steps, d.v_mV, d.states, d.activation_ms,
                  d.activated, t.status.moving);
            QVERIFY(d.activated > 100 && d.activated < int(p.size()));
            QCOMPARE(t.status.bad, no_failure);
            QVERIFY(d.v_mV < v_mV);
            QVERIFY(d.states < states);
            QVERIFY(d.activation_ms < activation_ms);
        }
        const auto rows_moved = static_cast<double>(t.status.moving),
                   most = static_cast<double>(p.size()) / 32 * k * (length - 1) / length;
        if (resting)
            QVERIFY(rows_moved > 0 && rows_moved < most);
    }
};

QTEST_GUILESS_MAIN(TestCudaText)
#include "test_cuda_text.moc"
