// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/session.hpp"

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
    /// Takes the newest edit back for good: there is nothing to redo.
    void revert();

    QUndoStack& stack() { return m_stack; }
    bool modified() const { return !m_stack.isClean(); }
    void setSaved() { m_stack.setClean(); }
    /// What was opened is in no file yet.
    void setUnsaved() { m_stack.resetClean(); }

  Q_SIGNALS:
    /// After every edit, undo and redo.
    void changed(const tawara::simulation::Session& before, const tawara::simulation::Session& now);
    void opened();

  private:
    friend class Edit;
    void apply(const simulation::Session& s);

    simulation::Session m_session;
    QUndoStack m_stack;
};

} // namespace tawara
