// SPDX-License-Identifier: GPL-3.0-or-later
// Studies that are made by a program: what is asked for, as a file and its session.
#pragma once
#include "engine/study/study.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tawara::study {

/// Drugs of known_drugs(), by name.
struct ChosenDoses
{
    std::vector<std::string> drugs;
    bool times_cmax = true; ///< values are multiples of each drug's C_max; else nM
    std::vector<double> values;
};

/// What a study is to ask for.
struct NewStudy
{
    std::string name;
    std::vector<std::pair<std::string, std::vector<std::string>>> axes; ///< keys, values as JSON
    std::optional<Induction> induction{};
    std::optional<ChosenDoses> doses{};
    std::optional<std::set<Keep>> keep{}; ///< nothing: all is kept
};

/// The study's file, whose session lies beside it as session_name.
std::string to_json(const NewStudy& s);
inline constexpr const char* session_name = "session.json";

/// Makes a folder with a study, NAME.json of the folder NAME, and its session: whole or not at all.
/// The study is read, and each run's session checked, before the folder is there.
/// @param folder  is not there yet, or is empty
/// @param text    of the study; its `session` is made session_name
/// @param write   writes the session's file, and what belongs beside it
/// @return the study's file
/// @throws InputError  naming the study's file where something in it is wrong
std::filesystem::path
make_study(const std::filesystem::path& folder, const std::string& text,
           const std::function<void(const std::filesystem::path& session_file)>& write);

} // namespace tawara::study
