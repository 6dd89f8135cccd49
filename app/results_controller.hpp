// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/engine_host.hpp"

#include <vector>

class QAction;
class QMenu;

namespace tawara {

class BeatsPanel;
class Document;
class EcgPanel;
class MessageBar;
class PictureChanges;
class ProbeModel;
class TracePlot;

/// What the run gave, in the panels: action potentials at probes, their beats, the
/// electrocardiogram, what became of pulses; and curves that are kept to compare with.
///
/// @thread GUI thread
class ResultsController : public QObject
{
    Q_OBJECT
  public:
    ResultsController(EngineHost& host, Document& document, ProbeModel& probes, TracePlot& plot,
                      BeatsPanel& beats, EcgPanel& ecg, PictureChanges& changes,
                      MessageBar& message);
    /// Adds to a menu what keeps the curves of probes and leads to compare with.
    /// @pre  once, before loaded()
    void addKeep(QMenu& menu);
    /// Another scene was loaded.
    /// @param same  of the same document: kept curves stay
    void loaded(bool same);
    /// The run begins anew.
    void restarted();
    void showBeats();
    /// V at the probes in their list: beneath the mouse on the plot, between its cursors, at the
    /// moment of a replay, or now.
    void showProbeValues();

  Q_SIGNALS:
    void probesChanged(); ///< one has come or gone

  private:
    /// Probes, their samples and beats, as they arrive.
    void connectTraces();
    void connectHeart();
    /// What became of a pulse.
    void showCapture(const simulation::CaptureEvent& e);
    void showEcg(const simulation::Ecg& ecg, bool restarted);
    /// Where leads begin after the run: says so, once the first sample is known.
    void sayWhereLeadsBegin(const simulation::Ecg& ecg, bool restarted);
    /// Keeps the curves of probes and leads, or lets them go.
    void keepCurves(bool on);

    EngineHost& m_host;
    Document& m_document;
    ProbeModel& m_probes;
    TracePlot& m_plot;
    BeatsPanel& m_beats;
    EcgPanel& m_ecg;
    PictureChanges& m_changes;
    MessageBar& m_message;
    QAction* m_keep = nullptr;
    QHash<quint64, std::vector<simulation::Beat>> m_measured; ///< by probe
    /// Of the newest samples: the leads, where their first one is, and of which run.
    struct
    {
        simulation::Ecg before;
        quint64 run = 0;
        QString told; // with %1, once the first sample of new leads is known
    } m_shownEcg;
};

} // namespace tawara
