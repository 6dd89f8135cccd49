// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/model_digests.hpp"

#include "engine/cell/model.hpp"
#include "engine/simulation/tissue/purkinje.hpp"

#include <set>

namespace tawara::simulation {

std::map<std::string, std::string> model_digests(const Tissue& t,
                                                 const std::filesystem::path& folder)
{
    std::map<std::string, std::string> out;
    const auto from = folder.empty() ? std::filesystem::path(".") : folder;
    std::set<const void*> seen; // types of one model share its system
    const auto add = [&](const std::vector<cell::CellType>& types) {
        for (const auto& type : types) {
            if (!cell::is_file(type.model) || !seen.insert(type.system.get()).second)
                continue;
            for (const auto& source : cell::source_files(type)) {
                auto name = cell::model_text(source.file.string(), from);
                if (out.contains(name) && out[name] != source.sha256)
                    name += " (text " + source.sha256.substr(0, 8) + ")";
                out[name] = source.sha256;
            }
        }
    };
    for (const auto& group : t.cells.groups)
        add(group.types);
    if (t.network)
        add(t.network->description.cables.types);
    return out;
}

} // namespace tawara::simulation
