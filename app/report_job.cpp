// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/report_job.hpp"

#include "app/export/report_painter.hpp"
#include "app/export/report_writer.hpp"
#include "widgets/panels/color_map_editor.hpp"

#include <QFile>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace tawara {
namespace {

constexpr int column_px = 280;     // of a picture on the page [CSS pixels]
constexpr double shape = 0.86;     // height over width
constexpr int finer = 3;           // pixels per CSS pixel
constexpr double text_scale = 2.2; // of a picture's text: somewhat smaller than the page's
constexpr int patience_ms = 3000;  // until maps are there that nobody has watched

} // namespace

ReportJob::ReportJob(EngineHost* host, ViewController* views, HeartView* like, const QString& file,
                     QObject* parent)
    : QObject(parent), m_host(host), m_views(views), m_like(like), m_file(file)
{
    m_patience.setSingleShot(true);
    m_patience.setInterval(patience_ms);
    connect(&m_patience, &QTimer::timeout, this, &ReportJob::draw);
    connect(host, &EngineHost::exported, this, &ReportJob::written);
}

ReportJob::~ReportJob()
{
    m_pool.waitForDone();
    releaseMaps();
}

void ReportJob::start()
{
    if (!m_host->scene() || !m_views->ready())
        return end(tr("Nothing is loaded; open a heart first."));
    m_potential = m_views->values(Quantity::potential);
    if (!m_potential.empty())
        return askForMaps();
    // frames stay on the GPU: V comes by a file
    m_host->exportResults(QStringLiteral("potential-dat"), m_folder.filePath("v.dat"));
}

bool ReportJob::owns(const QString& path) const
{
    return path == m_folder.filePath("v.dat") || path == m_folder.filePath("page.html");
}

void ReportJob::potentialWritten(const QString& error)
{
    QFile file(m_folder.filePath("v.dat"));
    if (!error.isEmpty() || !file.open(QIODevice::ReadOnly))
        return end(error.isEmpty() ? file.errorString() : error);
    std::vector<float> volume;
    while (!file.atEnd())
        volume.push_back(file.readLine().trimmed().toFloat());
    for (const auto v : m_host->scene()->surface->vertices)
        m_potential.push_back(volume.at(static_cast<std::size_t>(v)));
    askForMaps();
}

void ReportJob::askForMaps()
{
    // all of one beat, as the engine's page: an APD map of the newest is none until it is over
    using simulation::WatchMaps;
    const auto& settings = m_views->settings();
    m_asked = settings.beat == WatchMaps::newest ? WatchMaps::newest_repolarised : settings.beat;
    m_holding = true;
    m_host->holdMaps(static_cast<int>(m_asked));
    connect(m_host, &EngineHost::mapsArrived, this, &ReportJob::mapsArrived);
    m_patience.start();
    if (settings.needsMaps() && m_views->maps()) // else they are of some time ago
        mapsArrived(m_views->maps());
}

void ReportJob::mapsArrived(const std::shared_ptr<const simulation::MapFrame>& maps)
{
    if (maps->asked != m_asked || maps != m_views->maps())
        return;
    m_mapsCame = true;
    if (maps->beat > 0) // the page is of this one, too, if another is the newest by then
        m_host->holdMaps(static_cast<int>(maps->beat));
    draw();
}

void ReportJob::draw()
{
    if (m_drawing)
        return;
    m_drawing = true;
    m_patience.stop();
    disconnect(m_host, &EngineHost::mapsArrived, this, nullptr);
    const auto& settings = m_views->settings();
    std::vector<ReportPainter::Shot> shots;
    const auto add = [&](Quantity q, const std::vector<float>& values,
                         std::pair<double, double> range, const QString& of) {
        if (std::none_of(values.begin(), values.end(),
                         [](float v) { return std::isfinite(v) && v > -1e20F; }))
            return;
        ReportPainter::Shot shot;
        shot.values = values;
        const auto& style = settings.style(q);
        shot.colors = mapOf(style, settings.customMaps);
        std::tie(shot.low, shot.high) = range;
        shot.isochrones = q == Quantity::activation ? isochroneStep(range.first, range.second) : 0;
        shot.title = quantityTitle(q);
        if (settings.scar)
            shot.scar = m_views->scar(q);
        m_captions << (of.isEmpty() ? shot.title : shot.title + QStringLiteral(" · ") + of);
        shots.push_back(std::move(shot));
    };
    add(Quantity::potential, m_potential, m_views->range(Quantity::potential),
        tr("at %1 ms").arg(m_views->shownMs(), 0, 'f', 1));
    for (const Quantity q : {Quantity::activation, Quantity::apd}) {
        if (!m_mapsCame)
            break; // those of another beat would not be the page's
        const auto values = m_views->values(q);
        const QString changes = m_views->changesNote().replace(QLatin1Char('\n'), "; ");
        add(q, values, roundRange(values),
            changes.isEmpty() ? m_views->beatLabel() : m_views->beatLabel() + "; " + changes);
    }
    auto* painter =
        new ReportPainter(*m_like, std::move(shots),
                          QSizeF(column_px, shape * column_px).toSize() * finer, text_scale, this);
    connect(painter, &ReportPainter::drawn, this,
            [this](const std::vector<QImage>& pictures, const QString& error) {
                if (!error.isEmpty())
                    return end(error);
                m_pictures = pictures;
                m_host->exportResults(QStringLiteral("report-html"),
                                      m_folder.filePath("page.html"));
            });
    painter->start();
}

void ReportJob::written(const QString& path, const QString& error)
{
    if (path == m_folder.filePath("v.dat"))
        return potentialWritten(error);
    const QString page = m_folder.filePath("page.html");
    if (path != page)
        return; // another export
    if (!error.isEmpty())
        return end(error);
    const auto scene = m_host->scene();
    const QString title = scene ? QString::fromStdString(scene->session.name) : QString();
    // layout and compression take longer than an event may
    m_pool.start(this, [this, page, title] {
        const QString failure = lay(page, title);
        postTo(this, [this, failure] { end(failure); });
    });
}

QString ReportJob::lay(const QString& page, const QString& title) const
{
    QFile file(page);
    if (!file.open(QIODevice::ReadOnly))
        return tr("%1: cannot be read: %2").arg(page, file.errorString());
    try {
        std::vector<simulation::ReportPage::Picture> pictures;
        for (std::size_t k = 0; k < m_pictures.size(); ++k)
            pictures.push_back(
                reportPicture(m_pictures[k], m_captions[static_cast<qsizetype>(k)], column_px));
        return writeReport(simulation::with_pictures(file.readAll().toStdString(), pictures), title,
                           m_file);
    } catch (const std::exception& e) {
        return QString::fromUtf8(e.what());
    }
}

void ReportJob::end(const QString& error)
{
    disconnect(m_host, nullptr, this, nullptr);
    releaseMaps();
    Q_EMIT ended(m_file, error);
    deleteLater();
}

void ReportJob::releaseMaps()
{
    if (std::exchange(m_holding, false))
        m_host->holdMaps({});
}

} // namespace tawara
