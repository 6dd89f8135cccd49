// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/special_variables.hpp"

#include "engine/cell/compiler/equations/recognise.hpp"
#include "engine/core/error.hpp"

#include <algorithm>

namespace tawara::cell {
namespace {

constexpr std::pair<const char*, std::string SpecialVariables::*> keys[] = {
    {"|V=", &SpecialVariables::membrane_potential},
    {"|stimulus=", &SpecialVariables::stimulus},
    {"|time=", &SpecialVariables::time}};

std::vector<Candidate> in_words(const compiler::ModelText& m,
                                const std::vector<compiler::Likely>& list)
{
    std::vector<Candidate> out;
    for (const auto& x : list) {
        const auto& v = m.variables[x.variable];
        out.push_back({v.name, v.unit_text, v.description, x.reason, v.line});
    }
    return out;
}

} // namespace

Candidates candidates_of(const std::filesystem::path& path)
{
    const auto m = compiler::read_model(path);
    Candidates c{in_words(m, potentials(m)), in_words(m, stimuli(m)), in_words(m, times(m)), {}};
    const auto name = [&](const std::optional<std::uint32_t>& v) {
        return v ? m.variables[*v].name : std::string();
    };
    try {
        c.found.membrane_potential = name(recognise_potential(m));
    } catch (const InputError&) {
        // several fit: that is what the caller asks about
    }
    c.found.stimulus = name(recognise_stimulus(m));
    c.found.time = name(recognise_time(m));
    return c;
}

std::string key_with(const std::string& key, const SpecialVariables& names)
{
    std::string out = path_of(key);
    for (const auto& [mark, member] : keys)
        if (!(names.*member).empty())
            out += mark + names.*member;
    return out;
}

std::string path_of(const std::string& key)
{
    std::size_t end = key.size();
    for (const auto& [mark, member] : keys)
        end = std::min(end, key.find(mark));
    return key.substr(0, end);
}

SpecialVariables special_variables_of(const std::string& key)
{
    SpecialVariables names;
    for (const auto& [mark, member] : keys)
        if (const auto at = key.find(mark); at != std::string::npos) {
            const auto from = at + std::string_view(mark).size();
            names.*member = key.substr(from, key.find('|', from) - from);
        }
    return names;
}

} // namespace tawara::cell
