// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/engine_host.hpp"

#include <QObject>

#include <functional>
#include <utility>

class QWidget;

namespace tawara {

class Document;
class ExportController;
class MessageBar;
class ProbeModel;
class RunAccount;

/// What is asked before something is lost: edits of the session, recorded frames, results, files
/// that are being written.
///
/// @thread GUI thread
class LeavingController : public QObject
{
    Q_OBJECT
  public:
    /// What counts as saved of recorded frames: what is in a file, or also what is on its way
    /// there.
    enum class Frames { in_files_count_as_saved, being_written_count_as_saved };
    /// What is not given up unasked, one rule for opening, going back to the start and closing:
    /// recorded frames that somebody asked for, a run that took long.
    struct Loss
    {
        bool frames = false, results = false;
        explicit operator bool() const { return frames || results; }
    };

    /// @param window  is closed, and parent of the questions
    LeavingController(QWidget& window, EngineHost& host, Document& document,
                      const ProbeModel& probes, RunAccount& account, ExportController& exports,
                      MessageBar& message);
    /// Whether it asks before unsaved changes are lost; not where nobody could answer.
    void setAsking(bool on) { m_asks = on; }
    /// What saves the session where that is the answer.
    void setSaver(std::function<void()> save) { m_save = std::move(save); }
    /// What is asked of a study: how far it is, empty where none is computed; and that it stops.
    struct StudyAsked
    {
        std::function<QString()> state;
        std::function<void()> stop;
    };
    void setStudy(StudyAsked asked) { m_study = std::move(asked); }
    /// No run of a study is computed any more: closes the window where that was waited for.
    void studyStopped();
    /// Whether the window may close now; else somebody is asked, and it closes by the answer.
    bool mayClose();
    /// Asks what becomes of unsaved changes and recorded frames, if there are any; then `then`,
    /// unless cancelled.
    void askUnsaved(const QString& question, const std::function<void()>& then,
                    Frames frames = Frames::in_files_count_as_saved);
    Loss lossOf(Frames frames = Frames::in_files_count_as_saved) const;
    /// Which results there are: "recorded frames, the ECG, maps".
    QString resultsText(bool withFrames) const;
    /// Asks now, or when the question that is open was answered; not in a window that this closed.
    void askWhenFree(const std::function<void()>& ask);
    /// Asks what becomes of what would be lost, if there is any; then `then`, unless cancelled.
    void askRecorded(const std::function<void()>& then,
                     Frames frames = Frames::in_files_count_as_saved);
    /// Asks whether that may be lost; then `then`, unless cancelled.
    void askLoss(const Loss& loss, const std::function<void()>& then);
    /// A file that was being written was cancelled: what it would have saved may be asked about.
    void exportGivenUp();
    /// The same has ended: closes the window where that was waited for and all went well.
    void exportEnded(const QString& error);

  private:
    bool unsaved() const;
    /// Whether this run has recorded frames that are not saved.
    bool framesUnsaved(Frames frames) const;
    /// Whether the run took long to compute and nothing of it was exported since.
    bool resultsUnsaved(Frames frames) const;
    /// How many frames are recorded, and of when; there are some.
    QString recordedText() const;
    QString lossText(const Loss& loss) const;
    /// Asks what becomes of files that are being written: wait and close then, give them up, or do
    /// not close. What else would be lost is asked before the wait.
    void askExporting();
    /// Asks whether the study that is computed here is to stop; the window closes when it has.
    void askStudy(const QString& state);
    /// Closes, asking nothing more unless the session is edited meanwhile.
    void closeWhenWritten();

    QWidget& m_window;
    EngineHost& m_host;
    Document& m_document;
    const ProbeModel& m_probes;
    RunAccount& m_account;
    ExportController& m_exports;
    MessageBar& m_message;
    std::function<void()> m_save;
    StudyAsked m_study;
    bool m_closeWhenStopped = false;
    bool m_asks = true, m_closing = false;
    bool m_closeWhenWritten = false, m_giveUpExports = false;
    bool m_lossAgreed = false; // what closing loses was asked about
    int m_notWritten = 0;      // files that failed or were given up
};

} // namespace tawara
