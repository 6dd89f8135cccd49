// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/library.hpp"

#include "engine/cell/compiler/schemes/schemes.hpp"
#include "engine/core/error.hpp"
#include "engine/core/nearest.hpp"
#include "engine/core/resource.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <mutex>
#include <tuple>

namespace tawara::cell::compiler {
namespace {

namespace fs = std::filesystem;

/// Who asked for something, for messages.
struct Asker
{
    std::string file, where;
};

[[noreturn]] void unknown(const Asker& by, const char* kind, const std::string& word,
                          const std::vector<std::string>& known)
{
    const std::string start = std::string("unknown ") + kind + " '" + word + "'";
    throw InputError(by.file, by.where,
                     known.empty() ? start + "; the model has none" : start + hint(word, known));
}

template <class Items>
void set(std::vector<double>& out, const Items& items,
         std::span<const std::pair<std::string, double>> values, const char* kind, const Asker& by)
{
    for (const auto& [key, value] : values) {
        const auto it = std::find_if(items.begin(), items.end(), [&k = key](const auto& i) {
            return i.name == k || i.full_name == k;
        });
        if (it == items.end()) {
            std::vector<std::string> known;
            for (const auto& i : items)
                known.push_back(i.name);
            unknown(by, kind, key, known);
        }
        if (!std::isfinite(value))
            throw InputError(by.file, by.where,
                             std::string(kind) + " '" + key +
                                 "' is not a finite number; give a finite one");
        out[static_cast<std::size_t>(it - items.begin())] = value;
    }
}

constexpr int most_readings = 5; ///< of a file that is being written

/// What tells that a file was written anew.
using Stamp = std::pair<fs::file_time_type, std::uintmax_t>;
Stamp stamp(const fs::path& file)
{
    std::error_code none;
    return {fs::last_write_time(file, none), fs::file_size(file, none)};
}

/// The files that a model was read from: its own and those that it imports.
class Sources
{
  public:
    void add(const fs::path& file) { stamps_.emplace(file, stamp(file)); }
    bool touched() const
    {
        return !std::all_of(stamps_.begin(), stamps_.end(),
                            [](const auto& f) { return stamp(f.first) == f.second; });
    }
    /// They were written anew with the text that they had.
    void keep()
    {
        for (auto& [file, at] : stamps_)
            at = stamp(file);
    }
    std::vector<fs::path> files() const
    {
        std::vector<fs::path> out;
        for (const auto& [file, at] : stamps_)
            out.push_back(file);
        return out;
    }
    /// FNV-1a, 64 bits, of all their bytes.
    std::uint64_t digest() const
    {
        std::uint64_t h = 14695981039346656037ULL;
        for (const auto& [file, at] : stamps_) {
            std::ifstream in(file, std::ios::binary);
            for (std::istreambuf_iterator<char> c(in), end; c != end; ++c)
                h = (h ^ static_cast<unsigned char>(*c)) * 1099511628211ULL;
        }
        return h;
    }

  private:
    std::map<fs::path, Stamp> stamps_;
};

/// The file of a model.
fs::path file_of(const std::string& name)
{
    if (is_file(name))
        return name;
    if (!is_library_name(name))
        unknown({"--model", ""}, "cell model", name, library_names());
    return resource("resources/models/" + name + ".mmt");
}

} // namespace

std::vector<std::string> library_names()
{
    std::vector<std::string> names;
    for (const auto& e : fs::directory_iterator(resource("resources/models")))
        if (e.path().extension() == ".mmt")
            names.push_back(e.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

bool is_library_name(const std::string& name)
{
    std::error_code none;
    return !name.empty() && name.find_first_of(std::string_view("/\0", 2)) == std::string::npos &&
           !is_file(name) &&
           fs::is_regular_file(resource("resources/models") / (name + ".mmt"), none);
}

CellSystem load_model(const std::string& name, const ResolveOptions& options)
{
    return resolve(read_model(file_of(name)), options);
}

std::shared_ptr<const Model> shared_model(const std::string& name, const ResolveOptions& o)
{
    struct Entry
    {
        Sources sources;
        std::shared_ptr<const Model> model;
    };
    using Key = std::tuple<std::string, std::string, std::string, std::string, bool>;
    static std::mutex mutex;
    static std::map<Key, Entry> models;

    const fs::path file = file_of(name);
    const Key key{file.string(), o.potential, o.stimulus, o.time, o.own_stimulus};
    const std::scoped_lock lock(mutex);
    if (const auto it = models.find(key); it != models.end()) {
        auto& [sources, model] = it->second;
        if (!sources.touched())
            return model;
        if (sources.digest() == model->system.digest) {
            sources.keep();
            return model;
        }
    }
    Sources sources;
    ModelText text;
    std::uint64_t digest = 0;
    int times = 0;
    do { // again where somebody wrote meanwhile: the digest has to be that of what was read
        sources = {};
        sources.add(file);
        text = read_model(file);
        for (const auto& f : text.sources)
            sources.add(f.file);
        digest = sources.digest();
    } while (sources.touched() && ++times < most_readings);
    auto model = std::make_shared<Model>();
    model->system = resolve(std::move(text), o);
    model->system.digest = digest;
    if (model->system.plain) {
        auto plain = std::make_shared<CellSystem>(*model->system.plain);
        plain->digest = digest;
        model->system.plain = std::move(plain);
    }
    model->info = describe(model->system);
    if (is_file(name))
        model->info.files = sources.files();
    else
        model->info.name = name;
    const auto system = model->system.plain
                            ? model->system.plain
                            : std::shared_ptr<const CellSystem>{model, &model->system};
    model->info.flops_per_step =
        count_operations(*shared_program(system, Scheme::rush_larsen_light, Target::gpu(false)))
            .instructions();
    models[key] = {std::move(sources), model};
    return model;
}

ModelInfo describe(const CellSystem& s)
{
    ModelInfo i;
    i.name = s.name;
    i.title = s.title;
    i.source = s.description;
    for (const auto& x : s.states)
        i.states.push_back({x.name, x.unit, x.initial, x.gate.has_value(), x.full_name});
    i.parameters = s.parameters;
    i.variants = s.variants;
    i.schemes = compiled_schemes();
    i.largest_step_ms = s.largest_step_ms;
    return i;
}

CellType cell_type(const CellSystem& s, const std::string& variant,
                   std::span<const std::pair<std::string, double>> parameters,
                   std::span<const std::pair<std::string, double>> initial, const std::string& file,
                   const std::string& where)
{
    const Asker by{file.empty() ? s.file : file, where};
    CellType t{s.name, s.parameter_values(), s.initial_values(), {}};
    if (!variant.empty()) {
        // midmyocardial cells go by several names in the papers
        const auto one_name = [](const std::string& n) {
            return n == "m" || n == "M" || n == "mid" ? std::string("mid") : n;
        };
        const auto v = std::find_if(s.variants.begin(), s.variants.end(), [&](const Variant& x) {
            return one_name(x.name) == one_name(variant);
        });
        if (v == s.variants.end()) {
            std::vector<std::string> known;
            for (const auto& x : s.variants)
                known.push_back(x.name);
            unknown(by, "variant", variant, known);
        }
        set(t.parameters, s.parameters, v->parameters, "parameter", by);
        set(t.initial, s.states, v->initial, "state", by);
    }
    set(t.parameters, s.parameters, parameters, "parameter", by);
    set(t.initial, s.states, initial, "state", by);
    return t;
}

namespace {

std::shared_ptr<const CellSystem> whole_system_of(const CellType& type)
{
    if (type.system)
        return type.system;
    const auto model = shared_model(type.model);
    return {model, &model->system};
}

bool is_plain(const CellSystem& s, const CellType& type)
{
    return std::all_of(s.neutral.begin(), s.neutral.end(), [&](std::size_t k) {
        return type.parameters.at(k) == s.parameters[k].value;
    });
}

} // namespace

std::shared_ptr<const CellSystem> system_of(const CellType& type)
{
    return system_of(std::span(&type, 1));
}

std::shared_ptr<const CellSystem> system_of(std::span<const CellType> types)
{
    auto whole = whole_system_of(types.front());
    if (whole->plain && std::all_of(types.begin(), types.end(),
                                    [&](const CellType& t) { return is_plain(*whole, t); }))
        return whole->plain;
    return whole;
}

} // namespace tawara::cell::compiler
