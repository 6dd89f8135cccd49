// SPDX-License-Identifier: GPL-3.0-or-later
// Studies in the window: made from the session, computed, stopped, gone on with, opened, watched
// while others compute them.
#include "app/leaving_controller.hpp"
#include "app/study_controller.hpp"
#include "app/study_dialog.hpp"
#include "engine/cli/cli.hpp"
#include "engine/study/ledger.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/slowdown.hpp"
#include "widgets/panels/form.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/picture_box.hpp"
#include "widgets/panels/study_panel.hpp"
#include "widgets/plots/bullseye_plot.hpp"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDesktopServices>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QTreeView>

#include <nlohmann/json.hpp>
#include <sstream>

using namespace tawara;

namespace {

/// A strip that a wave crosses in few milliseconds.
const std::string strip =
    R"({"schema": 1, "name": "strip", "mesh": {"slab_mm": [3, 1, 1], "spacing_mm": 0.5},
 "tissue": {"regions": [{"label": "*", "model": "ten_tusscher_2006", "variant": "epi",
  "conductivity_S_per_m": {"fibre": 0.2, "sheet": 0.1, "normal": 0.1}}]},
 "diffusion": {"scheme": "p1"}, "time": {"dt_ms": 0.02, "end_ms": 12},
 "stimuli": [{"name": "left", "region": {"sphere_mm": {"centre": [0, 0, 0], "radius": 1.2}},
  "start_ms": 0, "duration_ms": 2, "amplitude_pA_per_pF": 60}]})";
constexpr const char* fibre = "tissue.regions.0.conductivity_S_per_m.fibre";
constexpr int long_ms = 60000 * test::slowdown;
/// Seven runs that soon end, and one of 28 hours, which no machine comes to the end of.
constexpr const char* one_endless = "4, 5, 6, 7, 8, 9, 10, 100000000";

int runCli(const std::vector<std::string>& args)
{
    std::ostringstream out, err;
    const int status = cli::run(args, {out, err, {}, false, nullptr, nullptr, {2}});
    if (status != 0)
        qWarning("%s", err.str().c_str());
    return status;
}

/// Rows of a table of commas without quotes.
std::vector<QStringList> tableOf(const QString& file)
{
    QFile f(file);
    std::vector<QStringList> rows;
    if (f.open(QIODevice::ReadOnly))
        while (!f.atEnd())
            rows.push_back(QString::fromUtf8(f.readLine()).chopped(1).split(','));
    return rows;
}

/// A site whose search induced re-entry, as the ledger and the run's folder hold it.
study::SiteRecord induced(int segment, study::Outcome outcome)
{
    study::SiteRecord r;
    r.site = "AHA " + std::to_string(segment);
    r.segment = segment;
    r.place_mm = {1, 0.5, 0.5};
    r.before.shortest_ms = {260, 210};
    r.before.trials = 14;
    r.before.worst.couplings_ms = {260, 210};
    r.before.worst.outcome = outcome;
    r.before.worst.duration_ms = 2000;
    r.before.worst.reentry.cycle_length_ms = 231;
    r.before.worst.reentry.monomorphic = true;
    r.before.worst.core = {"obstacle", {1, 1, 1}, 2};
    r.exit_segment = 12;
    return r;
}

} // namespace

class TestStudyPanel : public fake::WindowTest
{
    Q_OBJECT
    QTemporaryDir dir_;
    QList<QUrl> urls_;
    StudyPanel* panel() { return child<StudyPanel>(); }
    StudyModel* model() { return panel()->model(); }
    StudyController* studies() { return f->window->study(); }
    QString message() { return child<MessageBar>()->text(); }
    QString path(const QString& name) const { return dir_.filePath(name); }
    std::string written(const QString& name, const std::string& text) const
    {
        QFile file(path(name));
        if (!file.open(QIODevice::WriteOnly) ||
            file.write(text.data(), qsizetype(text.size())) != qint64(text.size()))
            qFatal("cannot write %s", qPrintable(name));
        return path(name).toStdString();
    }
    void started()
    {
        f->opened = [](simulation::Session& s) { s = simulation::parse_session(strip, "strip"); };
        f->start();
        f->window->raisePanel("studyDock");
    }
    std::int64_t count(study::State s)
    {
        return model()->view() ? model()->view()->counts[static_cast<std::size_t>(s)] : -1;
    }
    StudyDialog* asked()
    {
        QTest::mouseClick(child<QPushButton>("newStudyFirst"), Qt::LeftButton);
        return child<StudyDialog>();
    }
    static void type(QDialog& dialog, const char* field, const QString& text)
    {
        dialog.findChild<QLineEdit*>(field)->setText(text);
    }
    /// A study of three conductivities in the folder `name`.
    void made(const QString& name, const QString& values = "0.1, 0.2, 0.4",
              const QString& key = fibre)
    {
        started();
        auto* dialog = asked();
        QVERIFY(dialog != nullptr);
        dialog->findChild<QComboBox*>("studyKind")->setCurrentIndex(StudyDialog::values);
        type(*dialog, "studyKey1", key);
        type(*dialog, "studyValues1", values);
        type(*dialog, "studyNameField", "three conductivities");
        type(*dialog, "studyFolderField", path(name));
        QVERIFY2(dialog->findChild<QLabel*>("studyFault")->text().isEmpty(),
                 qPrintable(dialog->findChild<QLabel*>("studyFault")->text()));
        dialog->findChild<QPushButton*>("studyMake")->click();
        QTRY_VERIFY_WITH_TIMEOUT(model()->view() != nullptr, 5000 * test::slowdown);
    }
    void click(const char* button)
    {
        QTest::mouseClick(child<QPushButton>(button), Qt::LeftButton);
    }
    /// Every number of results.csv stands in the table.
    void compareWithResults(const QString& folder)
    {
        model()->setAllResults(true);
        const auto rows = tableOf(folder + "/results.csv");
        QCOMPARE(static_cast<int>(rows.size()), model()->rowCount() + 1);
        int compared = 0;
        for (qsizetype c = 0; c < rows[0].size(); ++c) {
            const int at = model()->columnOf(rows[0][c].toStdString());
            if (at < 0)
                continue;
            for (int r = 0; r < model()->rowCount(); ++r, ++compared)
                QCOMPARE(model()->index(r, at).data(StudyModel::ValueRole).toDouble(),
                         rows[static_cast<std::size_t>(r) + 1][c].toDouble());
        }
        QVERIFY(compared > 3 * model()->rowCount());
    }

  protected Q_SLOTS:
    void keepUrl(const QUrl& url) { urls_ << url; }

  private Q_SLOTS:
    void init()
    {
        WindowTest::init();
        urls_.clear();
        QDesktopServices::setUrlHandler("file", this, "keepUrl");
    }

    void cleanupTestCase() { QDesktopServices::unsetUrlHandler("file"); }

    void aStudyIsMadeAndComputed()
    {
        made("three");
        const QString folder = path("three/three-study");
        QCOMPARE(model()->rowCount(), 3);
        QCOMPARE(count(study::State::planned), 3);
        QVERIFY(QFile::exists(path("three/session.json")) &&
                QFile::exists(path("three/three.json")));
        QVERIFY(!QFile::exists(folder)); // nothing was begun
        QCOMPARE(child<QPushButton>("startStudy")->text(), "Start");
        QVERIFY(child<QLabel>("studyEstimate")->text().startsWith("3 runs."));
        QVERIFY(!child<QPushButton>("studyReport")->isEnabled());
        click("startStudy");
        QTRY_COMPARE_WITH_TIMEOUT(count(study::State::done), 3, long_ms);
        QTRY_VERIFY(!studies()->computing());
        compareWithResults(folder);
        // the better it conducts, the sooner the wave is there
        const int at = model()->columnOf("last_activation_ms");
        const auto ms = [&](int row) {
            return model()->index(row, at).data(StudyModel::ValueRole).toDouble();
        };
        QVERIFY(ms(0) > ms(1) && ms(1) > ms(2) && ms(2) > 0);
        QTRY_VERIFY(!child<QPushButton>("startStudy")->isEnabled());
        // a run's picture: V, since the dialog keeps no activation
        auto* table = child<QTreeView>("studyRuns");
        table->setCurrentIndex(table->model()->index(2, 0)); // the wave reaches its end
        QTRY_VERIFY(child<PictureBox>("studyPicture")->isVisible());
        const QImage shown = child<PictureBox>("studyPicture")->picture();
        QCOMPARE(shown.size(), QSize(480, 240));
        QCOMPARE(qAlpha(shown.pixel(2, 2)), 0);
        const QColor middle = shown.pixelColor(120, 120);
        QVERIFY(middle.alpha() == 255 && middle.red() > middle.blue() + 60); // the plateau
        click("studyReport");
        QTRY_COMPARE(urls_.size(), 1);
        QCOMPARE(urls_[0].toLocalFile(), folder + "/report.html");
        // the command line finds nothing left to do
        QCOMPARE(runCli({"study", "run", path("three/three.json").toStdString()}), 0);
    }

    void itStopsAndGoesOn()
    {
        made("stopped", one_endless, "time.end_ms");
        const auto stop = [&] {
            QTRY_COMPARE_WITH_TIMEOUT(child<QPushButton>("startStudy")->text(), "Stop", long_ms);
            click("startStudy");
            QTRY_VERIFY_WITH_TIMEOUT(!studies()->computing(), long_ms);
            QTRY_COMPARE(count(study::State::planned) + count(study::State::done), 8);
            QTRY_COMPARE(child<QPushButton>("startStudy")->text(), "Go on");
            compareWithResults(path("stopped/stopped-study"));
        };
        click("startStudy");
        QTRY_VERIFY_WITH_TIMEOUT(count(study::State::done) > 0, long_ms);
        stop();
        click("startStudy");
        QTRY_COMPARE_WITH_TIMEOUT(count(study::State::done), 7, long_ms);
        stop();
        QCOMPARE(count(study::State::done), 7);
    }

    /// A folder of the command line, and what another program does there meanwhile.
    void foldersOfOthersAreFollowed()
    {
        written("strip.json", strip);
        const auto file = written("speeds.json", R"({"schema": 1, "name": "speeds",
            "session": "strip.json", "axes": {"time.end_ms": [2, 3, 4]}})");
        QCOMPARE(runCli({"study", "run", file, "--part", "1/3"}), 0);
        started();
        studies()->open(path("speeds-study"));
        QTRY_COMPARE(model()->rowCount(), 3);
        QCOMPARE(count(study::State::done), 1);
        QVERIFY(child<QLabel>("studyCounts")->text().startsWith("1 of 3 runs done"));
        {
            study::Ledger elsewhere(path("speeds-study/study.sqlite").toStdString(), false);
            QCOMPARE(*elsewhere.take("node-3:77:5", {}), std::int64_t(1));
            QTRY_COMPARE_WITH_TIMEOUT(count(study::State::running), 1, 10000);
            QVERIFY(
                child<QLabel>("studyCounts")->text().contains("Computed by process 77 on node-3"));
            elsewhere.failed(1, 2, "the cells swell");
        }
        QTRY_COMPARE_WITH_TIMEOUT(count(study::State::failed), 1, 10000);
        const auto reason = model()->index(1, model()->columnCount() - 1).data().toString();
        QCOMPARE(reason, "the cells swell");
        click("startStudy");
        QTRY_COMPARE_WITH_TIMEOUT(count(study::State::done), 2, long_ms);
        QTRY_VERIFY(!studies()->computing());
        press("studyAgain");
        QTRY_COMPARE_WITH_TIMEOUT(count(study::State::done), 3, long_ms);
        QTRY_VERIFY(!studies()->computing()); // results.csv is written after the last run
        compareWithResults(path("speeds-study"));
    }

    void whatIsNoStudyIsSaidInOneLine_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* about, const char* name, const char* says) {
            QTest::newRow(about) << QString(name) << QString(says);
        };
        row("empty folder", "", "there is no study here");
        row("no ledger", "broken/study.sqlite", "not a database");
        row("no study", "wrong.json", "/axis: unknown key");
        row("nothing", "none.json", "none.json");
    }
    void whatIsNoStudyIsSaidInOneLine()
    {
        QFETCH(QString, name);
        QFETCH(QString, says);
        QDir(dir_.path()).mkpath("broken");
        QDir(dir_.path()).mkpath("empty");
        written("broken/study.sqlite", std::string(4096, 'x'));
        written("wrong.json", R"({"schema": 1, "session": "strip.json", "axis": {}})");
        started();
        studies()->open(name.isEmpty() ? path("empty") : path(name));
        QTRY_VERIFY2(message().contains(says), qPrintable(message()));
        QVERIFY(!message().contains('\n'));
        QVERIFY(model()->view() == nullptr);
        QVERIFY(child<QLabel>("noStudy")->isVisible());
    }

    void theDialogSaysWhatIsWrong()
    {
        started();
        auto* dialog = asked();
        const auto fault = [&] { return dialog->findChild<QLabel*>("studyFault")->text(); };
        const auto forecast = [&] { return dialog->findChild<QLabel*>("studyForecast")->text(); };
        auto* make = dialog->findChild<QPushButton*>("studyMake");
        QVERIFY2(forecast().startsWith("17 runs."), qPrintable(forecast()));
        type(*dialog, "studySegments", "1-3, 18");
        QVERIFY(fault().contains("“18” is no AHA segment") && !make->isEnabled());
        type(*dialog, "studySegments", "");
        QVERIFY(fault().contains("at least one site"));
        dialog->findChild<QCheckBox*>("studyOwnSites")->setChecked(true); // the session's "left"
        QVERIFY2(fault().isEmpty() && make->isEnabled(), qPrintable(fault()));
        QCOMPARE(dialog->study().induction->sites.at(0).name, std::string("left"));
        dialog->findChild<NumberBox*>("studyFirst")->setValue(100);
        QVERIFY(fault().contains("at least the shortest one, 150 ms"));
        auto* kind = dialog->findChild<QComboBox*>("studyKind");
        kind->setCurrentIndex(StudyDialog::doses);
        QVERIFY(fault().contains("at least one drug"));
        dialog->findChild<QListWidget*>("studyDrugs")->item(4)->setCheckState(Qt::Checked);
        QVERIFY(fault().isEmpty() && forecast().startsWith("4 runs."));
        type(*dialog, "studyConcentrations", "0, one");
        QVERIFY(fault().contains("“one” is no number"));
        // what only the engine knows comes back when it is to be made
        kind->setCurrentIndex(StudyDialog::values);
        type(*dialog, "studyKey1", "time.dt_ms");
        QVERIFY(dialog->findChild<QLabel*>("studyAbout1")->text().contains("Now 0.02 ms"));
        type(*dialog, "studyValues1", "0.02, -1");
        type(*dialog, "studyFolderField", path("never"));
        QVERIFY(fault().isEmpty());
        make->click();
        QTRY_VERIFY2(fault().contains("/time/dt_ms") && fault().contains("never"),
                     qPrintable(fault()));
        QVERIFY(!QFile::exists(path("never")));
        QCOMPARE(QDir(dir_.path()).entryList({".never*"}, QDir::AllEntries | QDir::Hidden).size(),
                 0);
        QVERIFY(make->isEnabled());
    }

    /// Segments, columns and runs of a study that searched sites.
    void sitesAreShownAndOpened()
    {
        using study::Outcome;
        written("strip.json", strip);
        const auto file = written("sites.json", R"({"schema": 1, "session": "strip.json",
            "induction": {"sites": [3, 7, 8], "s1": {"cycle_ms": 400, "count": 2}, "extra": 2}})");
        for (const char* run : {"run-0", "run-1", "run-2"})
            QDir(path("sites-study")).mkpath(run);
        const auto folder = path("sites-study").toStdString();
        study::Ledger ledger(folder + "/study.sqlite", true);
        ledger.plan(study::read_study(file));
        for (const int k : {0, 1, 2}) { // the last one's report is damaged
            QCOMPARE(*ledger.take(study::this_owner(), {}), std::int64_t(k));
            const auto site = induced(k == 0 ? 3 : 7, k == 0 ? Outcome::sustained : Outcome::none);
            const nlohmann::ordered_json report{{"induction", study::to_json(site)}};
            written(QStringLiteral("sites-study/run-%1/report.json").arg(k),
                    k == 2 ? "{}" : report.dump());
            ledger.done(k, 3, {{"induction.before.inducible", k == 0}}, {});
        }
        started();
        studies()->open(path("sites.json"));
        QTRY_COMPARE(count(study::State::done), 3);
        QVERIFY(
            child<QLabel>("studyTrouble")->text().startsWith("the site of run-2 is left out: "));
        const auto outcomesShown = segmentOutcomes(*model()->view());
        QCOMPARE(outcomesShown.size(), std::size_t(1));
        QVERIFY(outcomesShown[0].before[2] == Outcome::sustained &&
                outcomesShown[0].before[6] == Outcome::none && !outcomesShown[0].before[7]);
        QVERIFY(child<BullseyePlot>("studyEye")->isVisible());
        QVERIFY(child<QLabel>("studyInducible")
                    ->text()
                    .startsWith("Sustained re-entry from 1 of 2 sites"));
        QStringList head, first;
        for (int c = 0; c < model()->columnCount(); ++c) {
            head << model()->headerData(c, Qt::Horizontal, Qt::DisplayRole).toString();
            first << model()->index(0, c).data().toString();
        }
        QCOMPARE(first[head.indexOf("Re-entry")], "sustained");
        QCOMPARE(first[head.indexOf("By (ms)")], QString::fromUtf8("260–210"));
        QCOMPARE(first[head.indexOf("Exit")], "AHA 12");
        QCOMPARE(first[head.indexOf("S3 (ms)")], "210");
        // a double click opens it with the pulses that induced re-entry
        auto* table = child<QTreeView>("studyRuns");
        table->setCurrentIndex(table->model()->index(0, 0));
        Q_EMIT table->activated(table->currentIndex());
        QTRY_VERIFY(f->posted<simulation::Load>().size() == 2);
        const auto loaded = newest<simulation::Load>().session;
        QCOMPARE(loaded.stimuli.size(), std::size_t(1));
        const auto pulses = simulation::pulse_times(loaded.stimuli[0], loaded.end_ms);
        QCOMPARE(pulses, (std::vector<double>{0, 400, 660, 870}));
        QCOMPARE(loaded.end_ms, 2870.0);
        QTRY_VERIFY(message().contains("run-0: paced at AHA 3 with intervals of 400-260-210 ms"));
    }

    /// From the left, where the wave begins (red), to the right (blue); then from behind.
    void picturesShowActivation()
    {
        written("strip.json", strip);
        const auto file = written("drawn.json", R"({"schema": 1, "session": "strip.json",
            "axes": {")" + std::string(fibre) + R"(": [0.4]}})");
        QCOMPARE(runCli({"study", "run", file, "--devices", "cpu"}), 0);
        const QImage drawn(path("drawn-study/run-0/picture.png"));
        QCOMPARE(drawn.size(), QSize(480, 240));
        QCOMPARE(qAlpha(drawn.pixel(2, 2)), 0);
        const QColor early = drawn.pixelColor(12, 110), late = drawn.pixelColor(228, 110);
        QVERIFY(early.alpha() == 255 && early.red() > early.blue() + 60);
        QVERIFY(late.alpha() == 255 && late.blue() > late.red() + 60);
        const QColor behind = drawn.pixelColor(252, 110);
        QVERIFY(behind.blue() > behind.red() + 60);
    }

    /// An ordinary run begins with its newest checkpoint, where it has one; else that is said.
    void runsOpenAtTheirEnd_data()
    {
        QTest::addColumn<int>("row");
        QTest::addColumn<QString>("says");
        QTest::newRow("there") << 0 << "It goes on from checkpoint-00000012.000ms.tcp.";
        QTest::newRow("none") << 1 << "the study keeps no checkpoint of it";
    }
    void runsOpenAtTheirEnd()
    {
        QFETCH(int, row);
        QFETCH(QString, says);
        const QString name = QStringLiteral("ends-%1").arg(QTest::currentDataTag());
        written("strip.json", strip);
        const auto s = study::read_study(
            written(name + ".json", R"({"schema": 1, "session": "strip.json", "axes": {")" +
                                        std::string(fibre) + R"(": [0.2, 0.3]}})"));
        QDir(dir_.path()).mkpath(name + "-study/run-0");
        QDir(dir_.path()).mkpath(name + "-study/run-1");
        study::Ledger ledger(path(name + "-study/study.sqlite").toStdString(), true);
        ledger.plan(s);
        for (const int k : {0, 1}) {
            QCOMPARE(*ledger.take(study::this_owner(), {}), std::int64_t(k));
            ledger.done(k, 1, {{"velocity_m_per_s", 0.5}}, {});
        }
        const std::filesystem::path last =
            written(name + "-study/run-0/checkpoint-00000012.000ms.tcp", "of a run");
        started();
        studies()->open(path(name + ".json"));
        QTRY_COMPARE(count(study::State::done), 2);
        auto* table = child<QTreeView>("studyRuns");
        table->setCurrentIndex(table->model()->index(row, 0));
        Q_EMIT table->activated(table->currentIndex());
        QTRY_VERIFY(f->posted<simulation::Load>().size() == 2);
        QCOMPARE(newest<simulation::Load>().checkpoint, row == 0 ? last : std::filesystem::path());
        QTRY_VERIFY2(message().contains(says), qPrintable(message()));
        QVERIFY(!child<PictureBox>("studyPicture")->isVisible()); // neither has one
    }

    /// Closing asks while runs are computed, and waits until they have kept where they are.
    void closingStopsIt()
    {
        made("closing", one_endless, "time.end_ms");
        click("startStudy");
        QTRY_VERIFY_WITH_TIMEOUT(count(study::State::done) > 0, long_ms);
        f->window->close();
        auto* box = child<QMessageBox>("studying");
        QVERIFY(box != nullptr && f->window->isVisible());
        QVERIFY(box->text().contains("of 8 runs are done"));
        box->button(QMessageBox::Cancel)->click();
        QTRY_VERIFY(child<QMessageBox>("studying") == nullptr);
        QVERIFY(studies()->computing());
        f->window->close();
        for (auto* b : child<QMessageBox>("studying")->buttons())
            if (b->text().contains("Stop"))
                b->click();
        QTRY_VERIFY_WITH_TIMEOUT(!f->window->isVisible(), long_ms);
        const auto ledger =
            study::Ledger::to_look_at(path("closing/closing-study/study.sqlite").toStdString());
        QCOMPARE(ledger.counts()[static_cast<std::size_t>(study::State::running)], 0);
    }

    /// The worked example, with its session, in a folder of the user's.
    void theExampleIsPutIntoAFolder()
    {
        started();
        fake::chooseFile(path("risk"));
        click("exampleStudyFirst");
        QTRY_COMPARE(model()->rowCount(), 17);
        const auto s = study::read_study(path("risk/risk.json").toStdString());
        QVERIFY(s.induction && s.ablation && s.runs.size() == 17);
        QVERIFY(QFile::exists(path("risk/session.json")));
        QVERIFY(child<QLabel>("studyEstimate")->text().startsWith("17 runs."));
        QVERIFY(child<BullseyePlot>("studyEye")->isVisible());
        QVERIFY(!QFile::exists(path("risk/risk-study")));
    }

    void theCommandIsCopied()
    {
        made("copied");
        Q_EMIT panel()->commandRequested();
        QCOMPARE(QGuiApplication::clipboard()->text(),
                 "tawara-cli study run '" + path("copied/copied.json") + "'");
    }
};

int main(int argc, char** argv)
{
    return fake::run<TestStudyPanel>(argc, argv);
}
#include "test_study_panel.moc"
