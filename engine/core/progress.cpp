// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/progress.hpp"

#include "engine/core/error.hpp"

namespace tawara {

void Progress::at(double fraction, std::string_view stage) const
{
    if (stop.stop_requested())
        throw Cancelled();
    if (report)
        report(fraction, stage);
}

} // namespace tawara
