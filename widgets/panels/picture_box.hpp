// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QImage>
#include <QWidget>

namespace tawara {

/// A picture as large as it fits, or a line that says why there is none.
class PictureBox : public QWidget
{
    Q_OBJECT
  public:
    explicit PictureBox(QWidget* parent = nullptr);
    /// Null: none.
    void setPicture(const QImage& picture);
    const QImage& picture() const { return m_picture; }
    void setReason(const QString& text);
    QSize sizeHint() const override { return {240, 200}; }

  protected:
    void paintEvent(QPaintEvent* e) override;

  private:
    QImage m_picture;
    QString m_reason;
};

} // namespace tawara
