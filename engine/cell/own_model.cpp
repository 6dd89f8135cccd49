// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/own_model.hpp"

#include "engine/core/error.hpp"
#include "engine/core/nearest.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <mutex>
#include <utility>

namespace tawara::cell {
namespace {

struct Known
{
    std::mutex mutex;
    std::map<std::string, OwnModel> models; ///< none is ever removed
};

Known& known()
{
    static Known k;
    return k;
}

std::string number(double x)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.10g", x);
    return text;
}

/// Who asked for a type.
struct Asker
{
    const std::string &file, &where;
    [[noreturn]] void unknown(const char* kind, std::string_view word,
                              const std::vector<std::string>& names) const
    {
        throw InputError(file, where,
                         std::string("unknown ") + kind + " '" + std::string(word) + "'" +
                             hint(word, names));
    }
    /// The index of an item by its short or full name.
    template <class Items>
    std::size_t index(const Items& items, const char* kind, const std::string& word) const
    {
        std::vector<std::string> names;
        for (std::size_t k = 0; k < items.size(); ++k) {
            if (items[k].name == word || items[k].full_name == word)
                return k;
            names.push_back(items[k].name);
        }
        unknown(kind, word, names);
    }
};

template <class Item>
void need_in_range(const Item& p, const char* kind, const OwnModel::Range& r, double value,
                   const Asker& by)
{
    if (value >= r.least && value <= r.most && (!r.whole || value == std::round(value)))
        return;
    throw InputError(by.file, by.where,
                     kind + (" '" + p.name) + "' is " + number(value) + "; it should be a " +
                         (r.whole ? "whole number" : "number") + " from " + number(r.least) +
                         " to " + number(r.most) + (p.unit == "1" ? "" : " " + p.unit));
}

const Variant& variant_of(const ModelInfo& info, std::string_view name, const Asker& by)
{
    const std::string_view wanted = name == "m" || name == "M" ? "mid" : name; // as in papers
    std::vector<std::string> names;
    for (const auto& v : info.variants) {
        if (wanted.empty() || wanted == v.name)
            return v;
        names.push_back(v.name);
    }
    by.unknown("variant", name, names);
}

} // namespace

void add_own_model(const OwnModel& model)
{
    auto& all = known();
    const std::scoped_lock lock(all.mutex);
    all.models.try_emplace(model.info.name, model);
}

const OwnModel* own_model(const std::string& name)
{
    auto& all = known();
    const std::scoped_lock lock(all.mutex);
    const auto at = all.models.find(name);
    return at == all.models.end() ? nullptr : &at->second;
}

std::vector<std::string> own_model_names()
{
    auto& all = known();
    const std::scoped_lock lock(all.mutex);
    std::vector<std::string> names;
    for (const auto& [name, model] : all.models)
        names.push_back(name);
    return names;
}

bool is_own(const CellType& type)
{
    return !type.system && own_model(type.model) != nullptr;
}

CellType own_cell_type(const OwnModel& model, std::string_view variant,
                       std::span<const std::pair<std::string, double>> parameters,
                       std::span<const std::pair<std::string, double>> initial,
                       const std::string& file, const std::string& where)
{
    const Asker by{file, where};
    const auto& info = model.info;
    CellType t;
    t.model = info.name;
    for (const auto& p : info.parameters)
        t.parameters.push_back(p.value);
    for (const auto& s : info.states)
        t.initial.push_back(s.initial);
    const auto set = [&](std::span<const std::pair<std::string, double>> values,
                         std::span<const std::pair<std::string, double>> states) {
        for (const auto& [name, value] : values) {
            const auto k = by.index(info.parameters, "parameter", name);
            need_in_range(info.parameters[k], "parameter", model.ranges.at(k), value, by);
            t.parameters[k] = value;
        }
        for (const auto& [name, value] : states) {
            const auto k = by.index(info.states, "state", name);
            need_in_range(info.states[k], "state", model.state_ranges.at(k), value, by);
            t.initial[k] = value;
        }
    };
    const Variant& v = variant_of(info, variant, by);
    set(v.parameters, v.initial);
    set(parameters, initial);
    return t;
}

} // namespace tawara::cell
