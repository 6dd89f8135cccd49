// SPDX-License-Identifier: GPL-3.0-or-later
// What a study is: one session, and what differs between its runs.
#pragma once
#include "engine/simulation/session/session.hpp"
#include "engine/study/doses.hpp"
#include "engine/study/induction.hpp"
#include "engine/study/population.hpp"
#include "engine/study/restitution.hpp"

#include <cstdint>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tawara::study {

/// A key of the session and its value as JSON, as `--set PATH=VALUE` takes both.
using Setting = std::pair<std::string, std::string>;

/// One simulation of a study.
struct PlannedRun
{
    std::int64_t number = 0; ///< from 0, in the study's order
    std::string name;        ///< of its folder: "run-0007"
    std::vector<Setting> settings;
    std::optional<std::size_t> site{};        ///< of Induction::sites, which it searches
    std::optional<Dose> dose{};               ///< of Study::doses
    std::optional<std::size_t> member{};      ///< of Study::population
    std::optional<PacingProtocol> protocol{}; ///< of Study::restitution, by which it is paced
};

/// What a run's folder keeps beside report.json and the tables of probes and beats.
enum class Keep { activation, ecg, frames };

struct Study
{
    std::string name;
    std::string file;         ///< of the study, as errors name it
    std::string session;      ///< text of the session, before any setting
    std::string session_file; ///< what is named in errors, and where paths start
    static constexpr std::size_t most_paths = 1000; ///< that are keys of the session
    std::vector<std::string> paths; ///< keys that differ, axes first, in the file's order
    std::vector<PlannedRun> runs;   ///< the last axis changes fastest; the list `runs` follows
    bool keep_all = true;           ///< no `keep` is given
    std::set<Keep> keep;
    std::optional<Induction> induction; ///< each run searches one of its sites
    std::optional<Ablation> ablation;   ///< of sites with sustained re-entry
    std::optional<Doses> doses;         ///< each run has one of them, beside its session's drugs
    std::optional<Restitution> restitution; ///< each run is paced by one of its protocols
    std::optional<Population> population;   ///< each run is of one of its members
    std::string digest; ///< of all of it that results depend on, files that a session names aside
};

/// Reads a study (schema 1): `session` (a path beside the study, or an object), `axes` (each key
/// with its values: every combination is a run), `runs` (a list of settings, a run each; with axes,
/// each of them with every combination), `keep`; with `population` each of those runs once for
/// each member, with `doses` once for each drug and concentration, with `induction` once for each
/// site, with `restitution` once for each protocol: these two change fastest, then concentrations.
/// @param overrides  "PATH=VALUE" for the session of all runs
/// @throws InputError naming the file and the JSON pointer
/// @cost   linear in the runs, of which there are a million at most
Study read_study(const std::filesystem::path& file, std::span<const std::string> overrides = {});

/// The session of a run, checked as any other.
/// @throws InputError naming the run's settings
simulation::Session session_of(const Study& s, const PlannedRun& run);

/// The path that names a run's site among what runs differ by.
inline constexpr const char* site_path = "induction.site";
/// What a run differs by: its settings, its member, its dose, its site or protocol.
std::vector<Setting> differences(const Study& s, const PlannedRun& run);

/// The value that a run has at a path, as JSON; empty where it sets none.
std::string setting_of(const PlannedRun& run, const std::string& path);

} // namespace tawara::study
