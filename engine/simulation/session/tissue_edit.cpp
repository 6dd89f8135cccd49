// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/session/tissue_edit.hpp"

#include <algorithm>

namespace tawara::simulation {
namespace {

constexpr std::size_t most_words = 3;

std::string title(const Region& r, std::size_t number)
{
    if (r.name.starts_with("Region ") || r.name.starts_with("region ")) // it says so itself
        return "r" + r.name.substr(1);
    return "region " + (r.name.empty() ? std::to_string(number + 1) : r.name);
}

std::string joined(const std::vector<std::string>& words)
{
    std::string out;
    for (std::size_t k = 0; k < std::min(words.size(), most_words); ++k)
        out += (k > 0 ? ", " : "") + words[k];
    if (words.size() > most_words)
        out += " and " + std::to_string(words.size() - most_words) + " more";
    return out;
}

} // namespace

std::string tissue_difference(std::span<const Region> regions_before,
                              std::span<const Drug> drugs_before, std::span<const Region> regions,
                              std::span<const Drug> drugs)
{
    std::vector<std::string> words;
    const auto has = [](std::span<const Drug> list, const Drug& d) {
        return std::any_of(list.begin(), list.end(),
                           [&](const Drug& x) { return x.name == d.name; });
    };
    if (drugs.size() == drugs_before.size()) { // names follow what a drug blocks
        for (std::size_t k = 0; k < drugs.size(); ++k)
            if (drugs[k].name != drugs_before[k].name)
                words.push_back("drug " + drugs[k].name + " in place of " + drugs_before[k].name);
            else if (drugs[k] != drugs_before[k])
                words.push_back("drug " + drugs[k].name + " changed");
    } else {
        for (const auto& d : drugs)
            if (!has(drugs_before, d))
                words.push_back("drug " + d.name + " given");
        for (const auto& d : drugs_before)
            if (!has(drugs, d))
                words.push_back("drug " + d.name + " taken away");
    }
    if (regions.size() == regions_before.size()) {
        for (std::size_t k = 0; k < regions.size(); ++k)
            if (regions[k] != regions_before[k])
                words.push_back(title(regions[k], k) + " changed");
        return joined(words);
    }
    const auto in = [](std::span<const Region> list, const Region& r) {
        return std::find(list.begin(), list.end(), r) != list.end();
    };
    const auto place_in = [](std::span<const Region> list, const Region& r) {
        return std::any_of(list.begin(), list.end(), [&](const Region& x) {
            return x.labels == r.labels && x.where == r.where && x.name == r.name;
        });
    };
    for (std::size_t k = 0; k < regions.size(); ++k)
        if (!in(regions_before, regions[k]))
            words.push_back(title(regions[k], k) +
                            (place_in(regions_before, regions[k]) ? " changed" : " added"));
    for (std::size_t k = 0; k < regions_before.size(); ++k)
        if (!place_in(regions, regions_before[k]))
            words.push_back(title(regions_before[k], k) + " removed");
    if (words.empty()) // one of several at the same place
        words.emplace_back("regions changed");
    return joined(words);
}

std::size_t edits_until(std::span<const TissueEdit> edits, double time_ms)
{
    return static_cast<std::size_t>(
        std::upper_bound(edits.begin(), edits.end(), time_ms,
                         [](double t, const TissueEdit& e) { return t < e.time_ms; }) -
        edits.begin());
}

std::string what_of(std::span<const TissueEdit> edits)
{
    std::vector<std::string> words;
    for (const auto& e : edits)
        if (!e.what.empty() && std::find(words.begin(), words.end(), e.what) == words.end())
            words.push_back(e.what);
    return joined(words);
}

} // namespace tawara::simulation
