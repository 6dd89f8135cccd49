// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/engine_host.hpp"
#include "app/interop/gl_display.hpp"

#include <QObject>

namespace tawara {

class HeartView;
class ViewGrid;

/// Decides how values of frames come into the views, and says so: straight from the GPU that
/// computes them where CUDA may write the buffers of the OpenGL context, through the host's memory
/// otherwise. Tells the engine where values are wanted.
///
/// @thread GUI thread
class DisplayPath : public QObject
{
    Q_OBJECT
  public:
    DisplayPath(ViewGrid* grid, EngineHost* host, QObject* parent = nullptr);

    /// Whether the views may take frames from the GPU at all; true at first.
    void setAllowed(bool on);
    /// Something needs the values in the host's memory as well.
    void needHost(bool on);
    /// Looks at where a frame's values are; live() is of this frame then.
    void follow(const EngineHost::FramePtr& frame);
    /// Whether views take their values from the GPU.
    bool live() const { return m_live; }
    QString text() const; ///< for the status bar
    QString tip() const;

  Q_SIGNALS:
    void changed();

  private:
    void addView(HeartView* view);
    void contextReady(HeartView* view);
    void request();
    void fail(const QString& reason);

    ViewGrid* m_grid;
    EngineHost* m_host;
    std::shared_ptr<interop::Slot> m_slot;
    bool m_allowed = true, m_needHost = false, m_live = false, m_contextKnown = false;
    std::pair<bool, bool> m_requested{true, false};
    QString m_reason; ///< why OpenGL cannot take fields from CUDA; empty: it may
    QString m_gpu, m_gl;
};

} // namespace tawara
