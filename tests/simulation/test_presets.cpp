// SPDX-License-Identifier: GPL-3.0-or-later
// Factors where they lie: what a preset does to each model, and what is said where it does nothing.
#include "engine/cell/normal.hpp"
#include "engine/cell/single_cell.hpp"
#include "engine/core/error.hpp"
#include "engine/mesh/check.hpp"
#include "engine/simulation/tissue/regions.hpp"
#include "tests/several.hpp"
#include "tests/simulation/laid_presets.hpp"

#include <QtTest>

#include <algorithm>

using namespace tawara;
using namespace tawara::simulation;
using namespace tawara::simulation::test;

namespace {

/// The region that a preset makes of a model.
Region laid(const std::string& model, const std::string& kind)
{
    const auto s = with_preset(model, kind);
    const auto map = lay_regions(s, mesh::slab({4, 2, 2}, 1));
    for (std::size_t k = 0; k < map.regions.size(); ++k)
        if (map.origin[k] == 1)
            return map.regions[k];
    throw std::runtime_error("nothing was laid");
}

/// Whether a cell answers a pulse by itself. The pulse alone, 52 mV, lifts none above -15 mV.
bool fires(const Region& r)
{
    cell::SingleCellOptions o;
    o.type = cell::make_cell_type(r.model, r.variant, r.parameters, r.initial);
    o.scheme = cell::Scheme::cvode;
    o.end_ms = 60;
    o.sample_every_ms = 0.5;
    o.beats = 1;
    const auto v = cell::run_single_cell(o).states[0];
    return *std::max_element(v.begin(), v.end()) > 0;
}

} // namespace

class TestPresets : public QObject
{
    Q_OBJECT

  private Q_SLOTS:
    /// A name that fits several models means all of the current, and nothing but that current.
    void aFactorReachesAllOfACurrent_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("name");
        QTest::addColumn<QStringList>("own");
        const auto row = [](const char* model, const char* name, const QStringList& own) {
            QTest::addRow("%s %s", model, name) << QString(model) << QString(name) << own;
        };
        row("grandi_bers_2010", "g_CaL", {"P_Ca", "P_Na", "P_K"});
        row("shannon_bers_2004", "g_CaL", {"P_Ca", "P_Na", "P_K"});
        row("grandi_bers_2010", "g_to", {"g_tof", "g_tos"});
        row("shannon_bers_2004", "g_to", {"g_tof", "g_tos"});
        row("greenstein_2006", "g_to", {"g_Kv43", "P_Kv14"});
        row("greenstein_2006", "g_CaL", {"P_Ca"});
        row("ohara_rudy_2011", "g_CaL", {"P_Ca"}); // the other ions' are multiples of it
        row("ten_tusscher_2006", "g_CaL", {"g_CaL"});
        row("luo_rudy_1991", "g_Kr", {}); // it has one delayed rectifier
        row("luo_rudy_1991", "g_K", {"g_K"});
        row("beeler_reuter_1977", "g_Kr", {});
        row("beeler_reuter_1977", "g_K", {"g_x1"});
    }

    void aFactorReachesAllOfACurrent()
    {
        QFETCH(QString, model);
        QFETCH(QString, name);
        QFETCH(QStringList, own);
        Region r;
        r.model = model.toStdString();
        r.variant.clear();
        const auto usual = cell::make_cell_type(r.model, "", {}, {});
        const std::vector<Drug> half{{"half", {{name.toStdString(), 0.5}}}};
        QStringList scaled;
        for (const auto& [n, value] : scaled_parameters(r, half)) {
            scaled << QString::fromStdString(n);
            const auto& info = cell::model_info(r.model);
            for (std::size_t k = 0; k < info.parameters.size(); ++k)
                if (info.parameters[k].name == n)
                    QCOMPARE(value, 0.5 * usual.parameters[k]);
        }
        QCOMPARE(scaled, own);
    }

    /// One value does not fit several parameters.
    void aValueForSeveralParametersIsRefused()
    {
        auto s = with_preset("grandi_bers_2010", "fibrosis");
        s.regions[1].parameters = {{"g_CaL", 1e-4}};
        try {
            lay_regions(s, mesh::slab({4, 2, 2}, 1));
            QFAIL("it was taken");
        } catch (const InputError& e) {
            QCOMPARE(QString::fromStdString(e.where),
                     QString("/tissue/regions/1/parameters/g_CaL"));
            QVERIFY2(e.reason.find("P_Ca, P_Na, P_K") != std::string::npos, e.reason.c_str());
        }
    }

    /// What a preset does not do to a simple model is said, as it is laid on it.
    void presetsThatDoNothingAreSaid()
    {
        for (const char* model :
             {"mitchell_schaeffer_2003", "aliev_panfilov_1996", "fitzhugh_nagumo_1994"}) {
            const auto zone = said(build_tissue(with_preset(model, "border_zone")), "scale");
            QVERIFY2(zone.startsWith("warning: tissue.regions.1.scale (border zone): model ") &&
                         zone.contains(QString(model) + " has no g_Na, g_CaL, g_Kr, g_Ks;") &&
                         zone.contains("its cells are as those beneath"),
                     qPrintable(zone));
            const auto t = build_tissue(with_preset(model, "scar_core"));
            QVERIFY(said(t, "scale").startsWith("warning: tissue.regions.1.scale (scar core)"));
            QVERIFY2(said(t, "cells can fire").contains("tissue.regions.1 (scar core)"),
                     qPrintable(said(t, "")));
        }
        // a part that a model lacks is a remark, and of a model with all nothing is said
        const auto one = said(build_tissue(with_preset("luo_rudy_1991", "border_zone")), "scale");
        QVERIFY2(one.startsWith("note: ") && one.contains("has no g_Kr, g_Ks;") &&
                     one.contains("its only delayed rectifier is g_K (g_K)"),
                 qPrintable(one));
        const auto t = build_tissue(with_preset("ten_tusscher_2006", "border_zone"));
        QCOMPARE(said(t, "scale"), QString());
        QCOMPARE(said(build_tissue(with_preset("ten_tusscher_2006", "scar_core")), "can fire"),
                 QString());
    }

    void aDrugOnAnotherRectifierIsSaid()
    {
        auto s = with_preset("luo_rudy_1991", "fibrosis");
        s.drugs = {{"blocker", {{"g_Kr", 0.5}}}};
        const auto text = said(build_tissue(s), "blocker");
        QVERIFY2(text.startsWith("warning: ") && text.contains("it changes nothing") &&
                     text.contains("its only delayed rectifier is g_K (g_K)"),
                 qPrintable(text));
    }

    /// What is called inexcitable does not fire, and what is not does: each library model as it
    /// is, as a border zone and as a scar's core.
    void inexcitableCellsDoNotFire_data()
    {
        QTest::addColumn<QString>("model");
        for (const auto& m : cell::model_names())
            QTest::newRow(m.c_str()) << QString::fromStdString(m);
    }

    void inexcitableCellsDoNotFire()
    {
        QFETCH(QString, model);
        const auto healthy = laid(model.toStdString(), "fibrosis"), // cells as they were
            core = laid(model.toStdString(), "scar_core");
        QVERIFY2(!inexcitable(healthy) && fires(healthy), "healthy");
        QCOMPARE(inexcitable(core), !fires(core));
        const bool simple = parameter_name(model.toStdString(), "g_Na").empty();
        QCOMPARE(inexcitable(core), !simple);
    }

    /// A sodium current alone that is gone does not make a cell inexcitable: TT06 fires by calcium.
    void calciumAloneFires()
    {
        Region r;
        r.parameters = {{"g_Na", 0}};
        QVERIFY(!inexcitable(r) && fires(r));
    }

    void conductivitiesAreScaledByDirection()
    {
        auto s = with_preset("ten_tusscher_2006", "border_zone");
        s.regions[0].conductivity_S_per_m = {0.13, 0.04, 0.02};
        s.source_conductivity_S_per_m = {0.17, 0.06, 0.05};
        const auto map = lay_regions(s, mesh::slab({4, 2, 2}, 1));
        const auto close = [](const diffusion::Conductivity& a, const diffusion::Conductivity& b) {
            return std::abs(a.fibre - b.fibre) < 1e-12 && std::abs(a.sheet - b.sheet) < 1e-12 &&
                   std::abs(a.normal - b.normal) < 1e-12;
        };
        QCOMPARE(map.regions.size(), std::size_t{2});
        QVERIFY(close(map.regions[1].conductivity_S_per_m, {0.13, 0.004, 0.002}));
        QVERIFY(close(map.source[1], {0.17, 0.006, 0.005}));
        // as files have it: a number, all three or some of them
        const auto read = [&](const std::string& scale) {
            const auto text = R"({"schema": 1, "mesh": {"slab_mm": [4, 2, 2], "spacing_mm": 1},
                "tissue": {"regions": [{"label": "*", "model": "ten_tusscher_2006",
                "conductivity_S_per_m": {"fibre": 0.1, "sheet": 0.1, "normal": 0.1}},
                {"label": "*", "conductivity_scale": )" +
                              scale + R"(}]}, "time": {"dt_ms": 0.02, "end_ms": 1}})";
            return parse_session(text, "s.json");
        };
        QVERIFY(read("0.5").regions[1].conductivity_scale == ConductivityScale(0.5));
        const auto two = read(R"({"sheet": 0.1, "normal": 0.2})");
        QVERIFY(two.regions[1].conductivity_scale == ConductivityScale(1, 0.1, 0.2));
        QVERIFY(parse_session(to_json(two), "s.json").regions[1] == two.regions[1]);
        for (const char* bad : {R"({"fiber": 0.1})", R"({"fibre": 0})", R"("half")", "[1, 1, 1]"})
            QVERIFY_THROWS_EXCEPTION(InputError, read(bad));
    }

    void directionsWantFibres()
    {
        auto s = with_preset("ten_tusscher_2006", "border_zone");
        s.regions[0].conductivity_S_per_m = {0.1, 0.1, 0.1};
        Tissue t;
        auto m = std::make_shared<mesh::TetMesh>(mesh::slab({4, 2, 2}, 1));
        m->fibre = m->sheet = m->normal = {};
        t.mesh = m;
        try {
            make_problem(s, t);
            QFAIL("it was taken");
        } catch (const InputError& e) {
            QCOMPARE(QString::fromStdString(e.where),
                     QString("/tissue/regions/1/conductivity_scale"));
            QVERIFY2(e.reason.find("no fibres") != std::string::npos, e.reason.c_str());
        }
    }

    /// A preset fits a mesh without fibres, too.
    void presetsFitMeshesWithoutFibres()
    {
        const auto& zone = preset("border_zone").region;
        QVERIFY(fitted(zone, true) == zone);
        QVERIFY(fitted(zone, false).conductivity_scale == ConductivityScale(0.22));
        QVERIFY(fitted(preset("fibrosis").region, false) == preset("fibrosis").region);
    }

    /// Arevalo et al. 2016: currents, and a tenth of the conductivity across the fibres alone.
    void theBorderZoneIsThePublishedOne()
    {
        const auto& zone = preset("border_zone").region;
        QVERIFY(zone.conductivity_scale == ConductivityScale(1, 0.1, 0.1));
        using Factors = std::vector<std::pair<std::string, double>>;
        QCOMPARE(zone.scale,
                 (Factors{{"g_Na", 0.38}, {"g_CaL", 0.31}, {"g_Kr", 0.3}, {"g_Ks", 0.2}}));
        const auto& source = preset("border_zone").source;
        QVERIFY(source.find("299:H1588 (2010)") != std::string::npos);
        QVERIFY(source.find("Heart Rhythm") == std::string::npos);
    }

    /// No list of factors passes for measured that is not.
    void presetsSayWhoseChoiceTheyAre()
    {
        for (const auto& d : drug_presets())
            QVERIFY2(d.source.find("this program's choice") != std::string::npos,
                     d.drug.name.c_str());
        for (const char* kind : {"scar_core", "fibrosis", "ischaemia"})
            QVERIFY2(preset(kind).source.find("this program's choice") != std::string::npos, kind);
        for (const char* said : {"I_K(ATP)", "I_Na's gates", "35:256 (1997)",
                                 "this program's choice", "68:1693 (1991)"})
            QVERIFY2(preset("ischaemia").source.find(said) != std::string::npos, said);
    }

    /// An insulating region has neither cells nor current for its other keys to change.
    void whatInsulatingTissueChangesIsSaid()
    {
        auto s = with_preset("ten_tusscher_2006", "scar_core");
        s.regions[1].insulating = true;
        s.regions[1].scale = {{"g_Na", 0.5}};
        s.regions[1].conductivity_scale = 0.3;
        QCOMPARE(
            said(build_tissue(s), "do nothing"),
            QString("warning: tissue.regions.1 (scar core): insulating tissue has no cells and "
                    "conducts no current, so that these keys do nothing: scale, "
                    "conductivity_scale"));
        s.regions[1].scale.clear();
        s.regions[1].conductivity_scale = {};
        QCOMPARE(said(build_tissue(s), "nothing"), QString());
    }

    void aFactorOnNothingIsSaid()
    {
        auto s = with_preset("ten_tusscher_2006", "fibrosis");
        s.regions[1].scale = {{"g_KATP", 2}};
        const auto text = said(build_tissue(s), "g_KATP");
        QVERIFY2(text.startsWith("warning: tissue.regions.1.scale (fibrosis): g_KATP is 0 in model "
                                 "ten_tusscher_2006") &&
                     text.contains("give its value"),
                 qPrintable(text));
        s.regions[1].parameters = {{"g_KATP", 0.005}};
        QCOMPARE(said(build_tissue(s), "g_KATP"), QString());
    }

    /// Values by names that fit several models; what is no such name is a slip.
    void valuesByNamesThatFitSeveralModels()
    {
        auto s = with_preset("luo_rudy_1991", "fibrosis");
        s.regions[1].parameters = {{"shift_Na", 3.4}, {"K_o", 9}};
        auto map = lay_regions(s, mesh::slab({4, 2, 2}, 1));
        QCOMPARE(map.regions[1].parameters,
                 (std::vector<std::pair<std::string, double>>{{"K_o", 9}}));
        QVERIFY(parse_session(to_json(s), "s.json").regions[1] == s.regions[1]);
        s.regions[1].parameters = {{"shift_NA", 3.4}};
        QVERIFY_THROWS_EXCEPTION(InputError, lay_regions(s, mesh::slab({4, 2, 2}, 1)));
    }
};

int main(int argc, char** argv)
{
    return tawara::test::run<TestPresets>(argc, argv);
}
#include "test_presets.moc"
