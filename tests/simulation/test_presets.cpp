// SPDX-License-Identifier: GPL-3.0-or-later
// Factors where they lie: what a preset does to each model, and what is said where it does nothing.
#include "engine/cell/normal.hpp"
#include "engine/cell/single_cell.hpp"
#include "engine/core/error.hpp"
#include "engine/mesh/check.hpp"
#include "engine/simulation/session/presets.hpp"
#include "engine/simulation/tissue/regions.hpp"
#include "engine/simulation/tissue/tissue.hpp"
#include "engine/simulation/tissue/velocity_estimate.hpp"

#include <QtTest>

#include <algorithm>

using namespace tawara;
using namespace tawara::simulation;

namespace {

const TissuePreset& preset(const std::string& kind)
{
    for (const auto& p : tissue_presets())
        if (p.region.kind == kind)
            return p;
    throw std::runtime_error("no preset of kind " + kind);
}

/// A slab of one model with a preset on its half.
Session with_preset(const std::string& model, const std::string& kind)
{
    Session s;
    s.mesh = MeshSlab{{4, 2, 2}, 1};
    s.scheme = diffusion::Scheme::p1;
    s.reaction = cell::Scheme::rush_larsen;
    s.regions[0].model = model;
    s.regions.push_back(preset(kind).region);
    s.regions[1].where = Box{{0, 0, 0}, {2, 2, 2}};
    return s;
}

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

QString said(const Tissue& t, const QString& of)
{
    QStringList all;
    for (const auto& n : t.notices)
        if (const auto text = QString::fromStdString(n.text); text.contains(of))
            all << (n.level == Notice::Level::warning ? "warning: " : "note: ") + text;
    return all.join('\n');
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
QTEST_GUILESS_MAIN(TestPresets)
#include "test_presets.moc"
