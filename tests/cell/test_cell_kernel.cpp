// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/emit/llvm/compiled_kernel.hpp"
#include "engine/cell/compiler/emit/llvm/llvm_target.hpp"
#include "engine/cell/compiler/library.hpp"
#include "engine/cell/cpu_kernel.hpp"
#include "tests/cell/oracle/oracle_kernel.hpp"
#include "tests/cell/oracle/tt06.hpp"
#include "tests/cell/oracle/tt06_plain.hpp"

#include <hwy/highway.h>

#include <QtTest>
#include <ctime>
#include <new>
#include <random>

using namespace tawara::cell;
namespace plain = tawara::cell::tt06::plain;
using Cell = std::array<double, tt06::state_count>;

namespace {

std::vector<CellType> three_types()
{
    std::vector<CellType> types;
    for (const char* v : {"epi", "endo", "m"})
        types.push_back(make_cell_type("ten_tusscher_2006", v, {}, {}));
    return types;
}

/// The same, with parameters in the oracle's order.
std::vector<CellType> oracle_types()
{
    std::vector<CellType> types;
    for (const auto& t : three_types())
        types.push_back(tt06::oracle_type(t));
    return types;
}

bool is_gate(int s)
{
    return s >= tt06::Xr1 && s <= tt06::r;
}

/// States met along a stimulated action potential of the plain model, one per 0.2 ms.
const std::vector<Cell>& trajectory()
{
    static const std::vector<Cell> states = [] {
        const CellType type = oracle_types()[0];
        Cell x;
        std::copy(type.initial.begin(), type.initial.end(), x.begin());
        std::vector<Cell> met;
        for (int k = 0; k < 20000; ++k) {
            const auto r = plain::rates(x, type.parameters, k >= 500 && k < 550 ? 52.0 : 0.0);
            for (std::size_t s = 0; s < x.size(); ++s)
                x[s] = is_gate(static_cast<int>(s))
                           ? r.inf[s] + (x[s] - r.inf[s]) * std::exp(-0.02 / r.tau[s])
                           : x[s] + 0.02 * r.d[s];
            if (k % 10 == 0)
                met.push_back(x);
        }
        return met;
    }();
    return states;
}

/// n cells in padded, aligned arrays.
template <class Real>
struct Tissue
{
    explicit Tissue(std::size_t n_)
        : n(n_), padded((n_ + 15) / 16 * 16),
          memory(static_cast<Real*>(::operator new((tt06::state_count + 1) * padded * sizeof(Real),
                                                   std::align_val_t(64)))),
          types(padded, 0)
    {
        for (int s = 0; s < tt06::state_count; ++s)
            states.push_back(memory + static_cast<std::size_t>(s) * padded);
        stimulus = memory + tt06::state_count * padded;
    }
    Tissue(const Tissue&) = delete;
    Tissue& operator=(const Tissue&) = delete;
    ~Tissue() { ::operator delete(memory, std::align_val_t(64)); }

    /// Cells along the action potential, every second one at a random potential, types mixed in
    /// every vector (spread = 1) or in layers.
    void fill(std::size_t spread, bool scatter, std::size_t n_types)
    {
        std::mt19937 random(7);
        std::uniform_real_distribution<double> v(-115, 75);
        for (std::size_t i = 0; i < padded; ++i) {
            Cell x = trajectory()[(i / spread * 37) % trajectory().size()];
            if (scatter && i % 2)
                x[tt06::V] = v(random);
            for (std::size_t s = 0; s < x.size(); ++s)
                states[s][i] = static_cast<Real>(x[s]);
            stimulus[i] = static_cast<Real>(scatter && i % 3 == 0 ? 52 : 0);
            types[i] = static_cast<TypeIndex>((spread == 1 ? i : i / 4096) % n_types);
        }
    }
    Cell cell(std::size_t i) const
    {
        Cell x;
        for (std::size_t s = 0; s < x.size(); ++s)
            x[s] = static_cast<double>(states[s][i]);
        return x;
    }
    CellArrays<Real> arrays(std::size_t begin, std::size_t end)
    {
        return {states[0], states.data() + 1, types.data(), stimulus, begin, end};
    }
    CellArrays<Real> arrays() { return arrays(0, n); }

    std::size_t n, padded;
    Real* memory;
    std::vector<Real*> states;
    Real* stimulus;
    std::vector<TypeIndex> types;
};

/// One cell of a tissue for the scalar kernel.
struct ScalarIo
{
    double* const* states;
    const double* constants;
    double current;
    std::size_t i;
    double load(tt06::State s) const { return states[s][i]; }
    void store(tt06::State s, double x) const { states[s][i] = x; }
    double stimulus() const { return current; }
    double constant(tt06::Folded f) const { return constants[f]; }
};

struct OneTarget
{
    explicit OneTarget(std::int64_t target) { hwy::SetSupportedTargetsForTest(target); }
    ~OneTarget() { hwy::SetSupportedTargetsForTest(0); }
};

std::vector<std::int64_t> targets()
{
    std::vector<std::int64_t> all;
    for (std::int64_t t : {HWY_AVX3, HWY_AVX2, HWY_SSE4})
        if (hwy::SupportedTargets() & t)
            all.push_back(t);
    return all;
}

template <class Real>
void add_rows()
{
    QTest::addColumn<int>("n");
    QTest::addColumn<qint64>("target");
    for (auto t : targets())
        for (int n : {1, 15, 16, 17, 31, 32, 33, 597})
            QTest::addRow("%s, %d cells", hwy::TargetName(t), n) << n << qint64(t);
}

/// Largest error of any derivative, in units of the size of its largest term.
template <class Real>
double derivative_error(std::size_t n, int& worst_state)
{
    const auto types = oracle_types();
    Tissue<Real> tissue(n);
    tissue.fill(1, true, types.size());
    std::vector<Cell> before;
    std::vector<double> stimulus;
    for (std::size_t i = 0; i < n; ++i) {
        before.push_back(tissue.cell(i));
        stimulus.push_back(static_cast<double>(tissue.stimulus[i]));
    }
    const tt06::ConstantTable<Real> table(types);
    tt06::derivatives(tissue.arrays(), table);
    double worst = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const auto r = plain::rates(before[i], types[tissue.types[i]].parameters, stimulus[i]);
        const Cell got = tissue.cell(i);
        for (int s = 0; s < tt06::state_count; ++s) {
            // sums of currents and fluxes are judged by their largest term, gates by both of theirs
            const double scale = is_gate(s)
                                     ? (std::abs(r.inf[s]) + std::abs(before[i][s])) / r.tau[s]
                                 : s == tt06::CaSS ? std::abs(r.d[s]) + 0.1
                                 : s == tt06::V    ? std::abs(r.d[s]) + 1
                                                : std::abs(r.d[s]) + 1e-3 * std::abs(before[i][s]);
            const double error = std::abs(got[s] - r.d[s]) / scale;
            if (!(error <= worst)) {
                worst = error;
                worst_state = s;
            }
        }
    }
    return worst;
}

/// make_cpu_kernel() with no vectors wider than that.
template <class Real>
std::unique_ptr<CpuKernel<Real>> kernel_of(std::span<const CellType> types, Scheme scheme,
                                           unsigned vector_bytes)
{
    const auto target = compiler::processor_target(sizeof(Real) == 4, vector_bytes);
    return compiler::make_compiled_kernel<Real>(
        compiler::shared_program(compiler::system_of(types), scheme, target), types);
}

/// Million cell-steps a second of processor time, compiled and oracle, over some rounds in turn.
template <class Real>
std::array<double, 2> rates(Scheme scheme, std::size_t spread, unsigned vector_bytes)
{
    const auto types = three_types();
    Tissue<Real> tissue(8192);
    tissue.fill(spread, false, types.size());
    const auto compiled = kernel_of<Real>(types, scheme, vector_bytes);
    const tt06::OracleKernel<Real> oracle(types, scheme);
    const CpuKernel<Real>* kernels[]{compiled.get(), &oracle};
    constexpr int rounds = 20;
    std::array<double, 2> seconds{};
    for (int k = 0; k < rounds; ++k)
        for (std::size_t which = 0; which < 2; ++which) {
            const auto start = std::clock();
            kernels[which]->step(tissue.arrays(), 0, 0.002);
            seconds[which] += static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        }
    const auto rate = [&](double s) { return 1e-6 * rounds * static_cast<double>(tissue.n) / s; };
    return {rate(seconds[0]), rate(seconds[1])};
}

} // namespace

class TestCellKernel : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void derivativesInDouble_data() { add_rows<double>(); }
    void derivativesInDouble()
    {
        QFETCH(int, n);
        QFETCH(qint64, target);
        const OneTarget only(target);
        int state = -1;
        const double error = derivative_error<double>(static_cast<std::size_t>(n), state);
        QVERIFY2(error < 2e-12, qPrintable(QString("%1 in state %2").arg(error).arg(state)));
    }

    void derivativesInSingle_data() { add_rows<float>(); }
    void derivativesInSingle()
    {
        QFETCH(int, n);
        QFETCH(qint64, target);
        const OneTarget only(target);
        int state = -1;
        const double error = derivative_error<float>(static_cast<std::size_t>(n), state);
        QVERIFY2(error < 3e-4, qPrintable(QString("%1 in state %2").arg(error).arg(state)));
    }

    void stepsFollowThePlainEquations_data()
    {
        QTest::addColumn<int>("scheme");
        for (Scheme s : {Scheme::forward_euler, Scheme::rush_larsen_light, Scheme::rush_larsen})
            QTest::addRow("%s", std::string(name(s)).c_str()) << static_cast<int>(s);
    }
    void stepsFollowThePlainEquations()
    {
        QFETCH(int, scheme);
        const auto types = three_types(), oracle = oracle_types();
        Tissue<double> tissue(597);
        tissue.fill(1, false, types.size());
        const auto kernel = make_cpu_kernel<double>(types, static_cast<Scheme>(scheme));
        const double dt = 0.001;
        std::vector<Cell> before;
        for (std::size_t i = 0; i < tissue.n; ++i)
            before.push_back(tissue.cell(i));
        kernel->step(tissue.arrays(), 0, dt);
        for (std::size_t i = 0; i < tissue.n; ++i) {
            const auto r = plain::rates(before[i], oracle[tissue.types[i]].parameters, 0);
            const Cell got = tissue.cell(i);
            for (int s = 0; s < tt06::state_count; ++s) {
                const bool exponential =
                    is_gate(s) &&
                    (static_cast<Scheme>(scheme) == Scheme::rush_larsen ||
                     (static_cast<Scheme>(scheme) == Scheme::rush_larsen_light && s == tt06::m));
                const double x = before[i][s];
                if (s == tt06::R_prime && static_cast<Scheme>(scheme) == Scheme::rush_larsen) {
                    // linear in itself, so the compiler takes it for a gate
                    Cell zero = before[i];
                    zero[tt06::R_prime] = 0;
                    const double a = plain::rates(zero, oracle[tissue.types[i]].parameters, 0).d[s];
                    const double b = (a - r.d[s]) / x;
                    QVERIFY(std::abs(got[s] - (a / b + (x - a / b) * std::exp(-dt * b))) < 1e-12);
                    continue;
                }
                const double expected = exponential
                                            ? r.inf[s] + (x - r.inf[s]) * std::exp(-dt / r.tau[s])
                                            : x + dt * r.d[s];
                QVERIFY2(std::abs(got[s] - expected) <=
                             1e-12 * (std::abs(x) + (is_gate(s) ? 1e-3 : 0)),
                         qPrintable(QString("cell %1 state %2").arg(i).arg(s)));
            }
        }
    }

    /// GRL1 advances state i by f (exp(J dt) - 1) / J, so its J can be read off a large step.
    void diagonalDerivatives()
    {
        const auto types = three_types(), oracle = oracle_types();
        Tissue<double> tissue(597);
        tissue.fill(1, false, types.size());
        const double dt = 0.5;
        const auto kernel = make_cpu_kernel<double>(types, Scheme::grl1);
        std::vector<Cell> before;
        for (std::size_t i = 0; i < tissue.n; ++i)
            before.push_back(tissue.cell(i));
        kernel->step(tissue.arrays(), 0, dt);
        for (std::size_t i = 0; i < tissue.n; ++i) {
            const auto& p = oracle[tissue.types[i]].parameters;
            const auto r = plain::rates(before[i], p, 0);
            const Cell got = tissue.cell(i);
            for (int s :
                 {tt06::V, tt06::Cai, tt06::CaSR, tt06::CaSS, tt06::R_prime, tt06::Nai, tt06::Ki}) {
                const double x = before[i][s], h = 1e-5 * std::abs(x);
                Cell up = before[i], down = before[i];
                up[s] += h;
                down[s] -= h;
                const double J =
                    (plain::rates(up, p, 0).d[s] - plain::rates(down, p, 0).d[s]) / (2 * h);
                const double expected =
                    r.d[s] * (std::abs(J * dt) < 1e-9 ? dt : std::expm1(J * dt) / J);
                QVERIFY2(std::abs(got[s] - x - expected) <=
                             1e-5 * std::abs(expected) + 1e-11 * std::abs(x),
                         qPrintable(QString("cell %1 state %2: %3, not %4")
                                        .arg(i)
                                        .arg(s)
                                        .arg(got[s] - x, 0, 'g', 12)
                                        .arg(expected, 0, 'g', 12)));
            }
        }
    }

    /// Code for every vector length that this machine has gives the same to rounding.
    void vectorLengthsAgree()
    {
        const auto types = three_types();
        std::vector<std::vector<Cell>> results;
        for (unsigned bytes : {64U, 32U, 16U}) {
            const auto kernel = kernel_of<double>(types, Scheme::rush_larsen_light, bytes);
            qInfo("%s", kernel->target().c_str());
            Tissue<double> tissue(333);
            tissue.fill(1, false, types.size());
            for (int k = 0; k < 50; ++k)
                kernel->step(tissue.arrays(), 0, 0.02);
            results.emplace_back();
            for (std::size_t i = 0; i < tissue.n; ++i)
                results.back().push_back(tissue.cell(i));
        }
        for (const auto& other : results)
            for (std::size_t i = 0; i < other.size(); ++i)
                for (std::size_t s = 0; s < other[i].size(); ++s)
                    QVERIFY(std::abs(other[i][s] - results[0][i][s]) <=
                            1e-9 * (1e-6 + std::abs(results[0][i][s])));
    }

    void cutsOfTheRangeDoNotMatter_data()
    {
        QTest::addColumn<int>("scheme");
        for (Scheme s : model_info("ten_tusscher_2006").schemes)
            QTest::addRow("%s", std::string(name(s)).c_str()) << static_cast<int>(s);
    }
    void cutsOfTheRangeDoNotMatter()
    {
        QFETCH(int, scheme);
        const auto types = three_types();
        const auto kernel = make_cpu_kernel<double>(types, static_cast<Scheme>(scheme));
        const double dt = 0.001;
        Tissue<double> whole(597), cut(597);
        whole.fill(1, false, types.size());
        cut.fill(1, false, types.size());
        for (int k = 0; k < 3; ++k) {
            kernel->step(whole.arrays(), 0, dt);
            for (const auto& [begin, end] : std::vector<std::pair<std::size_t, std::size_t>>{
                     {0, 16}, {16, 48}, {48, 320}, {320, 597}})
                kernel->step(cut.arrays(begin, end), 0, dt);
        }
        for (std::size_t i = 0; i < whole.n; ++i)
            QCOMPARE(cut.cell(i), whole.cell(i));
    }

    void typesAndStimulusMayBeLeftOut()
    {
        const auto types = three_types();
        const auto kernel =
            make_cpu_kernel<double>(std::span(types).first(1), Scheme::rush_larsen_light);
        Tissue<double> a(33), b(33);
        a.fill(1, false, 1);
        b.fill(1, false, 1);
        CellArrays<double> bare = b.arrays();
        bare.type = nullptr;
        bare.stimulus = nullptr;
        kernel->step(a.arrays(), 0, 0.02);
        kernel->step(bare, 0, 0.02);
        for (std::size_t i = 0; i < a.n; ++i)
            QCOMPARE(a.cell(i), b.cell(i));
    }

    void singlePrecisionStaysFiniteFarFromRest()
    {
        const auto types = three_types();
        for (Scheme s : {Scheme::rush_larsen_light, Scheme::rush_larsen, Scheme::grl1}) {
            const auto kernel = make_cpu_kernel<float>(types, s);
            Tissue<float> tissue(333);
            tissue.fill(1, false, types.size());
            for (std::size_t i = 0; i < tissue.padded; ++i)
                tissue.states[0][i] = -150.0f + static_cast<float>(i);
            kernel->step(tissue.arrays(), 0, 0.01);
            for (std::size_t i = 0; i < tissue.n; ++i)
                for (double x : tissue.cell(i))
                    QVERIFY(std::isfinite(x));
        }
    }

    void replacedTypesTakeEffect()
    {
        auto types = three_types();
        const auto kernel = make_cpu_kernel<double>(types, Scheme::forward_euler);
        Tissue<double> a(16), b(16);
        a.fill(1, false, 3);
        b.fill(1, false, 3);
        kernel->step(a.arrays(), 0, 0.01);
        const auto& names = model_info("ten_tusscher_2006").parameters;
        for (std::size_t k = 0; k < names.size(); ++k)
            if (names[k].name == "g_K1")
                types[1].parameters[k] *= 2;
        kernel->set_types(types);
        kernel->step(b.arrays(), 0, 0.01);
        QCOMPARE(a.cell(0), b.cell(0));
        QVERIFY(a.cell(1)[0] != b.cell(1)[0]);
    }

    /// The scalar arithmetic, which CUDA threads use, gives what the vectors give.
    void scalarStepsAgreeWithVectors()
    {
        const auto types = oracle_types();
        Tissue<double> vectors(333), scalars(333);
        vectors.fill(1, false, types.size());
        scalars.fill(1, false, types.size());
        tt06::OracleKernel<double>(three_types(), Scheme::rush_larsen_light)
            .step(vectors.arrays(), 0, 0.02);
        for (std::size_t i = 0; i < scalars.n; ++i) {
            const auto folded = tt06::fold(types[scalars.types[i]].parameters);
            ScalarIo io{scalars.states.data(), folded.data(), scalars.stimulus[i], i};
            tt06::generic::Step<ScalarMath<double>, tt06::generic::Mode::rush_larsen_light>::run(
                io, 0.02);
            const Cell a = scalars.cell(i), b = vectors.cell(i);
            for (std::size_t s = 0; s < a.size(); ++s)
                QVERIFY2(std::abs(a[s] - b[s]) <= 1e-12 * (std::abs(b[s]) + 1e-6),
                         qPrintable(QString("cell %1 state %2").arg(i).arg(s)));
        }
    }

    void scalarFunctions()
    {
        using M = ScalarMath<double>;
        for (double x = -700; x < 690; x += 0.37)
            QVERIFY(std::abs(M::exp(x) / std::exp(x) - 1) < 5e-16);
        QVERIFY(M::exp(-1e9) < 1e-300);
        for (double x = 1e-7; x < 1e7; x *= 1.01)
            QVERIFY(std::abs(M::log(x) - std::log(x)) <=
                    5e-16 * std::max(1.0, std::abs(std::log(x))));
    }

    /// Prints cell-steps per second beside the oracle's; fails only where something is badly wrong.
    void speed()
    {
        const std::tuple<unsigned, std::int64_t> lengths[]{{64, HWY_AVX3}, {32, HWY_AVX2}};
        for (const auto& [bytes, target] : lengths) {
            if (!(hwy::SupportedTargets() & target))
                continue;
            const OneTarget only(target);
            for (Scheme s : {Scheme::rush_larsen_light, Scheme::rush_larsen, Scheme::grl1}) {
                const auto r = rates<double>(s, 16, bytes), mixed = rates<double>(s, 1, bytes),
                           single = rates<float>(s, 16, bytes);
                qInfo("%s, %s, million cell-steps/s, compiled and oracle: layers %.2f %.2f, mixed "
                      "types %.2f %.2f; single %.2f %.2f",
                      compiler::widest_vectors(bytes).second.c_str(), std::string(name(s)).c_str(),
                      r[0], r[1], mixed[0], mixed[1], single[0], single[1]);
                QVERIFY(r[0] > 0.2);
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestCellKernel)
#include "test_cell_kernel.moc"
