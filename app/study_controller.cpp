// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/study_controller.hpp"

#include "app/document.hpp"
#include "app/leaving_controller.hpp"
#include "app/made_meshes.hpp"
#include "app/study_dialog.hpp"
#include "app/study_files.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/study/open_run.hpp"
#include "engine/study/study_results.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/study_panel.hpp"

#include <QClipboard>
#include <QDesktopServices>
#include <QGuiApplication>
#include <QUrl>

#include <algorithm>
#include <tuple>
#include <utility>

namespace tawara {

using simulation::Session;

namespace {

constexpr const char* about_study = "study";  // of messages
constexpr int quick_ms = 500, slow_ms = 2000; // between looks at the ledger

} // namespace

StudyController::StudyController(QWidget& window, EngineHost& host, StudyPanel& panel,
                                 const Others& others)
    : m_window(window), m_host(host), m_document(others.document), m_leaving(others.leaving),
      m_made(others.made), m_panel(panel), m_message(others.message)
{
    connectPanel();
    connect(&m_work, &StudyWork::ended, this, &StudyController::ended);
    connect(&m_work, &StudyWork::remarked, this, [this](const QString& text) {
        m_message.showMessage(MessageBar::Level::warning, text, {}, about_study);
    });
    m_due.setInterval(quick_ms);
    connect(&m_due, &QTimer::timeout, this, [this] {
        showWork();
        m_due.setInterval(m_work.running() ? quick_ms : slow_ms);
        if (m_work.running() || m_panel.isVisible())
            look();
    });
    connect(&m_host, &EngineHost::loaded, this, [this] { m_speed = 0; });
    connect(&m_host, &EngineHost::statusPolled, this, [this](const simulation::Status& s) {
        if (s.state == EngineHost::State::running && s.ms_per_second > 0)
            m_speed = s.ms_per_second;
    });
}

StudyController::~StudyController()
{
    m_pool.waitForDone();
}

void StudyController::connectPanel()
{
    connect(&m_panel, &StudyPanel::newRequested, this, &StudyController::askForNew);
    connect(&m_panel, &StudyPanel::openRequested, this, &StudyController::askForStudy);
    connect(&m_panel, &StudyPanel::exampleRequested, this, &StudyController::askForExample);
    connect(&m_panel, &StudyPanel::closeRequested, this, [this] {
        if (free())
            close();
    });
    connect(&m_panel, &StudyPanel::startRequested, this, &StudyController::start);
    connect(&m_panel, &StudyPanel::stopRequested, this, [this] {
        stop();
        showWork();
    });
    connect(&m_panel, &StudyPanel::reportRequested, this, &StudyController::report);
    connect(&m_panel, &StudyPanel::folderRequested, this, [this] { openFolder(m_folder); });
    connect(&m_panel, &StudyPanel::commandRequested, this, &StudyController::copyCommand);
    connect(&m_panel, &StudyPanel::runActivated, this, &StudyController::openRun);
    connect(&m_panel, &StudyPanel::runPageRequested, this, &StudyController::openRunPage);
    connect(&m_panel, &StudyPanel::runChosen, this, &StudyController::showPicture);
    connect(&m_panel, &StudyPanel::runFolderRequested, this,
            [this](std::int64_t run) { openFolder(folderOf(run)); });
}

void StudyController::setDevice(const device::StepperOptions& o, bool precisionGiven)
{
    m_device = o;
    m_precisionGiven = precisionGiven;
}

template <class Job, class Done>
void StudyController::aside(Job job, Done done, std::function<void(const QString&)> failed)
{
    if (!failed)
        failed = [this](const QString& why) { fail(why); };
    m_pool.start(this, [this, job = std::move(job), done = std::move(done), failed] {
        std::shared_ptr<decltype(job())> result;
        QString error;
        try {
            result = std::make_shared<decltype(job())>(job());
        } catch (const std::bad_alloc&) {
            error = tr("There is not enough memory for this study.");
        } catch (const std::exception& e) {
            error = QString::fromUtf8(e.what());
        }
        postTo(this, [result, error, done, failed] {
            if (result)
                done(*result);
            else
                failed(error);
        });
    });
}

void StudyController::fail(const QString& reason, const QString& advice)
{
    m_message.showMessage(MessageBar::Level::error, reason, advice, about_study);
}

bool StudyController::free()
{
    if (!m_work.running())
        return true;
    fail(tr("This study is being computed (%1).").arg(stateText()),
         tr("Stop it first; it goes on later from where it was."));
    return false;
}

QString StudyController::stateText() const
{
    const auto done =
        m_view ? m_view->counts[static_cast<std::size_t>(study::State::done)] : std::int64_t{0};
    return tr("%1 of %2 runs are done").arg(done).arg(m_view ? m_view->runs.size() : 0);
}

void StudyController::askForNew()
{
    const auto scene = m_host.scene();
    if (!scene)
        return fail(tr("A study is made of the session that is open, and none is."),
                    tr("Open a heart first (Ctrl+O)."));
    if (!free())
        return;
    study::MeshCount mesh;
    if (scene->mesh)
        mesh = {static_cast<double>(scene->mesh->vertex_count()),
                static_cast<double>(scene->mesh->tetrahedron_count())};
    auto* dialog = new StudyDialog(m_document.session(), mesh, m_speed,
                                   newStudyFolder(QString::fromStdString(scene->title)), &m_window);
    connect(dialog, &StudyDialog::makeRequested, this, [this, dialog] { makeNew(*dialog); });
    dialog->open();
}

void StudyController::makeNew(StudyDialog& dialog)
{
    dialog.setMaking(true);
    const auto session = dialog.session();
    const auto mesh = m_made.fileOf(session);
    const auto asked = dialog.study();
    const auto folder = dialog.folder();
    const QPointer<StudyDialog> shown(&dialog);
    aside(
        [=, counts = dialog.mesh()] {
            const auto file = study::make_study(
                folder.toStdString(), study::to_json(asked),
                [&](const std::filesystem::path& at) { writeStudySession(session, mesh, at); });
            auto out = readStudy(file);
            out.forecast = study::forecast(*out.study, counts);
            return out;
        },
        [this, shown](StudyToShow& s) {
            if (shown)
                shown->accept();
            rememberStudy(s.folder.parent_path());
            adopt(std::move(s), m_speed);
        },
        [shown](const QString& why) {
            if (!shown)
                return;
            shown->setMaking(false);
            shown->setFault(why);
        });
}

void StudyController::askForStudy()
{
    if (!free())
        return;
    if (const QString path = askForStudyFile(&m_window); !path.isEmpty())
        open(path);
}

void StudyController::askForExample()
{
    if (!free())
        return;
    const QString folder = askForExampleFolder(&m_window);
    if (folder.isEmpty())
        return;
    aside([folder] { return readStudy(makeExample(folder.toStdString())); },
          [this](StudyToShow& s) { adopt(std::move(s), 0); });
}

void StudyController::open(const QString& path)
{
    if (!free())
        return;
    aside([path] { return readStudy(path.toStdString()); },
          [this, path](StudyToShow& s) {
              rememberStudy(path.toStdString());
              adopt(std::move(s), 0);
          });
}

void StudyController::close()
{
    m_due.stop();
    m_folder.clear();
    m_study.reset();
    m_forecast.reset();
    m_watch.reset();
    m_view.reset();
    m_panel.setStudy(nullptr);
}

void StudyController::adopt(StudyToShow s, double ms_per_s)
{
    if (!free())
        return;
    close();
    m_message.settle(about_study);
    m_folder = s.folder;
    m_study = std::move(s.study);
    m_forecast = s.forecast;
    m_forecastSpeed = ms_per_s;
    m_watch = std::move(s.watch);
    show(std::make_shared<const study::StudyView>(std::move(s.view)));
    m_due.start(slow_ms);
    Q_EMIT panelWanted(QStringLiteral("studyDock"));
}

void StudyController::look()
{
    if (m_folder.empty() || m_looking)
        return;
    m_looking = true;
    struct Seen
    {
        std::shared_ptr<study::StudyWatch> watch;
        StudyViewPtr view;
    };
    const auto of = m_folder;
    aside(
        [of, watch = m_watch] {
            Seen s{watch, nullptr};
            std::error_code none;
            if (!s.watch && std::filesystem::exists(of / "study.sqlite", none))
                s.watch = std::make_shared<study::StudyWatch>(of);
            if (s.watch)
                s.view = std::make_shared<const study::StudyView>(s.watch->look());
            return s;
        },
        [this, of](Seen& s) {
            m_looking = false;
            if (of != m_folder)
                return;
            m_watch = s.watch;
            if (s.view && !s.view->runs.empty())
                show(s.view);
            else // its runs are being planned
                m_panel.setTrouble({});
        },
        [this, of](const QString& why) {
            m_looking = false;
            if (of == m_folder && m_watch) // else it is being made
                m_panel.setTrouble(why);
        });
}

void StudyController::show(const StudyViewPtr& view)
{
    m_view = view;
    showWork();
    m_panel.setStudy(view);
    m_panel.setEstimate(estimate());
    QStringList leftOut;
    for (const auto& n : view->left_out)
        leftOut << QString::fromStdString(n.text);
    m_panel.setTrouble(leftOut.join('\n'));
}

QString StudyController::estimate() const
{
    double all_s = 0;
    std::size_t done = 0, running = 0, left = 0;
    for (const auto& r : m_view->runs) {
        all_s += r.row.seconds;
        done += r.row.state == study::State::done;
        left += r.row.state == study::State::planned || r.row.state == study::State::running;
        running += r.keeper == study::Keeper::here || r.keeper == study::Keeper::elsewhere;
    }
    if (done == 0)
        return m_forecast ? forecastText(*m_forecast, m_forecastSpeed) : QString();
    const double now = m_view->run_bytes * static_cast<double>(done),
                 later = m_view->run_bytes * static_cast<double>(done + left);
    if (left == 0)
        return tr("%1 of runs in all; %2 on disk.").arg(durationText(all_s), bytesText(now));
    const auto s = study::seconds_left(*m_view, m_work.running() ? m_work.atOnce() : 0);
    return (running > 0 ? tr("About %1 left; %2 on disk, about %3 in all.")
                        : tr("About %1 for what is left, one at a time; %2 on disk, about %3 in "
                             "all."))
        .arg(durationText(s.value_or(0)), bytesText(now), bytesText(later));
}

void StudyController::showWork()
{
    m_panel.setWork({m_work.running(), m_work.stopping(), m_work.stage()});
    m_panel.setProgress(m_work.progress());
}

void StudyController::start(bool failedToo)
{
    if (!m_view || m_work.running())
        return;
    const auto begin = [this, failedToo] {
        study::StudyOptions o;
        o.out = m_folder;
        o.device = m_device;
        o.precision_given = m_precisionGiven;
        o.failed_again = failedToo;
        m_work.start(*m_study, std::move(o), m_host.context());
        m_message.settle(about_study);
        if (m_host.status().state == EngineHost::State::running)
            m_message.showMessage(
                MessageBar::Level::note,
                tr("The run in the window comes first: the study gets little of the machine."), {},
                about_study, {tr("Pause the run"), [this] { m_host.pause(); }});
        m_due.start(quick_ms);
        showWork();
    };
    aside(
        [view = m_view, known = m_study, of = m_folder] {
            need_writable_folder(of);
            return known ? *known : study::study_of(*view);
        },
        [this, begin, of = m_folder](study::Study& s) {
            if (of != m_folder || m_work.running())
                return;
            m_study = std::move(s);
            begin();
        });
}

void StudyController::ended(const QString& error)
{
    showWork();
    look();
    if (!error.isEmpty())
        fail(error);
    Q_EMIT stopped();
}

std::filesystem::path StudyController::folderOf(std::int64_t run) const
{
    return m_view && run >= 0 && run < static_cast<std::int64_t>(m_view->runs.size())
               ? m_folder / m_view->runs[static_cast<std::size_t>(run)].row.name
               : std::filesystem::path();
}

void StudyController::openRun(std::int64_t run)
{
    if (folderOf(run).empty())
        return;
    aside(
        [view = m_view, known = m_study, run] {
            const auto s = known ? *known : study::study_of(*view);
            const auto k = static_cast<std::size_t>(run);
            RunToOpen out;
            out.session = study::session_to_watch(s, s.runs.at(k), view->runs.at(k).site.get());
            out.checkpoint = study::checkpoint_of(s.runs.at(k), view->folder);
            std::tie(out.text, out.advice) = whatIsOpened(s, *view, k);
            return out;
        },
        [this](RunToOpen& r) {
            m_leaving.askUnsaved(tr("Save them before the run is opened?"), [this, r] {
                Q_EMIT sessionMade(r.session, r.checkpoint);
                m_message.showMessage(MessageBar::Level::note, r.text, r.advice, about_study);
            });
        });
}

void StudyController::openRunPage(std::int64_t run)
{
    const auto folder = folderOf(run);
    const auto files = study::files_of_run(folder);
    if (!files.page.empty())
        return openFolder(files.page);
    if (files.report.empty())
        return fail(tr("This run has no page so far."));
    openFolder(files.report); // its numbers
}

void StudyController::showPicture(std::int64_t run)
{
    const auto folder = folderOf(run);
    m_picture = run;
    m_panel.setPicture({});
    if (folder.empty())
        return;
    aside([folder] { return pictureOfRun(folder); },
          [this, run](const QImage& picture) {
              if (run == m_picture)
                  m_panel.setPicture(picture);
          });
}

void StudyController::report()
{
    aside(
        [of = m_folder] {
            const auto page = of / "report.html";
            const auto ledger = study::Ledger::to_look_at(of / "study.sqlite");
            study::write_results(ledger, of);
            return page;
        },
        [this](const std::filesystem::path& page) { openFolder(page); });
}

void StudyController::copyCommand()
{
    const QString command = commandOf(*m_view);
    if (command.isEmpty())
        return fail(tr("The file of this study is not known; it can be looked at alone."));
    QGuiApplication::clipboard()->setText(command);
    m_message.showMessage(MessageBar::Level::done, tr("Copied: %1").arg(command), {}, about_study);
}

void StudyController::openFolder(const std::filesystem::path& path)
{
    const QString name = QString::fromStdString(path.string());
    if (!QDesktopServices::openUrl(QUrl::fromLocalFile(name)))
        fail(tr("%1 cannot be shown: the desktop has no program for it.").arg(name));
}

} // namespace tawara
