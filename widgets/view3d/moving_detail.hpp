// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tawara {

/// How many pixels a moving picture has, so that the processor can draw it in time: fewer while
/// pictures are slow, all again when they are quick.
class MovingDetail
{
  public:
    /// Pixels of the picture to those on screen, along a side.
    double pixels() const { return m_pixels; }
    /// A picture of so many pixels took that long [ms].
    void took(double ms);

  private:
    double m_pixels = 1;
    double m_cost = 0; // mean time [ms]; 0: not known yet
};

} // namespace tawara
