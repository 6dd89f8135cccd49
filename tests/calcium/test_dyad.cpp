// SPDX-License-Identifier: GPL-3.0-or-later
// Chance in a dyad: binomial numbers, the ring of RyR, LCC; formulas at V = 0; parameters.
#include "engine/calcium/dyad.hpp"
#include "engine/calcium/membrane.hpp"
#include "engine/core/error.hpp"
#include "engine/core/larger.hpp"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <vector>

using namespace tawara;
using namespace tawara::calcium;

namespace {

/// Probabilities of B(n, p), in long double.
std::vector<long double> atoms(int n, double p)
{
    std::vector<long double> out;
    for (int k = 0; k <= n; ++k) {
        const long double ways = std::lgamma(static_cast<long double>(n + 1)) -
                                 std::lgamma(static_cast<long double>(k + 1)) -
                                 std::lgamma(static_cast<long double>(n - k + 1));
        long double log = ways;
        if (k > 0)
            log += k * std::log(static_cast<long double>(p));
        if (k < n)
            log += (n - k) * std::log1p(-static_cast<long double>(p));
        out.push_back(p == 0 ? (k == 0 ? 1 : 0) : p == 1 ? (k == n ? 1 : 0) : std::exp(log));
    }
    return out;
}

/// How far the counts are from what is expected of them, in standard deviations of what chance
/// gives.
double chi_square(const std::vector<double>& counts, const std::vector<long double>& probability)
{
    double total = 0;
    for (const double c : counts)
        total += c;
    double sum = 0, seen = 0, wanted = 0;
    int bins = 0;
    for (std::size_t k = 0; k < counts.size(); ++k) {
        seen += counts[k];
        wanted += total * static_cast<double>(probability[k]);
        double left = 0;
        for (std::size_t l = k + 1; l < counts.size(); ++l)
            left += total * static_cast<double>(probability[l]);
        if (wanted < 5 || (left < 5 && k + 1 < counts.size()))
            continue;
        sum += (seen - wanted) * (seen - wanted) / wanted;
        seen = wanted = 0;
        ++bins;
    }
    const double freedom = bins - 1;
    if (freedom < 1)
        return 0;
    // Wilson and Hilferty 1931: nearly normal for few degrees of freedom, too
    const double width = 2 / (9 * freedom);
    return (std::cbrt(sum / freedom) - (1 - width)) / std::sqrt(width);
}

double drawn(int n, double p, double u)
{
    return binomial(double(n), p, u).events;
}

/// Where, of ascending u, `below` stops being true.
template <class Below>
double bound(const Below& below)
{
    double low = 0, high = 1;
    for (int k = 0; k < 1200 && high - low > 1e-15 * high; ++k) {
        // small bounds by halves of their exponent
        const double middle = low > 0 && high > 2 * low  ? std::sqrt(low * high)
                              : low > 0 || high > 1e-300 ? (low > 0 ? (low + high) / 2 : high / 16)
                                                         : 0;
        (below(middle) ? low : high) = middle;
        if (middle == 0)
            break;
    }
    return high;
}

} // namespace

class TestDyad : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    /// The law itself, not a sample of it: for each k, of which u more than k events are drawn.
    void binomialsHaveTheirLaw()
    {
        const double ps[] = {0,    1e-12, 1e-8, 1e-6, 1e-4, 0.001, 0.01, 0.05,
                             0.15, 0.3,   0.5,  0.7,  0.9,  0.999, 1};
        int compared = 0;
        for (int n = 0; n <= 100; n = n < 20 ? n + 1 : n + 5)
            for (const double p : ps) {
                const auto exact = atoms(n, p);
                const bool mostly = p > 0.5; // failures are counted then
                long double tail = 0;
                for (int k = n - 1; k >= 0; --k) {
                    // P(X > k), or P(n - X > k)
                    tail += exact[static_cast<std::size_t>(mostly ? n - k - 1 : k + 1)];
                    const double got = bound([&](double u) {
                        const double x = drawn(n, p, u);
                        return (mostly ? n - x : x) > k;
                    });
                    const auto wanted = static_cast<double>(tail);
                    ++compared;
                    // P(X > 0) holds to rounding however small
                    const double error = std::abs(got - wanted);
                    const double allowed = k == 0 ? 1e-12 * wanted + 1e-300 : 3e-13;
                    if (!(error <= allowed))
                        QFAIL(qPrintable(QString("n %1, p %2: P(X > %3) is %4, not %5")
                                             .arg(n)
                                             .arg(p)
                                             .arg(k)
                                             .arg(got)
                                             .arg(wanted)));
                }
            }
        QVERIFY(compared > 10000);
    }
    void manyTrialsHaveTheirLawToo()
    {
        for (const double p : {0.02, 0.4, 0.5, 0.97}) {
            const auto exact = atoms(255, p);
            long double tail = 0;
            const bool mostly = p > 0.5;
            for (int k = 254; k >= 0; --k) {
                tail += exact[static_cast<std::size_t>(mostly ? 255 - k - 1 : k + 1)];
                const double got = bound([&](double u) {
                    const double x = drawn(255, p, u);
                    return (mostly ? 255 - x : x) > k;
                });
                QVERIFY(std::abs(got - static_cast<double>(tail)) < 5e-13);
            }
        }
    }
    /// With the program's random numbers.
    void drawsFitByChiSquare()
    {
        double worst = 0, sum = 0;
        int tests = 0;
        std::uint32_t place = 0;
        for (int n = 1; n <= 100; n += 9)
            for (const double p : {0.001, 0.01, 0.05, 0.15, 0.5, 0.8}) {
                std::vector<double> counts(static_cast<std::size_t>(n) + 1, 0.0);
                for (int k = 0; k < 4000; ++k) {
                    const DyadRandom random{{5, 0, static_cast<std::uint64_t>(k), 0}, place};
                    ++counts[static_cast<std::size_t>(drawn(n, p, random(k % 2)))];
                }
                ++place;
                const double z = chi_square(counts, atoms(n, p));
                worst = larger_or_nan(worst, z);
                sum += z;
                ++tests;
            }
        QVERIFY2(worst < 5, qPrintable(QString::number(worst)));
        QVERIFY2(std::abs(sum / std::sqrt(tests)) < 4, qPrintable(QString::number(sum)));
    }
    /// What is left of a number is as good as a new one, however many events it gave.
    void numbersAreUsedTwice()
    {
        for (const double p : {1e-3, 0.3, 0.8})
            for (int k = 0; k < 3; ++k) {
                // u of so many events of the rarer kind
                const auto events = [&](double u) {
                    const double x = drawn(3, p, u);
                    return p > 0.5 ? 3 - x : x;
                };
                const double low = bound([&](double u) { return events(u) > k; });
                const double high = k == 0 ? 1 : bound([&](double u) { return events(u) > k - 1; });
                for (const double left : {0.1, 0.5, 0.9}) {
                    const double u = low + left * (high - low);
                    QCOMPARE(events(u), double(k));
                    QVERIFY(std::abs(binomial(3.0, p, u).rest - left) < 1e-5);
                }
            }
    }
    /// At fixed concentrations channels are independent and in detailed balance, so that O1 is
    /// B(100, pi): P(O1) / P(C1) = k_open / k_close, P(C2) / P(C1) = u / (1 - u).
    void ringComesToItsEquilibrium()
    {
        constexpr int dyads = 3000, steps = 500;
        constexpr double dt = 0.05, k_open = 1.2, k_close = 0.5, u = 0.3;
        std::vector<double> open(101, 0.0), inhibited(101, 0.0);
        for (std::uint32_t d = 0; d < dyads; ++d) {
            Ring<double> n{50, 0, 25, 25};
            for (std::uint64_t s = 0; s < steps; ++s) {
                const DyadRandom random{{11, 0, s, 0}, d};
                n = ring_step(n, k_open * dt, k_close * dt, u * dt, (1 - u) * dt, random(0),
                              [&](int k) { return random(2 + k); });
                QCOMPARE(n.C1 + n.O1 + n.C2 + n.C3, 100.0);
                QVERIFY(std::min({n.C1, n.O1, n.C2, n.C3}) >= 0);
            }
            ++open[static_cast<std::size_t>(n.O1)];
            ++inhibited[static_cast<std::size_t>(n.C2 + n.C3)];
        }
        const double conducting = k_open / (k_open + k_close);
        const double z_open = chi_square(open, atoms(100, conducting * (1 - u)));
        const double z_inhibited = chi_square(inhibited, atoms(100, u));
        QVERIFY2(std::abs(z_open) < 4 && std::abs(z_inhibited) < 4,
                 qPrintable(QString("%1 %2").arg(z_open).arg(z_inhibited)));
    }
    /// The first step from a known state: numbers of all eight moves have their means and
    /// variances.
    void movesHaveTheirOdds()
    {
        constexpr int draws = 40'000;
        constexpr double a = 0.15, b = 0.05, c = 0.02, r = 0.03;
        double to[4] = {}, squares[4] = {};
        for (std::uint32_t d = 0; d < draws; ++d) {
            const DyadRandom random{{3, 7, 1, 0}, d};
            const auto n = ring_step(Ring<double>{40, 30, 20, 10}, a, b, c, r, random(0),
                                     [&](int k) { return random(2 + k); });
            const double now[] = {n.C1, n.O1, n.C2, n.C3};
            for (int k = 0; k < 4; ++k) {
                to[k] += now[k];
                squares[k] += now[k] * now[k];
            }
        }
        const double n[] = {40, 30, 20, 10};
        // C1, O1, C2, C3 from each: stays are what is left
        const double p[4][4] = {
            {1 - a - c, a, c, 0}, {b, 1 - b - c, 0, c}, {r, 0, 1 - a - r, a}, {0, r, b, 1 - b - r}};
        for (int k = 0; k < 4; ++k) {
            double mean = 0, variance = 0;
            for (int from = 0; from < 4; ++from) {
                mean += n[from] * p[from][k];
                variance += n[from] * p[from][k] * (1 - p[from][k]);
            }
            const double got = to[k] / draws, spread = squares[k] / draws - got * got;
            QVERIFY2(std::abs(got - mean) < 4 * std::sqrt(variance / draws),
                     qPrintable(QString("%1: %2, not %3").arg(k).arg(got).arg(mean)));
            QVERIFY2(std::abs(spread / variance - 1) < 4 * std::sqrt(2.0 / draws) + 0.01,
                     qPrintable(QString("%1: %2, not %3").arg(k).arg(spread).arg(variance)));
        }
    }
    void channelsOpenTogetherAtMost()
    {
        constexpr int draws = 40'000, n = 15;
        constexpr double p = 0.3, q = 0.6;
        std::vector<double> plain(n + 1, 0.0), all(n + 1, 0.0);
        for (std::uint32_t d = 0; d < draws; ++d) {
            const DyadRandom random{{4, 0, 0, 0}, d};
            const auto o = open_channels(double(n), p, q, random(1));
            QVERIFY(o.plain >= 0 && o.phosphorylated >= 0 && o.plain + o.phosphorylated <= n);
            ++plain[static_cast<std::size_t>(o.plain)];
            ++all[static_cast<std::size_t>(o.plain + o.phosphorylated)];
        }
        QVERIFY(std::abs(chi_square(plain, atoms(n, p))) < 4);
        QVERIFY(std::abs(chi_square(all, atoms(n, p + q))) < 4);
    }
    /// Currents by Goldman, Hodgkin and Katz have a limit where V is 0.
    void nothingIsSingularAtZero()
    {
        const double limit = 2 * faraday_C_per_mol * (0.01 - 0.6);
        QCOMPARE(ghk(0, 2, 0.01, 0.6), limit);
        for (const double v : {1e-13, -1e-10, 1e-7, -1e-4})
            QVERIFY(std::abs(ghk(v, 2, 0.01, 0.6) / limit - 1) < 1e-4);
        Grid grid;
        const auto c = membrane_constants({}, grid, 0.05);
        CellState cell{};
        cell.v = 0;
        cell.Na_i = 7;
        cell.K_i = 140;
        cell.camk = 0.05;
        cell.d = cell.ff = cell.fs = cell.jca = 0.5;
        MembraneCurrents i;
        const auto at_0 = begin_cell<double>(c, cell, 0, false, i);
        QVERIFY(std::isfinite(at_0.i_Ca_offset) && std::isfinite(i.Nab));
        cell.v = 1e-9;
        const auto beside = begin_cell<double>(c, cell, 0, false, i);
        QVERIFY(std::abs(beside.i_Ca_offset / at_0.i_Ca_offset - 1) < 1e-6);
        QVERIFY(std::abs(beside.Cab_slope / at_0.Cab_slope - 1) < 1e-6);
    }
    /// The exchanger as a quotient of linear functions is that of O'Hara et al., state by state.
    void exchangerIsAQuotient()
    {
        const Parameters p;
        for (const double v : {-87.0, -20.0, 0.0, 40.0})
            for (const double c : {5e-5, 1e-4, 1e-3, 0.05}) {
                CellState s{};
                s.v = v;
                s.Na_i = 8;
                DyadInput<double> in;
                exchanger(p, s, in);
                const double got = (in.ncx_0 + in.ncx_1 * c) / (1 + in.ncx_s * c);
                const double vf = v / RT_per_F_mV, hca = std::exp(0.167 * vf);
                const double hna = std::exp(0.5224 * vf);
                const double h1 = 1 + 8 / 88.12 * (1 + hna), h2 = 8 * hna / (88.12 * h1);
                const double h4 = 1 + 8.0 / 15 * (1 + 8.0 / 5), h5 = 64 / (h4 * 15 * 5);
                const double h7 = 1 + 140 / 88.12 * (1 + 1 / hna), h8 = 140 / (88.12 * hna * h7);
                const double h10 = 12.5 + 1 + 140.0 / 15 * (1 + 140.0 / 5);
                const double h11 = 140.0 * 140 / (h10 * 15 * 5);
                const double k1 = 1 / h10 * 1.8 * 1.5e6, k2 = 5e3, k3b = h8 * 5e3;
                const double k3 = 1 / h7 * 6e4 + k3b, k4b = h2 * 5e3, k4 = 1 / h1 * 6e4 / hca + k4b;
                const double k5 = 5e3, k6 = 1 / h4 * c * 1.5e6, k7 = h5 * h2 * 6e4;
                const double k8 = h8 * h11 * 6e4;
                const double x1 = k2 * k4 * (k7 + k6) + k5 * k7 * (k2 + k3);
                const double x2 = k1 * k7 * (k4 + k5) + k4 * k6 * (k1 + k8);
                const double x3 = k1 * k3 * (k7 + k6) + k8 * k6 * (k2 + k3);
                const double x4 = k2 * k8 * (k4 + k5) + k3 * k5 * (k1 + k8);
                const double sum = x1 + x2 + x3 + x4;
                const double Na = 3 * (x4 * k7 - x1 * k8) + x3 * k4b - x2 * k3b;
                const double wanted = (Na + 2 * (x2 * k2 - x1 * k1)) / sum;
                QVERIFY(std::abs(got - wanted) < 1e-9 * std::abs(in.ncx_0 + in.ncx_1 * c));
            }
    }
    /// Ratios of volumes as the public code has them.
    void volumesAreThoseOfTheSource()
    {
        const auto k = dyad_constants<double>({}, {}, 0.05);
        const auto m = membrane_constants({}, {}, 0.05);
        const auto near = [](double a, double b) { return std::abs(a / b - 1) < 1e-5; };
        QVERIFY(near(k.cleft_to_ss, 0.05e-3 * 2.63032e-3));
        QVERIFY(near(k.cleft_to_jsr, 0.05e-3 * 5.47983e-3));
        QVERIFY(near(k.jsr_per_nsr, 0.0869565) && near(k.nsr_per_myo, 0.0811765));
        QVERIFY(near(k.ss_per_myo, 0.0147059));
        QVERIFY(near(k.ss_per_current, 0.05 * 2.091705e-3));
        QVERIFY(near(k.myo_per_current, 0.05 * 3.076037e-5));
        QVERIFY(near(k.lcc_flux, -795.2287) && near(m.amount, 6.152074e-5));
        QVERIFY(near(k.spread_myo[0], 0.025) && near(k.spread_myo[2], 0.05));
        QVERIFY(near(k.spread_nsr[2], 0.025));
    }
    void parametersAreChecked()
    {
        for (const auto& row : parameter_table()) {
            const double usual = Parameters{}.*row.value;
            QVERIFY2(usual >= row.least && usual <= row.most, row.name);
            Parameters p;
            QVERIFY_THROWS_EXCEPTION(InputError, set_parameter(p, row.name, row.most * 2 + 1));
            QVERIFY_THROWS_EXCEPTION(InputError, set_parameter(p, row.name, std::nan("")));
        }
        QCOMPARE(parameter_table().size() * sizeof(double), sizeof(Parameters));
        Parameters p;
        QVERIFY_THROWS_EXCEPTION(InputError, set_parameter(p, "RyR", 99.5));
        QVERIFY_THROWS_EXCEPTION(InputError, set_parameter(p, "ryr", 99));
        QVERIFY_THROWS_EXCEPTION(InputError, variant_named("isoprotrenol"));
        for (const auto& v : variants())
            QCOMPARE(parameters_of(v).RyR, 100.0);
        QVERIFY_THROWS_EXCEPTION(InputError, membrane_constants({}, {100, 0, 1}, 0.05));
        QVERIFY_THROWS_EXCEPTION(InputError, membrane_constants({}, {100, 10, 10}, 0.2));
    }
};
QTEST_GUILESS_MAIN(TestDyad)
#include "test_dyad.moc"
