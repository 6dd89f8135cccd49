// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/capture_state.hpp"

namespace tawara {

QColor captureColor(const simulation::Stimulus& s, const CaptureState& state)
{
    if (!s.on)
        return QColor(0x7a, 0x84, 0x94);
    if (state.answers())
        return QColor(0x3f, 0xc0, 0x80);
    switch (state.last) {
    case CaptureState::Last::captured:
        return QColor(0x3f, 0xc0, 0x80);
    case CaptureState::Last::failed:
        return QColor(0xf2, 0x5c, 0x4a);
    case CaptureState::Last::given:
        return QColor(0x5c, 0x9c, 0xe6);
    case CaptureState::Last::unknown:
        break;
    }
    return QColor(0xf0, 0xb4, 0x3c);
}

} // namespace tawara
