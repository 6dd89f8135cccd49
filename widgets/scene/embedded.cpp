// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scene/embedded.hpp"

#include "engine/core/error.hpp"

namespace tawara::scene {

std::string_view embedded(std::string_view name)
{
    for (const auto& [n, text] : embedded_files())
        if (n == name)
            return text;
    throw Error("no file " + std::string(name) + " is built into the program");
}

std::string shader_part(std::string_view file, std::string_view part)
{
    const std::string_view text = embedded(file);
    const std::string mark = "//= " + std::string(part) + "\n";
    const auto at = text.find(mark);
    if (at == std::string_view::npos)
        throw Error("shader " + std::string(file) + " has no part " + std::string(part));
    const auto from = at + mark.size();
    return std::string(text.substr(from, text.find("//= ", from) - from));
}

} // namespace tawara::scene
