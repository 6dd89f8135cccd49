// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/emit/llvm/compiled_kernel.hpp"
#include "engine/cell/compiler/emit/llvm/llvm_plan.hpp"
#include "engine/cell/compiler/emit/llvm/llvm_step.hpp"
#include "engine/cell/compiler/emit/llvm/llvm_target.hpp"
#include "engine/cell/compiler/graph/algebra.hpp"
#include "engine/cell/compiler/library.hpp"
#include "engine/cell/compiler/schemes/schemes.hpp"
#include "engine/cell/compiler/split.hpp"
#include "engine/core/aligned.hpp"
#include "engine/core/resource.hpp"
#include "tests/cell/oracle/ten_tusscher_2006.hpp"
#include "tests/cell/oracle/tt06_plain.hpp"

#include <QtTest>

#include <chrono>

using namespace tawara;
using namespace tawara::cell;
using namespace tawara::cell::compiler;

namespace {

CellSystem library(const std::string& name)
{
    return resolve(read_model(resource("resources/models/" + name + ".mmt")));
}

const char* const models[] = {"aliev_panfilov_1996",     "fitzhugh_nagumo_1994",
                              "mitchell_schaeffer_2003", "beeler_reuter_1977",
                              "luo_rudy_1991",           "ten_tusscher_2006"};

/// Structure of arrays of n cells.
template <class Real>
struct Cells
{
    Cells(const std::vector<double>& x0, std::size_t n)
    {
        for (const double x : x0)
            arrays.emplace_back(n, static_cast<Real>(x));
        for (std::size_t s = 1; s < arrays.size(); ++s)
            pointers.push_back(arrays[s].data());
    }
    CellArrays<Real> view(std::size_t begin, std::size_t end)
    {
        return {arrays[0].data(), pointers.data(), nullptr, nullptr, begin, end};
    }
    std::vector<AlignedVector<Real>> arrays;
    std::vector<Real*> pointers;
};

/// The plain equations, evaluated without any back end.
std::vector<double> reference_step(const Program& p, const std::vector<double>& row,
                                   const std::vector<double>& x, double dt, double stimulus)
{
    return p.step(x, [&](std::uint32_t id) {
        switch (symbol_kind(id)) {
        case Symbol::table:
            return row[symbol_index(id)];
        case Symbol::dt:
            return dt;
        case Symbol::stimulus:
            return stimulus;
        default:
            return 0.0;
        }
    });
}

} // namespace

class TestKernel : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    /// Optimised machine code against the plain equations, for all models and schemes, over V.
    void same_as_the_equations_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("scheme");
        for (const char* m : models)
            for (const Scheme s : compiled_schemes())
                QTest::newRow((std::string(m) + " " + std::string(name(s))).c_str())
                    << QString(m) << static_cast<int>(s);
    }
    void same_as_the_equations()
    {
        QFETCH(QString, model);
        QFETCH(int, scheme);
        const auto s = static_cast<Scheme>(scheme);
        const Program plain = compile(library(model.toStdString()), s, no_optimisation());
        const CellSystem system = library(model.toStdString());
        const auto p = system.parameter_values();
        auto x = system.initial_values();
        const CellType type{"", p, x};
        const auto kernel = make_compiled_kernel<double>(
            std::make_shared<Program>(compile(library(model.toStdString()), s)),
            std::span(&type, 1));
        constexpr std::size_t n = 160;
        Cells<double> cells(x, n);
        AlignedVector<double> stimulus(n);
        for (std::size_t i = 0; i < n; ++i) {
            cells.arrays[0][i] = -100.037 + static_cast<double>(i);
            stimulus[i] = static_cast<double>(i % 3);
        }
        const auto before = cells.arrays;
        auto view = cells.view(0, n);
        view.stimulus = stimulus.data();
        kernel->step(view, 0, 0.001);
        const auto row = plain.row(p);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < x.size(); ++k)
                x[k] = before[k][i];
            const auto expected = reference_step(plain, row, x, 0.001, stimulus[i]);
            for (std::size_t k = 0; k < x.size(); ++k) {
                const double error = std::abs(cells.arrays[k][i] - expected[k]);
                QVERIFY2(error <= 1e-11 * std::abs(expected[k]) + 1e-16,
                         qPrintable(QString("state %1, V %2: %3 for %4")
                                        .arg(k)
                                        .arg(x[0])
                                        .arg(cells.arrays[k][i], 0, 'g', 17)
                                        .arg(expected[k], 0, 'g', 17)));
            }
        }
    }
    /// ten Tusscher-Panfilov 2006 from its text against the hand-written oracle, rates of all cell
    /// types.
    void tt06_is_the_oracle()
    {
        const CellSystem s = library("ten_tusscher_2006");
        const auto info = tt06::info();
        for (const char* variant : {"epi", "endo", "m"}) {
            const auto& theirs = *std::find_if(info.variants.begin(), info.variants.end(),
                                               [&](const auto& v) { return v.name == variant; });
            CellType type; // in the oracle's order
            for (const auto& q : info.parameters)
                type.parameters.push_back(q.value);
            for (const auto& q : info.states)
                type.initial.push_back(q.initial);
            for (const auto& [key, value] : theirs.parameters)
                for (std::size_t q = 0; q < info.parameters.size(); ++q)
                    if (info.parameters[q].name == key)
                        type.parameters[q] = value;
            auto p = s.parameter_values();
            for (std::size_t k = 0; k < p.size(); ++k)
                for (std::size_t q = 0; q < info.parameters.size(); ++q)
                    if (info.parameters[q].name == s.parameters[k].name)
                        p[k] = type.parameters[q];
            // the text's own variant sets the same values
            auto own = s.parameter_values();
            for (const Variant& v : s.variants)
                for (const auto& [key, value] : v.parameters)
                    for (std::size_t k = 0; v.name == variant && k < own.size(); ++k)
                        if (s.parameters[k].name == key)
                            own[k] = value;
            QCOMPARE(own, p);
            for (double v = -99.37; v < 60; v += 3.1) {
                std::array<double, tt06::state_count> x{};
                for (std::size_t k = 0; k < x.size(); ++k)
                    x[k] = type.initial[k];
                x[0] = v;
                const auto oracle = tt06::plain::rates(x, type.parameters, 5);
                std::vector<double> mine(x.size());
                for (std::size_t k = 0; k < x.size(); ++k)
                    for (std::size_t q = 0; q < x.size(); ++q)
                        if (info.states[q].name == s.states[k].name)
                            mine[k] = x[q];
                for (std::size_t k = 0; k < x.size(); ++k) {
                    const double rate = evaluate(s.graph, s.states[k].rate, [&](std::uint32_t id) {
                        return s.value(id, mine, p, 0, 5);
                    });
                    std::size_t q = 0;
                    while (info.states[q].name != s.states[k].name)
                        ++q;
                    QVERIFY2(std::abs(rate - oracle.d[q]) <= 1e-10 * std::abs(oracle.d[q]) + 1e-18,
                             qPrintable(QString("%1 at %2: %3, oracle %4")
                                            .arg(s.states[k].name.c_str())
                                            .arg(v)
                                            .arg(rate, 0, 'g', 17)
                                            .arg(oracle.d[q], 0, 'g', 17)));
                }
            }
        }
    }

    void results_do_not_depend_on_cuts_or_neighbours()
    {
        const CellSystem s = library("ten_tusscher_2006");
        auto p = s.parameter_values();
        std::vector<CellType> types(3, CellType{"", p, s.initial_values()});
        for (std::size_t t = 0; t < 3; ++t)
            types[t].parameters[3] *= 1 + 0.1 * static_cast<double>(t);
        const auto kernel = make_compiled_kernel<double>(
            std::make_shared<Program>(compile(library("ten_tusscher_2006"), Scheme::rush_larsen)),
            types);
        constexpr std::size_t n = 96;
        std::vector<TypeIndex> type(n);
        for (std::size_t i = 20; i < n; ++i)
            type[i] = static_cast<TypeIndex>(i < 50 ? i % 3 : 2);
        Cells<double> whole(s.initial_values(), n), cut = whole, single = whole;
        for (std::size_t k = 1; k < s.states.size(); ++k) {
            cut.pointers[k - 1] = cut.arrays[k].data();
            single.pointers[k - 1] = single.arrays[k].data();
        }
        for (int step = 0; step < 5; ++step) {
            auto a = whole.view(0, n);
            a.type = type.data();
            kernel->step(a, 0, 0.02);
            for (std::size_t b = 0; b < n; b += 16) {
                auto c = cut.view(b, b + 16);
                c.type = type.data();
                kernel->step(c, 0, 0.02);
            }
        }
        QVERIFY(whole.arrays == cut.arrays);
        for (std::size_t t = 0; t < 3; ++t) {
            Cells<double> one(s.initial_values(), 16);
            std::vector<TypeIndex> same(16, static_cast<TypeIndex>(t));
            for (int step = 0; step < 5; ++step) {
                auto v = one.view(0, 16);
                v.type = same.data();
                kernel->step(v, 0, 0.02);
            }
            for (std::size_t i = 0; i < n; ++i)
                if (type[i] == t)
                    QCOMPARE(whole.arrays[0][i], one.arrays[0][0]);
        }
    }
    void single_precision_follows_double()
    {
        const CellSystem s = library("beeler_reuter_1977");
        const CellType type{"", s.parameter_values(), s.initial_values()};
        const auto program =
            std::make_shared<Program>(compile(library("beeler_reuter_1977"), Scheme::rush_larsen));
        const auto d = make_compiled_kernel<double>(program, std::span(&type, 1));
        const auto f = make_compiled_kernel<float>(program, std::span(&type, 1));
        Cells<double> cd(type.initial, 16);
        Cells<float> cf(type.initial, 16);
        AlignedVector<double> sd(16, 40);
        AlignedVector<float> sf(16, 40);
        double square = 0, difference = 0;
        for (int step = 0; step < 20000; ++step) {
            auto vd = cd.view(0, 16);
            auto vf = cf.view(0, 16);
            vd.stimulus = step < 50 ? sd.data() : nullptr;
            vf.stimulus = step < 50 ? sf.data() : nullptr;
            d->step(vd, 0, 0.02);
            f->step(vf, 0, 0.02);
            square += cd.arrays[0][0] * cd.arrays[0][0];
            difference += std::pow(cd.arrays[0][0] - static_cast<double>(cf.arrays[0][0]), 2);
        }
        qInfo("single against double, RRMS over 400 ms: %.3g %%",
              100 * std::sqrt(difference / square));
        QVERIFY(std::sqrt(difference / square) < 2e-3);
    }
    void removable_singularities_are_smooth_in_single_precision()
    {
        const CellSystem s = library("beeler_reuter_1977"); // at -23 and -47 mV
        const CellType type{"", s.parameter_values(), s.initial_values()};
        const auto f =
            make_compiled_kernel<float>(std::make_shared<Program>(compile(
                                            library("beeler_reuter_1977"), Scheme::forward_euler)),
                                        std::span(&type, 1));
        for (const float centre : {-23.0f, -47.0f}) {
            Cells<float> c(type.initial, 4096);
            for (std::size_t i = 0; i < 4096; ++i)
                c.arrays[0][i] = centre + 1e-4f * (static_cast<float>(i) - 2048);
            const auto v = c.arrays[0];
            f->step(c.view(0, 4096), 0, 1);
            for (std::size_t i = 1; i < 4096; ++i)
                for (std::size_t k = 0; k < 2; ++k) {
                    const double a = static_cast<double>(c.arrays[k][i - 1]),
                                 b = static_cast<double>(c.arrays[k][i]);
                    QVERIFY2(
                        std::abs(a - b) <= 1e-4 * (std::abs(a) + std::abs(b)),
                        qPrintable(
                            QString("V %1: %2, %3").arg(static_cast<double>(v[i])).arg(a).arg(b)));
                }
        }
    }
    void optimiser_saves_and_machine_code_is_quick()
    {
        const Program plain =
            compile(library("ten_tusscher_2006"), Scheme::rush_larsen_light, no_optimisation());
        const auto p = std::make_shared<Program>(
            compile(library("ten_tusscher_2006"), Scheme::rush_larsen_light));
        for (const auto& r : p->report)
            qInfo("%-32s %3d changes, %zu operations", r.pass.c_str(), r.changes, r.nodes);
        qInfo("operations: %d before, %d after (estimated fp64 instructions)",
              count_operations(plain).instructions(), count_operations(*p).instructions());
        QVERIFY(count_operations(*p).instructions() <
                0.65 * count_operations(plain).instructions());
        const JitStep<double> jit(*p);
        qInfo("%s, compiled in %.0f ms", jit.target().c_str(), jit.compile_ms());
        QVERIFY(jit.compile_ms() < 5000);
        const CellSystem s = library("ten_tusscher_2006");
        const CellType type{"", s.parameter_values(), s.initial_values()};
        const auto kernel = make_compiled_kernel<double>(p, std::span(&type, 1));
        Cells<double> cells(type.initial, 4096);
        const auto start = std::chrono::steady_clock::now();
        for (int k = 0; k < 100; ++k)
            kernel->step(cells.view(0, 4096), 0, 0.02);
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        qInfo("TT06 LRL, double: %.1f million cell-steps a second on one core",
              409600 / seconds * 1e-6);
    }

    /// A program in 2, 3 or 5 parts steps as the whole one does, for odd numbers of cells too.
    void parts_step_like_the_whole_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("scheme");
        QTest::addColumn<int>("parts");
        for (const QString model : {"ten_tusscher_2006", "ohara_rudy_2011", "grandi_bers_2010"})
            for (const int parts : {2, 3, 5})
                QTest::addRow("%s %d", qPrintable(model), parts)
                    << model << int(Scheme::rush_larsen_light) << parts;
        // start, iterations, verdict
        for (const QString model : {"luo_rudy_1991", "ten_tusscher_2006", "grandi_bers_2010"})
            QTest::addRow("%s backward_euler", qPrintable(model))
                << model << int(Scheme::backward_euler) << 3;
    }
    void parts_step_like_the_whole()
    {
        QFETCH(QString, model);
        QFETCH(int, scheme);
        QFETCH(int, parts);
        const auto type = make_cell_type(model.toStdString(), "", {}, {});
        const auto program =
            shared_program(system_of(type), Scheme(scheme), processor_target(false));
        const auto split = split_program(*program, static_cast<std::size_t>(parts));
        QCOMPARE(split.parts.size(), static_cast<std::size_t>(parts));
        if (Scheme(scheme) == Scheme::backward_euler)
            QVERIFY(split.until.at(1).has_value()); // else each cell made all iterations
        const auto whole = make_compiled_kernel<double>(program, std::span(&type, 1));
        const auto cut = make_split_kernel<double>(program, static_cast<std::size_t>(parts),
                                                   std::span(&type, 1));
        constexpr std::size_t n = 331, room = 336;
        const auto run = [&](const CpuKernel<double>& k) {
            std::vector<AlignedVector<double>> y;
            std::vector<double*> pointers;
            for (const double x : type.initial)
                y.emplace_back(room, x);
            for (std::size_t i = 0; i < room; ++i)
                y[0][i] = -85 + 119.9 * static_cast<double>(i) / room;
            for (std::size_t s = 1; s < y.size(); ++s)
                pointers.push_back(y[s].data());
            const CellArrays<double> c{y[0].data(), pointers.data(), nullptr, nullptr, 0, n};
            for (int step = 0; step < 50; ++step)
                k.step(c, 0, 0.005);
            return y;
        };
        const auto a = run(*whole), b = run(*cut);
        for (std::size_t s = 0; s < a.size(); ++s)
            for (std::size_t i = 0; i < n; ++i)
                QVERIFY2(std::abs(a[s][i] - b[s][i]) <= 1e-9 * (1e-6 + std::abs(a[s][i])),
                         qPrintable(QString("state %1, cell %2: %3 and %4")
                                        .arg(s)
                                        .arg(i)
                                        .arg(a[s][i])
                                        .arg(b[s][i])));
        qInfo("%s in %d parts: %zu values passed on", qPrintable(model), parts, split.passed);
    }
};

QTEST_GUILESS_MAIN(TestKernel)
#include "test_kernel.moc"
