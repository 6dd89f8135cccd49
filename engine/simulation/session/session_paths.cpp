// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/session/session_paths.hpp"

#include "engine/cell/model.hpp"
#include "engine/simulation/session/purkinje_keys.hpp"

#include <algorithm>

namespace tawara::simulation {

namespace fs = std::filesystem;

std::vector<fs::path> files_named(const Session& session)
{
    std::vector<fs::path> out;
    if (const auto* mesh = std::get_if<MeshFile>(&session.mesh)) {
        out.emplace_back(mesh->file);
        if (!mesh->fibres.empty() && mesh->fibres != rule_based)
            out.emplace_back(mesh->fibres);
    }
    out.insert(out.end(), session.purkinje->files.begin(), session.purkinje->files.end());
    return out;
}

std::vector<std::string> files_elsewhere(const Session& session)
{
    std::error_code none;
    const fs::path folder =
        fs::weakly_canonical(session.folder.empty() ? fs::path(".") : session.folder, none);
    std::vector<std::string> out;
    const auto look = [&](const fs::path& named) {
        const fs::path file = fs::weakly_canonical(folder / named, none);
        const fs::path inside = file.lexically_relative(folder);
        if ((inside.empty() || *inside.begin() == "..") &&
            std::find(out.begin(), out.end(), file.string()) == out.end())
            out.push_back(file.string());
    };
    for (const auto& file : files_named(session))
        look(file);
    for (const auto& r : session.regions)
        if (cell::is_file(r.model))
            look(cell::model_text(r.model, folder));
    return out;
}

} // namespace tawara::simulation
