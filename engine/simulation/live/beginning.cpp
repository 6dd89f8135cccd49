// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/live/beginning.hpp"

#include <array>

namespace tawara::simulation {

Beginning read_beginning(const std::filesystem::path& file, const Session& s, const Tissue& tissue,
                         std::optional<Precision> asked)
{
    const auto& problem = tissue.problem;
    Beginning out;
    out.precision = asked.value_or(Precision::double_);
    const auto look_at = [&](const Checkpoint& begun) -> CheckpointBounds {
        constexpr std::array all{Precision::double_, Precision::single, Precision::mixed};
        for (const auto p : all)
            if (!asked && fingerprint(problem, s, p) == begun.fingerprint)
                out.precision = p;
        Checkpoint here;
        here.fingerprint = fingerprint(problem, s, out.precision);
        here.layout = layout_print(problem, *tissue.mesh);
        differs(begun, here, false, file);
        CheckpointBounds bounds{
            problem.size(), numbers_per_unknown(problem, out.precision), {}, problem.group};
        bounds.probes = 0; // the window measures its own
        bounds.tables.emplace();
        if (!tissue.network)
            bounds.parts = 0;
        return bounds;
    };
    out.checkpoint = read_checkpoint(file, look_at);
    return out;
}

} // namespace tawara::simulation
