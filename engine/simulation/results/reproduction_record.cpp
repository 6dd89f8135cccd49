// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/reproduction_record.hpp"

#include "engine/core/provenance.hpp"
#include "engine/digest/sha256.hpp"
#include "engine/simulation/results/model_digests.hpp"
#include "engine/simulation/results/output_digest.hpp"
#include "engine/simulation/tissue/mesh_digest.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace tawara::simulation::report {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
std::string_view bytes(const std::vector<T>& v)
{
    return {reinterpret_cast<const char*>(v.data()), v.size() * sizeof(T)};
}

/// Of numbers; "never" has one pattern of bits.
std::string digest(std::vector<double> v)
{
    for (auto& x : v)
        if (std::isnan(x))
            x = std::numeric_limits<double>::quiet_NaN();
    return sha256(bytes(v));
}

/// V of every unknown now; nothing where the device does not give it any more.
Json end_digest(const ReportInput& in)
{
    try {
        std::vector<double> v(in.tissue.problem.size());
        in.stepper.potential(v);
        return digest(std::move(v));
    } catch (const std::exception&) {
        return nullptr; // ReportInput::ended says why
    }
}

/// Of what the run has written, and of frames that it went on with.
void add_digests(Json& j, const ReportInput& in)
{
    for (const auto kind : {DigestOf::table, DigestOf::values, DigestOf::bytes})
        j[digest_key(kind)] = Json::object();
    constexpr std::size_t most_frames = 1900; // a report with more keys is none (json_excess())
    const bool with_frames = in.frames_sha256.size() <= most_frames;
    for (const auto& f : in.files) {
        if (f == "report.json") // which these stand in
            continue;
        const auto kind = digest_of(f);
        auto& to = j[digest_key(kind)];
        if (kind != DigestOf::values) {
            if (std::filesystem::exists(in.options.out / f))
                to[f] = output_digest(in.options.out, f);
        } else if (const auto known = in.frames_sha256.find(f);
                   with_frames && known != in.frames_sha256.end())
            to[f] = known->second;
    }
}

/// In full, its folder without symbolic links: so it can be told from another folder's.
std::string at_its_place(const std::filesystem::path& file)
{
    std::error_code none;
    const auto whole = std::filesystem::absolute(file);
    return (std::filesystem::weakly_canonical(whole.parent_path(), none) / whole.filename())
        .string();
}

} // namespace

Json reproduction_json(const ReportInput& in, const device::Maps& maps)
{
    const auto& o = in.options;
    Json j = Json::object();
    j["built_from"] = program_commit().empty() ? Json(nullptr) : Json(program_commit());
    j["session_path"] = // a session that was made in memory has none
        o.session_file.empty() ? "" : at_its_place(o.session_file);
    std::error_code none;
    j["folder"] = std::filesystem::weakly_canonical(o.out, none).string();
    j["session"] = Json::parse(to_json(in.session));
    j["session_sha256"] = sha256(to_json(in.session));
    if (const auto models = model_digests(in.tissue, in.session.folder); !models.empty())
        j["models_sha256"] = models;
    j["until_ms"] = in.stepper.time_ms();
    if (o.until_ms >= 0 && o.until_ms != in.session.end_ms)
        j["asked_until_ms"] = o.until_ms;
    j["devices"] = o.device.devices.text();
    j["precision"] = name(o.device.precision);
    j["threads"] = o.device.threads;
    j["activation_maps"] = in.stepper.keeps_maps();
    if (!o.resume.empty()) {
        j["resume"] = at_its_place(o.resume);
        j["branch"] = o.branch;
        j["resume_sha256"] = sha256_of_file(o.resume);
    }
    j["mesh_sha256"] = in.by != nullptr ? in.by->mesh_sha256 : mesh_sha256(*in.tissue.mesh);
    j["end_sha256"] = end_digest(in);
    if (in.stepper.keeps_maps()) {
        j["activation_sha256"] = digest(maps.activation_ms);
        j["repolarisation_sha256"] = digest(maps.repolarisation_ms);
        j["repolarised"] =
            std::count_if(maps.repolarisation_ms.begin(), maps.repolarisation_ms.end(),
                          [](double ms) { return std::isfinite(ms); });
    }
    add_digests(j, in);
    return j;
}

} // namespace tawara::simulation::report
