// SPDX-License-Identifier: GPL-3.0-or-later
// What the window does; main_window_layout.cpp has where everything stands.
#include "app/main_window.hpp"

#include "engine/core/error.hpp"
#include "widgets/panels/icons.hpp"
#include "widgets/panels/info_panel.hpp"
#include "widgets/panels/message_bar.hpp"
#include "widgets/panels/overlay.hpp"
#include "widgets/panels/probe_panel.hpp"
#include "widgets/panels/status_strip.hpp"
#include "widgets/panels/stimulus_panel.hpp"
#include "widgets/panels/transport_bar.hpp"
#include "widgets/plots/trace_plot.hpp"

#include <QActionGroup>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QSaveFile>
#include <QSettings>
#include <QStyleFactory>

namespace tawara {
namespace {

using State = EngineHost::State;
constexpr int recent_count = 8;

} // namespace

MainWindow::MainWindow(EngineHost* host, QWidget* parent)
    : QMainWindow(parent), m_host(host), m_probes(new ProbeModel(this))
{
    setWindowTitle(tr("Tawara"));
    setWindowIcon(themedIcon("heart"));
    setAcceptDrops(true);
    setDockNestingEnabled(true);
    resize(1280, 800);
    buildCentre();
    buildDocks();
    buildTools();
    buildMenus();
    connectWidgets();
    connectHost();
    restoreSettings();
    setMode(ClickMode::stimulate);
    m_overlay->showEmpty();
}

MainWindow::~MainWindow()
{
    m_host->disconnect(this);
    m_view->disconnect(this);
}

void MainWindow::connectHost()
{
    connect(m_host, &EngineHost::loadingStarted, this, [this] {
        const QString name =
            m_path.isEmpty() ? tr("the built-in heart") : QFileInfo(m_path).fileName();
        if (!m_overlay->loading())
            m_overlay->showLoading(tr("Opening %1").arg(name));
    });
    connect(m_host, &EngineHost::loadingProgress, m_overlay, &Overlay::setProgress);
    connect(m_host, &EngineHost::loaded, this, &MainWindow::hostLoaded);
    connect(m_host, &EngineHost::loadingEnded, this, [this] {
        if (m_host->scene())
            m_overlay->hide();
        else
            m_overlay->showEmpty();
        // only what was opened just now, not what stayed after a failure
        if (m_host->scene() && m_startedRun != m_host->scene()->run) {
            m_startedRun = m_host->scene()->run;
            if (m_autoPlay)
                m_host->play();
        }
    });
    connect(m_host, &EngineHost::openFailed, this, [this](const QString& reason) {
        showError(reason, m_host->scene()
                              ? tr("What was open before is still here.")
                              : tr("Choose another file with Ctrl+O, or the built-in heart."));
    });
    connect(m_host, &EngineHost::runFailed, this, [this](const QString& reason) {
        showError(reason,
                  tr("The run stopped. Go back to the start (Ctrl+R); a smaller time step or a "
                     "weaker stimulus often helps."));
    });
    connect(m_host, &EngineHost::refused, this, [this](const QString& reason) {
        m_message->showMessage(MessageBar::Level::warning, reason);
    });
    connect(m_host, &EngineHost::statusPolled, this, [this](const simulation::Status& s) {
        m_transport->setStatus(s);
        m_strip->setStatus(s, m_view->framesPerSecond());
    });
    connect(m_host, &EngineHost::frameArrived, this, &MainWindow::showFrame);
    connect(m_host, &EngineHost::stimulated, this,
            [this](const simulation::Stimulate& s) { m_view->flash(s.position_mm, s.radius_mm); });
    connect(m_host, &EngineHost::probeAdded, this,
            [this](quint64 id, const QString& name, const Vec3& position) {
                const ProbeEntry& e = m_probes->add(id, name, position);
                m_plot->addCurve(id, name, e.color);
                updateMarkers();
            });
    connect(m_host, &EngineHost::probeRemoved, this, [this](quint64 id) {
        m_probes->remove(id);
        m_plot->removeCurve(id);
        updateMarkers();
    });
    connect(m_host, &EngineHost::samplesArrived, this,
            [this](quint64 id, const std::vector<double>& t, const std::vector<float>& v) {
                m_plot->append(id, t, v);
                m_probes->setValue(id, v.back());
            });
    connect(m_host, &EngineHost::samplesCleared, m_plot, &TracePlot::clearSamples);
}

void MainWindow::connectWidgets()
{
    connect(m_transport, &TransportBar::playRequested, this, &MainWindow::playOrPause);
    connect(m_transport, &TransportBar::pauseRequested, m_host, &EngineHost::pause);
    connect(m_transport, &TransportBar::stepRequested, m_host, &EngineHost::step);
    connect(m_transport, &TransportBar::resetRequested, m_host, &EngineHost::reset);
    connect(m_transport, &TransportBar::speedLimitChosen, m_host, &EngineHost::limitSpeed);
    connect(m_overlay, &Overlay::cancelRequested, m_host, &EngineHost::cancelLoading);
    connect(m_overlay, &Overlay::openRequested, this, &MainWindow::askForFile);
    connect(m_overlay, &Overlay::heartRequested, this, [this] { open({}); });
    connect(m_probePanel, &ProbePanel::removeRequested, m_host, &EngineHost::removeProbe);
    connect(m_probePanel, &ProbePanel::placeRequested, this, [this] { setMode(ClickMode::probe); });
    connect(m_stimulus, &StimulusPanel::changed, this,
            [this](const StimulusSettings& s) { m_view->setBrushRadius(s.radius_mm); });
    connect(m_view, &HeartView::picked, this, &MainWindow::wallClicked);
    connect(m_view, &HeartView::missed, this, [this] {
        if (m_host->scene())
            m_message->showMessage(MessageBar::Level::note,
                                   tr("That click missed the heart: click on its wall."));
    });
    connect(m_view, &VtkView::glReady, this, &MainWindow::showGl);
}

void MainWindow::showGl()
{
    m_strip->setRenderPath(m_view->softwareRendering() ? tr("host upload · software OpenGL")
                                                       : tr("host upload"),
                           tr("Values reach the picture through the host's memory. Drawn by %1.")
                               .arg(m_view->glDescription()));
    // the engine need not make more frames than are drawn
    m_host->setFrameInterval(m_view->softwareRendering() ? 33 : 16);
}

void MainWindow::open(const QString& path)
{
    m_path = path.isEmpty() ? QString() : QFileInfo(path).absoluteFilePath();
    m_message->hide();
    m_host->open(m_path);
}

void MainWindow::setAutoPlay(bool on)
{
    m_autoPlayAction->setChecked(on);
}

void MainWindow::hostLoaded()
{
    const auto scene = m_host->scene();
    m_probes->clear();
    m_plot->removeCurves();
    if (scene->mesh && scene->surface)
        m_view->setSurface(*scene->mesh, *scene->surface);
    m_info->setScene(scene.get());
    m_strip->setDevice(QString::fromStdString(scene->device));
    m_saveAction->setEnabled(true);
    setWindowTitle(tr("%1 – Tawara").arg(QString::fromStdString(scene->title)));
    if (m_transport->speedLimit() > 0)
        m_host->limitSpeed(m_transport->speedLimit());
    for (const auto& n : scene->notices)
        if (n.level == Notice::Level::warning) {
            m_message->showMessage(MessageBar::Level::warning, QString::fromStdString(n.text));
            break;
        }
    if (!m_path.isEmpty())
        rememberFile(m_path);
}

void MainWindow::showFrame(const EngineHost::FramePtr& frame)
{
    m_view->setValues(frame->values, frame->time_ms);
    m_transport->setTime(frame->time_ms);
}

void MainWindow::showError(const QString& reason, const QString& advice)
{
    m_message->showMessage(MessageBar::Level::error, reason, advice);
}

void MainWindow::playOrPause()
{
    switch (m_host->status().state) {
    case State::running:
        m_host->pause();
        break;
    case State::finished:
    case State::failed:
        m_host->reset();
        m_message->hide();
        m_host->play();
        break;
    default:
        m_host->play();
    }
}

void MainWindow::setMode(ClickMode mode)
{
    m_view->setMode(mode);
    for (auto* a : m_modes->actions())
        a->setChecked(a->data().toInt() == static_cast<int>(mode));
}

void MainWindow::wallClicked(const scene::Pick& pick, Qt::KeyboardModifiers)
{
    if (!m_host->scene())
        return;
    if (m_view->mode() == ClickMode::probe) {
        m_host->addProbe(m_probes->freeName(), pick.position_mm);
        return;
    }
    const StimulusSettings s = m_stimulus->settings();
    m_host->stimulate({pick.position_mm, s.radius_mm, s.duration_ms, s.amplitude_pA_per_pF});
}

void MainWindow::updateMarkers()
{
    std::vector<scene::Marker> markers;
    for (const ProbeEntry& e : m_probes->entries())
        markers.push_back({e.id,
                           e.name.toStdString(),
                           e.position,
                           {e.color.redF(), e.color.greenF(), e.color.blueF()}});
    m_view->scene().set_markers(markers);
    m_view->schedule();
}

void MainWindow::askForFile()
{
    const auto settings = openSettings();
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Open a mesh or a session"), settings->value("files/folder").toString(),
        tr("Meshes and sessions (*.json *.vtu *.vtk *.pts *.elem *.node *.ele *.msh);;All files "
           "(*)"));
    if (path.isEmpty())
        return;
    settings->setValue("files/folder", QFileInfo(path).absolutePath());
    open(path);
}

void MainWindow::askForPicture()
{
    const QImage image = picture(false); // of now, not of when the dialog closes
    const auto settings = openSettings();
    const QString path = QFileDialog::getSaveFileName(this, tr("Save the picture"),
                                                      settings->value("files/pictures").toString() +
                                                          QStringLiteral("/tawara.png"),
                                                      tr("PNG (*.png);;JPEG (*.jpg)"));
    if (path.isEmpty())
        return;
    settings->setValue("files/pictures", QFileInfo(path).absolutePath());
    if (const QString error = savePicture(image, path); !error.isEmpty())
        showError(error, tr("Choose another folder."));
    else
        m_message->showMessage(MessageBar::Level::note, tr("Saved %1").arg(path));
}

void MainWindow::saveSession()
{
    if (!m_host->scene())
        return;
    QString path = QFileDialog::getSaveFileName(
        this, tr("Save the session"), QStringLiteral("session.json"), tr("Sessions (*.json)"));
    if (path.isEmpty())
        return;
    simulation::Session session = m_host->scene()->session;
    session.probes.clear();
    for (const ProbeEntry& e : m_probes->entries())
        session.probes.push_back({e.name.toStdString(), e.position});
    try {
        simulation::write_session(session, path.toStdString());
        m_message->showMessage(MessageBar::Level::note, tr("Saved %1").arg(path));
    } catch (const std::exception& e) {
        showError(QString::fromUtf8(e.what()), tr("Choose another folder."));
    }
}

QImage MainWindow::picture(bool wholeWindow)
{
    m_view->smoothNext();
    return wholeWindow ? grab().toImage() : m_view->finePicture();
}

QImage MainWindow::pictureOfHeart(const PictureOptions& options, QString* why)
{
    return takePicture(*m_view, options, why);
}

void MainWindow::setColorMap(const QString& name)
{
    m_view->scene().set_color_map(name.toStdString());
    m_view->schedule();
    const QString used = QString::fromStdString(scene::color_map(name.toStdString()).name);
    for (auto* a : m_maps->actions())
        a->setChecked(a->data().toString() == used);
    openSettings()->setValue("view/colorMap", used);
}

void MainWindow::setRange(double low, double high)
{
    m_view->scene().set_range(low, high);
    m_view->schedule();
}

void MainWindow::rememberFile(const QString& path)
{
    const auto settings = openSettings();
    QStringList files = settings->value("files/recent").toStringList();
    files.removeAll(path);
    files.prepend(path);
    settings->setValue("files/recent", QStringList(files.mid(0, recent_count)));
}

void MainWindow::fillRecent()
{
    m_recent->clear();
    const QStringList files = openSettings()->value("files/recent").toStringList();
    for (const QString& f : files)
        m_recent->addAction(f, this, [this, f] { open(f); });
    if (files.isEmpty())
        m_recent->addAction(tr("Nothing was opened yet"))->setEnabled(false);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* e)
{
    const auto urls = e->mimeData()->urls();
    if (!urls.isEmpty() && urls.first().isLocalFile())
        e->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* e)
{
    const auto urls = e->mimeData()->urls();
    if (urls.isEmpty() || !urls.first().isLocalFile())
        return;
    e->acceptProposedAction();
    open(urls.first().toLocalFile());
}

void MainWindow::buildHelpMenu()
{
    auto* help = menuBar()->addMenu(tr("&Help"));
    help->addAction(tr("&Keys and mouse"), this,
                    [this] {
                        auto* box = new QMessageBox(
                            QMessageBox::NoIcon, tr("Keys and mouse"),
                            tr("<table cellspacing=6>"
                               "<tr><td><b>Left drag</b></td><td>turn the heart</td></tr>"
                               "<tr><td><b>Wheel, right drag</b></td><td>zoom</td></tr>"
                               "<tr><td><b>Middle or Shift drag</b></td><td>move</td></tr>"
                               "<tr><td><b>Click</b></td><td>stimulate or probe, by the tool "
                               "chosen</td></tr>"
                               "<tr><td><b>Space</b></td><td>play or pause</td></tr>"
                               "<tr><td><b>.</b></td><td>one time step "
                               "(Shift+. one millisecond)</td></tr>"
                               "<tr><td><b>Ctrl+R</b></td><td>back to the start</td></tr>"
                               "<tr><td><b>R, S, P</b></td><td>Rotate, Stimulate, Probe</td></tr>"
                               "<tr><td><b>Home, 1 to 6</b></td><td>views</td></tr>"
                               "<tr><td><b>Ctrl+O, Ctrl+P</b></td><td>open, save a "
                               "picture</td></tr></table>"),
                            QMessageBox::Close, this);
                        box->setAttribute(Qt::WA_DeleteOnClose);
                        box->setModal(false);
                        box->show();
                    })
        ->setShortcut(QKeySequence(Qt::Key_F1));
    help->addAction(tr("&About Tawara"), this, [this] {
        auto* box = new QMessageBox(
            QMessageBox::NoIcon, tr("About Tawara"),
            tr("<h3>Tawara</h3><p>A workstation for cardiac electrophysiology: the electrical wave "
               "of "
               "a heart, computed and shown at once.</p><p>Free software under the GNU General "
               "Public "
               "License, version 3 or later. For research; not a medical device.</p><p>%1</p>")
                .arg(m_view->glDescription().toHtmlEscaped()),
            QMessageBox::Close, this);
        box->setAttribute(Qt::WA_DeleteOnClose);
        box->setModal(false);
        box->show();
    });
}

QString savePicture(const QImage& image, const QString& path)
{
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return QObject::tr("%1: cannot be written: %2").arg(path, file.errorString());
    const QByteArray format = QFileInfo(path).suffix().toLatin1();
    if (!image.save(&file, format.isEmpty() ? "PNG" : format.constData())) {
        file.cancelWriting();
        return QObject::tr("%1: no picture of that kind can be written; want .png or .jpg")
            .arg(path);
    }
    return file.commit() ? QString()
                         : QObject::tr("%1: cannot be written: %2").arg(path, file.errorString());
}

} // namespace tawara
