// SPDX-License-Identifier: GPL-3.0-or-later
// The preset of ischaemia: what it does to cells and waves, and what is said of models that lack
// some of it.
#include "engine/cell/normal.hpp"
#include "engine/cell/single_cell.hpp"
#include "engine/core/error.hpp"
#include "engine/mesh/check.hpp"
#include "engine/simulation/tissue/regions.hpp"
#include "engine/simulation/tissue/velocity_estimate.hpp"
#include "tests/several.hpp"
#include "tests/simulation/laid_presets.hpp"

#include <QtTest>

#include <algorithm>

using namespace tawara;
using namespace tawara::simulation;
using namespace tawara::simulation::test;

namespace {

/// The region that an epicardial model makes, and the one that the preset of ischaemia makes of it.
std::pair<Region, Region> both(const std::string& model, const std::string& variant)
{
    auto s = with_preset(model, "ischaemia");
    s.regions[0].variant = variant;
    const auto map = lay_regions(s, mesh::slab({4, 2, 2}, 1));
    return {map.regions[map.origin[0] == 0 ? 0 : 1], map.regions[map.origin[0] == 0 ? 1 : 0]};
}

/// Some beats of one cell, once a second.
cell::SingleCellResult paced(const Region& r, int beats = 4)
{
    cell::SingleCellOptions o;
    o.type = cell::make_cell_type(r.model, r.variant, r.parameters, r.initial);
    const bool grandi = r.model == "grandi_bers_2010";
    o.scheme = grandi ? cell::Scheme::rush_larsen : cell::Scheme::grl1;
    o.dt_ms = grandi ? 0.005 : 0.01;
    o.end_ms = 1000 * beats;
    o.sample_every_ms = 0;
    return cell::run_single_cell(o);
}

} // namespace

class TestIschaemia : public QObject
{
    Q_OBJECT

  private Q_SLOTS:
    /// Shaw & Rudy 1997: acidosis and hypoxia beside the potassium outside.
    void ischaemiaIsThePublishedOne()
    {
        const auto& r = preset("ischaemia").region;
        using Numbers = std::vector<std::pair<std::string, double>>;
        QCOMPARE(r.scale, (Numbers{{"K_o", 9 / 5.4}, {"g_Na", 0.75}, {"g_CaL", 0.75}}));
        QCOMPARE(r.parameters.size(), std::size_t{2});
        QCOMPARE(r.parameters[0].first, std::string("g_KATP"));
        QVERIFY(r.parameters[0].second > 0 &&
                r.parameters[0].second < 0.01 * 3.9); // of all channels
        QCOMPARE(r.parameters[1], (std::pair<std::string, double>{"shift_Na", 3.4}));
        for (const char* name : {"g_KATP", "shift_Na"})
            QVERIFY(!canonical_parameter(name)->unit.empty());
    }

    /// One cell: higher rest, shorter action potential, slower upstroke. Epicardium: half the
    /// duration (Furukawa et al. 1991).
    void ischaemiaShortensTheActionPotential_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("variant");
        QTest::addColumn<double>("least");
        QTest::addColumn<double>("most");
        QTest::newRow("TT06, epi") << "ten_tusscher_2006"
                                   << "epi" << 0.4 << 0.6;
        QTest::newRow("ORd, epi") << "ohara_rudy_2011"
                                  << "epi" << 0.5 << 0.6;
        QTest::newRow("ORd tissue, epi") << "ohara_rudy_2011_tissue"
                                         << "epi" << 0.5 << 0.6;
        QTest::newRow("Grandi, epi") << "grandi_bers_2010"
                                     << "epi" << 0.37 << 0.47;
    }

    void ischaemiaShortensTheActionPotential()
    {
        QFETCH(QString, model);
        QFETCH(QString, variant);
        QFETCH(double, least);
        QFETCH(double, most);
        const auto [normal, ill] = both(model.toStdString(), variant.toStdString());
        const auto a = paced(normal).beats.back(), b = paced(ill).beats.back();
        const auto text =
            QString("APD90 %1, %2 ms; rest %3, %4 mV; dV/dt %5, %6 V/s; peak %7, %8 mV")
                .arg(a.apd90_ms)
                .arg(b.apd90_ms)
                .arg(a.rest_mV)
                .arg(b.rest_mV)
                .arg(a.upstroke_mV_per_ms)
                .arg(b.upstroke_mV_per_ms)
                .arg(a.peak_mV)
                .arg(b.peak_mV);
        qInfo() << model << text;
        QVERIFY2(b.apd90_ms > least * a.apd90_ms && b.apd90_ms < most * a.apd90_ms,
                 qPrintable(text));
        QVERIFY2(b.rest_mV > a.rest_mV + 9 && b.rest_mV < a.rest_mV + 16,
                 qPrintable(text)); // 13.6 of E_K
        QVERIFY2(b.upstroke_mV_per_ms < 0.8 * a.upstroke_mV_per_ms, qPrintable(text));
        QVERIFY2(b.peak_mV > 0, qPrintable(text)); // it fires

        // without I_K(ATP) the rest is as high, and the action potential hardly shorter
        auto open = ill;
        std::erase_if(open.parameters, [](const auto& p) { return p.first == "g_KATP"; });
        const auto c = paced(open).beats.back();
        QVERIFY2(c.apd90_ms > 0.7 * a.apd90_ms, qPrintable(QString::number(c.apd90_ms)));
    }

    /// A plane wave of cells that were paced before.
    void ischaemiaSlowsConduction_data()
    {
        QTest::addColumn<QString>("model");
        for (const char* model : {"ten_tusscher_2006", "ohara_rudy_2011_tissue"})
            QTest::newRow(model) << QString(model);
    }

    void ischaemiaSlowsConduction()
    {
        QFETCH(QString, model);
        auto s = with_preset(model.toStdString(), "ischaemia");
        s.reaction = cell::Scheme::grl1;
        s.dt_ms = 0.01;
        double velocity[2];
        auto regions = both(model.toStdString(), "epi");
        auto* v = velocity;
        for (Region* r : {&regions.first, &regions.second}) {
            const auto& states = cell::model_info(r->model).states;
            const auto last = paced(*r, 3).final_state;
            for (std::size_t k = 0; k < states.size(); ++k)
                r->initial.emplace_back(states[k].name, last[k]);
            *v++ = velocity_on_fine(s, *r, 0);
        }
        auto unpaced = both(model.toStdString(), "epi").second;
        unpaced.conductivity_S_per_m.sheet = unpaced.conductivity_S_per_m.normal =
            unpaced.conductivity_S_per_m.fibre; // one estimate for all
        const double panel = estimate_velocity(s, unpaced, 0.5).fine[0];
        const auto text =
            QString("%1, %2 m/s, panel %3").arg(velocity[0]).arg(velocity[1]).arg(panel);
        qInfo() << model << text;
        QVERIFY2(std::abs(panel / velocity[1] - 1) < 0.1, qPrintable(text));
        QVERIFY2(velocity[1] > 0.3 * velocity[0] && velocity[1] < 0.85 * velocity[0],
                 qPrintable(text));
    }

    /// A model without I_K(ATP) is laid on all the same, and what it lacks is said aloud.
    void whatAModelLacksOfIschaemiaIsSaid()
    {
        for (const char* model : {"luo_rudy_1991", "stewart_2009", "shannon_bers_2004"}) {
            const auto text =
                said(build_tissue(with_preset(model, "ischaemia")), "tissue.regions.1");
            QVERIFY2(text.startsWith("warning: tissue.regions.1.parameters (ischaemia): model ") &&
                         text.contains("has no g_KATP, shift_Na; they change nothing there") &&
                         text.contains("without I_K(ATP)"),
                     qPrintable(text));
        }
        const auto none =
            said(build_tissue(with_preset("aliev_panfilov_1996", "ischaemia")), "tissue.regions.1");
        QVERIFY2(none.startsWith("warning: tissue.regions.1 (ischaemia): ") &&
                     none.contains("has no K_o, g_Na, g_CaL, g_KATP, shift_Na;") &&
                     none.contains("its cells are as those beneath"),
                 qPrintable(none));
        for (const char* model : {"ten_tusscher_2006", "ohara_rudy_2011", "ohara_rudy_2011_tissue",
                                  "grandi_bers_2010"}) {
            const auto text =
                said(build_tissue(with_preset(model, "ischaemia")), "tissue.regions.1");
            QVERIFY2(text.startsWith("note: tissue.regions.1 (ischaemia): its cells begin at "),
                     qPrintable(text));
        }
        auto paced_before = with_preset("ten_tusscher_2006", "ischaemia");
        paced_before.prepacing = {1, 1000};
        QCOMPARE(said(build_tissue(paced_before), "tissue.regions.1"), QString());
    }

    /// Cells beside an ischaemic patch are computed as without it.
    void anIschaemicPatchHasItsOwnEquations()
    {
        auto s = with_preset("ten_tusscher_2006", "ischaemia");
        auto t = build_tissue(s);
        const auto& groups = t.problem.groups;
        QCOMPARE(groups.size(), std::size_t{2});
        QVERIFY(cell::is_normal(groups[0].types.front()) !=
                cell::is_normal(groups[1].types.front()));
        // a change of values that keeps both groups is taken while running
        s.regions[1].parameters[1].second = 2;
        QVERIFY(update_types(s, t));
        // one that makes ill cells of normal ones is not: their equations are others
        s.regions[0].parameters = {{"shift_Na", 2}};
        QVERIFY(!update_types(s, t));
        const auto normal = cell::is_normal(groups[0].types.front()) ? groups[0] : groups[1];
        const auto ill = cell::is_normal(groups[0].types.front()) ? groups[1] : groups[0];
        QVERIFY_THROWS_EXCEPTION(InputError, device::check_types(normal, ill.types));
        device::check_types(ill, normal.types);
    }
};
static const tawara::test::Further<TestIschaemia> further;
#include "test_ischaemia.moc"
