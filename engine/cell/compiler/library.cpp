// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/library.hpp"

#include "engine/cell/compiler/schemes/schemes.hpp"
#include "engine/core/error.hpp"
#include "engine/core/nearest.hpp"
#include "engine/core/resource.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::cell::compiler {
namespace {

[[noreturn]] void unknown(const std::string& file, const char* kind, const std::string& word,
                          const std::vector<std::string>& known)
{
    throw InputError(file, std::string("unknown ") + kind + " '" + word +
                               "'; the nearest known is '" + nearest(word, known) + "'");
}

template <class Items>
void set(std::vector<double>& out, const Items& items,
         std::span<const std::pair<std::string, double>> values, const char* kind,
         const std::string& file)
{
    for (const auto& [key, value] : values) {
        const auto it = std::find_if(items.begin(), items.end(),
                                     [&k = key](const auto& i) { return i.name == k; });
        if (it == items.end()) {
            std::vector<std::string> known;
            for (const auto& i : items)
                known.push_back(i.name);
            unknown(file, kind, key, known);
        }
        if (!std::isfinite(value))
            throw InputError(file, std::string(kind) + " '" + key +
                                       "' is not a finite number; give a finite one");
        out[static_cast<std::size_t>(it - items.begin())] = value;
    }
}

} // namespace

std::vector<std::string> library_names()
{
    std::vector<std::string> names;
    for (const auto& e : std::filesystem::directory_iterator(resource("resources/models")))
        if (e.path().extension() == ".mmt")
            names.push_back(e.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

CellSystem load_model(const std::string& name, const ResolveOptions& options)
{
    if (name.find('.') != std::string::npos)
        return resolve(read_model(name), options);
    const auto known = library_names();
    if (std::find(known.begin(), known.end(), name) == known.end())
        unknown("--model", "cell model", name, known);
    return resolve(read_model(resource("resources/models/" + name + ".mmt")), options);
}

ModelInfo describe(const CellSystem& s)
{
    ModelInfo i;
    i.name = s.name;
    i.title = s.title;
    i.source = s.description;
    for (const auto& x : s.states)
        i.states.push_back({x.name, x.unit, x.initial, x.gate.has_value()});
    i.parameters = s.parameters;
    i.variants = s.variants;
    i.schemes = compiled_schemes();
    return i;
}

CellType cell_type(const CellSystem& s, const std::string& variant,
                   std::span<const std::pair<std::string, double>> parameters,
                   std::span<const std::pair<std::string, double>> initial)
{
    CellType t{s.name, s.parameter_values(), s.initial_values()};
    if (!variant.empty()) {
        const auto v = std::find_if(s.variants.begin(), s.variants.end(),
                                    [&](const Variant& x) { return x.name == variant; });
        if (v == s.variants.end()) {
            std::vector<std::string> known;
            for (const auto& x : s.variants)
                known.push_back(x.name);
            unknown(s.file, "variant", variant, known);
        }
        set(t.parameters, s.parameters, v->parameters, "parameter", s.file);
        set(t.initial, s.states, v->initial, "state", s.file);
    }
    set(t.parameters, s.parameters, parameters, "parameter", s.file);
    set(t.initial, s.states, initial, "state", s.file);
    return t;
}

} // namespace tawara::cell::compiler
