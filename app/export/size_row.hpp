// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QSize>
#include <QWidget>

class QComboBox;
class QSpinBox;

namespace tawara {

/// Chooses a size in pixels: usual ones by name, or width and height.
class SizeRow : public QWidget
{
    Q_OBJECT
  public:
    /// @param onScreen  the size that "As on screen" stands for
    explicit SizeRow(const QSize& onScreen, QWidget* parent = nullptr);
    QSize value() const;
    void setValue(const QSize& size);

  Q_SIGNALS:
    void changed();

  private:
    QComboBox* m_usual;
    QSpinBox *m_width, *m_height;
};

} // namespace tawara
