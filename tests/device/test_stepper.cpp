// SPDX-License-Identifier: GPL-3.0-or-later
// The CPU's back end alone, and what is said of devices. What every back end promises is in
// test_contract.
#include "engine/core/error.hpp"
#include "engine/core/larger.hpp"
#include "engine/device/cpu/interpolated_currents.hpp"
#include "tests/device/on_gpu.hpp"
#include "tests/device/tissue_problem.hpp"

#include <QtTest>
#include <cmath>

using namespace tawara;
using namespace tawara::device;
using namespace tawara::test;

namespace {

std::unique_ptr<Stepper> on_cpu(const TissueProblem& p, unsigned threads = 2,
                                Precision precision = Precision::double_)
{
    return make_stepper(p, {"cpu", precision, threads});
}

TissueProblem interpolated_slab(const Vec3& size_mm, double spacing_mm, int types = 1)
{
    ProblemOptions o;
    o.scheme = diffusion::Scheme::p1;
    o.currents = IonicCurrents::interpolated;
    o.types = types;
    return slab_problem(size_mm, spacing_mm, o);
}

/// Cells in slots, and what interpolation adds to their currents where every tetrahedron in which V
/// is not the same belongs to the front.
struct InSlots
{
    explicit InSlots(const TissueProblem& p, double front)
        : layout(make_layout(p)), pool(2), currents(p, layout, pool, front)
    {
        v.assign(layout.slots(), -80);
        type.assign(layout.slots(), 0);
        for (std::size_t u = 0; u < p.size(); ++u)
            type[slot(u)] = p.type[u];
        const auto& initial = p.groups.front().types.front().initial;
        for (std::size_t k = 1; k < initial.size(); ++k)
            states.emplace_back(layout.slots(), initial[k]);
        for (auto& s : states)
            pointers.push_back(s.data());
    }
    std::size_t slot(std::size_t u) const { return static_cast<std::size_t>(layout.new_of[u]); }
    /// Of each unknown.
    std::vector<double> added(const double* stimulus = nullptr)
    {
        const double* c =
            currents.with_stimulus({v.data(), pointers.data(), type.data(), stimulus}, 0, 0.02);
        std::vector<double> out;
        for (const auto at : layout.new_of)
            out.push_back(c[at]);
        return out;
    }
    Layout layout;
    ThreadPool pool;
    cpu::InterpolatedCurrents<double> currents;
    AlignedVector<double> v;
    AlignedVector<cell::TypeIndex> type;
    std::vector<AlignedVector<double>> states;
    std::vector<double*> pointers;
};

/// The membrane's rate of V at one place.
double rate_at(const cell::MembraneCurrent<double>& f, double v, std::span<const double> states,
               cell::TypeIndex type)
{
    AlignedVector<double> at(16, v);
    const AlignedVector<cell::TypeIndex> types(16, type);
    std::vector<AlignedVector<double>> values;
    std::vector<double*> pointers;
    for (const double s : states)
        values.emplace_back(16, s);
    for (auto& s : values)
        pointers.push_back(s.data());
    cell::CellArrays<double> a;
    a.v = at.data();
    a.states = pointers.data();
    a.type = types.data();
    a.end = 1;
    f.kernel->step(a, 0, 0.02);
    return at[0];
}

} // namespace

class TestStepper : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void threadsDoNotChangeABit()
    {
        ProblemOptions o;
        o.types = 3;
        const auto p = slab_problem({5, 2, 2}, 0.25, o);
        std::vector<std::vector<double>> v;
        for (unsigned threads : {1u, 2u, 5u}) {
            auto s = on_cpu(p, threads);
            s->add_stimulus(left_end(p, 1));
            s->advance(300);
            v.push_back(potential(*s, p.size()));
        }
        QVERIFY(v[0] == v[1]);
        QVERIFY(v[0] == v[2]);
        QVERIFY(*std::max_element(v[0].begin(), v[0].end()) > 0);
    }

    void subSteppingIsConsistent()
    {
        // The same physics by one step per dt, by Euler sub-steps and by RKL2 stages.
        ProblemOptions o;
        o.dt_ms = 0.01;
        auto p = slab_problem({6, 0.4, 0.4}, 0.2, o);
        std::vector<double> at_5mm;
        for (auto sub : {diffusion::SubStepping{diffusion::SubStepping::Kind::euler, 1},
                         diffusion::SubStepping{diffusion::SubStepping::Kind::euler, 4},
                         diffusion::SubStepping{diffusion::SubStepping::Kind::rkl2, 3},
                         diffusion::SubStepping{diffusion::SubStepping::Kind::rkl2, 5}}) {
            p.substeps = sub;
            auto s = on_cpu(p);
            s->add_stimulus(left_end(p, 0.8));
            s->advance(1500);
            at_5mm.push_back(activation_near(p, s->maps(), 5, 0.2));
        }
        for (double t : at_5mm)
            QVERIFY2(std::abs(t - at_5mm[1]) < 0.1, qPrintable(QString::number(t - at_5mm[1])));
    }

    void implicitStepsAgreeWithExplicit_data()
    {
        QTest::addColumn<int>("scheme");
        QTest::addColumn<int>("stepping");
        QTest::addRow("fvm, backward Euler") << 0 << int(Stepping::backward_euler);
        QTest::addRow("p1, backward Euler") << 1 << int(Stepping::backward_euler);
        QTest::addRow("p1, Crank-Nicolson") << 1 << int(Stepping::crank_nicolson);
    }
    void implicitStepsAgreeWithExplicit()
    {
        QFETCH(int, scheme);
        QFETCH(int, stepping);
        ProblemOptions o;
        o.scheme = static_cast<diffusion::Scheme>(scheme);
        o.dt_ms = 0.01;
        auto p = slab_problem({4, 0.5, 0.5}, 0.25, o);
        std::vector<double> at;
        for (auto way : {Stepping::explicit_, static_cast<Stepping>(stepping)}) {
            p.stepping = way;
            auto s = on_cpu(p);
            s->add_stimulus(left_end(p, 0.8));
            s->advance(1500);
            at.push_back(activation_near(p, s->maps(), 3.5, 0.3));
        }
        QVERIFY2(std::abs(at[0] - at[1]) < 0.1, qPrintable(QString::number(at[1] - at[0])));
    }

    void devicesAreReadAndWritten()
    {
        for (const char* text : {"auto", "cpu", "cuda", "cuda:0", "cuda:0,0,2"})
            QCOMPARE(Devices(text).text(), std::string(text));
        QCOMPARE(Devices("cuda:1,0").numbers, (std::vector<int>{1, 0}));
        for (const char* text : {"abacus", "", "CPU", "cuda:", "cuda:0,", "cuda:-1", "cuda:x"})
            QVERIFY_THROWS_EXCEPTION(InputError, Devices{text});
    }
    void mixedPrecisionIsRefusedOnTheCpu()
    {
        const auto p = slab_problem({1, 1, 1}, 0.5);
        QVERIFY_THROWS_EXCEPTION(InputError, on_cpu(p, 1, Precision::mixed));
    }

    void ceilingsAreMeasured()
    {
        const auto c = measure_ceilings("cpu", 1);
        qInfo("triad %.1f, copy %.1f GB/s, fp64 %.1f, fp32 %.1f GFLOP/s (1 thread)",
              c.triad_GB_per_s, c.copy_GB_per_s, c.fp64_GFLOP_per_s, c.fp32_GFLOP_per_s);
        QVERIFY(c.triad_GB_per_s > 0.5 && c.triad_GB_per_s < 2000);
        QVERIFY(c.fp32_GFLOP_per_s > c.fp64_GFLOP_per_s);
        // 64 operations a cycle at 8 GHz: no core does more
        QVERIFY(c.fp64_GFLOP_per_s > 1 && c.fp64_GFLOP_per_s < 512);
    }

    /// Resting tissue: the same bits for any number of threads, however the run is cut.
    void threadsDoNotChangeABitAtRest()
    {
        ProblemOptions o;
        o.types = 3;
        auto p = slab_problem({6, 1, 1}, 0.5, o);
        p.rest_tolerance_mV = 0.1;
        std::vector<Snapshot> last;
        for (const unsigned threads : {1U, 2U, 5U}) {
            const auto s = on_cpu(p, threads);
            s->add_stimulus(left_end(p, 1));
            if (threads == 1)
                s->advance(2000);
            else
                for (const int n : {1, 2, 40, 57, 400, 1500})
                    s->advance(n);
            last.push_back(s->snapshot());
        }
        QVERIFY(same_bits(last[0], last[1]) && same_bits(last[0], last[2]));
    }
    /// Six unknowns are stepped by one thread, however many there are.
    void threadsFollowTheSizeOfTheProblem()
    {
        StepperOptions o;
        o.devices = "cpu";
        const Progress all{{}, {}, {12}};
        const auto few = make_stepper(slab_problem({0.5, 0.5, 0.5}, 0.5), o, all);
        QCOMPARE(few->threads(), 1U);
        QVERIFY2(few->device().find("1 thread,") != std::string::npos, few->device().c_str());
        QCOMPARE(make_stepper(slab_problem({5, 5, 5}, 0.5), o, all)->threads(), 2U);
        QCOMPARE(make_stepper(slab_problem({5, 5, 5}, 0.5), o)->threads(),
                 1U); // the caller's alone
        o.threads = 2;
        QCOMPARE(make_stepper(slab_problem({0.5, 0.5, 0.5}, 0.5), o)->threads(), 2U);
    }
    /// Where V and states are the same everywhere, interpolated currents are those of the vertices.
    void evenFieldsHaveTheVerticesCurrents()
    {
        InSlots x(interpolated_slab({2, 1, 1}, 0.25), -1); // all are in the front
        for (const double v : {-80.0, -40.0, 10.0}) {
            std::fill(x.v.begin(), x.v.end(), v);
            for (const double c : x.added())
                QVERIFY2(std::abs(c) < 1e-9, qPrintable(QString::number(c)));
        }
        const AlignedVector<double> stimulus(x.layout.slots(), 50);
        for (const double c : x.added(stimulus.data()))
            QVERIFY(std::abs(c - 50) < 1e-9);
        QCOMPARE(x.currents.record().tetrahedra, 4 * 8 * 4 * 4 * 6);
    }

    /// Against the sum as its formula has it, point by point.
    void interpolatedCurrentsAreTheQuadrature()
    {
        const auto p = interpolated_slab({1.5, 0.5, 0.5}, 0.25, 2);
        InSlots x(p, front_mV);
        const auto place = [&](std::size_t u) { return p.position_mm[u]; };
        for (std::size_t u = 0; u < p.size(); ++u) {
            x.v[x.slot(u)] = -85 + 100 / (1 + std::exp(8 * (place(u)[0] - 0.7) + place(u)[1]));
            for (auto& s : x.states) // gates and concentrations, some per cent apart
                s[x.slot(u)] *= 1 + 0.2 * std::sin(5 * place(u)[0] + 3 * place(u)[2]) *
                                        s[x.slot(u)] / (1 + s[x.slot(u)]);
        }
        const auto f = cell::make_membrane_current<double>(p.groups[0].types);
        const double a = (5 + 3 * std::sqrt(5.0)) / 20, b = (5 - std::sqrt(5.0)) / 20;
        std::vector<double> expected(p.size(), 0), mass(p.size(), 0);
        std::size_t front = 0;
        for (std::size_t t = 0; t < p.elements.size(); ++t) {
            std::array<std::size_t, 4> u, slot;
            for (std::size_t k = 0; k < 4; ++k) {
                u[k] = static_cast<std::size_t>(p.elements.corner[t][k]);
                slot[k] = x.slot(u[k]);
                mass[u[k]] += p.elements.volume_mm3[t] / 4;
            }
            const auto [low, high] =
                std::minmax({x.v[slot[0]], x.v[slot[1]], x.v[slot[2]], x.v[slot[3]]});
            if (!(high - low > front_mV))
                continue;
            ++front;
            const auto at = [&](const auto& weights) {
                std::vector<double> s;
                for (const auto& state : x.states) {
                    s.push_back(0);
                    for (std::size_t k = 0; k < 4; ++k)
                        s.back() += weights[k] * state[slot[k]];
                }
                double v = 0;
                for (std::size_t k = 0; k < 4; ++k)
                    v += weights[k] * x.v[slot[k]];
                return std::pair{v, s};
            };
            for (std::size_t k = 0; k < 4; ++k) {
                std::array<double, 4> gauss{b, b, b, b}, vertex{};
                gauss[k] = a, vertex[k] = 1;
                const auto [v, s] = at(gauss);
                const double rate = rate_at(f, v, s, p.type[u[k]]);
                for (std::size_t n = 0; n < 4; ++n)
                    expected[u[n]] += p.elements.volume_mm3[t] / 4 * gauss[n] * rate;
                const auto [v_k, s_k] = at(vertex);
                expected[u[k]] -= p.elements.volume_mm3[t] / 4 * rate_at(f, v_k, s_k, p.type[u[k]]);
            }
        }
        QVERIFY(front > 50 && front < p.elements.size());
        const auto added = x.added();
        double largest = 0;
        for (std::size_t u = 0; u < p.size(); ++u) {
            const double c = expected[u] / mass[u];
            largest = larger_or_nan(largest, std::abs(c));
            QVERIFY2(std::abs(added[u] - c) < 1e-8 * (1 + std::abs(c)),
                     qPrintable(QString("%1 and %2").arg(added[u]).arg(c)));
        }
        QVERIFY2(largest > 0.1, qPrintable(QString::number(largest)));
    }

    /// Between vertices of two models there is no state to compute with.
    void modelsMeetWithTheVerticesCurrents()
    {
        auto p = interpolated_slab({2, 1, 1}, 0.5);
        p.groups.push_back({cell::Scheme::rush_larsen_light,
                            {cell::make_cell_type("beeler_reuter_1977", "", {}, {})}});
        for (std::size_t u = 0; u < p.size(); ++u)
            p.group[u] = p.position_mm[u][0] > 1 ? 1 : 0;
        InSlots x(p, front_mV);
        for (std::size_t u = 0; u < p.size(); ++u)
            x.v[x.slot(u)] = p.group[u] ? 10 : -80;
        for (const double c : x.added())
            QCOMPARE(c, 0.0);
        QCOMPARE(x.currents.record().tetrahedra, 0);
    }

    /// With edges of half a millimetre a wave is as fast as on a fine mesh, where currents at
    /// vertices make it a third slower; the same bits by any number of threads, and in single
    /// precision the same times.
    void coarseBarsConduct()
    {
        auto p = interpolated_slab({14, 1, 1}, 0.5);
        const auto times = [&](unsigned threads, Precision precision = Precision::double_) {
            const auto s = on_cpu(p, threads, precision);
            s->add_stimulus(left_end(p, 1.5));
            s->advance(1500);
            return s->maps();
        };
        const auto velocity = [&](const Maps& m) {
            return 6 / (activation_near(p, m, 11, 0.1) - activation_near(p, m, 5, 0.1));
        };
        const auto one = times(1), single = times(2, Precision::single);
        qInfo("0.5 mm: %.3f m/s", velocity(one));
        QVERIFY(velocity(one) > 0.56 && velocity(one) < 0.62);
        for (const unsigned threads : {2U, 5U})
            QVERIFY(times(threads).activation_ms == one.activation_ms);
        for (std::size_t u = 0; u < p.size(); ++u)
            QVERIFY(std::abs(single.activation_ms[u] - one.activation_ms[u]) < 0.01);
        p.currents = IonicCurrents::nodal;
        const double nodal = velocity(times(1));
        qInfo("nodal: %.3f m/s", nodal);
        QVERIFY(nodal < 0.48);
    }

    /// V of each step has the threshold's crossing between two steps, and the fall to a tenth of
    /// the height above rest.
    void timesOfMapsAreThoseOfTheSteps()
    {
        const auto p = interpolated_slab({2, 1, 1}, 0.5);
        const auto s = on_cpu(p);
        s->add_stimulus(left_end(p, 0.6));
        std::vector<double> before(p.size()), now(p.size());
        s->potential(now);
        const auto rest = now;
        auto peak = now;
        std::vector<double> up(p.size(), NAN), down(p.size(), NAN);
        const auto crossing = [&](std::size_t u, double level) {
            return s->time_ms() - p.dt_ms * (now[u] - level) / (now[u] - before[u]);
        };
        while (s->time_ms() < 400) {
            before = now;
            s->advance(1);
            s->potential(now);
            for (std::size_t u = 0; u < p.size(); ++u) {
                peak[u] = std::max(peak[u], now[u]);
                const double low = peak[u] - 0.9 * (peak[u] - rest[u]);
                if (std::isnan(up[u]) && now[u] >= p.activation_threshold_mV)
                    up[u] = crossing(u, p.activation_threshold_mV);
                else if (!std::isnan(up[u]) && std::isnan(down[u]) && now[u] <= low)
                    down[u] = crossing(u, low);
            }
        }
        const auto m = s->maps();
        for (std::size_t u = 0; u < p.size(); ++u) {
            QVERIFY(std::abs(m.activation_ms[u] - up[u]) < 1e-9);
            QVERIFY(std::abs(m.repolarisation_ms[u] - down[u]) < 0.1);
        }
    }

    void interpolatedCurrentsAreRefusedAloud()
    {
        const auto said = [](const TissueProblem& p, const char* devices) {
            try {
                make_stepper(p, {devices});
            } catch (const InputError& e) {
                return QString(e.what());
            }
            return QString();
        };
        auto p = interpolated_slab({1, 1, 1}, 0.5);
        QVERIFY(said(p, "cpu").isEmpty());
        QVERIFY(said(p, "auto").isEmpty());
        p.stepping = Stepping::newton;
        for (const char* devices : {"cpu", "cuda"})
            QVERIFY2(said(p, devices)
                         .contains("/diffusion/currents: interpolated currents need a "
                                   "stepping other than newton"),
                     qPrintable(said(p, devices)));
        p = slab_problem({1, 1, 1}, 0.5);
        p.currents = IonicCurrents::interpolated;
        QVERIFY(said(p, "cpu").contains("need the p1 scheme"));
        ProblemOptions o;
        o.scheme = diffusion::Scheme::p1;
        o.mass = diffusion::Mass::consistent;
        o.currents = IonicCurrents::interpolated;
        QVERIFY(said(slab_problem({1, 1, 1}, 0.5, o), "cpu").contains("need lumped mass"));
    }

    /// Every model that tissue can be of, and one of them by each of its schemes: currents between
    /// vertices change a coarse wave, and break nothing.
    void everyModelHasACurrent()
    {
        for (const auto& name : cell::model_names()) {
            if (name.find("dyads") != std::string::npos)
                continue;
            auto p = interpolated_slab({1.5, 0.5, 0.5}, 0.5);
            p.dt_ms = 0.001; // forward Euler wants it short
            p.groups[0].types = {cell::make_cell_type(name, "", {}, {})};
            const auto& info = cell::model_info(name);
            auto schemes = info.schemes;
            if (name != "ten_tusscher_2006") // of the others one, since compiling takes its time
                schemes = {cell::usual_scheme(std::array{&info})};
            for (const auto scheme : schemes) {
                p.groups[0].scheme = scheme;
                std::vector<std::vector<double>> v;
                for (const auto currents : {IonicCurrents::nodal, IonicCurrents::interpolated}) {
                    p.currents = currents;
                    const auto s = on_cpu(p, 1);
                    s->add_stimulus(left_end(p, 0.4));
                    s->advance(1500);
                    v.push_back(potential(*s, p.size()));
                }
                double most = 0;
                for (std::size_t u = 0; u < p.size(); ++u)
                    most = larger_or_nan(most, std::abs(v[0][u] - v[1][u]));
                QVERIFY2(most > 1e-6 && most < 120,
                         qPrintable(QString("%1: %2 mV").arg(name.c_str()).arg(most)));
            }
        }
    }

    /// Tables of functions of V: a little different, the same however many threads there are; on
    /// the CPU alone.
    void functionsOfVAreLookedUp()
    {
        auto p = slab_problem({2, 1, 1}, 0.5);
        StepperOptions with;
        with.devices = "cpu";
        const auto after = [&](double table_step_mV, unsigned threads) {
            p.table_step_mV = table_step_mV;
            with.threads = threads;
            const auto s = make_stepper(p, with);
            s->add_stimulus(left_end(p, 1));
            s->advance(2000);
            return s->snapshot().v;
        };
        const auto computed = after(0, 1), coarse = after(1, 1), fine = after(0.05, 1);
        const auto difference = [&](const auto& v) {
            double most = 0;
            for (std::size_t u = 0; u < v.size(); ++u)
                most = larger_or_nan(most, std::abs(static_cast<double>(v[u] - computed[u])));
            return most;
        };
        qInfo("1 mV: %.2e mV, 0.05 mV: %.2e mV", difference(coarse), difference(fine));
        QVERIFY(difference(fine) > 0 && difference(fine) < 0.01);
        QVERIFY(difference(coarse) > 5 * difference(fine) && difference(coarse) < 1);
        QVERIFY(after(0.05, 2) == fine);
        with.devices = "cuda";
        QVERIFY_THROWS_EXCEPTION(InputError, make_stepper(p, with));
        with.devices = "auto";
        Notices notices;
        const auto chosen = make_stepper(p, with, {}, &notices)->device();
        QVERIFY2(chosen.rfind("CPU", 0) == 0, chosen.c_str());
    }
};
QTEST_GUILESS_MAIN(TestStepper)
#include "test_stepper.moc"
