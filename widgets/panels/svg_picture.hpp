// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QByteArray>
#include <QWidget>

class QSvgRenderer;

namespace tawara {

/// A drawing (SVG) as large as it fits, or a line that says why there is none.
class SvgPicture : public QWidget
{
    Q_OBJECT
  public:
    explicit SvgPicture(QWidget* parent = nullptr);
    /// Empty: none.
    void setPicture(const QByteArray& svg);
    void setReason(const QString& text);
    bool hasPicture() const { return !m_svg.isEmpty(); }
    QSize sizeHint() const override { return {240, 200}; }

  protected:
    void paintEvent(QPaintEvent* e) override;

  private:
    QByteArray m_svg;
    QString m_reason;
    QSvgRenderer* m_drawing;
};

} // namespace tawara
