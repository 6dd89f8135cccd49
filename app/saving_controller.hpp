// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/session/session.hpp"

#include <QJsonObject>
#include <QObject>
#include <QString>

#include <functional>

class QWidget;

namespace tawara {

class Document;
class EngineHost;
class LeavingController;
class MadeMeshes;
class MessageBar;
class ProbeModel;

/// The file of the session that is open: which it is, and saving into it or into another.
///
/// @thread GUI thread
class SavingController : public QObject
{
    Q_OBJECT
  public:
    /// @param window  parent of the dialogs
    SavingController(QWidget& window, EngineHost& host, Document& document, ProbeModel& probes,
                     MadeMeshes& made, LeavingController& leaving, MessageBar& message);
    /// What says how views and panels look, to be kept with the session.
    void setLook(std::function<QJsonObject()> look) { m_look = std::move(look); }
    /// Of what is open; empty: the built-in heart, or nothing saved yet.
    const QString& path() const { return m_path; }
    /// Whether that is a session file that may be written over: no example.
    bool own() const;
    /// That session with all that is kept with it: probes, look and layout.
    simulation::Session whole(simulation::Session session) const;
    /// The window's title: the file that is open, else what is.
    QString title() const;
    /// What was loaded is of another file, or of the same one again.
    void loaded();
    /// Into the file that is open, else into one that is asked for.
    void saveOrAsk();
    void ask();
    /// Writes the session with view and layout into an existing folder, as .json where no suffix is
    /// given; empty when done, else what failed.
    QString save(const QString& chosen);

  Q_SIGNALS:
    void saved();

  private:
    void saveAndSay(const QString& path);

    QWidget& m_window;
    EngineHost& m_host;
    Document& m_document;
    ProbeModel& m_probes;
    MadeMeshes& m_made;
    LeavingController& m_leaving;
    MessageBar& m_message;
    std::function<QJsonObject()> m_look;
    QString m_path;
    bool m_toldOfResults = false; // that a session does not hold them
};

} // namespace tawara
