// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/engine_host.hpp"
#include "widgets/panels/message_bar.hpp"

#include <functional>

class QAction;
class QMenu;
class QSettings;
class QWidget;

namespace tawara {

class Document;
class FramePace;
class LeavingController;
class ReplayController;
class RunAccount;
class TransportBar;
class ViewController;

/// What a user tells the run: to go on, to wait, to begin anew, how long it is, how it is computed,
/// to record; and what holds for every run that is opened.
///
/// @thread GUI thread
class RunController : public QObject
{
    Q_OBJECT
  public:
    /// @param window  parent of the dialogs
    RunController(QWidget& window, EngineHost& host, Document& document, ViewController& views,
                  LeavingController& leaving, RunAccount& account, ReplayController& replay,
                  TransportBar& transport, MessageBar& message);
    void playOrPause();
    /// As many time steps as a millisecond has.
    void stepMillisecond();
    /// To the first moment of the run, which is lost, so it may ask; frames stay unless they are
    /// being recorded, when they begin anew.
    void backToStart(std::function<void()> then = {});
    void askForLength();
    void askForNumerics();
    void askForOutputs();
    /// Begins or ends a recording as somebody asked for it: what is recorded then is not lost
    /// unasked, nor is what it takes the place of.
    void recordByHand(bool on);

    /// Adds to a menu what holds for every run: whether it starts and is recorded when opened,
    /// whether pictures wait for computing.
    /// @pre  once, before all below
    void addChoices(QMenu& menu, FramePace& pace);
    void restore(const QSettings& settings);
    void save(QSettings& settings) const;
    /// Whether what is opened starts to run by itself, while this window is there; the user's own
    /// choice stays what the next one begins with.
    void setAutoPlay(bool on);
    /// What is opened next waits, whatever setAutoPlay() says.
    void holdNext() { m_hold = true; }
    /// What holdNext() held back runs after all, where it would have by itself.
    void startHeld();
    /// What was opened is there, before its first step.
    void loaded();

    /// What a run that failed can go back to; with a plan, to go on by that.
    using GoBack = std::function<MessageBar::Offer(std::optional<device::MemoryPlan>)>;
    void setGoBack(GoBack offer) { m_goBack = std::move(offer); }

  Q_SIGNALS:
    /// Where the run has failed; nothing: it goes on, or is another.
    void failedAt(const std::optional<tawara::Vec3>& place);
    /// The document that is open is to be computed anew with this session.
    void changed(const tawara::simulation::Session& session);

  private:
    /// What was opened starts to run.
    void loadingEnded();
    /// That the run has ended and nothing was activated; the Info panel lists each reason.
    void sayUnexcited();
    void record(bool on);
    void sayNothingOpen();
    void failed(const QString& reason);
    void connectTransport();
    void connectHost();

    QWidget& m_window;
    EngineHost& m_host;
    Document& m_document;
    ViewController& m_views;
    LeavingController& m_leaving;
    RunAccount& m_account;
    ReplayController& m_replay;
    TransportBar& m_transport;
    MessageBar& m_message;
    QAction *m_autoPlayAction = nullptr, *m_autoRecordAction = nullptr, *m_computeFirst = nullptr,
            *m_outlive = nullptr;
    bool m_autoPlay = true, m_autoPlayChosen = true;
    GoBack m_goBack;
    bool m_goOn = false;      // what is opened next goes on, in place of a run whose device failed
    bool m_hold = false;      // what is opened next waits
    quint64 m_startedRun = 0; // the run that auto play has seen
};

} // namespace tawara
