// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/panels/form.hpp"

#include <QWidget>

#include <functional>
#include <optional>

class QLineEdit;

namespace tawara {

class PulseTimeline;

/// What a pacing site gives, where and when, and what is known of its pulses.
class SiteCard : public QWidget
{
    Q_OBJECT
  public:
    explicit SiteCard(QWidget* parent = nullptr);
    /// @param endMs  of the run
    void setSite(const simulation::Stimulus& s, double endMs);
    /// There is none: what is being typed is of one that is gone.
    void clear();
    /// What is known of its pulses.
    void setState(const QString& text);

  Q_SIGNALS:
    void changed(const QString& what, const std::function<void(tawara::simulation::Stimulus&)>& f);
    void paceNowRequested();

  private:
    void build();
    void connectFields();
    void change(const QString& what, const std::function<void(simulation::Stimulus&)>& f);
    void changeProtocol(const QString& what, const std::function<void(simulation::Protocol&)>& f);
    /// The intervals that were typed, or a word on why they are not taken.
    void takeExtra();
    void fillProtocol(const simulation::Stimulus& s, double endMs);

    std::optional<simulation::Stimulus> m_site;
    bool m_filling = false;
    QWidget* m_protocolRows[7]{};
    QLabel *m_protocolLabels[7]{}, *m_state, *m_late;
    QLineEdit *m_name, *m_extra;
    NumberBox *m_radius, *m_amplitude, *m_duration, *m_start, *m_cycle, *m_count, *m_decrement,
        *m_repeats, *m_pause;
    QComboBox* m_kind;
    QToolButton* m_now;
    PulseTimeline* m_timeline;
};

} // namespace tawara
