// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked before something is lost: edits of the session, recorded frames, results.
#include "app/export/movie_dialog.hpp"
#include "app/main_window.hpp"
#include "engine/simulation/observe/recording.hpp"
#include "widgets/panels/message_bar.hpp"

#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>

#include <algorithm>
#include <cmath>

namespace tawara {
namespace {


/// "40 s", "3 min"
QString wallTime(qint64 ms)
{
    const double s = static_cast<double>(ms) / 1000;
    return s < 90 ? MainWindow::tr("%1 s").arg(s, 0, 'f', 0)
                  : MainWindow::tr("%1 min").arg(s / 60, 0, 'f', 0);
}

} // namespace

bool MainWindow::unsaved() const
{
    return m_asks && m_host->scene() && m_document->edits().modified();
}

void MainWindow::askUnsaved(const QString& question, std::function<void()> then, Frames frames)
{
    if (!unsaved())
        return askRecorded(std::move(then), frames);
    if (findChild<QMessageBox*>("unsaved") != nullptr)
        return; // it is being asked
    QString text = tr("The session has changes that are not saved.") + QLatin1Char(' ') + question;
    if (const Loss loss = lossOf(frames))
        text += QStringLiteral("\n\n") + lossText(loss) + QLatin1Char(' ') +
                tr("Discard loses that, too; Save asks about it next.");
    auto* box =
        new QMessageBox(QMessageBox::Question, tr("Unsaved changes"), text,
                        QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
    box->setObjectName("unsaved");
    box->setDefaultButton(QMessageBox::Save);
    box->setAttribute(Qt::WA_DeleteOnClose);
    connect(box, &QMessageBox::finished, this, [this, then, frames](int answer) {
        if (answer == QMessageBox::Discard)
            return then();
        if (answer == QMessageBox::Save)
            saveOrAsk();
        if (answer == QMessageBox::Save && !m_document->edits().modified())
            askRecorded(then, frames);
    });
    box->open();
}

bool MainWindow::framesUnsaved(Frames frames) const
{
    const auto recording = m_host->recording();
    if (!m_asks || !recording || !m_host->scene() || recording->run() != m_host->scene()->run ||
        recording->frame_count() == 0)
        return false;
    double saved = m_savedToMs;
    if (frames == Frames::being_written_count_as_saved) {
        if (m_writtenOf == recording.get())
            saved = std::max(saved, m_writtenToMs);
        for (const auto* m : findChildren<MovieDialog*>())
            if (m->busy() && m->recording() == recording &&
                m->range().fromMs <= recording->time_of(0))
                saved = std::max(saved, m->range().toMs);
    }
    return recording->time_of(recording->frame_count() - 1) > saved;
}

bool MainWindow::resultsUnsaved(Frames frames) const
{
    const double now = m_host->status().time_ms;
    if (!m_asks || !m_host->scene() || m_computedMs <= m_longRunMs || now <= m_keptToMs)
        return false;
    return frames == Frames::in_files_count_as_saved || !exporting();
}

std::function<void()> MainWindow::keeper()
{
    return [this, ms = m_host->status().time_ms, of = m_starts] {
        if (of == m_starts)
            m_keptToMs = std::max(m_keptToMs, ms);
    };
}

bool MainWindow::ofThisRun(const simulation::Recording& recording) const
{
    return m_host->scene() && recording.run() == m_host->scene()->run &&
           !m_views->tissues().keptFor(&recording);
}

MainWindow::Loss MainWindow::lossOf(Frames frames) const
{
    return {m_recordWanted && framesUnsaved(frames), resultsUnsaved(frames)};
}

QString MainWindow::recordedText() const
{
    const auto recording = m_host->recording();
    const auto count = recording->frame_count();
    return tr("%1 recorded frames (%2 to %3 ms)")
        .arg(count)
        .arg(recording->time_of(0), 0, 'f', 0)
        .arg(recording->time_of(count - 1), 0, 'f', 0);
}

QString MainWindow::resultsText(bool withFrames) const
{
    const auto scene = m_host->scene();
    const auto recording = m_host->recording();
    QStringList what;
    if (withFrames && scene && recording && recording->run() == scene->run &&
        recording->frame_count() > 0)
        what << tr("recorded frames");
    if (!scene || m_host->status().time_ms <= 0)
        return what.join(QStringLiteral(", "));
    if (!m_probes->entries().empty())
        what << tr("action potentials and beats");
    if (scene->session.has_ecg())
        what << tr("the ECG");
    what << tr("maps");
    return what.join(QStringLiteral(", "));
}

QString MainWindow::lossText(const Loss& loss) const
{
    QStringList parts;
    if (loss.frames)
        parts << tr("%1 are not saved and would be lost.").arg(recordedText());
    if (loss.results)
        parts << tr("The run would be lost, %1 of computing: %2.")
                     .arg(wallTime(m_computedMs), resultsText(false));
    return parts.join(QLatin1Char(' '));
}

void MainWindow::backToStart(std::function<void()> then)
{
    const auto go = [this, then = std::move(then)] {
        if (!m_host->status().recording)
            m_views->tissues().keepFor(m_host->recording());
        m_host->reset();
        if (then)
            then();
    };
    Loss loss = lossOf();
    loss.frames = loss.frames && m_host->status().recording; // else they stay
    if (loss)
        askLoss(loss, go);
    else
        go();
}

void MainWindow::askRecorded(std::function<void()> then, Frames frames)
{
    const Loss loss = lossOf(frames);
    if (!loss)
        return then();
    askLoss(loss, std::move(then));
}

void MainWindow::askLoss(const Loss& loss, std::function<void()> then)
{
    if (findChild<QMessageBox*>("recorded") != nullptr)
        return; // it is being asked
    auto* box =
        new QMessageBox(QMessageBox::Question, loss.frames ? tr("Recorded frames") : tr("Results"),
                        lossText(loss), QMessageBox::Discard | QMessageBox::Cancel, this);
    box->setObjectName("recorded");
    QAbstractButton *save = nullptr, *film = nullptr, *report = nullptr;
    if (loss.frames) {
        save = box->addButton(tr("&Save frames…"), QMessageBox::AcceptRole);
        film = box->addButton(tr("&Make a movie…"), QMessageBox::AcceptRole);
        box->setDefaultButton(qobject_cast<QPushButton*>(save));
    } else {
        report = box->addButton(tr("Make a &report…"), QMessageBox::AcceptRole);
        box->setDefaultButton(QMessageBox::Cancel);
    }
    box->setAttribute(Qt::WA_DeleteOnClose);
    connect(box, &QMessageBox::finished, this, [this, box, save, film, report, then](int answer) {
        const auto* clicked = box->clickedButton();
        if (clicked != nullptr && clicked == save)
            askForExport(QStringLiteral("frames-pvd"), QStringLiteral(".pvd"), then);
        else if (clicked != nullptr && clicked == film)
            askForMovie(); // what was to come waits until somebody asks again
        else if (clicked != nullptr && clicked == report)
            askForReport(); // the same
        else if (answer == QMessageBox::Discard)
            then();
    });
    box->open();
}

void MainWindow::askWhenFree(std::function<void()> ask)
{
    for (const char* question : {"unsaved", "recorded", "exporting"})
        if (const auto* box = findChild<QMessageBox*>(question)) {
            // when it is gone: its answer may have a file dialog of its own first
            connect(
                box, &QObject::destroyed, this,
                [this, ask] {
                    if (isVisible())
                        askWhenFree(ask);
                },
                Qt::QueuedConnection);
            return;
        }
    ask();
}

void MainWindow::askAndOpen(const QString& path)
{
    const QString question = tr("Save them before another is opened?");
    if (path.isEmpty())
        return askUnsaved(question, [this] { open({}); });
    // it is read first: nobody is asked to give something up for a file that cannot be opened
    m_host->open(QFileInfo(path).absoluteFilePath(),
                 [this, question](const std::function<void()>& load) {
                     const auto go = [this, load] {
                         m_message->clear();
                         showStart(false);
                         load();
                     };
                     askWhenFree([this, question, go] { askUnsaved(question, go); });
                 });
}

} // namespace tawara
