// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/model_digests.hpp"

#include "engine/cell/model.hpp"
#include "engine/core/error.hpp"
#include "engine/core/file_content.hpp"
#include "engine/digest/sha256.hpp"

namespace tawara::simulation {

std::map<std::string, std::string> model_digests(const Session& session)
{
    std::map<std::string, std::string> out;
    const auto folder = session.folder.empty() ? std::filesystem::path(".") : session.folder;
    for (const auto& r : session.regions)
        if (cell::is_file(r.model) && !out.contains(cell::model_text(r.model, folder)))
            try {
                out[cell::model_text(r.model, folder)] = sha256(file_content(r.model));
            } catch (const InputError&) { // it was read before
            }
    return out;
}

} // namespace tawara::simulation
