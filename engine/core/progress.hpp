// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/context.hpp"

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace tawara {

/// How long work tells where it stands and learns that it should end, and what it may use
/// meanwhile. Passed by const reference; a default one reports to nobody, is never cancelled and
/// uses one thread.
struct Progress
{
    /// Called on the working thread with a fraction in [0, 1] of the current stage and its name.
    std::function<void(double fraction, std::string_view stage)> report;
    std::stop_token stop;
    Context context{};

    /// Reports, and throws Cancelled when a stop was asked for. Call it every few milliseconds.
    void at(double fraction, std::string_view stage) const;

    /// The same without reports, for a step of a stage that reports itself.
    Progress silent() const { return {{}, stop, context}; }
};

/// A remark that a user should read, that is no failure, as a unit that was inferred. Library code
/// returns them; programs print or show them.
struct Notice
{
    enum class Level { info, warning };
    /// What programs decide on, numbered by who gives notices of that kind. The text is for people
    /// alone.
    enum class Kind : int { other = 0 };
    Level level = Level::info;
    std::string text;
    Kind kind = Kind::other;
};
using Notices = std::vector<Notice>;

/// Whether there is a notice of a kind.
bool has_kind(const Notices& notices, Notice::Kind kind);

/// Removes the notices of a kind. @return whether there was one
bool remove_kind(Notices& notices, Notice::Kind kind);

/// Adds a notice in place of those of its kind.
void replace_kind(Notices& notices, Notice notice);

} // namespace tawara
