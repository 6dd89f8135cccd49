// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/provenance.hpp"

#include <utility>

namespace tawara {
namespace {

std::string& told_commit()
{
    static std::string commit;
    return commit;
}

} // namespace

std::string program_version()
{
    return TAWARA_VERSION;
}

void set_program_commit(std::string commit)
{
    told_commit() = std::move(commit);
}

const std::string& program_commit()
{
    return told_commit();
}

std::string program_text()
{
    const auto& commit = program_commit();
    return "Tawara " + program_version() + (commit.empty() ? "" : " (" + commit + ")");
}

std::string program_provenance()
{
    const auto& commit = program_commit(); // digits and "+": nothing to escape
    return "{\"program\":\"tawara\",\"version\":\"" + program_version() +
           "\",\"built_from\":" + (commit.empty() ? "null" : "\"" + commit + "\"") + "}";
}

std::string xml_comment(const std::string& json)
{
    std::string out = "<!-- " + std::string(provenance_name) + ": ";
    char before = 0;
    for (const char c : json) {
        const bool second = c == '-' && before == '-';
        out += second ? "\\u002d" : std::string(1, c);
        before = second ? 0 : c;
    }
    return out + " -->\n";
}

} // namespace tawara
