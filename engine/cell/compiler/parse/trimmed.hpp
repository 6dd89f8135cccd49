// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

namespace tawara::cell::compiler {

/// Without the blanks and ends of lines around it.
inline std::string trimmed(std::string_view t)
{
    const auto a = t.find_first_not_of(" \t\r\n");
    if (a == std::string_view::npos)
        return {};
    return std::string(t.substr(a, t.find_last_not_of(" \t\r\n") - a + 1));
}

} // namespace tawara::cell::compiler
