// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/leaving_controller.hpp"

#include "app/document.hpp"
#include "app/export_controller.hpp"
#include "app/run_account.hpp"
#include "engine/simulation/observe/recording.hpp"
#include "widgets/models/probe_model.hpp"
#include "widgets/panels/message_bar.hpp"

#include <QMessageBox>
#include <QPushButton>

#include <algorithm>
#include <utility>

namespace tawara {
namespace {

/// "40 s", "3 min"
QString wallTime(qint64 ms)
{
    const double s = static_cast<double>(ms) / 1000;
    return s < 90 ? LeavingController::tr("%1 s").arg(s, 0, 'f', 0)
                  : LeavingController::tr("%1 min").arg(s / 60, 0, 'f', 0);
}

} // namespace

LeavingController::LeavingController(QWidget& window, EngineHost& host, Document& document,
                                     const ProbeModel& probes, RunAccount& account,
                                     ExportController& exports, MessageBar& message)
    : m_window(window), m_host(host), m_document(document), m_probes(probes), m_account(account),
      m_exports(exports), m_message(message)
{
}

bool LeavingController::mayClose()
{
    if (const QString state = m_study.state ? m_study.state() : QString();
        m_asks && !state.isEmpty()) {
        askStudy(state);
        return false;
    }
    if (!m_closing && !m_giveUpExports && m_asks && m_exports.exporting()) {
        askExporting();
        return false;
    }
    if (!m_closing && !m_lossAgreed && (unsaved() || lossOf())) {
        askUnsaved(tr("Save them before the window closes?"), [this] {
            m_closing = true;
            m_window.close();
        });
        return false;
    }
    return true;
}

bool LeavingController::unsaved() const
{
    return m_asks && m_host.scene() && m_document.edits().modified();
}

void LeavingController::askUnsaved(const QString& question, const std::function<void()>& then,
                                   Frames frames)
{
    if (!unsaved())
        return askRecorded(then, frames);
    if (m_window.findChild<QMessageBox*>("unsaved") != nullptr)
        return; // it is being asked
    QString text = tr("The session has changes that are not saved.") + QLatin1Char(' ') + question;
    if (const Loss loss = lossOf(frames))
        text += QStringLiteral("\n\n") + lossText(loss) + QLatin1Char(' ') +
                tr("Discard loses that, too; Save asks about it next.");
    auto* box =
        new QMessageBox(QMessageBox::Question, tr("Unsaved changes"), text,
                        QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, &m_window);
    box->setObjectName("unsaved");
    box->setDefaultButton(QMessageBox::Save);
    box->setAttribute(Qt::WA_DeleteOnClose);
    connect(box, &QMessageBox::finished, this, [this, then, frames](int answer) {
        if (answer == QMessageBox::Discard)
            return then();
        if (answer == QMessageBox::Save)
            m_save();
        if (answer == QMessageBox::Save && !m_document.edits().modified())
            askRecorded(then, frames);
    });
    box->open();
}

bool LeavingController::framesUnsaved(Frames frames) const
{
    const auto recording = m_host.recording();
    if (!m_asks || !recording || !m_host.scene() || recording->run() != m_host.scene()->run ||
        recording->frame_count() == 0)
        return false;
    double saved = m_account.framesSavedToMs();
    if (frames == Frames::being_written_count_as_saved)
        saved = std::max(saved, m_exports.framesWrittenToMs(recording));
    return recording->time_of(recording->frame_count() - 1) > saved;
}

bool LeavingController::resultsUnsaved(Frames frames) const
{
    return m_asks && m_account.longAndNotKept() &&
           (frames == Frames::in_files_count_as_saved || !m_exports.exporting());
}

LeavingController::Loss LeavingController::lossOf(Frames frames) const
{
    return {m_account.recordWanted() && framesUnsaved(frames), resultsUnsaved(frames)};
}

QString LeavingController::recordedText() const
{
    const auto recording = m_host.recording();
    const auto count = recording->frame_count();
    return tr("%1 recorded frames (%2 to %3 ms)")
        .arg(count)
        .arg(recording->time_of(0), 0, 'f', 0)
        .arg(recording->time_of(count - 1), 0, 'f', 0);
}

QString LeavingController::resultsText(bool withFrames) const
{
    const auto scene = m_host.scene();
    const auto recording = m_host.recording();
    QStringList what;
    if (withFrames && scene && recording && recording->run() == scene->run &&
        recording->frame_count() > 0)
        what << tr("recorded frames");
    if (!scene || m_host.status().time_ms <= 0)
        return what.join(QStringLiteral(", "));
    if (!m_probes.entries().empty())
        what << tr("action potentials and beats");
    if (scene->session.has_ecg())
        what << tr("the ECG");
    what << tr("maps");
    return what.join(QStringLiteral(", "));
}

QString LeavingController::lossText(const Loss& loss) const
{
    QStringList parts;
    if (loss.frames)
        parts << tr("%1 are not saved and would be lost.").arg(recordedText());
    if (loss.results)
        parts << tr("The run would be lost, %1 of computing: %2.")
                     .arg(wallTime(m_account.computedMs()), resultsText(false));
    return parts.join(QLatin1Char(' '));
}

void LeavingController::askRecorded(const std::function<void()>& then, Frames frames)
{
    const Loss loss = lossOf(frames);
    if (!loss)
        return then();
    askLoss(loss, then);
}

void LeavingController::askLoss(const Loss& loss, const std::function<void()>& then)
{
    if (m_window.findChild<QMessageBox*>("recorded") != nullptr)
        return; // it is being asked
    auto* box =
        new QMessageBox(QMessageBox::Question, loss.frames ? tr("Recorded frames") : tr("Results"),
                        lossText(loss), QMessageBox::Discard | QMessageBox::Cancel, &m_window);
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
            m_exports.askForExport(
                QStringLiteral("frames-pvd"), QStringLiteral(".pvd"), [this, then] {
                    askRecorded(then); // nothing came meanwhile, unless the file was another run's
                });
        else if (clicked != nullptr && clicked == film)
            m_exports.askForMovie(); // what was to come waits until somebody asks again
        else if (clicked != nullptr && clicked == report)
            m_exports.askForReport(); // the same
        else if (answer == QMessageBox::Discard)
            then();
    });
    box->open();
}

void LeavingController::askWhenFree(const std::function<void()>& ask)
{
    for (const char* question : {"unsaved", "recorded", "exporting", "studying"})
        if (const auto* box = m_window.findChild<QMessageBox*>(question)) {
            // when it is gone: its answer may have a file dialog of its own first
            connect(
                box, &QObject::destroyed, this,
                [this, ask] {
                    if (m_window.isVisible())
                        askWhenFree(ask);
                },
                Qt::QueuedConnection);
            return;
        }
    ask();
}

void LeavingController::askExporting()
{
    m_closeWhenWritten = false;
    m_lossAgreed = false;
    if (m_window.findChild<QMessageBox*>("exporting") != nullptr)
        return; // it is being asked
    auto* box = new QMessageBox(QMessageBox::Question, tr("Export"),
                                tr("This is being written: %1. Closing the window now gives it up; "
                                   "nothing of it is kept.")
                                    .arg(m_exports.beingWritten()),
                                QMessageBox::Cancel, &m_window);
    box->setObjectName("exporting");
    box->setTextFormat(Qt::PlainText);
    auto* wait = box->addButton(tr("&Wait for it, then close"), QMessageBox::AcceptRole);
    auto* giveUp = box->addButton(tr("&Give it up"), QMessageBox::DestructiveRole);
    box->button(QMessageBox::Cancel)->setText(tr("Go &on working"));
    box->setDefaultButton(wait);
    box->setAttribute(Qt::WA_DeleteOnClose);
    connect(box, &QMessageBox::finished, this, [this, box, wait, giveUp] {
        if (box->clickedButton() == giveUp) {
            m_giveUpExports = true; // by closing alone: what is asked next may be cancelled
            m_window.close();
            m_giveUpExports = false;
        } else if (box->clickedButton() == wait) {
            // all questions come before the wait, which may be long
            askUnsaved(
                tr("Save them before the window closes?"),
                [this, before = m_notWritten] {
                    if (before == m_notWritten) // else somebody should know first
                        closeWhenWritten();
                },
                Frames::being_written_count_as_saved);
        }
    });
    box->open();
}

void LeavingController::askStudy(const QString& state)
{
    if (m_window.findChild<QMessageBox*>("studying") != nullptr)
        return; // it is being asked
    auto* box = new QMessageBox(
        QMessageBox::Question, tr("Study"),
        tr("A study is being computed: %1. Closing the window stops it. What is done is kept, and "
           "the others go on later from where they were.")
            .arg(state),
        QMessageBox::Cancel, &m_window);
    box->setObjectName("studying");
    auto* stop = box->addButton(tr("&Stop it and close"), QMessageBox::AcceptRole);
    box->button(QMessageBox::Cancel)->setText(tr("Go &on computing"));
    box->setDefaultButton(QMessageBox::Cancel);
    box->setAttribute(Qt::WA_DeleteOnClose);
    connect(box, &QMessageBox::finished, this, [this, box, stop] {
        if (box->clickedButton() != stop)
            return;
        if (m_study.state().isEmpty()) // it has ended meanwhile
            return static_cast<void>(m_window.close());
        m_closeWhenStopped = true;
        m_message.showMessage(MessageBar::Level::note,
                              tr("The window closes when the study has stopped."));
        m_study.stop();
    });
    box->open();
}

void LeavingController::studyStopped()
{
    if (std::exchange(m_closeWhenStopped, false))
        QMetaObject::invokeMethod(&m_window, &QWidget::close, Qt::QueuedConnection);
}

void LeavingController::closeWhenWritten()
{
    m_closeWhenWritten = true;
    m_lossAgreed = true;
    connect(
        &m_document, &Document::changed, this, [this] { m_lossAgreed = false; },
        Qt::SingleShotConnection);
    m_message.showMessage(MessageBar::Level::note,
                          tr("The window closes when the file is written."));
    m_exports.endFilm();
    exportEnded({}); // it may be there by now
}

void LeavingController::exportGivenUp()
{
    ++m_notWritten;
    m_lossAgreed = false; // what it would have saved was not asked about
    exportEnded({});
}

void LeavingController::exportEnded(const QString& error)
{
    if (!error.isEmpty()) {
        ++m_notWritten;
        m_closeWhenWritten = false; // somebody should read it
        m_lossAgreed = false;
    }
    if (m_exports.exporting() || !std::exchange(m_closeWhenWritten, false))
        return;
    QMetaObject::invokeMethod(
        this,
        [this] {
            m_window.close();
            m_lossAgreed = false;
        },
        Qt::QueuedConnection);
}

} // namespace tawara
