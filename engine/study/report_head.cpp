// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/report_head.hpp"

#include "engine/core/provenance.hpp"
#include "engine/simulation/session/session_json.hpp"

#include <nlohmann/json.hpp>

namespace tawara::study {

nlohmann::ordered_json report_head(const simulation::Session& s,
                                   const simulation::RunOptions& options,
                                   const std::string& mesh_sha256, const std::string& device)
{
    using HeadJson = nlohmann::ordered_json;
    auto j = HeadJson::parse(program_provenance());
    j["name"] = s.name;
    j["session_file"] = options.session_file;
    j["session"] = HeadJson::parse(simulation::to_json(s));
    j["mesh_sha256"] = mesh_sha256;
    j["devices"] = HeadJson::array({device});
    j["precision"] = name(options.device.precision);
    return j;
}

} // namespace tawara::study
