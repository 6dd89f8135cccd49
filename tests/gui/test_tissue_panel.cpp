// SPDX-License-Identifier: GPL-3.0-or-later
// The tissue panel alone: places of regions, drugs. Fields of session keys.
#include "engine/cell/model.hpp"
#include "engine/mesh/check.hpp"
#include "engine/mesh/surface.hpp"
#include "engine/mesh/topology.hpp"
#include "engine/simulation/session/notice_kinds.hpp"
#include "engine/simulation/session/presets.hpp"
#include "engine/simulation/session/session_keys.hpp"
#include "engine/simulation/session/tissue_edit.hpp"
#include "tests/gui/overlap.hpp"
#include "widgets/panels/key_box.hpp"
#include "widgets/panels/laid_tissue.hpp"
#include "widgets/panels/region_place.hpp"
#include "widgets/panels/region_words.hpp"
#include "widgets/panels/tissue_panel.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QTableWidget>
#include <QToolButton>
#include <QWheelEvent>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <memory>

using namespace tawara;

class TestTissuePanel : public QObject
{
    Q_OBJECT

  private Q_SLOTS:
    /// A field of a session's key has what the table says of it.
    void aFieldFollowsTheTable()
    {
        int fields = 0;
        for (const auto& key : simulation::session_keys()) {
            const auto& [step, decimals, low, high] = key.also.box;
            if (step == 0)
                continue;
            const std::unique_ptr<NumberBox> box(keyBox("box", key.at));
            QCOMPARE(box->minimum(), std::isinf(low) ? key.range.low : low);
            QCOMPARE(box->maximum(), std::isinf(high) ? key.range.high : high);
            QCOMPARE(box->singleStep(), step);
            QCOMPARE(box->decimals(), decimals);
            if (key.member.fallback && key.member.fallback() >= box->minimum())
                QVERIFY(std::abs(box->value() - key.member.fallback()) < std::pow(10, -decimals));
            ++fields;
        }
        QVERIFY(fields >= 20);
        const std::unique_ptr<NumberBox> step(keyBox("step", "/time/dt_ms"));
        QCOMPARE(step->suffix(), QStringLiteral(" ms"));
        QVERIFY2(step->toolTip().startsWith("Time step of the cells; ") &&
                     step->toolTip().endsWith(step->rangeText()),
                 qPrintable(step->toolTip()));
    }

    void aBoxTakesTheBallsPlace()
    {
        const simulation::Sphere ball{{30.25, 0.25, 0.25}, 5};
        simulation::Region r;
        setPlaceKind(r, PlaceKind::box, ball);
        const auto box = std::get<simulation::Box>(*r.where);
        QCOMPARE(box, (simulation::Box{{25.25, -4.75, -4.75}, {35.25, 5.25, 5.25}}));
        std::get<simulation::Box>(*r.where) = {{0, 0, 0}, {10, 14, 10}};
        setPlaceKind(r, PlaceKind::ball, ball); // a box becomes the ball inside it
        QCOMPARE(std::get<simulation::Sphere>(*r.where), (simulation::Sphere{{5, 7, 5}, 5}));
    }

    /// What cannot fire is outlined so, whatever a region is called.
    void aScarIsOutlinedByWhatItsCellsDo()
    {
        const auto m = mesh::slab({6, 4, 4}, 1);
        const auto wall = mesh::surface(m, mesh::face_neighbours(m));
        simulation::Session s;
        s.mesh = simulation::MeshSlab{{6, 4, 4}, 1};
        for (const auto& p : simulation::tissue_presets())
            if (!p.region.insulating &&
                (p.region.kind == "scar_core" || p.region.kind == "border_zone"))
                s.regions.push_back(p.region);
        QCOMPARE(s.regions.size(), std::size_t{3});
        const auto width = [&](std::size_t preset) { // of the bands
            auto one = s;
            one.regions = {s.regions[0], s.regions[preset]};
            one.regions[1].where = simulation::Box{{0, 0, 0}, {3, 4, 4}};
            const auto band = layTissue(one, m, wall).scar.light;
            if (band.empty())
                return 0.0F;
            float least = 1e6F; // between two corners of a piece
            for (std::size_t k = 0; k + 5 < band.size(); k += 12)
                for (const std::size_t other : {std::size_t{3}, std::size_t{6}, std::size_t{9}}) {
                    float sum = 0;
                    for (std::size_t c = 0; c < 3; ++c) {
                        const float d = band[k + c] - band[k + other + c];
                        sum += d * d;
                    }
                    least = std::min(least, std::sqrt(sum));
                }
            return least;
        };
        const float core = width(1), zone = width(2);
        QVERIFY2(core > 1.2F * zone && zone > 0, qPrintable(QString("%1 %2").arg(core).arg(zone)));
        s.regions[0].model = "aliev_panfilov_1996"; // the preset does nothing to its cells
        QCOMPARE(width(1), zone);
        QCOMPARE(width(2), zone);
    }

    /// One factor for all directions, or one each.
    void factorsByDirection()
    {
        TissuePanel panel;
        simulation::Session s;
        s.regions.resize(2);
        s.regions[1].model.clear();
        s.regions[1].where = simulation::Sphere{{0, 0, 0}, 3};
        connect(&panel, &TissuePanel::edited, this, [&](auto, const SessionChange& change, auto) {
            change(s);
            panel.setSession(s);
        });
        panel.setSession(s);
        panel.choose(1);
        auto* even = panel.findChild<QToolButton*>("sigmaEven");
        auto* sheet = panel.findChild<NumberBox*>("sigmaScaleSheet");
        const auto scale = [&] { return s.regions[1].conductivity_scale; };
        QVERIFY(even->isChecked());
        sheet->setValue(0.5);
        QVERIFY(scale() == simulation::ConductivityScale(0.5));
        even->click();
        QVERIFY(!even->isChecked());
        sheet->setValue(0.1);
        QVERIFY(scale() == simulation::ConductivityScale(0.5, 0.1, 0.5));
        QVERIFY(!even->isChecked());
        even->click();
        QVERIFY(even->isChecked());
        QVERIFY(scale() == simulation::ConductivityScale(0.5));
        s.regions[1].conductivity_scale = {1, 0.1, 0.1};
        panel.setSession(s);
        QVERIFY(!even->isChecked());
        QCOMPARE(panel.findChild<NumberBox*>("sigmaScaleNormal")->value(), 0.1);
    }

    void placesOfRegionsHaveTheirRows()
    {
        TissuePanel panel;
        for (const int width : {270, 380}) {
            panel.resize(width, 640);
            panel.show();
            QVERIFY(QTest::qWaitForWindowExposed(&panel));
            simulation::Session s;
            s.regions.resize(2);
            s.regions[1].model.clear();
            for (const auto& place : std::initializer_list<std::optional<simulation::Where>>{
                     std::nullopt, simulation::Tetrahedra{{1, 2, 3}},
                     simulation::Sphere{{0, 0, 0}, 3}, simulation::Tetrahedra{},
                     simulation::Layer{}, simulation::Segments{{1}}, simulation::Tetrahedra{}}) {
                s.regions[1].where = place;
                panel.setSession(s);
                panel.choose(1);
                for (int k = 0; k < 3; ++k) {
                    QApplication::processEvents();
                    const QString text = test::anyOverlap(panel);
                    QVERIFY2(text.isEmpty(), qPrintable(text));
                }
            }
        }
    }

    void longDrugNamesFit()
    {
        TissuePanel panel;
        simulation::Session s;
        s.drugs = {{"Class III (sotalol- or dofetilide-like), a dose that is told at length",
                    {{"g_Kr", 0.5}}}};
        panel.setSession(s);
        const auto* name = panel.findChild<QLabel*>("drugName");
        QVERIFY(name != nullptr);
        QVERIFY(name->parentWidget()->minimumSizeHint().width() < 240);
    }

    void theWheelScrollsAndChangesNothing()
    {
        const cell::ModelInfo* model = &cell::model_info("ten_tusscher_2006");
        TissuePanel panel;
        panel.resize(360, 300);
        panel.show();
        panel.setModels({model});
        simulation::Session s;
        s.regions[0].variant = "endo";
        panel.setSession(s);
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        QSignalSpy edited(&panel, &TissuePanel::edited);
        int seen = 0;
        for (auto* box : panel.findChildren<QComboBox*>()) {
            if (!box->isVisible() || box->count() < 2)
                continue;
            box->clearFocus();
            const int index = box->currentIndex();
            const QPointF at(5, 5);
            QWheelEvent e(at, box->mapToGlobal(at), {}, {0, index > 0 ? 120 : -120}, Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
            QApplication::sendEvent(box, &e);
            QVERIFY2(box->currentIndex() == index, qPrintable(box->objectName()));
            QVERIFY2(!e.isAccepted(), qPrintable(box->objectName())); // it is the panel's
            ++seen;
            QVERIFY((box->focusPolicy() & Qt::WheelFocus) != Qt::WheelFocus);
        }
        QVERIFY(seen >= 3 && edited.isEmpty());
    }

    void aStepThatIsNoneForTheModelIsSaid()
    {
        const cell::ModelInfo* grandi = &cell::model_info("grandi_bers_2010");
        TissuePanel panel;
        panel.resize(360, 640);
        panel.show();
        panel.setModels({grandi});
        simulation::Session s;
        s.regions.resize(1);
        s.regions[0].model = "grandi_bers_2010";
        s.regions[0].variant.clear();
        s.dt_ms = 0.02;
        panel.setSession(s);
        const auto* advice = panel.findChild<QLabel*>("stepAdvice");
        QVERIFY(advice->isVisible());
        QVERIFY2(advice->text().contains("up to 0.005 ms"), qPrintable(advice->text()));
        s.dt_ms = 0.005;
        panel.setSession(s);
        QVERIFY(!advice->isVisible());
    }

    void aDrugThatNothingHereTakesSaysSo()
    {
        const cell::ModelInfo *slow = &cell::model_info("luo_rudy_1991"),
                              *plain = &cell::model_info("aliev_panfilov_1996");
        TissuePanel panel;
        panel.resize(360, 640);
        panel.show();
        panel.setModels({slow, plain});
        simulation::Session s;
        s.regions.resize(1);
        s.regions[0].model = "aliev_panfilov_1996";
        s.regions[0].variant.clear();
        s.drugs = {{"Nifedipine", {{"g_CaL", 0.5}}}};
        panel.setSession(s);
        const auto said = [&] {
            QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
            const auto* l = panel.findChild<QLabel*>("drugLacks");
            return l != nullptr ? l->text() : QString();
        };
        QVERIFY2(said().startsWith("No model here has g_CaL"), qPrintable(said()));
        s.regions.push_back(s.regions[0]);
        s.regions[1].model = "luo_rudy_1991"; // has one by another name
        s.regions[1].name = "rim";
        panel.setSession(s);
        QVERIFY2(said().startsWith("No effect in ") &&
                     said().contains("no g_CaL in the cell model"),
                 qPrintable(said()));
        QVERIFY(!said().contains("rim"));
        s.regions[1].model = "/somewhere/own.mmt"; // nobody knows yet
        panel.setSession(s);
        QCOMPARE(said(), QString());
    }

    /// A region takes the model of what lies beneath only where something does, and offers factors
    /// on what a model there has.
    void asBeneathIsOfferedWhereSomethingLiesBeneath()
    {
        const cell::ModelInfo *full = &cell::model_info("ten_tusscher_2006"),
                              *plain = &cell::model_info("aliev_panfilov_1996");
        TissuePanel panel;
        panel.resize(360, 640);
        panel.show();
        panel.setModels({full, plain});
        simulation::Session s;
        s.regions.resize(1);
        s.regions[0].model = "aliev_panfilov_1996";
        s.regions[0].variant.clear();
        panel.setSession(s);
        const auto* models = panel.findChild<QComboBox*>("regionModel");
        const auto offered = [&] { return models->findText("as beneath") >= 0; };
        QVERIFY(!offered());
        const QString own = models->currentText();
        s.regions.resize(2);
        s.regions[1].model.clear();
        panel.setSession(s);
        QVERIFY(!offered());
        QCOMPARE(models->currentText(), own);
        panel.choose(1);
        QCOMPARE(models->currentText(), QString("as beneath"));
        const auto* table = panel.findChild<QTableWidget*>("parameters");
        const auto names = [&] {
            QStringList out;
            for (int row = 0; row < table->rowCount(); ++row)
                out << table->item(row, 0)->text();
            return out;
        };
        QVERIFY2(!names().contains("g_Kr"), qPrintable(names().join(' ')));
        s.regions[1].scale = {{"g_Na", 0.5}}; // what a session gives is shown
        panel.setSession(s);
        QCOMPARE(names().count("g_Na"), 1);
        s.regions[0].model = "ten_tusscher_2006";
        panel.setSession(s);
        QVERIFY(names().contains("g_Kr") && names().contains("g_Na"));
        panel.choose(0);
        QVERIFY(!offered());
    }

    /// What is typed into the table covers what was there.
    void theEditorCoversItsCell()
    {
        TissuePanel panel;
        panel.resize(360, 900);
        panel.show();
        panel.setModels({&cell::model_info("ten_tusscher_2006")});
        simulation::Session s;
        s.regions.resize(1);
        s.regions[0].model = "ten_tusscher_2006";
        panel.setSession(s);
        auto* table = panel.findChild<QTableWidget*>("parameters");
        QTRY_VERIFY(table->rowCount() > 3);
        auto* item = table->item(1, 1);
        table->scrollToItem(item);
        table->editItem(item);
        auto* editor = table->viewport()->findChild<QLineEdit*>();
        QVERIFY(editor != nullptr);
        QTRY_COMPARE(editor->geometry(), table->visualItemRect(item));
    }

    /// A model of a file that nobody has read yet is told by its own name.
    void aModelThatIsNotDescribedYetIsNoOther()
    {
        TissuePanel panel;
        panel.resize(360, 640);
        panel.show();
        panel.setModels({&cell::model_info("aliev_panfilov_1996")});
        auto* models = panel.findChild<QComboBox*>("regionModel");
        const auto* variant = panel.findChild<QComboBox*>("regionVariant");
        simulation::Session s;
        s.regions.resize(1);
        s.regions[0].model = "aliev_panfilov_1996";
        s.regions[0].variant.clear();
        panel.setSession(s);
        const QImage other = models->grab().toImage();
        s.regions[0].model = "/somewhere/own.mmt";
        s.regions[0].variant = "endo";
        panel.setSession(s);
        QCOMPARE(models->currentIndex(), -1);
        QCOMPARE(models->placeholderText(), QString("own.mmt"));
        QVERIFY(models->grab().toImage() != other);
        QCOMPARE(variant->currentText(), QString("endo"));
        const QImage name = models->grab().toImage();
        models->setPlaceholderText({});
        QVERIFY(models->grab().toImage() != name); // it is drawn
        panel.addModel("/somewhere/own.mmt", &cell::model_info("luo_rudy_1991"));
        QCOMPARE(models->currentText(), QString("own.mmt"));
    }

    void whatIsUndoneIsToldByAVerb()
    {
        TissuePanel panel;
        panel.show();
        simulation::Session s;
        panel.setSession(s);
        QSignalSpy edited(&panel, &TissuePanel::edited);
        auto* place = panel.findChild<QComboBox*>("regionPlace");
        QVERIFY(place != nullptr);
        Q_EMIT place->activated(place->count() - 1);
        QCOMPARE(edited.at(0).at(0).toString(), QString("Change the place of a region"));
    }

    void aRegionIsCalledOneOnce()
    {
        simulation::Session s;
        s.regions.resize(1);
        auto with = s.regions;
        with.push_back(s.regions[0]);
        with[1].name = "Region 2";
        with[1].where = simulation::Tetrahedra{{1}};
        QCOMPARE(simulation::tissue_difference(s.regions, {}, with, {}),
                 std::string("region 2 added"));
    }

    /// Cells paced before the run: proposed at the sites' rhythm, edited, and what they reached.
    void cellsArePacedBeforeTheRun()
    {
        TissuePanel panel;
        panel.resize(300, 500);
        panel.show();
        panel.setLook({{"page", "before"}});
        QCOMPARE(panel.look()["page"].toString(), QString("before"));
        simulation::Session s;
        s.stimuli.resize(2);
        s.stimuli[0].on = false;
        s.stimuli[0].period_ms = 300;
        s.stimuli[1].period_ms = 650;
        panel.setSession(s);
        connect(&panel, &TissuePanel::edited, this,
                [&](const QString&, const SessionChange& change, const QString&) {
                    change(s);
                    panel.setSession(s);
                });
        auto* on = panel.findChild<QCheckBox*>("prepace");
        auto* beats = panel.findChild<NumberBox*>("prepacingBeats");
        auto* cycle = panel.findChild<NumberBox*>("prepacingCycle");
        auto* reached = panel.findChild<QLabel*>("prepacingReached");
        QVERIFY(on && beats && cycle && reached);
        QVERIFY(!on->isChecked() && !beats->isVisibleTo(&panel));
        on->click();
        QCOMPARE(s.prepacing, (simulation::Prepacing{100, 650}));
        QVERIFY(beats->isVisibleTo(&panel) && !reached->isVisibleTo(&panel));
        beats->setValue(20);
        cycle->setValue(500);
        QCOMPARE(s.prepacing, (simulation::Prepacing{20, 500}));
        auto* until = panel.findChild<QCheckBox*>("prepacingUntilSteady");
        QVERIFY(until && until->isVisibleTo(&panel) && !until->isChecked());
        until->click();
        QCOMPARE(s.prepacing, (simulation::Prepacing{20, 500, true}));
        cycle->setValue(600);
        QCOMPARE(s.prepacing, (simulation::Prepacing{20, 600, true}));
        until->click();
        cycle->setValue(500);
        QCOMPARE(s.prepacing, (simulation::Prepacing{20, 500}));
        panel.setNotices({{Notice::Level::info, "else"},
                          {Notice::Level::warning,
                           "cells paced alone before the run, 20 beats every 500 ms: not steady",
                           simulation::notice_kind::prepaced}});
        QVERIFY(reached->isVisibleTo(&panel));
        QVERIFY(reached->text().startsWith("Cells paced alone before the run, 20 beats"));
        QCOMPARE(reached->property("level").toString(), QString("warning"));
        for (int k = 0; k < 3; ++k)
            QApplication::processEvents();
        const QString overlap = test::anyOverlap(panel);
        QVERIFY2(overlap.isEmpty(), qPrintable(overlap));
        on->click();
        QCOMPARE(s.prepacing.beats, std::int64_t{0});
        QVERIFY(!reached->isVisibleTo(&panel));
    }

    /// Nobody knows in the window what place in a file a region has.
    void regionsAreCalledByTheirNames()
    {
        std::vector<simulation::Region> regions(2);
        regions[1].name = "Scar";
        const auto said = [&](const char* where, const char* fault) {
            return inRegionNames(
                {1, false, "a.json:" + std::string(where) + ": " + fault, 0, where, fault},
                regions);
        };
        QCOMPARE(said("/tissue/regions/1/parameters/g_Na", "gives 0: too little"),
                 QString("Region “Scar”, parameters/g_Na: gives 0: too little"));
        QCOMPARE(said("/tissue/regions/0", "has no model"), QString("Region 1: has no model"));
        QCOMPARE(said("/tissue/regions/7/where", "x"), QString("Region 8, where: x"));
        QCOMPARE(said("/tissue/regions", "no region covers label 3"),
                 QString("a.json:/tissue/regions: no region covers label 3"));
        QCOMPARE(said("/pacing/1", "x"), QString("a.json:/pacing/1: x"));
        QCOMPARE(inRegionNames({1, false, "not enough memory"}, regions),
                 QString("not enough memory"));
    }
};

QTEST_MAIN(TestTissuePanel)
#include "engine/simulation/session/notice_kinds.hpp"
#include "test_tissue_panel.moc"
