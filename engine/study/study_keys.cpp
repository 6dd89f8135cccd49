// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/study_keys.hpp"

#include "engine/core/error.hpp"
#include "engine/core/nearest.hpp"
#include "engine/simulation/session/csv.hpp"

#include <algorithm>

namespace tawara::study {

StudyKeys::StudyKeys(const std::filesystem::path& file, std::string at,
                     const nlohmann::ordered_json& o, const std::vector<std::string>& known)
    : file_(file), at_(std::move(at)), o_(o)
{
    if (!o.is_object()) {
        std::string list;
        for (const auto& k : known)
            list += (list.empty() ? "" : ", ") + k;
        fail("", "must be an object of " + list);
    }
    for (const auto& [key, value] : o.items())
        if (std::find(known.begin(), known.end(), key) == known.end())
            fail("/" + key, "unknown key" + hint(key, known));
}

void StudyKeys::fail(const std::string& key, const std::string& why) const
{
    throw InputError(file_.string(), at_ + key, why);
}

void StudyKeys::number(const char* key, double low, double high, const char* unit, double& to) const
{
    if (!has(key))
        return;
    const auto& v = o_.at(key);
    if (!v.is_number() || !(v.get<double>() >= low) || !(v.get<double>() <= high))
        fail(std::string("/") + key,
             v.dump() + " must be a number from " + simulation::number_text(low, 6) + " to " +
                 simulation::number_text(high, 6) + (*unit ? " " : "") + unit);
    to = v.get<double>();
}

void StudyKeys::count(const char* key, int low, int high, int& to) const
{
    if (!has(key))
        return;
    const auto& v = o_.at(key);
    if (!v.is_number_integer() || v.get<double>() < low || v.get<double>() > high)
        fail(std::string("/") + key, v.dump() + " must be a whole number from " +
                                         std::to_string(low) + " to " + std::to_string(high));
    to = v.get<int>();
}

} // namespace tawara::study
