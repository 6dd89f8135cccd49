// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QTimer>

#include <optional>

namespace tawara {

class EcgPlot;
class EngineHost;
class MessageBar;
class TracePlot;
class TransportBar;
class ViewController;

/// Recorded moments in the views, the transport and the plots: one that was chosen, or one after
/// the other; and the run again.
///
/// @thread GUI thread
class ReplayController : public QObject
{
    Q_OBJECT
  public:
    ReplayController(EngineHost& host, ViewController& views, TransportBar& transport,
                     TracePlot& plot, EcgPlot& ecg, MessageBar& message);
    /// Shows the recorded moment that is nearest to this.
    void lookBack(double ms);
    /// Shows the run.
    void follow();
    /// Begins to show what was recorded, from the moment that is shown on, or ends it.
    void replay(bool on);
    bool replaying() const { return m_timer.isActive(); }
    /// The recorded moment that is shown; nothing while the run is.
    const std::optional<double>& moment() const { return m_moment; }
    /// Says in the transport what is recorded.
    void sayRecorded();

  Q_SIGNALS:
    void momentChanged(); ///< another one is shown, or the run again

  private:
    /// A recorded moment in the transport and the plots; nothing while following the run.
    void showMoment(std::optional<double> ms);
    void showNext();

    EngineHost& m_host;
    ViewController& m_views;
    TransportBar& m_transport;
    TracePlot& m_plot;
    EcgPlot& m_ecg;
    MessageBar& m_message;
    QTimer m_timer;
    double m_ms = 0; // of the replay
    std::optional<double> m_moment;
};

} // namespace tawara
