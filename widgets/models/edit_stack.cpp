// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/edit_stack.hpp"

#include <QDateTime>
#include <QUndoCommand>

namespace tawara {
namespace {

constexpr qint64 together_ms = 1500; // steps of one key within this time are one
constexpr int undo_limit = 200;

/// A step that takes in those of its kind and key that follow closely.
class Step : public QUndoCommand
{
  public:
    Step(const QString& what, int kind, QString key)
        : QUndoCommand(what), m_kind(kind), m_key(std::move(key)),
          m_when(QDateTime::currentMSecsSinceEpoch())
    {
    }
    int id() const override { return m_key.isEmpty() ? -1 : m_kind; }
    bool mergeWith(const QUndoCommand* next) override
    {
        const auto* s = static_cast<const Step*>(next); // of the same id
        if (s->m_key != m_key || s->m_when - m_when > together_ms)
            return false;
        take(*s);
        m_when = s->m_when;
        return true;
    }

  private:
    virtual void take(const Step& next) = 0;

    int m_kind;
    QString m_key;
    qint64 m_when;
};

class Aside : public Step
{
  public:
    Aside(const QString& what, std::function<void()> redo, std::function<void()> undo,
          const QString& key)
        : Step(what, 2, key), m_redo(std::move(redo)), m_undo(std::move(undo))
    {
    }
    void undo() override { m_undo(); }
    void redo() override { m_redo(); }

  private:
    void take(const Step& next) override { m_redo = static_cast<const Aside&>(next).m_redo; }

    std::function<void()> m_redo, m_undo;
};

} // namespace

class Edit : public Step
{
  public:
    Edit(EditStack& owner, const QString& what, const QString& key, simulation::Session after)
        : Step(what, 1, key), m_owner(owner), m_before(owner.m_session), m_after(std::move(after)),
          m_wasRevision(owner.m_revision), m_revision(++owner.m_newest)
    {
    }
    void undo() override
    {
        m_owner.m_undone = true;
        m_owner.apply(m_before, m_wasRevision);
        if (m_dropped)
            setObsolete(true); // the stack deletes it
    }
    void redo() override
    {
        m_owner.m_undone = false;
        m_owner.apply(m_after, m_revision);
    }
    void drop() { m_dropped = true; }
    void keep(const SessionChange& change)
    {
        change(m_before);
        change(m_after);
    }

  private:
    void take(const Step& next) override
    {
        const auto& e = static_cast<const Edit&>(next);
        m_after = e.m_after;
        m_revision = e.m_revision;
    }

    EditStack& m_owner;
    simulation::Session m_before, m_after;
    quint64 m_wasRevision, m_revision;
    bool m_dropped = false;
};

EditStack::EditStack(QObject* parent) : QObject(parent)
{
    m_stack.setUndoLimit(undo_limit);
}

void EditStack::open(simulation::Session session)
{
    m_stack.clear();
    m_undone = false;
    m_session = std::move(session);
    const quint64 fresh = ++m_newest;
    setRevisions(fresh, fresh);
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
    m_stack.push(new Edit(*this, what, key, std::move(next)));
}

void EditStack::aside(const QString& what, std::function<void()> redo, std::function<void()> undo,
                      const QString& key)
{
    m_stack.push(new Aside(what, std::move(redo), std::move(undo), key));
}

void EditStack::revert()
{
    if (m_undone) {
        while (m_undone && m_stack.canRedo())
            m_stack.redo();
        return;
    }
    int at = m_stack.index() - 1;
    while (at >= 0 && dynamic_cast<const Edit*>(m_stack.command(at)) == nullptr)
        --at;
    if (at < 0)
        return;
    const int asides = m_stack.index() - 1 - at;
    for (int k = 0; k < asides; ++k)
        m_stack.undo();
    static_cast<Edit*>(const_cast<QUndoCommand*>(m_stack.command(at)))->drop();
    m_stack.undo();
    m_undone = false;
    for (int k = 0; k < asides; ++k)
        m_stack.redo();
}

void EditStack::keep(const SessionChange& change)
{
    for (int k = 0; k < m_stack.count(); ++k)
        if (const auto* e = dynamic_cast<const Edit*>(m_stack.command(k)))
            const_cast<Edit*>(e)->keep(change);
    simulation::Session next = m_session;
    change(next);
    apply(next, ++m_newest);
}

void EditStack::setSaved()
{
    setRevisions(m_revision, m_revision);
}

void EditStack::setUnsaved()
{
    setRevisions(m_revision, 0); // that no session has
}

void EditStack::setRevisions(quint64 now, quint64 saved)
{
    const bool was = modified();
    m_revision = now;
    m_saved = saved;
    if (was != modified())
        Q_EMIT modifiedChanged(modified());
}

void EditStack::apply(const simulation::Session& s, quint64 revision)
{
    const simulation::Session before = std::exchange(m_session, s);
    setRevisions(revision, m_saved);
    Q_EMIT changed(before, m_session);
}

} // namespace tawara
