// SPDX-License-Identifier: GPL-3.0-or-later
// Compiled cell models on CUDA devices against the CPU's machine code of the same equations.
// Skipped where there is no GPU.
#include "engine/cell/compiler/library.hpp"
#include "engine/cell/numerics_error.hpp"
#include "engine/core/error.hpp"
#include "tests/device/on_gpu.hpp"
#include "tests/device/tissue_problem.hpp"

#include <QElapsedTimer>
#include <QtTest>
#include <cmath>

using namespace tawara;
using namespace tawara::device;
using namespace tawara::test;

namespace {

/// A slab of one model.
TissueProblem problem_of(const std::string& model, cell::Scheme scheme, double dt_ms,
                         ProblemOptions o = {})
{
    o.dt_ms = dt_ms;
    auto p = slab_problem({2, 0.5, 0.5}, 0.25, o);
    p.groups = {{scheme, {cell::make_cell_type(model, "", {}, {})}}};
    std::fill(p.type.begin(), p.type.end(), cell::TypeIndex{0});
    return p;
}

struct Differences
{
    double v_mV = 0, states = 0; ///< largest; of states relative to their size
};

Differences between(const Snapshot& a, const Snapshot& b)
{
    Differences d;
    for (std::size_t u = 0; u < a.v.size(); ++u)
        d.v_mV = larger_or_nan(d.v_mV, std::abs(a.v[u] - b.v[u]));
    d.states = difference_of_states(a, b);
    return d;
}

} // namespace

class TestCudaModels : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void init() { need_gpu(); }

    void everyModelAgreesWithTheCpu_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("scheme");
        for (const auto& m : cell::model_names()) {
            const bool stiff = m.rfind("greenstein", 0) == 0;
            QTest::addRow("%s", m.c_str())
                << QString::fromStdString(m)
                << int(stiff ? cell::Scheme::grl1 : cell::Scheme::rush_larsen);
        }
        for (const auto s : {cell::Scheme::rush_larsen_light, cell::Scheme::grl1,
                             cell::Scheme::grl2, cell::Scheme::backward_euler_single})
            QTest::addRow("ten_tusscher_2006, %s", std::string(cell::name(s)).c_str())
                << "ten_tusscher_2006" << int(s);
        // a gate whose exponent starts at 250; more values than registers
        for (const char* m : {"courtemanche_1998", "ohara_rudy_2011"})
            QTest::addRow("%s, grl1", m) << m << int(cell::Scheme::grl1);
        // Newton's iterations, a loop over the terms of the Jacobian
        for (const char* m : {"beeler_reuter_1977", "ten_tusscher_2006", "ohara_rudy_2011"})
            QTest::addRow("%s, backward_euler", m) << m << int(cell::Scheme::backward_euler);
        QTest::addRow("beeler_reuter_1977, rk4") << "beeler_reuter_1977" << int(cell::Scheme::rk4);
    }
    void everyModelAgreesWithTheCpu()
    {
        QFETCH(QString, model);
        QFETCH(int, scheme);
        const auto p = problem_of(model.toStdString(), static_cast<cell::Scheme>(scheme), 0.005);
        auto c = on(p, "cpu");
        c->add_stimulus(left_end(p, 0.6));
        c->advance(steps_of(1000)); // through the upstroke
        const auto a = c->snapshot();
        for (const bool fused : {false, true}) {
            auto g = on(p, "cuda:0", Precision::double_,
                        Tuning{partition::Ordering::hilbert, fused, 32});
            g->add_stimulus(left_end(p, 0.6));
            g->advance(steps_of(1000));
            const auto d = between(a, g->snapshot());
            qInfo("double%s: V %.1e mV, states %.1e", fused ? ", fused" : "", d.v_mV, d.states);
            QVERIFY(d.v_mV < 1e-7);
            QVERIFY(d.states < 1e-7);
        }
        auto f = on(p, "cuda:0", Precision::single);
        f->add_stimulus(left_end(p, 0.6));
        f->advance(steps_of(1000));
        const auto d = between(a, f->snapshot());
        qInfo("single: V %.1e mV, states %.1e", d.v_mV, d.states);
        QVERIFY(d.v_mV < 1.5);
    }

    /// Groups of three models, one with two types, while a front crosses their borders; a snapshot
    /// from within the front goes on with the same bits.
    void modelsLiveSideBySide_data()
    {
        QTest::addColumn<int>("precision");
        QTest::addColumn<QString>("devices");
        QTest::addColumn<bool>("interpolated"); // p1 with interpolated currents, else fvm
        QTest::addColumn<int>("stages");
        QTest::addColumn<double>("rest");
        for (const auto precision : {Precision::double_, Precision::single})
            for (const char* devices : {"cuda:0", "cuda:0,0,0"}) {
                const auto row = [&](const char* name, bool interpolated, int stages, double rest) {
                    QTest::addRow("%s %s, %s", precision == Precision::single ? "single" : "double",
                                  devices, name)
                        << int(precision) << devices << interpolated << stages << rest;
                };
                row("fvm", false, 1, 0);
                row("fvm, rest, 2 sub-steps", false, 2, 0.1);
                row("interpolated", true, 1, 0);
                row("interpolated, 2 sub-steps", true, 2, 0);
                row("interpolated, rest", true, 1, 0.1);
                row("interpolated, rest, 2 sub-steps", true, 2, 0.1);
            }
    }
    void modelsLiveSideBySide()
    {
        QFETCH(int, precision);
        QFETCH(QString, devices);
        QFETCH(bool, interpolated);
        QFETCH(int, stages);
        QFETCH(double, rest);
        ProblemOptions o;
        o.splitting = rest > 0 ? Splitting::godunov : Splitting::strang;
        if (interpolated) {
            o.scheme = diffusion::Scheme::p1;
            o.currents = IonicCurrents::interpolated;
        }
        auto p = slab_problem({4, 0.7, 0.7}, 0.25, o);
        p.substeps = {diffusion::SubStepping::Kind::euler, stages};
        p.rest_tolerance_mV = rest;
        p.groups.clear();
        for (const char* m : {"beeler_reuter_1977", "ten_tusscher_2006", "mitchell_schaeffer_2003"})
            p.groups.push_back({cell::Scheme::rush_larsen, {cell::make_cell_type(m, "", {}, {})}});
        p.groups[1].types.push_back(cell::make_cell_type("ten_tusscher_2006", "endo", {}, {}));
        for (std::size_t u = 0; u < p.size(); ++u) {
            p.group[u] = static_cast<std::uint8_t>(p.position_mm[u][0] / 4 * 2.999);
            p.type[u] = p.group[u] == 1 && u % 2 ? 1 : 0;
        }
        auto c = on(p, "cpu"),
             g = on(p, devices.toStdString().c_str(), static_cast<Precision>(precision));
        for (auto* s : {c.get(), g.get()})
            s->add_stimulus(left_end(p, 1));
        g->advance(steps_of(250));
        const auto inside = g->snapshot(); // of the front
        const auto [least, most] = std::minmax_element(inside.v.begin(), inside.v.end());
        QVERIFY(short_tests() || (*least < -60 && *most > -20));
        g->advance(steps_of(350));
        c->advance(steps_of(250) + steps_of(350));
        const auto d = between(c->snapshot(), g->snapshot());
        const bool twice = static_cast<Precision>(precision) == Precision::double_;
        qInfo("V %.1e mV, states %.1e, front at 5 ms from %.0f to %.0f mV", d.v_mV, d.states,
              *least, *most);
        QVERIFY(d.v_mV < (twice ? 1e-7 : 1.5));
        auto again = on(p, devices.toStdString().c_str(), static_cast<Precision>(precision));
        again->add_stimulus(left_end(p, 1));
        again->restore(inside);
        again->advance(steps_of(350));
        QCOMPARE(between(g->snapshot(), again->snapshot()).v_mV, 0.0);
        QCOMPARE(between(g->snapshot(), again->snapshot()).states, 0.0);
    }

    void parametersChangeWhileRunning_data()
    {
        QTest::addColumn<int>("types");
        QTest::addRow("one type") << 1;
        QTest::addRow("two types") << 2;
    }
    void parametersChangeWhileRunning()
    {
        QFETCH(int, types);
        ProblemOptions o;
        o.types = types;
        const auto p = slab_problem({2, 0.5, 0.5}, 0.25, o);
        const std::pair<std::string, double> more[]{{"g_Ks", 2.0}};
        auto changed = p.groups[0].types;
        changed[0] = cell::make_cell_type("ten_tusscher_2006", "epi", more, {});
        auto c = on(p, "cpu"), g = on(p, "cuda:0"), untouched = on(p, "cuda:0");
        for (auto* s : {c.get(), g.get(), untouched.get()}) {
            s->add_stimulus(left_end(p, 0.75));
            s->advance(steps_of(500));
        }
        c->set_types(0, changed);
        g->set_types(0, changed);
        for (auto* s : {c.get(), g.get(), untouched.get()})
            s->advance(steps_of(8000));
        QVERIFY(between(c->snapshot(), g->snapshot()).v_mV < 1e-6);
        QVERIFY(short_tests() || between(c->snapshot(), untouched->snapshot()).v_mV > 1);
    }

    /// Long steps at rest by other models and schemes, beside the same tissue without them.
    void everyModelMayRest_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("scheme");
        QTest::addColumn<int>("precision");
        const auto row = [](const char* m, cell::Scheme s, Precision p) {
            QTest::addRow("%s, %s, %s", m, std::string(cell::name(s)).c_str(),
                          std::string(name(p)).c_str())
                << m << int(s) << int(p);
        };
        row("luo_rudy_1991", cell::Scheme::rush_larsen_light, Precision::double_);
        row("courtemanche_1998", cell::Scheme::grl1, Precision::double_);
        row("ohara_rudy_2011", cell::Scheme::rush_larsen, Precision::single);
        row("mitchell_schaeffer_2003", cell::Scheme::forward_euler, Precision::single);
    }
    void everyModelMayRest()
    {
        QFETCH(QString, model);
        QFETCH(int, scheme);
        QFETCH(int, precision);
        const auto number = static_cast<Precision>(precision);
        ProblemOptions o;
        o.scheme = diffusion::Scheme::p1;
        auto p = problem_of(model.toStdString(), static_cast<cell::Scheme>(scheme), 0.02, o);
        auto reference = on(p, "cuda:0", number);
        p.rest_tolerance_mV = 0.1;
        auto resting = on(p, "cuda:0", number);
        for (auto* s : {reference.get(), resting.get()}) {
            s->add_stimulus(left_end(p, 0.6));
            s->advance(7500);
        }
        const auto a = reference->maps(), b = resting->maps();
        double early = 0;
        for (std::size_t u = 0; u < p.size(); ++u)
            early = larger_or_nan(early, map_difference(a.activation_ms[u], b.activation_ms[u]));
        const double late = between(reference->snapshot(), resting->snapshot()).v_mV;
        const auto longs = resting->kernels().at(0).calls;
        qInfo("activation %.1e ms, V after 150 ms %.1e mV; %lld long steps", early, late,
              static_cast<long long>(longs));
        QVERIFY(early < 0.1);
        QVERIFY(late < 1);
        QVERIFY(longs < 7500 / 4);
    }

    /// Without maps nothing else changes, by a bit: fused steps and others, kernels that load cells
    /// ahead (of 40 states), unknowns at rest, Newton's method, several shards, mixed precision;
    /// and a snapshot goes on with maps from there.
    void withoutMapsNothingElseChanges_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<int>("precision");
        QTest::addColumn<QString>("devices");
        for (const auto p : {Precision::double_, Precision::mixed, Precision::single})
            for (const char* kind : {"fused", "apart", "ring", "rest", "Newton"})
                for (const char* devices : {"cuda:0", "cuda:0,0,0"}) {
                    const bool newton = kind == std::string("Newton");
                    if (newton && (p != Precision::double_ || devices != std::string("cuda:0")))
                        continue;
                    if (p == Precision::mixed && kind != std::string("apart"))
                        continue;
                    QTest::addRow("%s, %s, %s", kind, std::string(name(p)).c_str(), devices)
                        << kind << int(p) << QString(devices);
                }
    }
    void withoutMapsNothingElseChanges()
    {
        QFETCH(QString, kind);
        QFETCH(int, precision);
        QFETCH(QString, devices);
        const auto number = static_cast<Precision>(precision);
        ProblemOptions o;
        o.scheme = diffusion::Scheme::p1;
        auto p = problem_of(kind == "ring" ? "ohara_rudy_2011" : "ten_tusscher_2006",
                            kind == "Newton" ? cell::Scheme::backward_euler
                                             : cell::Scheme::rush_larsen_light,
                            0.02, o);
        p.rest_tolerance_mV = kind == "rest" ? 0.1 : 0;
        if (kind == "Newton")
            p.stepping = Stepping::newton;
        Tuning tuning;
        tuning.fused = kind == "fused";
        const auto one = [&](bool maps) {
            return on(p, qPrintable(devices), number, tuning, maps);
        };
        auto kept = one(true), none = one(false);
        QVERIFY(kept->keeps_maps() && !none->keeps_maps() && none->maps().activation_ms.empty());
        for (auto* s : {kept.get(), none.get()}) {
            s->add_stimulus(left_end(p, 0.6));
            s->advance(steps_of(1000));
        }
        const auto a = kept->snapshot(), b = none->snapshot();
        QVERIFY(largest_difference_of_V(p, a.v, b.v) == 0 && a.states == b.states);
        QVERIFY(short_tests() || *std::max_element(a.v.begin(), a.v.end()) > -20);
        QVERIFY(std::all_of(b.activation_ms.begin(), b.activation_ms.end(),
                            [](double ms) { return std::isnan(ms); }));
        auto later = one(true), back = one(false);
        for (auto* s : {later.get(), back.get()})
            s->add_stimulus(left_end(p, 0.6));
        later->restore(b);
        back->restore(a);
        for (auto* s : {later.get(), back.get(), none.get()})
            s->advance(steps_of(500));
        QVERIFY(largest_difference_of_V(p, later->snapshot().v, none->snapshot().v) == 0);
        QVERIFY(largest_difference_of_V(p, back->snapshot().v, none->snapshot().v) == 0);
        QCOMPARE(later->maps().activation_ms.size(), p.size());
    }

    /// Newton's method in slots without a cell, 28 of 64 here, takes no longer than in those with
    /// one; else all iterations are made in each step, 40 times as many as rest needs. Of several
    /// runs the longest counts; each is so long that a moment's delay is little of it.
    void slotsWithoutACellDoNotWait()
    {
        ProblemOptions o;
        o.scheme = diffusion::Scheme::p1;
        o.reaction = cell::Scheme::backward_euler;
        const auto full = slab_problem({1.75, 0.25, 0.25}, 0.25, o),
                   part = slab_problem({2, 0.25, 0.25}, 0.25, o);
        QCOMPARE(full.size(), std::size_t{32});
        QCOMPARE(part.size(), std::size_t{36});
        const auto seconds = [](Stepper& s, std::size_t cells) {
            double longest = 0;
            std::vector<double> v(cells);
            s.advance(steps_of(1000)); // makes what later steps use again
            for (int k = 0; k < 3; ++k) {
                s.potential(v); // waits for what was asked for
                QElapsedTimer timer;
                timer.start();
                s.advance(steps_of(10'000));
                s.potential(v);
                longest = std::max(longest, timer.nsecsElapsed() * 1e-9);
            }
            return longest;
        };
        auto a = on(full, "cuda:0"), b = on(part, "cuda:0"), c = on(part, "cuda:0");
        const double whole = seconds(*a, 32), fresh = seconds(*b, 36);
        c->restore(b->snapshot());
        const double restored = seconds(*c, 36);
        qInfo("10 000 steps: %.1f ms without such slots, %.1f with, %.1f restored", whole * 1e3,
              fresh * 1e3, restored * 1e3);
        QVERIFY(short_tests() || std::max(fresh, restored) < 3 * whole);
    }

    void failureNamesTheModel()
    {
        auto p = problem_of("beeler_reuter_1977", cell::Scheme::forward_euler, 0.5);
        auto g = on(p, "cuda:0");
        g->add_stimulus(left_end(p, 0.6, 500));
        try {
            g->advance(2000);
            QFAIL("stayed finite");
        } catch (const NumericsError& e) {
            QVERIFY2(QString(e.what()).contains("beeler_reuter_1977"), e.what());
        }
    }
};

QTEST_GUILESS_MAIN(TestCudaModels)
#include "test_cuda_models.moc"
