// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/scene/color_map.hpp"

#include <QWidget>

namespace tawara {

/// A horizontal colour bar: what it is of, colours, ticks.
class ColorScale : public QWidget
{
    Q_OBJECT
  public:
    explicit ColorScale(QWidget* parent = nullptr);
    /// @pre low < high, 0 < low where `log`
    void set(const QString& title, const scene::ColorMap& map, double low, double high, bool log);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* e) override;

  private:
    QString m_title;
    scene::ColorMap m_map;
    double m_low = 0, m_high = 1;
    bool m_log = false;
};

} // namespace tawara
