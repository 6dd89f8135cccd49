// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-cli provenance: what a file says of the run that made it.
#include "engine/cli/command.hpp"
#include "engine/simulation/results/provenance_read.hpp"
#include "engine/simulation/session/session_json.hpp"

#include <algorithm>

namespace tawara::cli {
namespace {

/// JSON with a line for each member of an object, and lists of numbers and texts on one.
std::string for_people(const Json& j, const std::string& indent = "")
{
    const auto plain = [](const Json& x) { return !x.is_structured(); };
    if (plain(j) || j.empty() || (j.is_array() && std::all_of(j.begin(), j.end(), plain)))
        return j.dump(-1, ' ', false, Json::error_handler_t::replace);
    const auto inner = indent + "  ";
    std::string out = j.is_array() ? "[" : "{";
    bool first = true;
    for (const auto& [key, value] : j.items()) {
        out += (first ? "\n" : ",\n") + inner;
        if (j.is_object())
            out += Json(key).dump(-1, ' ', false, Json::error_handler_t::replace) + ": ";
        out += for_people(value, inner);
        first = false;
    }
    return out + "\n" + indent + (j.is_array() ? "]" : "}");
}

std::string unchanged_words(const simulation::FoundProvenance& f)
{
    if (f.unchanged_by.empty())
        return "nothing tells whether the file was changed since" +
               (f.why_not_known.empty() ? "" : " (" + f.why_not_known + ")");
    return f.values_alone
               ? "V in the file is as its run left it, by " + f.unchanged_by.string() +
                     "; its mesh, times, header and what it says of the run are not looked at"
               : "the file is as its run left it, by " + f.unchanged_by.string();
}

} // namespace

void declare_provenance(const Declaration& d)
{
    auto file = std::make_shared<std::string>();
    auto* sub = d.command(d.app, "provenance", "what made a file: program, session, mesh, device",
                          [file](Context& c) {
                              const auto found = simulation::find_provenance(*file);
                              const auto& by = found.unchanged_by;
                              Json j = simulation::parse_json(found.text, *file);
                              c.say(for_people(j));
                              c.notice({Notice::Level::info, unchanged_words(found)});
                              j["unchanged"] = by.empty()           ? Json(nullptr)
                                               : found.values_alone ? Json("V")
                                                                    : Json(true);
                              c.result(j);
                          });
    sub->add_option("file", *file, "a file that the program or the window has written")
        ->type_name("FILE")
        ->required();
}

} // namespace tawara::cli
