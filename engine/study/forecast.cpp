// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/forecast.hpp"

#include "engine/simulation/session/output_keys.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::study {
namespace {

constexpr std::size_t looked_at = 1000; ///< runs whose session is read

/// Of files that are written for each vertex and tetrahedron [bytes], measured on the built-in
/// heart (18 738 vertices, 82 985 tetrahedra): activation.vtu and .csv, a frame as .vtu, the rest.
constexpr double map_vertex = 92, map_tetrahedron = 48, frame_vertex = 12, frame_tetrahedron = 14,
                 igb_vertex = 4, rest = 10e3;

/// Of one run.
double simulated_ms(const std::optional<Induction>& i, const simulation::Session& session)
{
    return i ? i->count * i->cycle_ms : session.end_ms;
}

double bytes_of(const std::optional<std::set<Keep>>& keep, const simulation::Session& session,
                const MeshCount& m)
{
    double out = rest;
    const auto& o = *session.output;
    const auto kept = [&](Keep k) { return !keep || keep->contains(k); };
    if (kept(Keep::activation))
        out += map_vertex * m.vertices + map_tetrahedron * m.tetrahedra;
    if (kept(Keep::frames) && o.frames_every_ms > 0 && o.frames != simulation::FrameFormat::none) {
        const double frames = std::floor(session.end_ms / o.frames_every_ms) + 1;
        out += frames * (o.frames == simulation::FrameFormat::igb
                             ? igb_vertex * m.vertices
                             : frame_vertex * m.vertices + frame_tetrahedron * m.tetrahedra);
    }
    return out;
}

} // namespace

std::int64_t runs_of(const NewStudy& s)
{
    double n = 1; // a product of lists may be beyond whole numbers
    for (const auto& [path, values] : s.axes)
        n *= static_cast<double>(values.size());
    if (s.induction)
        n *= static_cast<double>(s.induction->sites.size());
    if (s.doses)
        n *= static_cast<double>(s.doses->drugs.size() * s.doses->values.size());
    constexpr double most = 1e15;
    return static_cast<std::int64_t>(std::min(n, most));
}

Forecast forecast(const NewStudy& s, const simulation::Session& session, const MeshCount& mesh)
{
    Forecast f;
    f.runs = runs_of(s);
    f.at_least = s.induction.has_value();
    const auto runs = static_cast<double>(f.runs);
    f.simulated_ms = runs * simulated_ms(s.induction, session);
    if (mesh.vertices > 0 && !s.induction)
        f.bytes = runs * bytes_of(s.keep, session, mesh);
    return f;
}

Forecast forecast(const Study& s, const MeshCount& mesh)
{
    Forecast f;
    f.runs = static_cast<std::int64_t>(s.runs.size());
    f.at_least = s.induction.has_value();
    const auto keep = s.keep_all ? std::nullopt : std::optional(s.keep);
    double bytes = 0;
    const auto count = std::min(s.runs.size(), looked_at);
    for (std::size_t k = 0; k < count; ++k) {
        const auto session = session_of(s, s.runs[k]);
        f.simulated_ms += simulated_ms(s.induction, session);
        bytes += bytes_of(keep, session, mesh);
    }
    const double all = static_cast<double>(s.runs.size()) / static_cast<double>(count);
    f.simulated_ms *= all;
    if (mesh.vertices > 0 && !s.induction)
        f.bytes = bytes * all;
    return f;
}

std::optional<double> seconds_left(const StudyView& v, unsigned at_once)
{
    double done_s = 0, done = 0, running = 0, left = 0, elapsed = 0;
    for (const auto& r : v.runs)
        switch (r.row.state) {
        case State::done:
            done_s += r.row.seconds, ++done;
            break;
        case State::running:
            ++running, ++left, elapsed += r.elapsed_s;
            break;
        case State::planned:
            ++left;
            break;
        case State::failed:
            break;
        }
    if (left == 0)
        return 0;
    if (done == 0)
        return {};
    const double mean_s = done_s / done;
    // a run that takes longer than the mean may end at any time
    const double begun_s = std::min(elapsed, running * mean_s);
    return (left * mean_s - begun_s) / std::max({1.0, static_cast<double>(at_once), running});
}

} // namespace tawara::study
