// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/model.hpp"

#include "engine/cell/compiler/library.hpp"
#include "engine/cell/own_model.hpp"
#include "engine/cell/special_variables.hpp"
#include "engine/core/error.hpp"
#include "engine/core/file_content.hpp"
#include "engine/core/nearest.hpp"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <set>

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

/// A model by key, kept for the life of the program: descriptions are handed out by reference.
std::shared_ptr<const compiler::Model> find_model(const std::string& model, const std::string& file,
                                                  const std::string& where)
{
    static std::mutex mutex;
    static std::set<std::shared_ptr<const compiler::Model>> kept;

    require_model(model, file, where);
    const auto names = special_variables_of(model);
    auto found = compiler::shared_model(
        path_of(model), {names.membrane_potential, names.stimulus, names.time, false});
    const std::scoped_lock lock(mutex);
    kept.insert(found);
    return found;
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
    throw InputError(file, where, "unknown scheme '" + std::string(text) + "'" + hint(text, known));
}

double largest_step(const ModelInfo& m, Scheme scheme)
{
    for (const auto& [known, ms] : m.largest_step_ms)
        if (known == scheme)
            return ms;
    return 0;
}

Scheme usual_scheme(std::span<const ModelInfo* const> models)
{
    for (const Scheme scheme :
         {Scheme::rush_larsen_light, Scheme::grl1, Scheme::grl2, Scheme::backward_euler})
        if (std::all_of(models.begin(), models.end(), [&](const ModelInfo* m) {
                return m->largest_step_ms.empty() || largest_step(*m, scheme) > 0;
            }))
            return scheme;
    return Scheme::rush_larsen_light;
}

std::string step_advice(const ModelInfo& m, Scheme scheme, double dt_ms)
{
    constexpr double rounding = 1 + 1e-9;
    if (m.largest_step_ms.empty() || scheme == Scheme::cvode)
        return {};
    const auto number = [](double ms) {
        char text[32];
        std::snprintf(text, sizeof text, "%.4g ms", ms);
        return std::string(text);
    };
    const double largest = largest_step(m, scheme);
    if (dt_ms <= largest * rounding)
        return {};
    std::string text = m.name + " by " + std::string(name(scheme)) + " ";
    if (largest > 0)
        text += "stays within 1.5 % of the reference with steps up to " + number(largest) +
                "; a step of " + number(dt_ms) + " has not been shown to";
    else
        text += "has not been shown to stay within 1.5 % of the reference with any step";
    const auto best =
        std::max_element(m.largest_step_ms.begin(), m.largest_step_ms.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (best->second > largest)
        text +=
            "; " + std::string(name(best->first)) + " allows steps up to " + number(best->second);
    return text;
}

bool same_model(const CellType& a, const CellType& b)
{
    return a.model == b.model && a.system == b.system;
}

bool is_file(const std::string& key)
{
    return key.find('.') != std::string::npos;
}

std::uint64_t text_digest(const CellType& type)
{
    return is_own(type) ? 0 : compiler::system_of(type)->digest;
}

std::vector<SourceFile> source_files(const CellType& type)
{
    return is_own(type) ? std::vector<SourceFile>() : compiler::system_of(type)->sources;
}

std::vector<std::string> model_names()
{
    return compiler::library_names();
}

std::string model_key(const std::string& model, const std::filesystem::path& folder)
{
    if (!is_file(model))
        return model;
    return std::filesystem::absolute(folder / model).lexically_normal().string();
}

std::string model_text(const std::string& key, const std::filesystem::path& folder)
{
    if (!is_file(key) || folder.empty())
        return key;
    return std::filesystem::path(path_of(key))
        .lexically_proximate(std::filesystem::absolute(folder).lexically_normal())
        .string();
}

void require_model(const std::string& key, const std::string& file, const std::string& where)
{
    const std::string model = path_of(key);
    if (!is_file(model)) {
        if (own_model(model) != nullptr || compiler::is_library_name(model))
            return;
        auto known = compiler::library_names();
        for (auto& name : own_model_names())
            known.push_back(std::move(name));
        throw InputError(file, where,
                         "unknown cell model '" + model + "'" + hint(model, known) +
                             "; tawara-cli cell list names all");
    }
    if (const auto kind = no_plain_file(model); !kind.empty())
        throw InputError(file, where, "'" + model + "' " + kind);
    const auto extension = std::filesystem::path(model).extension();
    if (extension != ".mmt" && extension != ".cellml" && extension != ".xml")
        throw InputError(file, where,
                         "'" + model +
                             "' is no model file; give a .mmt or .cellml file, or a name of "
                             "tawara-cli cell list");
    std::error_code none;
    if (!std::filesystem::is_regular_file(model, none))
        throw InputError(file, where,
                         "there is no model file '" + model +
                             "'; give a .mmt or .cellml file that is there (paths start from the "
                             "folder of the file that names them)");
}

const ModelInfo& model_info(const std::string& model, const std::string& file,
                            const std::string& where)
{
    if (const auto* own = own_model(model))
        return own->info;
    return find_model(model, file, where)->info;
}

CellType make_cell_type(const std::string& model, std::string_view variant,
                        std::span<const std::pair<std::string, double>> parameters,
                        std::span<const std::pair<std::string, double>> initial,
                        const std::string& file, const std::string& where)
{
    if (const auto* own = own_model(model))
        return own_cell_type(*own, variant, parameters, initial, file, where);
    const auto found = find_model(model, file, where);
    auto type =
        compiler::cell_type(found->system, std::string(variant), parameters, initial, file, where);
    type.model = model;
    type.system = {found, &found->system};
    return type;
}

} // namespace tawara::cell
