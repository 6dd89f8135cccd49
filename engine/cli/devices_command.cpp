// SPDX-License-Identifier: GPL-3.0-or-later
// tawara-cli devices: what can be computed on, and why something cannot.
#include "engine/cli/command.hpp"
#include "engine/device/stepper.hpp"

namespace tawara::cli {

void declare_devices(const Declaration& d)
{
    d.command(d.app, "devices", "what can be computed on, and why something cannot",
              [](Context& c) {
                  Json list = Json::array();
                  for (const auto& device : device::devices()) {
                      list.push_back({{"id", device.id},
                                      {"name", device.name},
                                      {"usable", device.usable},
                                      {"reason", device.reason}});
                      c.say(device.id + "  " + device.name +
                            (device.usable ? "" : "  (not usable: " + device.reason + ")"));
                  }
                  c.result({{"devices", list}});
              });
}

} // namespace tawara::cli
