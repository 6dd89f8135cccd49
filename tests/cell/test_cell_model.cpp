// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/action_potential.hpp"
#include "engine/cell/cpu_kernel.hpp"
#include "engine/cell/model.hpp"
#include "engine/cell/numerics_error.hpp"
#include "engine/cell/single_cell.hpp"
#include "engine/core/error.hpp"

#include <QtTest>
#include <cmath>
#include <set>

using namespace tawara;
using namespace tawara::cell;

namespace {

constexpr auto model_name = "ten_tusscher_2006";

/// The reason of the InputError that `call` throws; empty when it throws none.
template <class Call>
std::string reason(Call&& call)
{
    try {
        call();
    } catch (const InputError& e) {
        return e.reason;
    }
    return {};
}

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

double parameter(const CellType& type, const std::string& name)
{
    const auto& known = model_info(type.model).parameters;
    for (std::size_t k = 0; k < known.size(); ++k)
        if (known[k].name == name)
            return type.parameters[k];
    return std::nan("");
}

} // namespace

class TestCellModel : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void statesAreThoseOfTheContract()
    {
        const std::vector<std::string> expected{"V",    "Xr1",  "Xr2",     "Xs",    "m", "h", "j",
                                                "d",    "f",    "f2",      "fCass", "s", "r", "Cai",
                                                "CaSR", "CaSS", "R_prime", "Nai",   "Ki"};
        const ModelInfo& info = model_info(model_name);
        QCOMPARE(info.states.size(), expected.size());
        int gates = 0;
        for (std::size_t s = 0; s < expected.size(); ++s) {
            QCOMPARE(info.states[s].name, expected[s]);
            gates += info.states[s].gate;
        }
        QCOMPARE(gates, 13); // those of the paper and R_prime, which is linear in itself as well
        QCOMPARE(info.states[0].initial, -85.23);
        QCOMPARE(info.states.back().initial, 136.89);
        QVERIFY(info.flops_per_step > 0);
    }

    void parametersAreNamedOnceWithUnitAndMeaning()
    {
        const ModelInfo& info = model_info(model_name);
        std::set<std::string> names;
        for (const auto& p : info.parameters) {
            names.insert(p.name);
            QVERIFY2(!p.unit.empty() && !p.description.empty(), p.name.c_str());
            QVERIFY(contains(p.full_name, "." + p.name));
        }
        QCOMPARE(names.size(), info.parameters.size());
        for (const char* known : {"g_Na", "g_CaL", "g_Ks", "K_o", "Na_o", "Vmax_up", "tau_s_base"})
            QVERIFY2(names.count(known), known);
    }

    void variantsThenOverrides()
    {
        const std::vector<std::pair<std::string, double>> set{{"g_Ks", 0.2}, {"K_o", 6.0}};
        const std::vector<std::pair<std::string, double>> initial{{"V", -80.0}};
        const CellType epi = make_cell_type(model_name, "epi", {}, {});
        const CellType endo = make_cell_type(model_name, "endo", set, initial);
        const CellType m = make_cell_type(model_name, "m", {}, {});
        QCOMPARE(parameter(epi, "g_to"), 0.294);
        QCOMPARE(parameter(endo, "g_to"), 0.073);
        QCOMPARE(parameter(endo, "g_Ks"), 0.2);
        QCOMPARE(parameter(endo, "K_o"), 6.0);
        QCOMPARE(parameter(m, "g_Ks"), 0.098);
        const std::vector<std::pair<std::string, double>> full{{"iks.g_Ks", 0.3}};
        QCOMPARE(parameter(make_cell_type(model_name, "m", full, {}), "g_Ks"), 0.3);
        QCOMPARE(endo.initial[0], -80.0);
        QCOMPARE(epi.initial[0], -85.23);
    }

    void wrongNamesNameTheNearest()
    {
        const std::vector<std::pair<std::string, double>> g{{"g_Kss", 0.2}}, s{{"Caii", 1.0}},
            nan{{"g_Ks", std::nan("")}};
        QVERIFY(contains(reason([&] { make_cell_type("ten_tuscher_2006", "", {}, {}); }),
                         "ten_tusscher_2006"));
        QVERIFY(contains(reason([&] { make_cell_type(model_name, "edno", {}, {}); }), "'endo'"));
        QVERIFY(contains(reason([&] { make_cell_type(model_name, "epi", g, {}); }), "'g_Ks'"));
        QVERIFY(contains(reason([&] { make_cell_type(model_name, "epi", {}, s); }), "'Cai'"));
        QVERIFY(contains(reason([&] { make_cell_type(model_name, "epi", nan, {}); }), "finite"));
        QVERIFY(contains(reason([] { scheme_by_name("rush_larson"); }), "'rush_larsen'"));
        QCOMPARE(scheme_by_name("grl1"), Scheme::grl1);
        for (const Scheme x : model_info(model_name).schemes)
            QCOMPARE(scheme_by_name(name(x)), x);
    }

    void kernelsThatCannotBeMadeAreRefused()
    {
        const CellType t = make_cell_type(model_name, "epi", {}, {});
        QVERIFY(contains(reason([&] { make_cpu_kernel<double>(std::span(&t, 1), Scheme::cvode); }),
                         "rush_larsen_light"));
        QVERIFY(!reason([] { make_cpu_kernel<double>({}, Scheme::grl1); }).empty());
    }

    void singleCellRefusesNonsense()
    {
        SingleCellOptions o;
        o.type = make_cell_type(model_name, "epi", {}, {});
        o.dt_ms = 0;
        QVERIFY(contains(reason([&] { run_single_cell(o); }), "positive"));
        o.dt_ms = std::nan("");
        QVERIFY(contains(reason([&] { run_single_cell(o); }), "positive"));
        o.dt_ms = 0.02;
        o.end_ms = -1;
        QVERIFY(contains(reason([&] { run_single_cell(o); }), "positive"));
        o.end_ms = 10;
        o.progress = [](double) { return false; };
        QVERIFY_THROWS_EXCEPTION(Cancelled, run_single_cell(o));
    }

    void unstableRunsAreReported()
    {
        SingleCellOptions o;
        o.type = make_cell_type(model_name, "endo", {}, {});
        o.scheme = Scheme::forward_euler;
        o.dt_ms = 0.05;
        QVERIFY_THROWS_EXCEPTION(NumericsError, run_single_cell(o));
    }

    void actionPotentialOfAKnownShape()
    {
        // rest -80, upstroke to 20 within 1 ms at t = 5 (steepest in the middle), straight down
        // over 200 ms
        std::vector<double> t, v;
        for (int i = 0; i <= 3000; ++i) {
            const double x = 0.1 * i;
            t.push_back(x);
            v.push_back(x < 5   ? -80
                        : x < 6 ? -80 + 50 * (1 - std::cos(M_PI * (x - 5)))
                                : std::max(-80.0, 20 - (x - 6) * 0.5));
        }
        const std::vector<double> starts{0.0};
        const auto a = measure_action_potentials(t, v, starts);
        QCOMPARE(a.size(), std::size_t(1));
        QVERIFY(std::abs(a[0].activation_ms - 5.5) < 0.11);
        QVERIFY(std::abs(a[0].upstroke_mV_per_ms - 50 * M_PI) < 4);
        QCOMPARE(a[0].rest_mV, -80.0);
        QCOMPARE(a[0].peak_mV, 20.0);
        const double offset = 6 - a[0].activation_ms;
        QVERIFY(std::abs(a[0].apd30_ms - offset - 60) < 1e-9);
        QVERIFY(std::abs(a[0].apd50_ms - offset - 100) < 1e-9);
        QVERIFY(std::abs(a[0].apd90_ms - offset - 180) < 1e-9);
    }

    void beatsThatDoNotComeBackHaveNoDuration()
    {
        const std::vector<double> t{0, 1, 2, 3}, v{-80, -80, 20, 10}, starts{0.0};
        const auto a = measure_action_potentials(t, v, starts);
        QCOMPARE(a.size(), std::size_t(1));
        QVERIFY(std::isnan(a[0].apd90_ms));
        const std::vector<double> quiet{-80, -80, -79, -80};
        QVERIFY(measure_action_potentials(t, quiet, starts).empty());
    }
};

QTEST_APPLESS_MAIN(TestCellModel)
#include "test_cell_model.moc"
