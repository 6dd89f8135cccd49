// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/model.hpp"

#include "engine/cell/ten_tusscher_2006.hpp"
#include "engine/core/error.hpp"
#include "engine/core/nearest.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::cell {
namespace {

constexpr std::pair<Scheme, std::string_view> scheme_names[] = {
    {Scheme::forward_euler, "forward_euler"},
    {Scheme::rk4, "rk4"},
    {Scheme::rush_larsen, "rush_larsen"},
    {Scheme::rush_larsen_light, "rush_larsen_light"},
    {Scheme::grl1, "grl1"},
    {Scheme::grl2, "grl2"},
    {Scheme::backward_euler_single, "backward_euler_single"},
    {Scheme::backward_euler, "backward_euler"},
    {Scheme::cvode, "cvode"},
};

const std::vector<ModelInfo>& library()
{
    static const std::vector<ModelInfo> models{tt06::info()};
    return models;
}

/// @throws InputError "no KIND 'WORD'; did you mean 'NEAREST'?"
[[noreturn]] void unknown(const std::string& file, const std::string& where,
                          const std::string& kind, std::string_view word,
                          const std::vector<std::string>& known)
{
    throw InputError(file, where,
                     "unknown " + kind + " '" + std::string(word) + "'; the nearest known is '" +
                         nearest(word, known) + "'");
}

template <class Items>
std::vector<std::string> names_of(const Items& items)
{
    std::vector<std::string> names;
    for (const auto& i : items)
        names.push_back(i.name);
    return names;
}

/// Writes `values` over `out`, which is ordered as `items`.
template <class Items>
void apply(std::vector<double>& out, const Items& items,
           std::span<const std::pair<std::string, double>> values, const char* kind,
           const std::string& file, const std::string& where)
{
    for (const auto& [key, value] : values) {
        const auto it = std::find_if(items.begin(), items.end(),
                                     [&k = key](const auto& i) { return i.name == k; });
        if (it == items.end())
            unknown(file, where, kind, key, names_of(items));
        if (!std::isfinite(value))
            throw InputError(file, where,
                             std::string(kind) + " '" + key +
                                 "' is not a finite number; give a finite one");
        out[static_cast<std::size_t>(it - items.begin())] = value;
    }
}

} // namespace

std::string_view name(Scheme s)
{
    for (const auto& [scheme, text] : scheme_names)
        if (scheme == s)
            return text;
    return "";
}

Scheme scheme_by_name(std::string_view text, const std::string& file, const std::string& where)
{
    std::vector<std::string> known;
    for (const auto& [scheme, n] : scheme_names) {
        if (n == text)
            return scheme;
        known.emplace_back(n);
    }
    unknown(file, where, "scheme", text, known);
}

std::vector<std::string> model_names()
{
    return names_of(library());
}

const ModelInfo& model_info(std::string_view model, const std::string& file,
                            const std::string& where)
{
    for (const auto& m : library())
        if (m.name == model)
            return m;
    unknown(file, where, "cell model", model, model_names());
}

CellType make_cell_type(std::string_view model, std::string_view variant,
                        std::span<const std::pair<std::string, double>> parameters,
                        std::span<const std::pair<std::string, double>> initial,
                        const std::string& file, const std::string& where)
{
    const ModelInfo& info = model_info(model, file, where);
    CellType type{info.name, {}, {}};
    for (const auto& p : info.parameters)
        type.parameters.push_back(p.value);
    for (const auto& s : info.states)
        type.initial.push_back(s.initial);
    if (!variant.empty()) {
        const auto v = std::find_if(info.variants.begin(), info.variants.end(),
                                    [&](const Variant& x) { return x.name == variant; });
        if (v == info.variants.end())
            unknown(file, where, "variant", variant, names_of(info.variants));
        apply(type.parameters, info.parameters, v->parameters, "parameter", file, where);
        apply(type.initial, info.states, v->initial, "state", file, where);
    }
    apply(type.parameters, info.parameters, parameters, "parameter", file, where);
    apply(type.initial, info.states, initial, "state", file, where);
    return type;
}

} // namespace tawara::cell
