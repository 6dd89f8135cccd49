// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/session/session.hpp"

#include <QObject>
#include <QUndoStack>

#include <functional>

namespace tawara {

/// A change of a session, as panels ask for it.
using SessionChange = std::function<void(simulation::Session&)>;

/// The document: the session that is open, changed only by named edits that can be undone.
///
/// @thread GUI thread
class EditStack : public QObject
{
    Q_OBJECT
  public:
    explicit EditStack(QObject* parent = nullptr);

    const simulation::Session& session() const { return m_session; }
    /// Another document: nothing to undo, no signal changed().
    void open(simulation::Session session);
    /// Takes over what someone else has changed (the engine, on loading); not an edit.
    void adopt(simulation::Session session);

    /// Changes the session. Edits of one non-empty key that follow each other closely are one step
    /// of undo (a drag, a turned wheel).
    void edit(const QString& what, const SessionChange& change, const QString& key = {});
    /// Takes the newest change of the session back: an edit for good, it cannot be redone; where an
    /// edit was undone, that edit is there again. Asides after it stay.
    void revert();
    /// Whether the newest change of the session undid an edit.
    bool undid() const { return m_undone; }
    /// What undo cannot take back stays: the session and all that undo and redo lead to are changed
    /// so; undo goes on with the edits before. Not a step by itself.
    void keep(const SessionChange& change);
    /// Something beside the session that is undone in its turn, e.g. how the views look: calls
    /// `redo` now. Asides of one non-empty key that follow each other closely are one step.
    void aside(const QString& what, std::function<void()> redo, std::function<void()> undo,
               const QString& key = {});

    QUndoStack& stack() { return m_stack; }
    /// Whether the session differs from what was opened or saved; asides do not count.
    bool modified() const { return m_revision != m_saved; }
    void setSaved();
    /// What was opened is in no file yet.
    void setUnsaved();

  Q_SIGNALS:
    /// After every edit, undo and redo.
    void changed(const tawara::simulation::Session& before, const tawara::simulation::Session& now);
    void opened();
    void modifiedChanged(bool modified);

  private:
    friend class Edit;
    void apply(const simulation::Session& s, quint64 revision);
    void setRevisions(quint64 now, quint64 saved);

    simulation::Session m_session;
    quint64 m_revision = 0, m_saved = 0, m_newest = 0;
    bool m_undone = false; ///< the newest change of the session undid an edit
    QUndoStack m_stack;
};

} // namespace tawara
