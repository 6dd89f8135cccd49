// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/scene/heart_scene.hpp"
#include "widgets/view3d/vtk_view.hpp"

#include <QElapsedTimer>
#include <QTimer>

#include <memory>

class QHelpEvent;

namespace tawara {

class ViewTexts;

/// What a click on the wall does; a branch is one of the network.
enum class ClickMode { rotate, stimulate, probe, site, paint, cell, branch };

/// The heart on screen. Values come in at any rate; it draws at most at the screen's, and on
/// software OpenGL leaves the processor to the solver for about half of the time: it then smooths
/// edges only when the picture has come to rest.
///
/// @thread GUI thread
class HeartView : public VtkView
{
    Q_OBJECT
  public:
    explicit HeartView(QWidget* parent = nullptr);
    ~HeartView() override;

    scene::HeartScene& scene() { return *m_scene; }
    void setSurface(const mesh::TetMesh& m, const mesh::Surface& s);
    /// The same with a wall made ready on another thread.
    void setModel(scene::HeartModelPtr model);
    /// Shows new values; drawn with the next picture.
    void setValues(std::span<const float> values, double timeMs);
    /// Shows the newest values of the scene's source with each picture from now on, and their time,
    /// until setValues().
    void setLive();
    /// The caption says of what time the source's values are; after the scene's prepare().
    void showLiveTime();
    void setTimeVisible(bool on);
    /// Text in place of the time, e.g. the moment of a recorded frame.
    void setCaption(const QString& text);
    void setMode(ClickMode mode);
    ClickMode mode() const { return m_mode; }
    /// Radius of the ring that shows where a click would stimulate [mm].
    void setBrushRadius(double mm);
    void flash(const Vec3& centre, double radiusMm);
    /// Draws soon: at most at the screen's rate.
    void schedule();
    /// Smooths the edges of the next picture on software OpenGL too, e.g. before a grab().
    void smoothNext() { m_fine = true; }
    /// The picture as it stands, with what is written over it.
    QImage grabFramebuffer();
    /// The same with smooth edges, whatever the screen shows just now.
    QImage finePicture();
    /// What is written over the picture on the screen, where the scene does not write itself.
    const ViewTexts* texts() const { return m_texts; }
    double framesPerSecond() const;
    /// Pictures are begun at least so far apart; negative: by the screen and the renderer [ms].
    void setLeastInterval(double ms) { m_leastMs = ms; }
    quint64 framesDrawn() const { return m_drawn; }

  Q_SIGNALS:
    /// A click hit the wall.
    void picked(const tawara::scene::Pick& pick, Qt::KeyboardModifiers modifiers);
    /// A click in a mode that acts on the wall missed it; in ClickMode::branch, the network.
    void missed();
    /// A click hit the network's piece to that point (ClickMode::branch).
    void branchPicked(int point);
    /// The brush touched the wall while the button was down (Paint).
    void painted(const tawara::scene::Pick& pick, bool erase);
    void paintEnded();
    /// A marker is dragged over the wall; dropped where the button went up.
    void markerMoved(const tawara::scene::Marker& marker, const tawara::scene::Pick& pick,
                     bool dropped);
    void markerClicked(const tawara::scene::Marker& marker);
    void cameraMoved();
    /// What a small view has no room for: a line, and all of it as a tool tip. Empty: nothing.
    void captionChanged(const QString& line, const QString& tip);
    /// The scene's source could not write the values.
    void sourceFailed(const QString& reason);

  protected:
    bool grabsPress(QPointF position, Qt::KeyboardModifiers modifiers) override;
    void grabbedMove(QPointF position, Qt::KeyboardModifiers modifiers) override;
    void grabbedRelease(QPointF position, bool dragged) override;

    void requestDraw() override { schedule(); }
    void resizeEvent(QResizeEvent* e) override;
    bool event(QEvent* e) override;

  private:
    /// The whole remark where the view has room for its beginning alone.
    void tellNote(const QHelpEvent& e);
    std::optional<scene::Pick> pickAt(QPointF position) const;
    void paintAt(QPointF position, Qt::KeyboardModifiers modifiers);
    void prepare();
    void showTexts();
    void showBrush(QPointF position);
    std::optional<std::int32_t> networkAt(QPointF position) const;
    /// The branch under the mouse stands out; without a position none does.
    void showBranch(std::optional<QPointF> position);
    void hideBrush();

    std::unique_ptr<scene::HeartScene> m_scene;
    ViewTexts* m_texts;           // seen on software OpenGL and over small views
    scene::Annotations m_written; // over the picture that is being drawn
    bool m_grabbing = false;
    std::optional<scene::Marker> m_held; // the marker under the button
    std::optional<scene::Pick> m_heldAt;
    ClickMode m_mode = ClickMode::stimulate;
    double m_brushMm = 2.5;
    bool m_brush = false, m_timeVisible = true;
    bool m_fine = false; // this picture is drawn with smooth edges on software OpenGL too
    QTimer m_pace, m_glow, m_idle;
    QElapsedTimer m_sinceDrawn, m_sinceGlow;
    double m_leastMs = -1;   // setLeastInterval()
    double m_drawnMs = 0;    // when the last picture was begun, on m_sinceDrawn's clock
    double m_intervalMs = 0; // mean time between pictures
    quint64 m_drawn = 0;
};

} // namespace tawara
