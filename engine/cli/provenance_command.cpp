// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-cli provenance: what a file says of the run that made it.
#include "engine/cli/command.hpp"
#include "engine/core/error.hpp"
#include "engine/simulation/results/provenance_read.hpp"

namespace tawara::cli {

void declare_provenance(const Declaration& d)
{
    auto file = std::make_shared<std::string>();
    auto* sub = d.command(d.app, "provenance", "what made a file: program, session, mesh, device",
                          [file](Context& c) {
                              const auto text = simulation::provenance_in(*file);
                              const auto j = Json::parse(text, nullptr, false);
                              if (!j.is_object())
                                  throw InputError(*file, "says what made it in words that are "
                                                          "no JSON; it is damaged");
                              c.result(j);
                              c.say(j.dump(2, ' ', false, Json::error_handler_t::replace));
                          });
    sub->add_option("file", *file, "a file that the program or the window has written")
        ->type_name("FILE")
        ->required();
}

} // namespace tawara::cli
