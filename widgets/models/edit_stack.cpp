// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/edit_stack.hpp"

#include <QDateTime>
#include <QUndoCommand>

namespace tawara {
namespace {

constexpr qint64 together_ms = 1500; // edits of one key within this time are one
constexpr int undo_limit = 200;

} // namespace

class Edit : public QUndoCommand
{
  public:
    Edit(EditStack& owner, const QString& what, QString key, simulation::Session before,
         simulation::Session after)
        : QUndoCommand(what), m_owner(owner), m_key(std::move(key)), m_before(std::move(before)),
          m_after(std::move(after)), m_when(QDateTime::currentMSecsSinceEpoch())
    {
    }
    void undo() override
    {
        m_owner.apply(m_before);
        if (m_dropped)
            setObsolete(true); // the stack deletes it
    }
    void drop() { m_dropped = true; }
    void redo() override { m_owner.apply(m_after); }
    int id() const override { return m_key.isEmpty() ? -1 : 1; }
    bool mergeWith(const QUndoCommand* next) override
    {
        const auto* e = static_cast<const Edit*>(next);
        if (e->m_key != m_key || e->m_when - m_when > together_ms)
            return false;
        m_after = e->m_after;
        m_when = e->m_when;
        return true;
    }

  private:
    EditStack& m_owner;
    QString m_key;
    simulation::Session m_before, m_after;
    qint64 m_when;
    bool m_dropped = false;
};

EditStack::EditStack(QObject* parent) : QObject(parent)
{
    m_stack.setUndoLimit(undo_limit);
}

void EditStack::open(simulation::Session session)
{
    m_stack.clear();
    m_session = std::move(session);
    Q_EMIT opened();
}

void EditStack::adopt(simulation::Session session)
{
    m_session = std::move(session);
}

void EditStack::edit(const QString& what, const SessionChange& change, const QString& key)
{
    simulation::Session next = m_session;
    change(next);
    m_stack.push(new Edit(*this, what, key, m_session, std::move(next)));
}

void EditStack::revert()
{
    if (!m_stack.canUndo())
        return;
    const auto* newest = m_stack.command(m_stack.index() - 1);
    static_cast<Edit*>(const_cast<QUndoCommand*>(newest))->drop();
    m_stack.undo();
}

void EditStack::apply(const simulation::Session& s)
{
    const simulation::Session before = std::exchange(m_session, s);
    Q_EMIT changed(before, m_session);
}

} // namespace tawara
