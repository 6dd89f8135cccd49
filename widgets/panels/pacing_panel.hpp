// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/models/capture_state.hpp"
#include "widgets/panels/form.hpp"
#include "widgets/panels/stimulus_panel.hpp"

#include <QHash>

class QMenu;
class QTreeWidget;

namespace tawara {

/// A place at which one might pace.
struct SuggestedSite
{
    QString name, group;
    Vec3 position{};
};

class SiteCard;

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
    void fillList();
    void fillDetails();
    void change(const QString& what, const std::function<void(simulation::Stimulus&)>& f);
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
    QLabel* m_none;
    SiteCard* m_card;
    StimulusPanel* m_click;
};

} // namespace tawara
