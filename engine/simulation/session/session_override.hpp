// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/session/session_json.hpp"

#include <span>
#include <string>

namespace tawara::simulation {

/// One --set: where it went in the document, as a JSON pointer.
struct Override
{
    std::string text, pointer;
};

/// Does what "PATH=VALUE" says: puts the value there, missing objects on the way are made; null as
/// VALUE takes the key out, which must be there.
/// @throws InputError when it cannot be done
Override apply_override(Json& document, const std::string& text);

/// The end of an error about keys that exclude each other: how the command line, which gave
/// `applied`, leaves out those that it did not give itself. Empty where it gave nothing or all of
/// them, or where it cannot be told which are to go.
std::string how_to_leave_out(const ExclusiveKeys& e, std::span<const Override> applied);

} // namespace tawara::simulation
