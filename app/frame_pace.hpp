// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tawara {

class EngineHost;
class ViewGrid;

/// The time between two pictures of a run: where the processor draws as well as computes, drawing
/// takes a part of it alone.
///
/// @thread GUI thread
class FramePace
{
  public:
    FramePace(EngineHost& host, ViewGrid& grid) : m_host(host), m_grid(grid) {}
    /// From one picture of a run to the next [ms], where the processor draws as well as computes:
    /// drawing takes a quarter of the time at most, where computing comes first a tenth and at most
    /// four pictures a second; at least one is drawn in two seconds.
    /// @param paint_ms  what a picture takes; 0 where a graphics card draws
    static int interval(double paint_ms, bool computeFirst);
    void setComputeFirst(bool on);
    /// What a picture costs is another time now.
    void follow();
    /// What draws is known.
    void followRenderer();

  private:
    EngineHost& m_host;
    ViewGrid& m_grid;
    bool m_computeFirst = false;
};

} // namespace tawara
