// SPDX-License-Identifier: GPL-3.0-or-later
// Every panel of the window, driven as a user does, with a fake engine behind it.
#include "app/saving_controller.hpp"
#include "engine/simulation/session/presets.hpp"
#include "engine/simulation/session/session.hpp"
#include "tests/gui/window_fixture.hpp"
#include "widgets/panels/beats_panel.hpp"
#include "widgets/panels/drug_editor.hpp"
#include "widgets/panels/ecg_panel.hpp"
#include "widgets/panels/form.hpp"
#include "widgets/panels/guide_window.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/pacing_panel.hpp"
#include "widgets/panels/performance_panel.hpp"
#include "widgets/panels/region_place.hpp"
#include "widgets/panels/start_page.hpp"
#include "widgets/panels/timeline.hpp"
#include "widgets/panels/tissue_panel.hpp"
#include "widgets/panels/view_panel.hpp"
#include "widgets/plots/bullseye_plot.hpp"
#include "widgets/plots/roofline_plot.hpp"
#include "widgets/plots/trace_plot.hpp"

#include <QAction>
#include <QComboBox>
#include <QDir>
#include <QHeaderView>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSlider>
#include <QTableWidget>
#include <QTextBrowser>
#include <QToolButton>
#include <QTreeWidget>

#include <cmath>
#include <vtkCamera.h>
#include <vtkRenderer.h>

using namespace tawara;
using State = simulation::Status::State;

namespace {

/// The row whose first cell has this text; -1: there is none.
int rowNamed(const QTableWidget& table, const QString& name)
{
    for (int row = 0; row < table.rowCount(); ++row)
        if (table.item(row, 0)->text() == name)
            return row;
    return -1;
}

} // namespace

class TestPanels : public fake::WindowTest
{
    Q_OBJECT
    const Vec3 front{0, -30 * std::cos(0.5), -60 * std::sin(0.5)};

    void undo() { child<QAction>("undo")->trigger(); }
    void redo() { child<QAction>("redo")->trigger(); }

  private Q_SLOTS:
    void sitesArePlacedEditedUndone()
    {
        f->start();
        f->window->raisePanel("pacingDock");
        f->window->setMode(ClickMode::site);
        QTest::mouseClick(f->window->view(), Qt::LeftButton, {}, f->pixelOf(front));
        QTRY_COMPARE(f->posted<simulation::SetStimuli>().size(), 1U);
        QCOMPARE(session().stimuli.size(), 1U);
        const auto ball = std::get<simulation::Sphere>(session().stimuli[0].region);
        QVERIFY(norm(ball.centre - front) < 1.5);
        QCOMPARE(child<QTreeWidget>("sites")->topLevelItemCount(), 1);
        QVERIFY2(child<MessageBar>()->text().startsWith("Site 1 paces every 600 ms: its next"),
                 qPrintable(child<MessageBar>()->text()));
        // captured: said in the list
        QTRY_COMPARE(child<QTreeWidget>("sites")->topLevelItem(0)->text(2), QString("captures"));

        child<NumberBox>("siteAmplitude")->setValue(30);
        QTRY_COMPARE(newest<simulation::SetStimuli>().stimuli.at(0).amplitude_pA_per_pF, 30.0);
        auto* kind = child<QComboBox>("siteProtocol");
        kind->setCurrentIndex(2);
        Q_EMIT kind->activated(2);
        QTRY_VERIFY(newest<simulation::SetStimuli>().stimuli.at(0).protocol.has_value());
        QCOMPARE(newest<simulation::SetStimuli>().stimuli.at(0).protocol->kind,
                 simulation::Protocol::Kind::s1s2);
        QCOMPARE(
            session().stimuli.at(0).protocol->extra_ms,
            std::vector<double>{std::round(0.55 * session().stimuli.at(0).protocol->cycle_ms)});
        auto* extra = child<QLineEdit>("siteExtra");
        QVERIFY(extra->isVisible());
        extra->setText("320, 280");
        Q_EMIT extra->editingFinished();
        QTRY_COMPARE(newest<simulation::SetStimuli>().stimuli.at(0).protocol->extra_ms,
                     (std::vector<double>{320, 280}));
        QVERIFY(f->window->isWindowModified());
        extra->setText("abc,-50"); // not taken
        Q_EMIT extra->editingFinished();
        QCOMPARE(session().stimuli.at(0).protocol->extra_ms, (std::vector<double>{320, 280}));
        undo();
        undo();
        undo();
        QCOMPARE(session().stimuli.at(0).amplitude_pA_per_pF, 50.0);
        undo();
        QVERIFY(session().stimuli.empty());
        redo();
        QCOMPARE(session().stimuli.size(), 1U);
    }

    void aSiteThatDoesNotCaptureSaysSo()
    {
        f->shared = std::make_shared<fake::FakeEngine::Shared>();
        f->shared->capture = false;
        f->start();
        f->window->raisePanel("pacingDock");
        f->window->setMode(ClickMode::site);
        QTest::mouseClick(f->window->view(), Qt::LeftButton, {}, f->pixelOf(front));
        QTRY_COMPARE(child<QTreeWidget>("sites")->topLevelItem(0)->text(2), QString("no capture"));
        QVERIFY(child<QLabel>("siteState")->text().contains("did not capture"));
        // its marker is red
        QTRY_VERIFY(f->window->view()->scene().marker_at(0, 0, 1e6).has_value());
        const auto m = *f->window->view()->scene().marker_at(0, 0, 1e6);
        QVERIFY(m.color[0] > 0.8 && m.color[1] < 0.5);
    }

    void aSiteIsDraggedAlongTheWall()
    {
        f->start(true);
        f->window->setMode(ClickMode::site);
        auto* view = f->window->view();
        const QPoint from = f->pixelOf(front);
        QTest::mouseClick(view, Qt::LeftButton, {}, from);
        QTRY_COMPARE(session().stimuli.size(), 1U);
        const Vec3 before = std::get<simulation::Sphere>(session().stimuli[0].region).centre;
        QTest::mousePress(view, Qt::LeftButton, {}, from);
        QTest::mouseMove(view, from + QPoint(30, 5));
        QTest::mouseMove(view, from + QPoint(60, 10));
        QTest::mouseRelease(view, Qt::LeftButton, {}, from + QPoint(60, 10));
        QCOMPARE(session().stimuli.size(), 1U);
        const Vec3 after = std::get<simulation::Sphere>(session().stimuli[0].region).centre;
        QVERIFY(norm(after - before) > 3);
        QCOMPARE(f->host->status().state, State::running);
        QTRY_COMPARE(f->posted<simulation::SetStimuli>().size(), 2U);
    }

    void tissueIsPaintedAndTakenBackWhenRefused()
    {
        f->start();
        f->window->raisePanel("tissueDock");
        auto& edits = f->window->document()->edits();
        edits.edit("scar", [](simulation::Session& s) {
            simulation::Region r;
            r.model.clear();
            r.name = "Scar";
            r.kind = "scar_core";
            r.conductivity_scale = 0.01;
            r.where = simulation::Tetrahedra{};
            s.regions.push_back(r);
        });
        child<TissuePanel>()->choose(1);
        QCOMPARE(child<QTreeWidget>("regions")->topLevelItemCount(), 2);
        QVERIFY2(f->posted<simulation::SetTissue>().empty(), "nothing is painted yet");
        child<NumberBox>("sigmaScale")->setValue(0.05);
        QCOMPARE(session().regions.at(1).conductivity_scale.fibre, 0.05);
        {
            std::lock_guard hold(f->shared->mutex);
            f->shared->refuse_tissue = "a region without tissue";
        }
        edits.edit("labels", [](simulation::Session& s) {
            s.regions.at(1).where.reset();
            s.regions.at(1).labels = {7};
        });
        QTRY_VERIFY(child<MessageBar>()->isVisible());
        QVERIFY(child<MessageBar>()->text().contains("a region without tissue"));
        QVERIFY2(session().regions.at(1).where.has_value(), "taken back");
    }

    void aScarsFactorsAreSeenAndEdited()
    {
        f->start();
        f->window->raisePanel("tissueDock");
        f->window->document()->edits().edit("scar", [](simulation::Session& s) {
            simulation::Region r;
            r.model.clear();
            r.kind = "scar_core";
            r.scale = {{"g_Na", 0}, {"k_own", 0.25}};
            r.where = simulation::Tetrahedra{};
            s.regions.push_back(r);
        });
        child<TissuePanel>()->choose(1);
        auto* table = child<QTableWidget>("parameters");
        const auto rowOf = [table](const QString& name) { return rowNamed(*table, name); };
        QCOMPARE(table->horizontalHeaderItem(1)->text(), QString("Factor"));
        QVERIFY(rowOf("g_Na") >= 0 && rowOf("k_own") >= 0 && rowOf("g_CaL") >= 0);
        QCOMPARE(table->item(rowOf("g_Na"), 1)->text(), QString("0"));
        QCOMPARE(table->item(rowOf("k_own"), 1)->text(), QString("0.25"));
        QCOMPARE(table->item(rowOf("g_CaL"), 1)->text(), QString("1"));
        using Factors = std::vector<std::pair<std::string, double>>;
        table->item(rowOf("g_CaL"), 1)->setText("0.3");
        QCOMPARE(session().regions.at(1).scale,
                 (Factors{{"g_Na", 0}, {"k_own", 0.25}, {"g_CaL", 0.3}}));
        table->item(rowOf("g_Na"), 1)->setText("-1"); // refused
        QCOMPARE(table->item(rowOf("g_Na"), 1)->text(), QString("0"));
        table->item(rowOf("g_Na"), 1)->setText("1"); // no factor
        QCOMPARE(session().regions.at(1).scale, (Factors{{"k_own", 0.25}, {"g_CaL", 0.3}}));
        undo();
        QCOMPARE(session().regions.at(1).scale.size(), std::size_t{3});
        child<TissuePanel>()->choose(0);
        QCOMPARE(table->horizontalHeaderItem(1)->text(), QString("Value"));
        QVERIFY(table->rowCount() > 20);
    }

    /// What ischaemia adds is given by value, beside the factors.
    void anIschaemicRegionsValuesAreSeenAndEdited()
    {
        f->start();
        f->window->raisePanel("tissueDock");
        simulation::Region ill;
        for (const auto& p : simulation::tissue_presets())
            if (p.region.kind == "ischaemia")
                ill = p.region;
        ill.where = simulation::Tetrahedra{};
        ill.parameters.emplace_back("own", 3);
        f->window->document()->edits().edit(
            "ischaemia", [ill](simulation::Session& s) { s.regions.push_back(ill); });
        child<TissuePanel>()->choose(1);
        auto* table = child<QTableWidget>("parameters");
        const auto rowOf = [table](const QString& name) { return rowNamed(*table, name); };
        const QString shift = "shift_Na, value [mV]", open = "g_KATP, value [nS/pF]";
        QVERIFY(rowOf(shift) >= 0 && rowOf(open) >= 0 && rowOf("own, value") >= 0);
        QCOMPARE(table->item(rowOf(shift), 1)->text(), QString("3.4"));
        QCOMPARE(table->item(rowOf(shift), 2)->text(), QString("0"));
        QVERIFY(table->item(rowOf(shift), 0)->toolTip().contains("Value in place of"));
        QCOMPARE(table->item(rowOf("own, value"), 1)->text(), QString("3"));
        QCOMPARE(table->item(rowOf("K_o"), 1)->text(), QString("1.66667"));
        const auto scale = ill.scale;
        table->item(rowOf(shift), 1)->setText("-1"); // the other way
        table->item(rowOf(open), 1)->setText("");
        using Values = std::vector<std::pair<std::string, double>>;
        QCOMPARE(session().regions.at(1).parameters, (Values{{"own", 3}, {"shift_Na", -1}}));
        QCOMPARE(session().regions.at(1).scale, scale);
        QCOMPARE(table->item(rowOf(open), 1)->text(), QString("0"));
    }

    void aSiteThatIsNotChosenIsSwitchedByItsTick()
    {
        f->start();
        f->window->raisePanel("pacingDock");
        f->window->document()->edits().edit("sites", [](simulation::Session& s) {
            s.stimuli.resize(1);
            for (const char* name : {"second", "third"}) {
                s.stimuli.push_back(s.stimuli.front());
                s.stimuli.back().name = name;
            }
        });
        auto* list = child<PacingPanel>()->findChild<QTreeWidget*>();
        QCOMPARE(list->topLevelItemCount(), 3);
        list->setCurrentItem(list->topLevelItem(0));
        for (const int row : {2, 1, 2}) { // the list is written anew in the middle of the click
            const bool on = session().stimuli.at(std::size_t(row)).on;
            const QRect r = list->visualItemRect(list->topLevelItem(row));
            QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                              {list->header()->sectionViewportPosition(0) + 11, r.center().y()});
            QCOMPARE(session().stimuli.at(std::size_t(row)).on, !on);
        }
        undo();
        QCOMPARE(list->topLevelItemCount(), 3);
    }

    void aDrugsNameFollowsItsStrength()
    {
        f->start();
        f->window->raisePanel("tissueDock");
        f->window->document()->edits().edit("drugs", [](simulation::Session& s) {
            s.drugs = {{"I_Kr block 90 %", {{"g_Kr", 0.1}}}, {"mine", {{"g_CaL", 0.5}}}};
        });
        auto* editor = child<DrugEditor>();
        const auto slider = [editor](const char* name) {
            return editor->findChild<QSlider*>(QLatin1String("factor_") + QLatin1String(name));
        };
        slider("g_Kr")->setValue(50);
        QCOMPARE(session().drugs.at(0).name, std::string("I_Kr block 50 %"));
        QCOMPARE(editor->findChildren<QLabel*>("drugName").at(0)->text(),
                 QString("I_Kr block 50 %"));
        slider("g_Kr")->setValue(120);
        QCOMPARE(session().drugs.at(0).name, std::string("I_Kr block × 1.2"));
        slider("g_Kr")->setValue(30);
        QCOMPARE(session().drugs.at(0).name, std::string("I_Kr block 70 %"));
        slider("g_CaL")->setValue(20);
        QCOMPARE(session().drugs.at(1).name, std::string("mine"));
    }

    void aPulseThatDoesNotCaptureSaysSo()
    {
        f->start();
        auto* bar = child<MessageBar>();
        Q_EMIT f->host->captureKnown({-1, 7, 0, 505, true});
        QCOMPARE(bar->text(), QString("The pulse at 505 ms captured."));
        Q_EMIT f->host->captureKnown({-1, 7, 0, 505, false});
        QVERIFY(bar->isVisible() && bar->text().contains("505 ms did not capture"));
        bar->showMessage(MessageBar::Level::error, "wave: no such format", "Choose another.",
                         "movie");
        bar->showMessage(MessageBar::Level::done, "Saved a.png", {}, "picture");
        QVERIFY(bar->text().startsWith("wave:")); // pushes no error of something else away
        bar->settle("other");
        QVERIFY(bar->isVisible());
        bar->showMessage(MessageBar::Level::error, "wave: no such folder", {}, "movie");
        QCOMPARE(bar->waiting(), 1); // the same action: said anew
        bar->showMessage(MessageBar::Level::done, "Saved wave.mp4", {}, "movie");
        QCOMPARE(bar->text(), QString("Saved wave.mp4")); // its own is out of date
        QCOMPARE(bar->waiting(), 0);
        bar->showMessage(MessageBar::Level::error, "refused", {}, "edit");
        bar->settle("edit");
        QVERIFY(!bar->isVisible());
    }

    void messagesMoveNothingAndWaitForOneAnother()
    {
        f->start();
        auto* bar = child<MessageBar>();
        auto* view = f->window->view();
        const auto place = [&] {
            return QRect(view->mapTo(f->window.get(), QPoint()), view->size());
        };
        const QRect before = place();
        const auto close = [&] { child<QToolButton>("messageClose")->click(); };
        bar->showMessage(MessageBar::Level::note, "Click on the heart.");
        QApplication::processEvents();
        QVERIFY(bar->isVisible());
        QCOMPARE(place(), before);
        QVERIFY(
            f->window->rect().contains(QRect(bar->mapTo(f->window.get(), QPoint()), bar->size())));
        QTest::mouseClick(child<QLabel>("messageText"), Qt::LeftButton); // a note goes by a click
        QVERIFY(!bar->isVisible());
        bar->showMessage(MessageBar::Level::warning, "coarse mesh");
        bar->showMessage(MessageBar::Level::warning, "no cavity");
        bar->showMessage(MessageBar::Level::warning, "coarse mesh"); // said already
        bar->showMessage(MessageBar::Level::done, "Saved a.png");
        QCOMPARE(bar->text(), QString("Saved a.png"));
        close();
        QCOMPARE(bar->text(), QString("coarse mesh"));
        QCOMPARE(bar->waiting(), 2);
        QCOMPARE(child<QLabel>("messageCount")->text(), QString("1 more"));
        QApplication::processEvents();
        QCOMPARE(place(), before);
        close();
        QCOMPARE(bar->text(), QString("no cavity"));
        QVERIFY(!child<QLabel>("messageCount")->isVisible());
        QVERIFY(!child<QToolButton>("messageCloseAll")->isVisible());
        close();
        QVERIFY(!bar->isVisible());
        for (const char* text : {"A", "B", "C"})
            bar->showMessage(MessageBar::Level::error, text);
        QCOMPARE(child<QLabel>("messageCount")->text(), QString("2 more"));
        child<QToolButton>("messageCloseAll")->click();
        QVERIFY(!bar->isVisible() && bar->waiting() == 0);
    }

    void regionsHaveTheNamesOfFilesAndTheBullseyeTheirShares()
    {
        simulation::Region r;
        r.model = "/a/long/way/to/my_model.mmt";
        r.variant.clear();
        QCOMPARE(regionTitle(r), QString("my_model.mmt"));
        QVERIFY(regionTip(r).contains("/a/long/way/to/my_model.mmt"));
        r.model = "ten_tusscher_2006";
        r.variant = "m";
        QCOMPARE(regionTitle(r), QString("ten tusscher 2006, m"));
        auto endo = r, scar = r, other = r;
        endo.variant = "endo";
        scar.name = "scar";
        other.model = "luo_rudy_1991";
        other.variant.clear();
        QCOMPARE(regionTitles({endo, r, scar}), QStringList({"endo", "m", "scar"}));
        QCOMPARE(regionTitles({endo, other}),
                 QStringList({"ten tusscher 2006, endo", "luo rudy 1991"}));

        BullseyePlot plot;
        plot.resize(240, 240);
        BullseyePlot::Shares shares;
        shares.fill({1});
        shares[6] = {0.25, 0.75};
        plot.setParts(shares, "Regions",
                      {{"tissue", Qt::blue}, {"scar", Qt::red}, {"none", Qt::green}});
        const QImage image = plot.grab().toImage();
        int blue = 0, red = 0, green = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x) {
                const QColor c = image.pixelColor(x, y);
                blue += c == QColor(Qt::blue), red += c == QColor(Qt::red);
                green += c == QColor(Qt::green);
            }
        // segment 7 is a sixth of a ring that has 5/16 of the disc
        const double part = static_cast<double>(red) / (red + blue);
        QVERIFY2(std::abs(part - 0.75 * 5 / 16 / 6) < 0.012, qPrintable(QString::number(part)));
        QCOMPARE(green, 0); // no segment has it: not in the legend either
    }

    void theMenuSaysHowManyViewsThereAre()
    {
        f->start();
        const auto checked = [&] {
            QStringList names;
            for (const char* n : {"views1", "views2", "views4"})
                if (child<QAction>(n)->isChecked())
                    names << n;
            return names;
        };
        QCOMPARE(checked(), QStringList("views1"));
        child<QAction>("views4")->trigger();
        QCOMPARE(f->window->views()->count(), 4);
        QCOMPARE(checked(), QStringList("views4"));
        child<QAction>("viewsTool")->trigger(); // four, then one
        QCOMPARE(checked(), QStringList("views1"));
    }

    void drugsAreFactors()
    {
        f->start();
        auto& edits = f->window->document()->edits();
        edits.edit("drug", [](simulation::Session& s) {
            s.drugs.push_back({"blocker", {{"g_Kr", 0.5}}});
        });
        QTRY_COMPARE(newest<simulation::SetTissue>().drugs.size(), 1U);
        auto* slider = child<QSlider>("factor_g_Kr");
        QVERIFY(slider != nullptr);
        QCOMPARE(slider->value(), 50);
        slider->setValue(30);
        slider->setValue(20);
        QTRY_COMPARE(newest<simulation::SetTissue>().drugs.at(0).factors.at(0).second, 0.2);
        undo(); // the drag is one edit
        QCOMPARE(session().drugs.at(0).factors.at(0).second, 0.5);
    }

    void sessionBringsEverythingBack()
    {
        f->start();
        f->window->document()->addProbe("A", {0, 0, -60});
        QTRY_COMPARE(f->window->probes()->rowCount(), 1);
        f->window->document()->edits().edit("x", [](simulation::Session& s) {
            s.drugs.push_back({"blocker", {{"g_Kr", 0.5}}});
        });
        auto* panel = child<ViewPanel>();
        auto s = panel->settings();
        s.count = 2;
        s.opacity = 0.5;
        panel->setSettings(s);
        Q_EMIT panel->changed(s);
        const QTemporaryDir dir;
        const QString path = dir.filePath("all.json");
        QVERIFY(!f->window->saving()->save(dir.filePath("nowhere/all")).isEmpty());
        QVERIFY(!QDir(dir.filePath("nowhere")).exists());
        QCOMPARE(f->window->saving()->save(dir.filePath("all")), QString()); // .json is added
        QVERIFY(!f->window->isWindowModified());
        const auto back = simulation::read_session(path.toStdString());
        QCOMPARE(back.drugs.size(), 1U);
        QCOMPARE(back.probes.size(), 1U);
        const auto view = ViewSettings::fromJson(
            QJsonDocument::fromJson(QByteArray::fromStdString(back.view)).object());
        QCOMPARE(view.count, 2);
        QCOMPARE(view.opacity, 0.5);
        QVERIFY(view.cameras[0].has_value());
    }

    void themesAndHelp()
    {
        f->start();
        f->window->setTheme(Theme::light);
        QVERIFY(f->window->palette().color(QPalette::Window).lightness() > 200);
        f->window->setTheme(Theme::dark);
        QVERIFY(f->window->palette().color(QPalette::Window).lightness() < 60);
        GuideWindow guide;
        for (const QString& page : GuideWindow::pages()) {
            guide.showPage(page);
            QVERIFY2(guide.findChild<QTextBrowser*>()->toPlainText().size() > 200,
                     qPrintable(page));
        }
        f->window->showStart(true);
        QVERIFY(child<StartPage>()->isVisible());
        QVERIFY(child<StartPage>()->findChildren<QPushButton*>("example").size() >= 1);
        QTest::keyClick(f->window.get(), Qt::Key_Escape);
        QVERIFY(!child<StartPage>()->isVisible());
    }
};

int main(int argc, char** argv)
{
    return fake::run<TestPanels>(argc, argv);
}
#include "test_panels.moc"
