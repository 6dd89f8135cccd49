// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/engine_host.hpp"
#include "app/work_pool.hpp"
#include "engine/simulation/results/kept_states.hpp"
#include "widgets/panels/message_bar.hpp"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <functional>
#include <optional>

class QMenu;
class QSettings;
class QWidget;

namespace tawara {

class Document;
class LeavingController;
class MadeMeshes;
class OpeningController;
class RunController;
class SavingController;

/// Keeps the document with its edits and the state of its run, beside what the user saves: every so
/// often, and before what may lose them. What a window kept that was not closed is offered by the
/// next one that begins.
///
/// @thread GUI thread; files are read and written on one thread of its own and on the engine's
class KeepingController : public QObject
{
    Q_OBJECT
  public:
    struct Others
    {
        Document& document;
        SavingController& saving;
        OpeningController& opening;
        LeavingController& leaving;
        RunController& run;
        MadeMeshes& made;
        MessageBar& message;
    };
    /// @param window  parent of the question
    KeepingController(QWidget& window, EngineHost& host, const Others& others);
    ~KeepingController() override;

    /// From now on the document is kept in a folder below `all`; what was left there is offered.
    /// Without this nothing is kept.
    void begin(const std::filesystem::path& all);
    /// How often [minutes]; 0: only before what may lose it.
    void setEvery(int minutes);
    int every() const { return m_minutes; }
    /// How much may be kept [bytes].
    void setMost(double bytes) { m_mostBytes = bytes; }
    /// Keeps it now, unless it is kept as it is. @param reason  for people: "by hand"
    void keep(const QString& reason);
    /// The menu of what is kept, filled anew whenever it opens.
    void addMenu(QMenu& file);
    void restore(const QSettings& settings);
    /// The window is closed by its user: nothing is to be offered.
    void closed();
    /// Going back to the newest state that was kept of the run that is loaded.
    /// @param plan  what it goes on with, in place of the devices that it ran on
    MessageBar::Offer goBack(std::optional<device::MemoryPlan> plan = {});

  Q_SIGNALS:
    void kept(); ///< what was asked for is there, or could not be: then a message says why

  private:
    /// What a kept document is of: it is kept again when that is another.
    struct Mark
    {
        std::uint64_t run = 0;
        std::int64_t step = 0;
        quint64 edits = 0, starts = 0;
        bool operator==(const Mark&) const = default;
    };
    /// What was restored and is not kept in this window's folder yet.
    struct Restored
    {
        std::uint64_t run = 0;
        std::filesystem::path left; ///< the folder that goes once the run is kept; empty: none
        bool has_state = false;     ///< which must be kept, too, before that
    };
    /// What is being kept.
    struct Work
    {
        simulation::KeptState about;
        simulation::Session session;
        std::optional<std::filesystem::path> mesh; ///< in a temporary place
        quint64 command = 0;                       ///< of the state; 0: there is none
        Mark mark;
        std::optional<Restored> restored; ///< when this began
        QElapsedTimer since;
    };
    /// What is being restored.
    struct Restoring
    {
        simulation::KeptState from;
        std::uint64_t before = 0; ///< the run that was loaded then
    };

    void keepSession(const QString& reason, simulation::Session session);
    void stateKept(const simulation::StateKept& kept);
    void write();
    /// @param of  without its session
    void written(const Work& of, const QString& error);
    /// Keeps what was restored, where it waited for what was being kept then.
    void keepRestored();
    /// Takes what other windows have left since.
    void look(const std::filesystem::path& all);
    void offer();
    void fill(QMenu& menu);
    void addChoices(QMenu& menu);
    void take(const simulation::KeptState& state, std::optional<device::MemoryPlan> plan = {});
    void opened(const simulation::KeptState& state, const simulation::Session& session,
                const std::optional<device::MemoryPlan>& plan);
    void loadingEnded();
    void removeLeft(const std::filesystem::path& folder);
    QString words(const simulation::KeptState& state) const;
    /// Runs `job` on the thread for files, then `done` with what failed, here.
    template <class Job, class Done>
    void aside(Job job, Done done);

    QWidget& m_window;
    EngineHost& m_host;
    Others m_with;
    std::shared_ptr<simulation::KeptFolder> m_folder; ///< null: nothing is kept
    std::vector<simulation::LeftFolder> m_left;
    std::vector<std::pair<simulation::KeptState, Mark>> m_own; ///< the oldest first
    std::optional<Work> m_work;
    std::optional<Restoring> m_restoring;
    std::optional<Restored> m_restored;
    std::optional<Mark> m_kept;
    std::int64_t m_number = 0;
    quint64 m_edits = 0, m_starts = 0;
    int m_minutes = 5;
    double m_mostBytes = 4e9;
    QString m_said; ///< why a state could not be kept, as it was said last
    QTimer m_timer;
    WorkPool m_pool;
};

} // namespace tawara
