// SPDX-License-Identifier: GPL-3.0-or-later
// What the verification table is made of: groups of checks, each of which makes rows.
#pragma once
#include "engine/core/progress.hpp"
#include "engine/core/thread_pool.hpp"
#include "engine/device/devices.hpp"
#include "engine/verify/row.hpp"

#include <filesystem>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace tawara::verify {

/// How a table is made.
struct Settings
{
    bool short_form = false;       ///< what takes 1 to 2 minutes on two cores
    device::Devices devices;       ///< which GPUs are looked at; of the kind cpu: none
    std::filesystem::path data;    ///< references that do not come with the program; empty: none
    std::vector<std::string> only; ///< groups and checks that are looked at; empty: all
};

/// Why a row cannot be made here, as one clause: "there is no GPU".
class Skip : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// What a check says of a row.
struct Demand
{
    std::string id; ///< without the group
    std::string what, requirement;
    Bound bound;
    std::string unit = {};
    std::vector<Chart> charts = {};
    std::string source = {}; ///< Row::source
};

/// What a check works with, and where its rows go.
class Bench
{
  public:
    using Taken = std::function<void(Row)>;
    /// @param check  in that group
    Bench(const Settings& settings, const Progress& progress, std::string group, std::string check,
          Taken taken);

    const Settings& settings() const { return settings_; }
    bool short_form() const { return settings_.short_form; }
    /// Reports nothing, ends where the table is to end, has the machine's threads.
    const Progress& progress() const { return progress_; }
    ThreadPool& pool() { return pool_; }

    /// A row; it took what has passed since the one before.
    void row(Demand d, double figure);
    /// A row that cannot be made here.
    void skip(Demand d, const std::string& why);
    /// A row of a figure that could not be found: the work failed.
    void fail(Demand d, const std::string& why);
    /// Calls `figure` and makes the row; skips it at Skip, and misses it at any other error but
    /// Cancelled.
    void row(Demand d, const std::function<double()>& figure);

  private:
    void add(Demand d, double figure, Verdict v, std::string reason);
    const Settings& settings_;
    Progress progress_;
    std::string group_, check_;
    Taken taken_;
    ThreadPool pool_;
    double begun_s_;
};

/// A piece of the table.
struct Check
{
    std::string id;   ///< e.g. "cube": its rows' ids begin with it
    std::string what; ///< in one line, for --list
    bool in_short;    ///< also part of the short form
    std::function<void(Bench&)> run;
    std::string source = {}; ///< Row::source of those that name none
    /// Also part of the whole table; else another check has its rows there, and it is made where
    /// Settings::only names it.
    bool in_whole = true;
};
struct Group
{
    std::string name, what;
    std::vector<Check> checks;
};

/// All groups, in the order in which the table has them. One file of this folder has each.
std::vector<Group> groups();

Group diffusion_group();
Group conservation_group();
Group stability_group();
Group velocity_group();
Group niederer_group();
Group cable_group();
Group cells_group();
Group papers_group();
Group partitions_group();
Group devices_group();
Group savings_group();
Group spiral_group();
Group ecg_group();
Group implicit_group();
Group calcium_group();

// Checks that have a source of their own.
void systems_of_steps(Bench& b); ///< implicit.solver
void systems_on_trees(Bench& b); ///< cable.lu

} // namespace tawara::verify
