// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/pacing/refractory.hpp"
#include "widgets/panels/form.hpp"
#include "widgets/panels/stimulus_panel.hpp"

#include <QColor>
#include <QHash>

class QComboBox;
class QLineEdit;
class QMenu;
class QToolButton;
class QTreeWidget;

namespace tawara {

/// What is known of a site's pulses.
struct CaptureState
{
    enum class Last { unknown, captured, failed, given };
    Last last = Last::unknown;
    int pulses = 0, captured = 0;
    double lowestCaptured = 0, highestFailed = 0; ///< amplitudes [pA/pF]; 0: none
    double sinceMs = 0;    ///< the site is as it is since then: earlier pulses were not its own
    double decidedMs = -1; ///< when the newest pulse began that is decided; below 0: none is
    int formerPulses = 0, formerCaptured = 0; ///< of the site as it was before it was changed
    bool surrounded = true; ///< else no tissue lies around it: no pulse is judged, only given
    bool overtaken = false; ///< the last one failed, and a wave from elsewhere came to the site
    /// Coupling intervals of its extra pulses: the shortest that captured, the longest that failed.
    simulation::Refractory refractory = {};
    bool told = false;             ///< the last pulse is among those
    bool refractoryBefore = false; ///< none of those is of this run: the run before told them

    /// The last pulse failed as the end of a search for the refractory period is to fail.
    bool answers() const
    {
        return last == Last::failed && told && refractory.effective_ms().has_value();
    }
};
/// Green captured, or the refractory period was found; red failed, amber not known yet, blue given
/// and not to be judged, grey off.
QColor captureColor(const simulation::Stimulus& s, const CaptureState& state);

/// A place at which one might pace.
struct SuggestedSite
{
    QString name, group;
    Vec3 position{};
};

class PulseTimeline;

/// Pacing sites: their list with state, and what the chosen one gives, where and when.
class PacingPanel : public QWidget
{
    Q_OBJECT
  public:
    explicit PacingPanel(QWidget* parent = nullptr);
    ~PacingPanel() override;
    void setSession(const simulation::Session& s);
    void setSuggestions(const std::vector<SuggestedSite>& sites);
    void setCapture(const std::vector<CaptureState>& states);
    void choose(int index);
    int chosen() const;
    StimulusPanel* clickPulse() { return m_click; }
    /// How far the run is: what comes next is said by it.
    void setTime(double ms, double msPerSecond);
    /// A new site's values: those of the chosen one, or of the click's pulse. Where the chosen one
    /// has no pulse left in this run, its protocol begins anew soon.
    simulation::Stimulus fresh(const QString& name, const Vec3& position) const;
    /// When a site that fresh() has made paces, and as which one.
    QString scheduleOf(const simulation::Stimulus& fresh) const;
    QString freeName() const;

  Q_SIGNALS:
    void edited(const QString& what, const tawara::SessionChange& change, const QString& key);
    void placeRequested(); ///< choose the tool that places sites
    void siteSuggested(const QString& name, const tawara::Vec3& position);
    void chosenChanged(int index);
    /// A pulse of that site now, whatever its protocol says; its region is a ball.
    void paceNowRequested(const tawara::simulation::Stimulus& site);

  protected:
    void resizeEvent(QResizeEvent* e) override;

  private:
    void build();
    QWidget* buildDetails();
    void connectDetails();
    void fillList();
    void fillDetails();
    void fillProtocol(const simulation::Stimulus& s);
    void change(const QString& what, const std::function<void(simulation::Stimulus&)>& f);
    void changeProtocol(const QString& what, const std::function<void(simulation::Protocol&)>& f);
    /// The intervals that were typed, or a word on why they are not taken.
    void takeExtra();
    QString stateText(std::size_t i) const;
    /// What is known of the chosen site's pulses.
    void fillState();
    void fillNext();

    std::vector<simulation::Stimulus> m_stimuli;
    std::vector<CaptureState> m_states;
    double m_endMs = 1000, m_nowMs = 0, m_msPerSecond = 0;
    bool m_filling = false;
    QTreeWidget* m_list;
    QMenu* m_suggested;
    QWidget* m_details;
    QWidget* m_protocolRows[7]{};
    QLabel *m_protocolLabels[7]{}, *m_state, *m_none, *m_late;
    QLineEdit *m_name, *m_extra;
    NumberBox *m_radius, *m_amplitude, *m_duration, *m_start, *m_cycle, *m_count, *m_decrement,
        *m_repeats, *m_pause;
    QComboBox* m_kind;
    QToolButton* m_now;
    PulseTimeline* m_timeline;
    StimulusPanel* m_click;
};

} // namespace tawara
