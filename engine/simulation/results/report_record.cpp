// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/report_record.hpp"

#include "engine/core/error.hpp"
#include "engine/core/utf8.hpp"
#include "engine/digest/sha256.hpp"
#include "engine/simulation/results/output_digest.hpp"
#include "engine/simulation/session/session_json.hpp"

namespace tawara::simulation::report {

Json parsed(const std::string& text, const std::string& file)
{
    try {
        return parse_json(text, file);
    } catch (const InputError&) {
        throw InputError(file, "is no JSON that a report can be; give the report.json that "
                               "tawara-cli run has written");
    }
}

Json record_of(const Json& report, const std::string& file)
{
    if (!report.is_object() || report.value("program", Json()) != "tawara")
        throw InputError(file, "is no report of a run; give the report.json that tawara-cli run "
                               "has written");
    if (!report.contains(record_key) || !report[record_key].is_object())
        throw InputError(file, "holds no session: it is not of a run, or of an older program's, or "
                               "of a mesh in parts; run the session itself");
    return report[record_key];
}

void check_session(const Json& record, const std::string& file)
{
    if (record.contains("session") && record.contains("session_sha256") &&
        record["session_sha256"] != sha256(record["session"].dump(2) + "\n"))
        throw InputError(file, std::string("/") + record_key + "/session",
                         "is another session than its run had, by session_sha256: the report was "
                         "changed since");
}

Json digests_in(const Json& record, const char* key, const std::string& file)
{
    const auto out = record.value(key, Json::object());
    if (!out.is_object())
        throw InputError(file, std::string("/") + record_key + "/" + key,
                         "should be an object of names and digests");
    return out;
}

void check_files(const Json& record, const std::string& file)
{
    constexpr std::size_t longest = 200; // of a message
    for (const auto kind : {DigestOf::table, DigestOf::values, DigestOf::bytes}) {
        const auto digests = digests_in(record, digest_key(kind), file);
        for (const auto& [name, digest] : digests.items())
            if (!is_below(name))
                throw InputError(file, std::string("/") + record_key + "/" + digest_key(kind),
                                 "names " + shortened(readable(name), longest) +
                                     ", which is not below the report's folder; want a name "
                                     "within it");
    }
}

} // namespace tawara::simulation::report
