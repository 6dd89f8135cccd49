// SPDX-License-Identifier: GPL-3.0-or-later
// What is read from a run and where messages about it lie: beats of tissue before and after a
// change, electrodes and their leads, a site's pulse at once, the window's title.
#include "app/examples.hpp"
#include "app/saving_controller.hpp"
#include "tests/gui/cell_of.hpp"
#include "tests/gui/window_fixture.hpp"
#include "widgets/panels/beats_panel.hpp"
#include "widgets/panels/ecg_panel.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/pacing_panel.hpp"
#include "widgets/panels/start_page.hpp"
#include "widgets/panels/view_panel.hpp"
#include "widgets/plots/scatter_plot.hpp"
#include "widgets/plots/trace_plot.hpp"
#include "widgets/view3d/view_texts.hpp"

#include <QAction>
#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QTabWidget>
#include <QTableView>
#include <QTableWidget>
#include <QToolButton>
#include <QTreeWidget>

#include <cmath>
#include <ctime>

using namespace tawara;

class TestResultPanels : public fake::WindowTest
{
    Q_OBJECT
    static QString plain(QString text) { return text.replace(QChar(0x202f), ' '); }
    /// Of a probe whose V comes back 250 ms after each of those.
    static BeatsPanel::Entry beatsAt(const std::vector<double>& times_ms)
    {
        BeatsPanel::Entry e{"Front", QColor(0x4a, 0x90, 0xe2), {}};
        for (double t : times_ms)
            e.beats.push_back({t, 250, -85, 30, 115, 180, 230, 250, 100, 350});
        return e;
    }

  private Q_SLOTS:
    /// What a stimulus's own current makes is marked, and why.
    void valuesThatAStimulusMadeAreMarked()
    {
        BeatsPanel panel;
        auto e = beatsAt({0, 350});
        e.beats[0].apd30_ms = 4;
        e.beats[0].driven_by = "S1";
        panel.setBeats({e}, {});
        const auto* table = panel.findChild<QTableView*>("beats");
        constexpr int apd30 = 2;
        QCOMPARE(cell_of(table, 0, apd30).toString(), QString("4.0*"));
        QVERIFY2(cell_of(table, 0, apd30, Qt::ToolTipRole)
                     .toString()
                     .contains("The current of S1 was flowing here"),
                 qPrintable(cell_of(table, 0, apd30, Qt::ToolTipRole).toString()));
        QVERIFY(!cell_of(table, 0, 1).toString().endsWith('*')); // when it was is so
        QVERIFY(!cell_of(table, 1, apd30).toString().endsWith('*'));
        QVERIFY(cell_of(table, 1, apd30, Qt::ToolTipRole).toString().isEmpty());
    }

    /// Rows that are selected go to the clipboard as a spreadsheet takes them.
    void beatsAreCopied()
    {
        BeatsPanel panel;
        panel.setBeats({beatsAt({0, 350, 700})}, {});
        panel.table()->selectAll();
        panel.findChild<QAction*>("copyBeats")->trigger();
        const auto lines = QGuiApplication::clipboard()->text().split('\n');
        const auto columns = panel.table()->model()->columnCount();
        QCOMPARE(lines.size(), 5); // names, three beats, the end of the last line
        for (int k = 0; k < 4; ++k)
            QCOMPARE(lines[k].split('\t').size(), columns);
        QVERIFY2(lines[0].contains("APD90") && lines[2].contains("250"), qPrintable(lines[2]));
    }

    void beatsOfTwoTissuesAreToldApart()
    {
        BeatsPanel panel;
        panel.resize(860, 240);
        panel.show();
        auto* table = panel.table();
        const auto row = [&](int k) { return plain(cell_of(table, k, 0).toString()); };
        auto* none = panel.findChild<QLabel*>("noBeats");
        QVERIFY(none->text().contains("Place a probe"));
        panel.setBeats({beatsAt({})}, {});
        QVERIFY(none->isVisible() && !none->text().contains("Place a probe"));
        panel.setBeats({beatsAt({0, 350, 700})}, {});
        QCOMPARE(rows_of(table), 3);
        QCOMPARE(table->columnSpan(1, 0), 1);
        // names are as dark as all text; the probe's colour is beside them
        QCOMPARE(cell_of(table, 0, 0, Qt::ForegroundRole), QVariant());
        QVERIFY(!cell_of(table, 0, 0, Qt::DecorationRole).value<QIcon>().isNull());
        QVERIFY(!panel.findChild<ScatterPlot*>("restitution")->series().at(0).open);
        panel.setBeats({beatsAt({0, 350, 700})}, {{1240, "drug Dofetilide given"}});
        QCOMPARE(rows_of(table), 4);
        QCOMPARE(row(3), QString("Tissue changed at 1 240 ms: drug Dofetilide given"));
        const int narrow = table->columnWidth(0);
        panel.setBeats({beatsAt({0, 350, 700, 1050, 1400})}, {{1240, "drug Dofetilide given"}});
        QCOMPARE(rows_of(table), 6);
        QCOMPARE(row(4), QString("Tissue changed at 1 240 ms, during the beat above: drug "
                                 "Dofetilide given"));
        QCOMPARE(table->columnSpan(4, 0), BeatsModel::columns);
        QCOMPARE(table->columnSpan(3, 0), 1);
        QCOMPARE(row(5), QString("Front"));
        QCOMPARE(table->columnWidth(0), narrow);
        const auto series = panel.findChild<ScatterPlot*>("restitution")->series();
        QCOMPARE(series.size(), std::size_t{2});
        QVERIFY(series[0].open && series[0].points.size() == 4);
        QVERIFY(!series[1].open && series[1].points.size() == 1);
        // of many one after another, as of a slider that is drawn, one row
        panel.setBeats({beatsAt({0, 350})}, {{310, "a"}, {320, "a"}, {330, "a"}});
        QCOMPARE(rows_of(table), 3);
        QCOMPARE(row(1), QString("Tissue changed 3 times, at 310 to 330 ms: a"));
        QCOMPARE(table->columnSpan(1, 0), BeatsModel::columns);
        panel.setBeats({beatsAt({0, 350, 700})}, {}); // from the start
        QCOMPARE(rows_of(table), 3);
        QCOMPARE(table->columnSpan(1, 0), 1);
        QCOMPARE(cell_of(table, 1, 4).toString(), QString("250.0"));
    }

    /// Of a run of hours with changes all the time: a new beat costs what is visible.
    void aNewBeatCostsNoMoreInALongRun()
    {
        BeatsPanel panel;
        panel.resize(860, 240);
        panel.show();
        constexpr int beats = 1000;
        std::vector<double> times_ms;
        std::vector<simulation::TissueEdit> edits;
        for (int k = 0; k < beats; ++k) {
            times_ms.push_back(350 * k);
            edits.push_back({350.0 * k + 300, "conductivity"});
        }
        double longest_s = 0;
        for (int k = 0; k < 5; ++k) {
            times_ms.push_back(350 * (beats + k));
            const auto from = std::clock();
            panel.setBeats({beatsAt(times_ms), beatsAt(times_ms), beatsAt(times_ms)}, edits);
            QCoreApplication::processEvents();
            if (k > 0) // the first makes all rows
                longest_s = std::max(longest_s, double(std::clock() - from) / CLOCKS_PER_SEC);
        }
        QCOMPARE(rows_of(panel.table()), 3 * (2 * beats + 5));
        QCOMPARE(cell_of(panel.table(), 1, 0).toString().left(14), QString("Tissue changed"));
        QVERIFY2(longest_s < 0.2, qPrintable(QString::number(longest_s)));
    }

    /// Once the sites and clicks have given their last pulse.
    void theBeatsPanelSaysWhatGoesOn()
    {
        f->start();
        auto* document = f->window->document();
        document->edits().edit("sites", [](simulation::Session& s) {
            simulation::Stimulus one;
            one.name = "Apex";
            one.region = simulation::Sphere{{0, 0, -60}, 4};
            s.stimuli = {one};
        });
        document->addProbe("A", {0, 0, -60});
        QSignalSpy added(f->host.get(), &EngineHost::probeAdded);
        QVERIFY(added.wait());
        const auto id = added.at(0).at(0).toULongLong();
        f->host->runUntil(800);
        QTRY_COMPARE(f->host->status().time_ms, 800.0);
        const auto measured = [&](const std::vector<double>& times_ms) {
            Q_EMIT f->host->beatsMeasured({{id, beatsAt(times_ms).beats}});
            return plain(child<QLabel>("unpaced")->text());
        };
        QVERIFY(measured({10}).isEmpty() && child<QLabel>("unpaced")->isHidden());
        QVERIFY2(measured({10, 230, 450, 690})
                     .startsWith("Waves without pacing since 0 ms: "
                                 "cycle length 230 ms at A"),
                 qPrintable(measured({10, 230, 450, 690})));
        QVERIFY(!child<QLabel>("unpaced")->isHidden());
        Q_EMIT f->host->captureKnown({-1, 7, 0, 300, true}); // a click
        QVERIFY(measured({10, 230, 450, 690}).isEmpty());
        Q_EMIT f->host->samplesCleared();
        QVERIFY(child<QLabel>("unpaced")->isHidden());
    }

    /// From the menu of what shows them, and from File > Export, into the file that is chosen.
    void beatsAndRestitutionAreExported()
    {
        f->start();
        f->window->document()->addProbe("A", {0, 0, -60});
        f->window->raisePanel("beatsDock");
        auto* points = child<QAction>("exportRestitution");
        auto* beats = child<QAction>("exportBeats");
        QVERIFY(points != nullptr && !points->isEnabled()); // there are none yet
        QCOMPARE(child<ScatterPlot>("restitution")->contextMenuPolicy(), Qt::ActionsContextMenu);
        QVERIFY(child<ScatterPlot>("restitution")->actions().contains(points));
        const QTemporaryDir dir;
        QString proposed;
        const std::function<void()> choose = [&] {
            auto* d = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            if (d == nullptr)
                return QTimer::singleShot(20, this, choose);
            auto* name = d->findChild<QLineEdit*>("fileNameEdit");
            proposed = name->text();
            name->setText(dir.filePath("chosen.csv"));
            static_cast<QDialog*>(d)->accept();
        };
        QAction* listed = nullptr;
        for (QAction* a : child<QMenu>("exports")->actions())
            if (a->data().toString() == QLatin1String("restitution-csv"))
                listed = a;
        QVERIFY(listed != nullptr);
        const auto offered = [&] {
            Q_EMIT child<QMenu>("exports")->aboutToShow();
            return listed->isEnabled();
        };
        QTRY_VERIFY(offered()); // the probe is there
        child<BeatsPanel>()->setBeats({beatsAt({0, 350, 700})}, {});
        QVERIFY(points->isEnabled());
        const std::pair<QAction*, const char*> wanted[] = {
            {points, "restitution"}, {beats, "beats"}, {listed, "restitution"}};
        std::size_t posted = 0;
        for (const auto& [action, what] : wanted) {
            QTimer::singleShot(20, this, choose);
            action->trigger();
            ++posted;
            QTRY_COMPARE(f->posted<simulation::Export>().size(), posted);
            const auto e = f->posted<simulation::Export>().back();
            QCOMPARE(QString::fromStdString(e.kind), QString(what) + "-csv");
            QCOMPARE(QString::fromStdString(e.path.string()), dir.filePath("chosen.csv"));
            QVERIFY2(proposed.endsWith(QStringLiteral("-%1.csv").arg(what)), qPrintable(proposed));
            QTRY_VERIFY(!f->host->exporting());
        }
    }

    void theWindowKnowsOfTheChange()
    {
        f->shared = std::make_shared<fake::FakeEngine::Shared>();
        f->shared->free_running = false;
        f->shared->tell_tissue = true;
        f->start();
        f->window->document()->addProbe("A", {0, 0, -60});
        f->window->raisePanel("beatsDock");
        f->host->runUntil(800);
        auto* table = child<QTableView>("beats");
        QTRY_COMPARE_WITH_TIMEOUT(rows_of(table), 3, 10000); // at 10, 610, 1110 ms
        f->window->document()->edits().edit("drug", [](simulation::Session& s) {
            s.drugs = {{"Dofetilide", {{"g_Kr", 0.5}}}};
        });
        QTRY_COMPARE_WITH_TIMEOUT(rows_of(table), 4, 10000);
        QCOMPARE(plain(cell_of(table, 2, 0).toString()),
                 QString("Tissue changed at 800 ms, during the beat above: drug Dofetilide given"));
        QCOMPARE(f->window->plot()->changes(), std::vector<double>{800});
    }

    void electrodesWithoutALeadAreNamed()
    {
        EcgPanel panel;
        panel.resize(860, 240);
        panel.show();
        auto* hint = panel.findChild<QLabel*>("unusedElectrodes");
        simulation::Session s;
        s.electrodes = {{"E1", {0, 0, 100}}, {"V2", {0, 20, 100}}};
        for (const auto kind :
             {simulation::Leads::Kind::none, simulation::Leads::Kind::twelve_lead}) {
            s.leads.kind = kind;
            panel.setSession(s);
            QVERIFY(hint->text().isEmpty()); // each has a lead of its own
        }
        const int plot = panel.plot()->height();
        s.electrodes.push_back({"E3", {0, 0, 120}});
        s.leads.kind = simulation::Leads::Kind::list;
        s.leads.list = {{"mine", {{"V2", 1}, {"E3", -1}}}};
        panel.setSession(s);
        QCOMPARE(hint->text(), QString("E1 is in no lead"));
        QVERIFY2(hint->width() >= hint->sizeHint().width(), "all of it can be read");
        QApplication::processEvents();
        QCOMPARE(panel.plot()->height(), plot); // nothing moves
        s.leads.list = {{"mine", {{"V2", 1}}}};
        panel.setSession(s);
        QCOMPARE(hint->text(), QString("E1, E3 are in no lead"));
        panel.findChild<QToolButton*>("showElectrodes")->setChecked(true);
        QApplication::processEvents();
        auto* list = panel.findChild<QTableWidget*>("electrodes");
        const auto* remove = list->cellWidget(2, 4);
        QVERIFY2(list->viewport()->rect().contains(QRect(remove->pos(), remove->size())),
                 "each can be removed without a search for the button");
        QCOMPARE(panel.freeName(), QString("E2"));
        s.leads.list = {{"mine", {{"E1", 1}, {"E3", -1}, {"V2", 0.5}}}};
        panel.setSession(s);
        QVERIFY(hint->text().isEmpty());
    }

    void anElectrodeBesideThe12LeadsHasALead()
    {
        f->start();
        const Vec3 front{0, -30 * std::cos(0.5), -60 * std::sin(0.5)};
        f->window->raisePanel("ecgDock");
        const auto place = [&] {
            QTest::mouseClick(child<QToolButton>("placeElectrode"), Qt::LeftButton);
            QTest::mouseClick(f->window->view(), Qt::LeftButton, {}, f->pixelOf(front));
        };
        const auto said = [&] { return child<MessageBar>()->text(); };
        place();
        QTRY_VERIFY2(said().contains("E1"), qPrintable(said()));
        QVERIFY2(!said().contains("12 leads"), qPrintable(said()));
        QTest::mouseClick(child<QToolButton>("twelveLeads"), Qt::LeftButton);
        place();
        QTRY_VERIFY2(said().contains("E2"), qPrintable(said()));
        QVERIFY2(said().contains("follows the 12 leads"), qPrintable(said()));
        // drawn in the strip without any choice, and the choice names them
        auto* plot = child<EcgPanel>()->plot();
        QTRY_COMPARE(plot->leads().size(), 14);
        QCOMPARE(plot->leads().mid(11), (QStringList{"V6", "E1", "E2"}));
        auto* choice = child<QComboBox>("ecgLead");
        QCOMPARE(choice->currentText(), QString("II, V1, V5 and own"));
        QVERIFY(choice->findText("E2") > 0 && choice->findText("II, V1, V5") > 0);
        QTRY_VERIFY2(plot->caption().contains("own leads"), qPrintable(plot->caption()));
        for (const int shown : {1, 6, 10, 12, 13})
            QVERIFY(!plot->traceArea(shown).isEmpty());
        QVERIFY(plot->traceArea(0).isEmpty());
        QVERIFY(plot->traceArea(13).top() > plot->traceArea(12).bottom());
        f->window->document()->edits().edit("none",
                                            [](simulation::Session& s) { s.electrodes.clear(); });
        QTRY_COMPARE(plot->leads().size(), 12);
        QCOMPARE(choice->currentText(), QString("II, V1, V5"));
    }

    void aSitePacesNow()
    {
        f->shared = std::make_shared<fake::FakeEngine::Shared>();
        f->shared->free_running = false;
        f->start();
        f->window->document()->edits().edit("site", [](simulation::Session& s) {
            simulation::Stimulus one;
            one.name = "Apex";
            one.region = simulation::Sphere{{0, 0, -60}, 4};
            one.duration_ms = 3;
            one.amplitude_pA_per_pF = 70;
            simulation::Stimulus other = one;
            other.region = simulation::Box{{0, 0, -60}, {1, 1, -50}};
            s.stimuli = {one, other};
        });
        auto* now = child<QToolButton>("paceNow");
        child<PacingPanel>()->choose(1);
        QVERIFY(!now->isEnabled());
        child<PacingPanel>()->choose(0);
        now->click();
        QTRY_COMPARE(f->posted<simulation::Stimulate>().size(), std::size_t{1});
        const auto c = f->posted<simulation::Stimulate>().at(0);
        QCOMPARE(c.position_mm, (Vec3{0, 0, -60}));
        QCOMPARE(c.radius_mm, 4.0);
        QCOMPARE(c.duration_ms, 3.0);
        QCOMPARE(c.amplitude_pA_per_pF, 70.0);
        QCOMPARE(c.site, std::string("Apex"));
        // what came of it is told of the site, and of no other
        const auto row = [&](int i) {
            return child<QTreeWidget>("sites")->topLevelItem(i)->text(2);
        };
        QTRY_COMPARE(row(1), QString("captures"));
        Q_EMIT f->host->captureKnown({0, 9, 0, 1, false, -85, true});
        QCOMPARE(row(0), QString("no capture"));
        QCOMPARE(row(1), QString("captures"));
        QVERIFY(child<QLabel>("siteState")->text().contains("a wave from elsewhere"));
        Q_EMIT f->host->captureKnown({0, 9, 0, 2, false, -85});
        QVERIFY(!child<QLabel>("siteState")->text().contains("a wave from elsewhere"));
        QVERIFY2(child<MessageBar>()->text().contains("as soon as the run goes on"),
                 qPrintable(child<MessageBar>()->text()));
    }

    /// Over trains, restarts and other intervals; not over another tissue or a wave between.
    void theRefractoryPeriodIsKept()
    {
        f->start();
        f->window->raisePanel("pacingDock");
        auto& edits = f->window->document()->edits();
        const auto edit = [&](auto change) {
            edits.edit("site", [change](simulation::Session& s) { change(s.stimuli[0]); });
            QCoreApplication::processEvents();
        };
        edits.edit("sites", [](simulation::Session& s) {
            simulation::Stimulus one;
            one.name = "Apex";
            one.region = simulation::Sphere{{0, 0, -60}, 4};
            one.protocol =
                simulation::Protocol{simulation::Protocol::Kind::s1s2, 500, 2, {310}, 10, 2, 1000};
            s.stimuli = {one};
        });
        const auto pulse = [&](double at_ms, bool captured, bool overtaken = false,
                               int stimulus = 0) {
            Q_EMIT f->host->captureKnown({stimulus, 1, 0, at_ms, captured, -85, overtaken});
        };
        const auto known = [&] { return f->window->document()->captures().at(0).refractory; };
        QTRY_COMPARE(f->posted<simulation::SetStimuli>().size(), std::size_t{1});
        QTRY_COMPARE(child<QTreeWidget>("sites")->topLevelItem(0)->text(2), QString("captures"));
        QVERIFY(known().kind.empty());
        // S1 at 0, 500; S2 at 810; S1 at 1810, 2310; S2 at 2610
        pulse(0, true), pulse(500, true), pulse(810, true);
        QCOMPARE(known(), (simulation::Refractory{"S2", 310, 0}));
        QVERIFY(child<QLabel>("siteState")->text().contains("below 310 ms"));
        pulse(1810, true), pulse(2310, true), pulse(2610, false, true); // overtaken
        QCOMPARE(known(), (simulation::Refractory{"S2", 310, 0}));
        pulse(2610, false);
        QCOMPARE(known(), (simulation::Refractory{"S2", 310, 300}));
        QVERIFY2(child<QLabel>("siteState")->text().contains("period at this site 300 ms"),
                 qPrintable(child<QLabel>("siteState")->text()));
        Q_EMIT f->host->samplesCleared(); // from the start
        QCOMPARE(known(), (simulation::Refractory{"S2", 310, 300}));
        pulse(810, false); // nothing is known of the S1 before it
        QCOMPARE(known(), (simulation::Refractory{"S2", 310, 300}));
        edit([](simulation::Stimulus& s) { s.protocol->extra_ms = {305}; });
        QCOMPARE(known(), (simulation::Refractory{"S2", 310, 300}));
        pulse(500, true), pulse(600, true, false, -1), pulse(805, true); // a click's between
        QCOMPARE(known(), (simulation::Refractory{"S2", 310, 300}));
        Q_EMIT f->host->samplesCleared();
        pulse(500, true), pulse(805, true);
        QCOMPARE(known(), (simulation::Refractory{"S2", 305, 300}));
        edits.edit("drug", [](simulation::Session& s) {
            s.drugs = {{"Dofetilide", {{"g_Kr", 0.5}}}};
        });
        QVERIFY(known().kind.empty());
        Q_EMIT f->host->samplesCleared();
        pulse(500, true), pulse(805, false);
        QCOMPARE(known(), (simulation::Refractory{"S2", 0, 305}));
        edit([](simulation::Stimulus& s) { s.amplitude_pA_per_pF = 20; });
        QVERIFY(known().kind.empty());
    }

    /// Nobody looks where the keys go before choosing a tool.
    void keysThatAreNoNumbersAreTheWindows()
    {
        f->start();
        auto* box = child<QDoubleSpinBox>("siteRadius");
        box->setFocus();
        QTRY_VERIFY(box->hasFocus());
        const double before = box->value();
        f->window->setMode(ClickMode::site);
        QTest::keyClick(box, Qt::Key_P);
        QCOMPARE(f->window->mode(), ClickMode::probe);
        QTest::keyClick(box, Qt::Key_Space);
        QTRY_COMPARE(f->posted<simulation::Play>().size(), 1U);
        QCOMPARE(box->value(), before);
        QTest::keyClicks(box, "5"); // digits are the box's
        QVERIFY(box->text().contains('5'));
    }
};

int main(int argc, char** argv)
{
    return fake::run<TestResultPanels>(argc, argv);
}
#include "test_result_panels.moc"
