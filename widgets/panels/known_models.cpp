// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/known_models.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace tawara {

void KnownModels::setLibrary(const std::vector<const cell::ModelInfo*>& models)
{
    std::vector<Entry> known;
    for (const auto* m : models)
        known.push_back({m->name, m});
    for (const Entry& m : m_entries) // of files
        if (m.key != m.info->name)
            known.push_back(m);
    m_entries = std::move(known);
}

bool KnownModels::add(const std::string& key, const cell::ModelInfo* info)
{
    const auto known = std::find_if(m_entries.begin(), m_entries.end(),
                                    [&](const Entry& m) { return m.key == key; });
    if (known == m_entries.end()) {
        m_entries.push_back({key, info});
        return true;
    }
    return std::exchange(known->info, info) != info;
}

const cell::ModelInfo* KnownModels::find(const std::string& key) const
{
    for (const Entry& m : m_entries)
        if (m.key == key)
            return m.info;
    return nullptr;
}

std::vector<std::string>
KnownModels::unknownOf(const std::vector<simulation::Region>& regions) const
{
    std::vector<std::string> out;
    for (const auto& r : regions)
        if (!r.inherits() && find(r.model) == nullptr)
            out.push_back(r.model);
    return out;
}

std::vector<const cell::ModelInfo*>
KnownModels::beneath(const std::vector<simulation::Region>& regions, int region) const
{
    std::vector<const cell::ModelInfo*> out;
    for (const auto& r : std::span(regions).first(static_cast<std::size_t>(region)))
        if (!r.inherits() && std::find(out.begin(), out.end(), find(r.model)) == out.end())
            out.push_back(find(r.model));
    return out;
}

} // namespace tawara
