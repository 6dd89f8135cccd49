// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window_place.hpp"

#include <algorithm>

namespace tawara {

QRect placedWithin(const QRect& inner, const QMargins& frame, const QRect& room)
{
    QRect outer = inner.marginsAdded(frame);
    outer.setSize(outer.size().boundedTo(room.size()));
    outer.moveTo(std::clamp(outer.x(), room.x(), room.x() + room.width() - outer.width()),
                 std::clamp(outer.y(), room.y(), room.y() + room.height() - outer.height()));
    return outer.marginsRemoved(frame);
}

} // namespace tawara
