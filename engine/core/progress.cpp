// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/progress.hpp"

#include "engine/core/error.hpp"

#include <algorithm>
#include <utility>

namespace tawara {

void Progress::at(double fraction, std::string_view stage) const
{
    if (stop.stop_requested())
        throw Cancelled();
    if (report)
        report(fraction, stage);
}

bool has_kind(const Notices& notices, Notice::Kind kind)
{
    return std::any_of(notices.begin(), notices.end(),
                       [kind](const Notice& n) { return n.kind == kind; });
}

bool remove_kind(Notices& notices, Notice::Kind kind)
{
    return std::erase_if(notices, [kind](const Notice& n) { return n.kind == kind; }) > 0;
}

void replace_kind(Notices& notices, Notice notice)
{
    remove_kind(notices, notice.kind);
    notices.push_back(std::move(notice));
}

} // namespace tawara
