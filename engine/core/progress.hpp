// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace tawara {

/// How long work tells where it stands and learns that it should end. Passed by const reference;
/// a default one reports to nobody and is never cancelled.
struct Progress
{
    /// Called on the working thread with a fraction in [0, 1] of the current stage and its name.
    std::function<void(double fraction, std::string_view stage)> report;
    std::stop_token stop;

    /// Reports, and throws Cancelled when a stop was asked for. Call it every few milliseconds.
    void at(double fraction, std::string_view stage) const;
};

/// A remark that a user should read, that is no failure: a unit that was inferred, turned
/// tetrahedra, repaired cells. Library code returns them; programs print or show them.
struct Notice
{
    enum class Level { info, warning };
    Level level = Level::info;
    std::string text;
};
using Notices = std::vector<Notice>;

} // namespace tawara
