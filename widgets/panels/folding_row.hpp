// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QBoxLayout>

namespace tawara {

/// Its parts side by side; where they do not fit, one beneath the other.
class FoldingRow : public QBoxLayout
{
  public:
    explicit FoldingRow(QWidget* parent = nullptr) : QBoxLayout(LeftToRight, parent) {}
    /// As wide as its widest part, as high as it stands now.
    QSize minimumSize() const override;
    void setGeometry(const QRect& r) override;
};

} // namespace tawara
