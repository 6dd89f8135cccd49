// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/panels/form.hpp"
#include "widgets/plots/ecg_plot.hpp"

#include <QElapsedTimer>
#include <QJsonObject>
#include <QTimer>
#include <QWidget>

#include <functional>

class QComboBox;
class QLabel;
class QTableWidget;
class QToolButton;

namespace tawara {

/// The electrocardiogram: live strip or sheet of 12 leads, and the electrodes; QRS, QT and RR
/// (simulation/ecg_beats.hpp) of the newest beat that has repolarised, of the beat that a replay
/// shows, or of the last one on a strip that looks back. They have a line of their own.
///
/// @cost  the intervals are measured at most four times a second, over what is shown and 3 s around
class EcgPanel : public QWidget
{
    Q_OBJECT
  public:
    explicit EcgPanel(QWidget* parent = nullptr);
    void setSession(const simulation::Session& s);
    EcgPlot* plot() { return m_plot; }
    /// A name that no electrode has: "E1".
    QString freeName() const;
    /// A pulse that captured: what follows is a beat, and no T wave, however flat it is.
    void addPulse(double ms) { m_pulses.push_back(ms); }
    void clearPulses() { m_pulses.clear(); }
    /// Whether tissue was activated (simulation::Ecg): where none was, there is no beat.
    void setActivated(bool on) { m_activated = on; }
    /// How far the run is, and whether it has ended: leads without samples say when these come.
    void setTime(double ms, bool ended);
    /// Leads that are there, for the choice of what the strip shows.
    void setLeads(const QStringList& names);
    /// How it is shown, for the session: strip or sheet, leads of the strip, list of electrodes.
    QJsonObject look() const;
    void setLook(const QJsonObject& o);
    /// "QRS 96 ms · QT 388 ms · RR 800 ms"; a dash for what is not known. Empty without leads.
    QString readings() const;

  Q_SIGNALS:
    void edited(const QString& what, const tawara::SessionChange& change, const QString& key);
    void placeRequested(); ///< the next click on the wall places an electrode in front of it

  protected:
    void showEvent(QShowEvent* e) override;

  private:
    void buildButtons();
    void buildElectrodes(); ///< their table
    /// Makes the change, of which that button is switched; where samples would go, only once that
    /// was agreed to. Until then the button is as before.
    void askBeforeDropping(QToolButton* button, const QString& loss,
                           const std::function<void()>& change);
    void connectWidgets();
    void fillElectrodes(const simulation::Session& s);
    void sayUnused(const simulation::Session& s);
    void measure();
    void measureSoon();
    EcgPlot* m_plot;
    QToolButton *m_twelve, *m_torso, *m_sheet, *m_paper, *m_place, *m_show;
    void chooseLeads(); ///< those wanted, where they are there
    QComboBox* m_lead;
    QString m_wantedLeads; ///< as the choice names them; empty: none was chosen
    QTableWidget* m_electrodes;
    QLabel* m_unused; ///< which electrodes have no lead, and why
    QLabel* m_readings;
    QTimer m_due;
    QElapsedTimer m_measured;
    std::vector<simulation::Electrode> m_known;
    std::vector<double> m_pulses; ///< that captured [ms]
    bool m_filling = false, m_activated = true;
};

} // namespace tawara
