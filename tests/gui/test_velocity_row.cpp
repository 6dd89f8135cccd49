// SPDX-License-Identifier: GPL-3.0-or-later
// Velocities that a region is tuned to, in the tissue panel alone.
#include "widgets/panels/form.hpp"
#include "widgets/panels/tissue_panel.hpp"

#include <QToolButton>
#include <QtTest>

using namespace tawara;

class TestVelocityRow : public QObject
{
    Q_OBJECT

  private Q_SLOTS:
    /// Tuned regions show what was found, which stays where they are tuned no longer.
    void regionsAreTuned()
    {
        const cell::ModelInfo* model = &cell::model_info("ten_tusscher_2006");
        TissuePanel panel;
        panel.resize(360, 640);
        panel.show();
        panel.setModels({model});
        simulation::Session s;
        s.regions[0].conductivity_S_per_m = {1.08, 0.473, 0.473};
        panel.setSession(s);
        connect(&panel, &TissuePanel::edited, this,
                [&](const QString&, const SessionChange& change, const QString&) {
                    change(s);
                    panel.setSession(s);
                });
        auto* tune = panel.findChild<QToolButton*>("tuneVelocity");
        const auto box = [&](const char* name) { return panel.findChild<NumberBox*>(name); };
        QVERIFY(tune->isEnabled() && !tune->isChecked());
        QVERIFY(!box("velocityFibre")->isEnabled());
        tune->click();
        // sheet and normal were alike: the mesh may have no sheets
        QVERIFY((s.regions[0].velocity_m_per_s == simulation::ConductionVelocity{0.6, 0.3, 0.3}));
        QVERIFY(tune->isChecked() && !box("sigmaFibre")->isEnabled());
        box("velocityNormal")->setValue(0.25);
        QCOMPARE(s.regions[0].velocity_m_per_s->normal, 0.25);
        simulation::TunedRegion tuned;
        tuned.found.wanted = *s.regions[0].velocity_m_per_s;
        tuned.found.conductivity_S_per_m = {0.66, 0.36, 0.3};
        panel.setTuned({tuned});
        QCOMPARE(box("sigmaFibre")->value(), 0.66);
        tune->click();
        QVERIFY(!s.regions[0].velocity_m_per_s);
        QVERIFY((s.regions[0].conductivity_S_per_m == diffusion::Conductivity{0.66, 0.36, 0.3}));
        QVERIFY(box("sigmaFibre")->isEnabled() && !box("velocityFibre")->isEnabled());
        // what was found for other velocities is not shown as these ones'
        tune->click();
        QCOMPARE(box("sigmaFibre")->value(), 0.66);
        s.regions[0].insulating = true;
        panel.setSession(s);
        QVERIFY(!tune->isEnabled());
    }
};

QTEST_MAIN(TestVelocityRow)
#include "test_velocity_row.moc"
