// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/scene/dyad_scene.hpp"
#include "widgets/view3d/vtk_view.hpp"

#include <QTimer>

#include <span>

namespace tawara {

/// A cell's dyads on screen. Values come in at any rate; it draws at most 25 pictures a second, on
/// software OpenGL with fewer pixels where it is slow, until the picture has come to rest. The
/// mouse turns it as it does the heart; so do the arrow keys, plus and minus zoom, Home looks at
/// the whole cell.
///
/// @thread GUI thread
class DyadView : public VtkView
{
    Q_OBJECT
  public:
    explicit DyadView(QWidget* parent = nullptr);
    ~DyadView() override;
    scene::DyadScene& scene() { return m_scene; }
    /// Draws soon.
    void schedule();
    void resetCamera();
    quint64 picturesDrawn() const { return m_drawn; }
    QSize sizeHint() const override { return {420, 150}; }
    QSize minimumSizeHint() const override { return {120, 60}; }

  protected:
    void requestDraw() override { schedule(); }
    bool event(QEvent* e) override;
    void keyPressEvent(QKeyEvent* e) override;
    void changeEvent(QEvent* e) override;
    bool grabsPress(QPointF position, Qt::KeyboardModifiers modifiers) override;

  private:
    /// Turns or zooms by a key. @return whether it is one
    bool obey(int key);
    void followTheme();
    scene::DyadScene m_scene;
    QTimer m_pace, m_idle;
    quint64 m_drawn = 0;
};

} // namespace tawara
