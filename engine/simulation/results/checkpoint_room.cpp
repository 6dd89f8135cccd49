// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/checkpoint_room.hpp"

#include "engine/core/error.hpp"
#include "engine/device/state_places.hpp"
#include "engine/simulation/session/csv.hpp"
#include "engine/simulation/session/size_text.hpp"

namespace tawara::simulation {

namespace fs = std::filesystem;

double checkpoint_bytes(const device::TissueProblem& p, Precision precision)
{
    // numbers of each unknown (device::Snapshot): potential and maps, and inside a long step
    const double numbers = p.rest_tolerance_mV > 0 ? 7 : 5;
    return device::StatePlaces(p, precision).bytes() +
           numbers * sizeof(double) * static_cast<double>(p.size());
}

double disk_left_bytes(const fs::path& folder)
{
    std::error_code none;
    auto at = fs::absolute(folder, none);
    while (!fs::exists(at, none) && at.has_relative_path())
        at = at.parent_path();
    const auto space = fs::space(at, none);
    return none ? -1 : static_cast<double>(space.available);
}

Notices what_checkpoints_take(const CheckpointRoom& r)
{
    constexpr double large = 1e9;
    if (r.bytes <= large)
        return {};
    const std::string size = size_text(r.bytes);
    if (r.every_ms <= 0)
        return {{Notice::Level::info,
                 "a checkpoint takes up to " + size + ": one is written where the run is stopped"}};
    const auto refuse = [&](const std::string& why) {
        throw InputError("", "/output/checkpoint_every_ms",
                         "a checkpoint takes up to " + size + why + "; 0 writes none");
    };
    if (r.memory > 0 && r.memory < r.bytes)
        refuse(" of memory, and beside the run this machine has " + size_text(r.memory) + " left");
    if (r.disk >= 0 && r.disk < r.bytes / 2)
        refuse(", and " + r.folder + " has room for " + size_text(r.disk) +
               " (--out names another folder)");
    // the last one is there before the oldest goes
    const double count = static_cast<double>(r.kept) + 1;
    std::string text = "a checkpoint takes up to " + size + " on disk and in memory; ";
    text += r.kept == 0 ? std::string("all stay")
                        : std::to_string(r.kept) + " stay and one more is being written: up to " +
                              size_text(count * r.bytes);
    if (r.disk >= 0)
        text += "; " + r.folder + " has room for " + size_text(r.disk);
    const bool tight =
        (r.disk >= 0 && r.disk < count * r.bytes) || (r.memory > 0 && r.memory < 2 * r.bytes);
    if (r.memory > 0 && r.memory < 2 * r.bytes)
        text += "; two may be in memory at once, which has " + size_text(r.memory) + " left";
    return {{tight ? Notice::Level::warning : Notice::Level::info, text}};
}

} // namespace tawara::simulation
