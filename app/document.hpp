// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/engine_host.hpp"
#include "app/site_pulses.hpp"
#include "widgets/models/capture_state.hpp"
#include "widgets/models/edit_stack.hpp"

#include <QPointer>

#include <optional>

namespace tawara {

/// The session that is open: edits go to the engine as commands, refused ones are taken back, what
/// the engine finds out about its sites is kept.
///
/// @thread GUI thread
class Document : public QObject
{
    Q_OBJECT
  public:
    explicit Document(EngineHost* host, QObject* parent = nullptr);
    EditStack& edits() { return m_edits; }
    const simulation::Session& session() const { return m_edits.session(); }
    const std::vector<CaptureState>& captures() const { return m_pulses.states(); }
    /// When the newest pulse began that was given before that time [ms]; nothing: none was.
    std::optional<double> lastPulse(double nowMs) const { return m_pulses.lastPulse(nowMs); }

    /// Takes over what the host has loaded.
    void open(const simulation::Session& s);
    void addProbe(const QString& name, const Vec3& position);
    void moveProbe(const QString& name, const Vec3& position);
    /// By name where the session knows it, else by the engine's id.
    void removeProbe(const QString& name, quint64 id);
    /// Which of the session's regions the engine has as its region of that number: it is not given
    /// those that are painted and hold nothing yet. Nothing: it has been taken out since.
    std::optional<std::size_t> regionOfEngine(std::size_t number) const;
    void forgetCaptures();
    /// The engine takes the tissue again as it is: files that it names have changed.
    void renewTissue();

  Q_SIGNALS:
    void changed(); ///< the session, by an edit or by another document
    void capturesChanged();
    void tissueChanged();
    void networkChanged(); ///< the session's keys of the Purkinje network
    /// The run has ended, and the engine has other regions or drugs since; or no longer.
    void outdated(bool on);
    void refused(const QString& reason); ///< an edit, which is taken back
    /// Undo came to a change that cannot be taken back, and goes on before it.
    void steppedOver(const QString& what);
    /// The engine is about to search for conductivities. @param before  the session without that
    void searchBegins(const tawara::simulation::Session& before);
    void notRenewed(const QString& reason); ///< renewTissue() was refused

  private:
    void send(const simulation::Session& before, const simulation::Session& now);
    void sendProbes(const simulation::Session& before, const simulation::Session& now);
    /// The engine keeps another network than the session has.
    void keepNetwork();
    /// Undo led to an end that the run is past: the one that it has stays.
    void keepEnd();
    void captureKnown(const simulation::CaptureEvent& e);
    /// Which sites have tissue around them, without which no pulse of theirs is judged.
    void lookAround();
    /// What such sites have given by now.
    void tellGiven(double nowMs);
    /// What was found out was of another tissue.
    void forgetRefractory();
    /// Where that pulse tells of the refractory period: its coupling interval [ms], as
    /// refractory() of the engine has it.
    std::optional<double> searchedCoupling(const simulation::CaptureEvent& e) const;
    /// Tells outdated() where that has changed.
    void compareTissue();

    EngineHost* m_host;
    EditStack m_edits;
    SitePulses m_pulses;
    std::vector<std::pair<int, double>> m_caught; ///< pulses that captured: stimulus, time [ms]
    QHash<QString, quint64> m_probes;             // ids by name
    quint64 m_newestEdit = 0, m_renewal = 0, m_endEdit = 0, m_networkEdit = 0;
    double m_endKept = 0; ///< the run's length where m_endEdit is refused [ms]
    bool m_keepingEnd = false;
    std::optional<std::pair<std::vector<simulation::Region>, std::vector<simulation::Drug>>>
        m_endedWith; ///< the tissue of the run that has ended
    bool m_outdated = false;
};

} // namespace tawara
