// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/provenance.hpp"

#include "engine/core/provenance.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/digest/sha256.hpp"
#include "engine/simulation/observe/scene.hpp"
#include "engine/simulation/results/output_digest.hpp"
#include "engine/simulation/session/session_json.hpp"
#include "engine/simulation/tissue/mesh_digest.hpp"

#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

namespace tawara::simulation {
namespace {

using ProvenanceJson = nlohmann::ordered_json;

constexpr std::size_t longest_session = 64U << 10; // in every frame of a run

/// A name of a file may hold bytes that are no UTF-8.
std::string one_line(const ProvenanceJson& j)
{
    return j.dump(-1, ' ', false, ProvenanceJson::error_handler_t::replace);
}

Provenance made_of(const Session& s, const std::map<std::string, std::string>& models,
                   const std::string& mesh_sha256, const std::string& device, Precision precision,
                   const ProvenanceJson& options)
{
    const auto session = to_json(s);
    auto j = ProvenanceJson::parse(program_provenance());
    j["session_sha256"] = sha256(session);
    if (!models.empty())
        j["models_sha256"] = models;
    j["mesh_sha256"] = mesh_sha256;
    j["device"] = device;
    j["precision"] = name(precision);
    j["options"] = options;
    if (session.size() <= longest_session)
        j["session"] = ProvenanceJson::parse(session);
    else
        j["session"] = "left out, since it is longer than 64 KiB";
    return {one_line(j), mesh_sha256};
}

/// mesh_sha256() of the mesh that was asked for last is kept.
std::string kept_mesh_sha256(const std::shared_ptr<const mesh::TetMesh>& mesh)
{
    if (!mesh)
        return {};
    static std::mutex mutex;
    static std::weak_ptr<const mesh::TetMesh> of;
    static std::string sum;
    const std::lock_guard hold(mutex);
    if (sum.empty() || of.lock() != mesh) {
        sum = mesh_sha256(*mesh);
        of = mesh;
    }
    return sum;
}

} // namespace

Provenance::Provenance() : text(program_provenance()) {}

Provenance::Provenance(std::string whole, std::string mesh)
    : text(std::move(whole)), mesh_sha256(std::move(mesh))
{
}

Provenance provenance_of(const Session& s, const std::map<std::string, std::string>& models,
                         const std::string& mesh_sha256, const std::string& device,
                         const RunOptions& options)
{
    ProvenanceJson o{{"devices", options.device.devices.text()},
                     {"threads", options.device.threads}};
    if (options.until_ms >= 0 && options.until_ms != s.end_ms)
        o["until_ms"] = options.until_ms;
    if (!options.device.maps)
        o["activation_maps"] = false;
    if (!options.session_file.empty())
        o["session_file"] = options.session_file;
    if (options.branch)
        o["branch_of"] = options.resume.string();
    return made_of(s, models, mesh_sha256, device, options.device.precision, o);
}

Provenance provenance_of(const Scene& scene)
{
    return made_of(scene.session, scene.models_sha256, kept_mesh_sha256(scene.mesh), scene.device,
                   scene.precision, {{"edits_of_tissue", scene.tissue_edits.size()}});
}

std::filesystem::path write_provenance_beside(const std::filesystem::path& file,
                                              const std::string& text)
{
    auto j = ProvenanceJson::parse(text);
    j["file_sha256"] = sha256_of_file(file);
    auto beside = file;
    beside += ".provenance.json";
    write_whole(beside, [&](std::ostream& out) { out << one_line(j) << '\n'; });
    return beside;
}

} // namespace tawara::simulation
