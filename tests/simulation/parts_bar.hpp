// SPDX-License-Identifier: GPL-3.0-or-later
// A bar of tissue, whole and in parts, and runs over ranks that each read theirs.
#pragma once
#include "engine/mesh/io/mesh_io.hpp"
#include "engine/mesh/parallel/files.hpp"
#include "engine/mesh/uneven_bar.hpp"
#include "engine/simulation/observe/torso.hpp"
#include "engine/simulation/parts/run_parts.hpp"
#include "engine/simulation/session/output_keys.hpp"
#include "tests/device/rank_team.hpp"

#include <QTemporaryDir>
#include <exception>
#include <fstream>
#include <thread>

namespace tawara::test {

namespace fs = std::filesystem;
using namespace simulation;

inline std::string content(const fs::path& f)
{
    std::ifstream in(f, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline void put(const fs::path& f, const std::string& text)
{
    fs::create_directories(f.parent_path());
    std::ofstream(f, std::ios::binary) << text;
}

/// What a run over ranks ended with: its report or its error's line, and what was said.
struct Ended
{
    RunReport report;
    std::string error, said;
};

/// Each rank is a thread.
inline Ended over_ranks(int ranks, const Session& s, RunOptions o, const Progress& progress = {})
{
    Ended out;
    o.notice = [&](const Notice& n) { out.said += n.text + "\n"; };
    const auto mail = std::make_shared<Mail>(ranks);
    std::vector<std::thread> threads;
    for (int r = 0; r < ranks; ++r)
        threads.emplace_back([&, r] {
            ThreadRank me(mail, r);
            try {
                auto report = parts::run_parts(s, o, me, r == 0 ? progress : Progress());
                if (r == 0)
                    out.report = std::move(report);
            } catch (const std::exception& e) {
                if (r == 0)
                    out.error = e.what();
            }
        });
    for (auto& t : threads)
        t.join();
    return out;
}

struct Way
{
    const char* name;
    diffusion::Scheme scheme;
    const char* says;                                         ///< so that the way is taken
    double dt_ms = 0.02, faster = 1, across = 1, rest_mV = 0; ///< times the conductivity
};
inline constexpr Way ways[]{
    {"fvm", diffusion::Scheme::fvm, "were repaired", 0.02, 3, 0.02},
    {"fvm, stages of RKL2", diffusion::Scheme::fvm, "RKL2 stages damp", 0.04, 80},
    {"p1", diffusion::Scheme::p1, "insulating tissue"},
    {"p1, stages of RKL2 at rest", diffusion::Scheme::p1, "RKL2 stages inside", 0.04, 120, 1, 0.02},
};

struct PartsBar
{
    QTemporaryDir dir_;

    fs::path path(const std::string& name) const { return dir_.path().toStdString() + "/" + name; }
    fs::path parts_of(int n) const { return path("bar" + std::to_string(n) + ".parts"); }

    /// Tissue of two models with a hole, regions on regions, and probes of which one is outside.
    Session session(const Way& way) const
    {
        Session s;
        s.name = "bar";
        s.mesh = MeshFile{path("bar.vtu").string(), LengthUnit::mm, {}, {}};
        s.scheme = way.scheme;
        s.dt_ms = way.dt_ms;
        s.rest_tolerance_mV = way.rest_mV;
        s.end_ms = 5;
        s.regions[0].variant = "epi";
        s.regions[0].conductivity_S_per_m = {0.1334 * way.faster, 0.0176 * way.faster * way.across,
                                             0.0176 * way.faster * way.across};
        Region other = s.regions[0];
        other.labels = {2};
        other.variant = "endo";
        Region slow;
        slow.model.clear();
        slow.where = Sphere{{4, 2, 2}, 1.5};
        slow.conductivity_scale = {0.5, 0.5, 0.5};
        Region hole;
        hole.model.clear();
        hole.where = Box{{6, 1, 1}, {8, 3, 3}};
        hole.insulating = true;
        s.regions.insert(s.regions.end(), {other, slow, hole});
        s.stimuli = {stimulus("S1", Box{{-1, -1, -1}, {1, 9, 9}}, 0),
                     stimulus("S2", Sphere{{9.2, 3.1, 3.3}, 1e-3}, 1),
                     stimulus("S3", Nodes{{5, 400, 500}}, 2)};
        s.probes = {{"first", {2.1, 1.9, 2.2}}, {"far", {9.4, 3.3, 2.1}}, {"out", {-0.1, 2, 2}}};
        if (way.faster > 10) // much flows away
            for (auto& pulse : s.stimuli)
                pulse.amplitude_pA_per_pF *= 8;
        s.output->probes_every_ms = 0.2;
        return s;
    }
    static Stimulus stimulus(const char* name, StimulusRegion region, double start_ms)
    {
        Stimulus s;
        s.name = name;
        s.region = std::move(region);
        s.start_ms = start_ms;
        s.duration_ms = 1;
        s.amplitude_pA_per_pF = 60;
        return s;
    }
    Session in_parts(Session s, int n) const
    {
        s.mesh = MeshFile{parts_of(n).string(), {}, {}, {}};
        return s;
    }
    RunOptions options(const std::string& out) const
    {
        RunOptions o;
        o.out = path(out);
        o.session_file = "bar.json";
        o.device.devices = device::Devices("cpu");
        o.device.threads = 1;
        return o;
    }
    bool same(const std::string& a, const std::string& b) const
    {
        for (const char* f : {"activation.csv", "probes.csv"})
            if (content(path(a) / f).size() < 200 || content(path(a) / f) != content(path(b) / f)) {
                qWarning("%s differs", f);
                return false;
            }
        return true;
    }
    /// Files of the mesh, whole and in parts.
    void make() const
    {
        auto m = mesh::uneven_bar(12, 4, 0.8);
        for (std::size_t t = 0; t < m.tetrahedron_count(); ++t)
            m.region[t] = m.centroid(t)[0] > 8.8 ? 3 : m.centroid(t)[1] > 2 ? 2 : 1;
        mesh::io::write(m, path("bar.vtu"));
        m = mesh::io::read(path("bar.vtu"), LengthUnit::mm).mesh;
        const auto neighbours = mesh::face_neighbours(m);
        const auto surface = mesh::surface(m, neighbours);
        const auto f = torso_frame(m, surface);
        const mesh::parallel::Body body{f.origin_mm, f.left, f.posterior, f.superior, f.scale};
        for (const int n : {3, 8})
            mesh::parallel::write_parts(m, neighbours, surface, mesh::parallel::cut(m, n), "bar",
                                        body, parts_of(n));
    }
};

} // namespace tawara::test
