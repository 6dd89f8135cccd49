// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/live/messages.hpp"

#include <QObject>
#include <QString>

#include <optional>

class QMenu;
class QWidget;

namespace tawara {

class EngineHost;
struct SessionOrigin;
class LeavingController;
class MessageBar;
class Overlay;
class SavingController;
class StartPage;

/// Opening of sessions and meshes: files that are asked for, dropped, recent or examples, and what
/// is made in the window. What was open stays until the new one is ready; what may be lost with it
/// is asked first. How far it is stands over the heart.
///
/// @thread GUI thread
class OpeningController : public QObject
{
    Q_OBJECT
  public:
    /// @param window  parent of the dialogs
    OpeningController(QWidget& window, EngineHost& host, LeavingController& leaving,
                      SavingController& saving, Overlay& overlay, StartPage& start,
                      MessageBar& message);
    /// Opens a mesh or session file; the built-in heart for an empty path.
    void open(const QString& path);
    void ask();
    /// Reads it, asks what may be lost, and opens it; else all stays as it is.
    void askAndOpen(const QString& path);
    /// The document that is open is computed anew with this session.
    void loadAnew(const simulation::Session& session);
    /// What was made here takes the place of what is open.
    /// @param checkpoint  of a run, which the session begins with; empty: it begins at its start
    void openMade(const simulation::Session& session, const std::filesystem::path& checkpoint = {});
    /// What was kept of a document takes the place of what is open: not saved, of that file.
    /// @param plan  what it is computed by, in place of the devices chosen
    void openKept(const simulation::Session& session, const QString& file,
                  const std::filesystem::path& checkpoint,
                  const std::optional<device::MemoryPlan>& plan);
    /// What was opened is there: says what its session warns of, and which files it reads.
    void loaded();
    /// The file is the newest of the recent ones.
    void remember(const QString& path);
    void fillRecent(QMenu& menu);
    /// Puts examples and recent files on the start page.
    void fillStart();

  Q_SIGNALS:
    void begins(); ///< the start page gives way to the heart

  private:
    QString name() const; ///< of what is being opened, for people
    void showLoading();
    void failed(const QString& reason);
    /// Says that a device has no room, and offers what has.
    void offerPlan(const QString& reason, const simulation::Load& asked,
                   const SessionOrigin& origin, const std::vector<device::MemoryPlan>& plans);
    void ended();
    void connectHost();
    void connectPages();

    QWidget& m_window;
    EngineHost& m_host;
    LeavingController& m_leaving;
    SavingController& m_saving;
    Overlay& m_overlay;
    StartPage& m_start;
    MessageBar& m_message;
};

} // namespace tawara
