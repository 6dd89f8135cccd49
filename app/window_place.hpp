// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QMargins>
#include <QRect>

namespace tawara {

/// What a desktop puts around a window before anybody knows it: borders and a title [pixels].
inline constexpr QMargins usual_frame{4, 44, 4, 4};

/// Where a window is seen as a whole: as large as it would be, and where, as far as there is room.
/// @param inner  without its frame [pixels]
/// @param room   what a screen has for windows and their frames
QRect placedWithin(const QRect& inner, const QMargins& frame, const QRect& room);

} // namespace tawara
