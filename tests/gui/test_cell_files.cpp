// SPDX-License-Identifier: GPL-3.0-or-later
// Cell models of files in the window: clear ones are taken, unclear ones ask which variable is
// which.
#include "app/cell_model_controller.hpp"
#include "app/real_engine.hpp"
#include "app/saving_controller.hpp"
#include "engine/cell/special_variables.hpp"
#include "engine/core/resource.hpp"
#include "tests/gui/window_fixture.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/model_variables_dialog.hpp"
#include "widgets/panels/tissue_panel.hpp"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QToolButton>

using namespace tawara;
using simulation::Session;

namespace {

constexpr int patience = 60000;

/// Beeler and Reuter's equations as somebody might have written them: nothing says which of two
/// potentials is the membrane's.
QByteArray unclear()
{
    QFile f(QString::fromStdString(resource("resources/models/beeler_reuter_1977.mmt").string()));
    if (!f.open(QIODevice::ReadOnly))
        return {};
    QByteArray text = f.readAll();
    text.replace("    label membrane_potential\n", "");
    text.replace(" label stimulus_current", "");
    text.replace("transmembrane potential", "inside against outside");
    text.replace("membrane", "myocyte");
    text.replace("ina.m = 0.011\n", "ina.m = 0.011\nelectrode.V = 0\n");
    text.replace("\n[ina]\n", "\n[electrode]\nRC = 1 [ms] in [ms]\n"
                              "dot(V) = (myocyte.V - V) / RC\n    in [mV]\n"
                              "    desc: what a pipette would measure\n\n[ina]\n");
    return text;
}

} // namespace

class TestCellFiles : public QObject
{
    Q_OBJECT
    QTemporaryDir dir;
    QString file;

  private Q_SLOTS:
    void initTestCase()
    {
        file = dir.filePath("unclear.mmt");
        QFile f(file);
        QVERIFY(f.open(QIODevice::WriteOnly));
        f.write(unclear());
        f.close();
        QVERIFY(cell::candidates_of(file.toStdString()).must_ask());
    }
    void unclearModelAsks()
    {
        fake::WindowFixture f;
        f.start();
        auto* panel = f.window->findChild<TissuePanel*>();
        auto* model = panel->findChild<QComboBox*>("regionModel");
        QTRY_VERIFY_WITH_TIMEOUT(model->count() > 10, patience); // they are described elsewhere
        QCOMPARE(model->itemText(model->count() - 1), QString::fromUtf8("From a file…"));
        const auto before = f.window->document()->session().regions.at(0).model;
        f.window->cellModels()->useFile(0, file);
        QTRY_VERIFY_WITH_TIMEOUT(f.window->findChild<ModelVariablesDialog*>(), patience);
        auto* d = f.window->findChild<ModelVariablesDialog*>();
        auto* use = d->findChild<QPushButton*>("use");
        auto* potential = d->findChild<QComboBox*>("potential");
        QVERIFY(!use->isEnabled()); // nothing is taken for granted
        QVERIFY2(potential->itemText(1).contains("[mV]"), qPrintable(potential->itemText(1)));
        const int at = potential->findData("myocyte.V");
        QVERIFY(at > 0 && potential->findData("electrode.V") > 0);
        QCOMPARE(d->findChild<QComboBox*>("time")->currentData().toString(),
                 QString("engine.time"));
        potential->setCurrentIndex(at);
        QVERIFY(use->isEnabled());
        auto* stimulus = d->findChild<QComboBox*>("stimulus");
        QVERIFY(stimulus->findData("myocyte.i_stim") > 0);
        stimulus->setCurrentIndex(stimulus->findData("myocyte.i_stim"));
        QTest::qWait(50);
        if (const QString folder = qEnvironmentVariable("TAWARA_KEEP"); !folder.isEmpty())
            d->grab().save(folder + "/variables-dialog.png");
        QPointer<ModelVariablesDialog> open(d);
        use->click();
        QTRY_VERIFY_WITH_TIMEOUT(!open, patience);
        // a copy: undo and redo below replace the session's regions
        const auto region = f.window->document()->session().regions.at(0);
        const auto names = cell::special_variables_of(region.model);
        QCOMPARE(names.membrane_potential, std::string("myocyte.V"));
        QCOMPARE(names.stimulus, std::string("myocyte.i_stim"));
        QCOMPARE(cell::path_of(region.model), file.toStdString());
        QCOMPARE(model->currentText(), QString("unclear.mmt"));
        QVERIFY(panel->findChild<QTableWidget*>("parameters")->rowCount() > 5);
        QTRY_VERIFY(!f.posted<simulation::SetTissue>().empty());
        QCOMPARE(f.posted<simulation::SetTissue>().back().regions.at(0).model, region.model);
        // one step of undo
        f.window->document()->edits().stack().undo();
        QCOMPARE(f.window->document()->session().regions.at(0).model, before);
        f.window->document()->edits().stack().redo();
        // it is in the session's file
        const QString saved = dir.filePath("saved.json");
        QCOMPARE(f.window->saving()->save(saved), QString());
        QFile text(saved);
        QVERIFY(text.open(QIODevice::ReadOnly));
        const QByteArray json = text.readAll();
        QVERIFY(json.contains("model_variables") && json.contains("\"unclear.mmt\""));
        const auto again = simulation::read_session(saved.toStdString());
        QCOMPARE(again.regions.at(0).model, region.model);
    }
    void wrongAnswersAndFilesAreRefused()
    {
        fake::WindowFixture f;
        f.start();
        QFile broken(dir.filePath("broken.mmt"));
        QVERIFY(broken.open(QIODevice::WriteOnly));
        broken.write("[[model]]\nmembrane.V = \n");
        broken.close();
        const auto before = f.window->document()->session().regions.at(0).model;
        auto* message = f.window->findChild<MessageBar*>();
        f.window->cellModels()->useFile(0, broken.fileName());
        QTRY_VERIFY_WITH_TIMEOUT(message->isVisible(), patience);
        QVERIFY2(message->text().contains("broken.mmt"), qPrintable(message->text()));
        // a gate is no potential: what the engine says of it is shown where it was chosen
        f.window->cellModels()->useFile(0, file);
        QTRY_VERIFY_WITH_TIMEOUT(f.window->findChild<ModelVariablesDialog*>(), patience);
        auto* d = f.window->findChild<ModelVariablesDialog*>();
        auto* stimulus = d->findChild<QComboBox*>("stimulus");
        auto* potential = d->findChild<QComboBox*>("potential");
        potential->setCurrentIndex(potential->findData("electrode.V"));
        stimulus->setCurrentIndex(0);
        d->refuse("no such thing");
        QVERIFY(d->isVisible() && d->findChild<QLabel*>("error")->isVisible());
        d->reject();
        QCOMPARE(f.window->document()->session().regions.at(0).model, before);
    }
    void clearModelIsTakenAtOnce()
    {
        fake::WindowFixture f;
        f.start();
        const QString plain = dir.filePath("plain.mmt");
        QVERIFY(QFile::copy(
            QString::fromStdString(resource("resources/models/luo_rudy_1991.mmt").string()),
            plain));
        f.window->cellModels()->useFile(0, plain);
        QTRY_COMPARE_WITH_TIMEOUT(f.window->document()->session().regions.at(0).model,
                                  plain.toStdString(), patience);
        QVERIFY(f.window->findChild<ModelVariablesDialog*>() == nullptr);
    }
    void changesOnDiskAreOffered()
    {
        fake::WindowFixture f;
        f.start();
        const QString own = dir.filePath("own.mmt");
        const auto write = [&](const char* conductance) {
            QFile shipped(
                QString::fromStdString(resource("resources/models/luo_rudy_1991.mmt").string()));
            QFile copy(own);
            if (!shipped.open(QIODevice::ReadOnly) || !copy.open(QIODevice::WriteOnly))
                return false;
            QByteArray text = shipped.readAll();
            return copy.write(text.replace("g_Na = 23 ", conductance)) > 0;
        };
        QVERIFY(write("g_Na = 23 "));
        f.window->cellModels()->useFile(0, own);
        auto* panel = f.window->findChild<TissuePanel*>();
        auto* parameters = panel->findChild<QTableWidget*>("parameters");
        const auto shown = [&](const QString& name) {
            for (int row = 0; row < parameters->rowCount(); ++row)
                if (parameters->item(row, 0)->text().startsWith(name))
                    for (int c = 1; c < parameters->columnCount(); ++c)
                        if (const auto* item = parameters->item(row, c))
                            return item->text();
            return QString("none");
        };
        QTRY_VERIFY2_WITH_TIMEOUT(shown("g_Na").startsWith("23"), qPrintable(shown("g_Na")),
                                  patience);
        QTRY_COMPARE(f.posted<simulation::SetTissue>().size(), 1U);
        auto* message = f.window->findChild<MessageBar*>();
        auto* offer = message->findChild<QToolButton*>("messageOffer");
        // written anew as it was: nothing to say
        QVERIFY(write("g_Na = 23 "));
        QTest::qWait(1000);
        QVERIFY2(!message->isVisible() || !message->text().contains("own.mmt"),
                 qPrintable(message->text()));
        QVERIFY(write("g_Na = 17 "));
        QTRY_VERIFY_WITH_TIMEOUT(message->isVisible() && offer->isVisible(), patience);
        QVERIFY2(message->text().startsWith("own.mmt has changed on disk"),
                 qPrintable(message->text()));
        QVERIFY(shown("g_Na").startsWith("23"));
        offer->click();
        QTRY_COMPARE(f.posted<simulation::SetTissue>().size(), 2U);
        QVERIFY2(shown("g_Na").startsWith("17"), qPrintable(shown("g_Na")));
        QVERIFY(!offer->isVisible());
        // another edit makes the engine read the file: the panel shows what it has now
        QVERIFY(write("g_Na = 16 "));
        QTRY_VERIFY_WITH_TIMEOUT(message->isVisible() && offer->isVisible(), patience);
        f.window->document()->edits().edit(
            "scale", [](Session& s) { s.regions.at(0).conductivity_scale = 0.5; });
        QTRY_VERIFY2_WITH_TIMEOUT(shown("g_Na").startsWith("16"), qPrintable(shown("g_Na")),
                                  patience);
        offer->click();
        QTRY_COMPARE(f.posted<simulation::SetTissue>().size(), 4U);
        // spoilt: said, and nothing is taken over
        QVERIFY(write("g_Na = seventeen "));
        QTRY_VERIFY_WITH_TIMEOUT(message->isVisible() && message->text().contains("seventeen"),
                                 patience);
        QVERIFY(!offer->isVisible());
        QVERIFY(shown("g_Na").startsWith("16"));
        // gone, and back later than an editor takes
        QVERIFY(QFile::remove(own));
        QTRY_VERIFY_WITH_TIMEOUT(message->text().contains("own.mmt") &&
                                     !message->text().contains("seventeen"),
                                 patience);
        QTest::qWait(1500);
        QVERIFY(write("g_Na = 14 "));
        QTRY_VERIFY_WITH_TIMEOUT(offer->isVisible(), patience);
        QVERIFY2(message->text().startsWith("own.mmt has changed"), qPrintable(message->text()));
        // chosen again: read anew, although the session is the same
        QVERIFY(write("g_Na = 12 "));
        f.window->cellModels()->useFile(0, own);
        QTRY_COMPARE_WITH_TIMEOUT(f.posted<simulation::SetTissue>().size(), 5U, patience);
        QVERIFY2(shown("g_Na").startsWith("12"), qPrintable(shown("g_Na")));
    }
    void itRunsInTissue()
    {
        const QTemporaryDir settings;
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings.path());
        Session s;
        s.name = "cells of a file";
        s.mesh = simulation::MeshSlab{{6, 3, 2}, 1};
        s.scheme = diffusion::Scheme::p1;
        s.end_ms = 100;
        simulation::Stimulus end;
        end.region = simulation::Box{{0, 0, 0}, {6, 3, 2}};
        end.start_ms = 1;
        s.stimuli = {end};
        const QString path = dir.filePath("run.json");
        simulation::write_session(s, path.toStdString());
        simulation::EngineOptions options;
        options.devices = "cpu";
        EngineHost host(real_engine(options), session_opener());
        MainWindow w(&host);
        w.setAutoPlay(false);
        w.show();
        w.open(path);
        QTRY_VERIFY_WITH_TIMEOUT(host.scene() && w.viewController()->ready(), patience);
        QSignalSpy refused(w.document(), &Document::refused);
        w.cellModels()->useFile(0, file);
        QTRY_VERIFY_WITH_TIMEOUT(w.findChild<ModelVariablesDialog*>(), patience);
        auto* d = w.findChild<ModelVariablesDialog*>();
        auto* potential = d->findChild<QComboBox*>("potential");
        potential->setCurrentIndex(potential->findData("myocyte.V"));
        d->findChild<QPushButton*>("use")->click();
        QTRY_VERIFY_WITH_TIMEOUT(host.scene()->session.regions.at(0).model.find("unclear.mmt") !=
                                     std::string::npos,
                                 patience);
        QTRY_VERIFY_WITH_TIMEOUT(!host.status().changing_tissue, patience);
        w.document()->addProbe("middle", {3, 1.5, 1});
        QTRY_COMPARE_WITH_TIMEOUT(w.probes()->rowCount(), 1, patience);
        host.runUntil(20);
        QTRY_VERIFY_WITH_TIMEOUT(host.status().time_ms >= 19.9, patience);
        QVERIFY(refused.isEmpty());
        QTRY_VERIFY_WITH_TIMEOUT(host.frame() && host.frame()->time_ms >= 19, patience);
        for (float v : host.frame()->values)
            QVERIFY2(v > -20 && v < 50, qPrintable(QString::number(static_cast<double>(v))));
    }

    void cellsPacedBeforeTheRunGoToTheEngine()
    {
        fake::WindowFixture f;
        f.start();
        const auto sent = [&] {
            const auto all = f.posted<simulation::SetTissue>();
            return all.empty() ? std::nullopt : all.back().prepacing;
        };
        f.window->findChild<QCheckBox*>("prepace")->click();
        const auto& session = f.window->document()->session();
        QVERIFY(session.prepacing.beats > 0);
        QTRY_COMPARE(sent(), std::optional(session.prepacing));
        f.window->findChild<QAction*>("undo")->trigger();
        QTRY_COMPARE(sent(), std::optional(simulation::Prepacing{}));
    }
};

int main(int argc, char** argv)
{
    return fake::run<TestCellFiles>(argc, argv);
}
#include "test_cell_files.moc"
