// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/tissue/tuning_store.hpp"

#include "engine/core/cache_folder.hpp"
#include "engine/core/error.hpp"
#include "engine/core/kept_files.hpp"
#include "engine/core/resource.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/digest/sha256.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>
#include <mutex>

namespace tawara::simulation {
namespace {

constexpr std::uintmax_t most_bytes = 1 << 20;
constexpr std::size_t most_in_memory = 1000;

std::mutex mutex;
std::map<std::string, TunedConductivity> in_memory;
std::map<std::string, std::string> failures;

/// The numbers of a finding, in the order of its file.
template <class Found>
auto numbers_of(Found& f)
{
    auto &c = f.conductivity_S_per_m, &fine = f.on_fine_S_per_m;
    return std::array{&c.fibre,         &c.sheet,         &c.normal,        &fine.fibre,
                      &fine.sheet,      &fine.normal,     &f.wanted.fibre,  &f.wanted.sheet,
                      &f.wanted.normal, &f.reached.fibre, &f.reached.sheet, &f.reached.normal,
                      &f.edge_mm};
}

std::string text_of(const TunedConductivity& f)
{
    std::string out;
    for (const double* x : numbers_of(f)) {
        char text[32];
        out.append(text, std::to_chars(text, text + sizeof text, *x).ptr);
        out += '\n';
    }
    return out + std::to_string(f.strips) + '\n';
}

/// Nothing where the text is not whole.
std::optional<TunedConductivity> found_in(const std::string& text)
{
    TunedConductivity f;
    const char *at = text.data(), *end = at + text.size();
    const auto read = [&](auto& x) {
        const auto [after, error] = std::from_chars(at, end, x);
        if (error != std::errc() || after == end || *after != '\n')
            return false;
        at = after + 1;
        return true;
    };
    for (double* x : numbers_of(f))
        if (!read(*x) || !std::isfinite(*x) || !(*x > 0))
            return {};
    if (!read(f.strips) || f.strips < 0 || at != end)
        return {};
    return f;
}

/// What a file says: of this key, and as it was written; a digit that a disk has lost is no other
/// conductivity.
std::string with_sum(const std::string& key, const std::string& text)
{
    const std::string_view parts[] = {key, text};
    return text + sha256_of_parts(parts) + '\n';
}

std::optional<TunedConductivity> found_in_file(const std::string& key, const std::string& all)
{
    constexpr std::size_t sum = 64 + 1; // its digits, and the line's end
    const auto text = all.substr(0, all.size() - std::min(sum, all.size()));
    return with_sum(key, text) == all ? found_in(text) : std::nullopt;
}

std::optional<KeptFiles> folder()
{
    const auto cache = cache_folder();
    if (cache.empty())
        return {};
    return KeptFiles(cache / "velocities", ".txt", most_bytes);
}

std::string name_of(const std::string& key)
{
    const std::string_view parts[] = {tuning_identity(), key};
    return sha256_of_parts(parts);
}

std::string sum_of(const std::string& key)
{
    const std::string_view parts[] = {key};
    return sha256_of_parts(parts);
}

/// Of the resource; empty where there is none.
const std::map<std::string, TunedConductivity>& shipped()
{
    static const auto all = [] {
        std::map<std::string, TunedConductivity> out;
        std::ifstream file;
        try {
            file.open(resource(shipped_tunings));
        } catch (const InputError&) {
            return out; // they are found anew
        }
        for (std::string line; std::getline(file, line);) {
            const auto space = line.find(' ');
            if (space == std::string::npos)
                continue;
            std::string numbers = line.substr(space + 1) + ' ';
            std::replace(numbers.begin(), numbers.end(), ' ', '\n');
            if (const auto found = found_in(numbers))
                out.emplace(line.substr(0, space), *found);
        }
        return out;
    }();
    return all;
}

void remember(const std::string& key, const TunedConductivity& found)
{
    const std::lock_guard hold(mutex);
    if (in_memory.size() >= most_in_memory)
        in_memory.clear();
    in_memory[key] = found;
}

} // namespace

std::optional<std::string> kept_failure(const std::string& key)
{
    const std::lock_guard hold(mutex);
    const auto at = failures.find(key);
    return at != failures.end() ? std::optional(at->second) : std::nullopt;
}

void keep_failure(const std::string& key, const std::string& why)
{
    const std::lock_guard hold(mutex);
    if (failures.size() >= most_in_memory)
        failures.clear();
    failures[key] = why;
}

std::optional<TunedConductivity> kept_tuning(const std::string& key)
{
    {
        const std::lock_guard hold(mutex);
        if (const auto at = in_memory.find(key); at != in_memory.end())
            return at->second;
    }
    if (const auto at = shipped().find(sum_of(key)); at != shipped().end())
        return at->second;
    const auto files = folder();
    const auto text = files ? files->content(name_of(key)) : std::nullopt;
    const auto found = text ? found_in_file(key, *text) : std::nullopt;
    if (found)
        remember(key, *found);
    return found;
}

void keep_tuning(const std::string& key, const TunedConductivity& found)
{
    remember(key, found);
    const auto files = folder();
    const std::string text = with_sum(key, text_of(found)), name = name_of(key);
    if (!files || !files->make_room(text.size()))
        return;
    try {
        write_whole(files->file(name), [&](std::ostream& out) { out << text; });
        files->take_from_others(name);
    } catch (const Error&) {
        return; // it is found anew the next time
    }
}

std::string shipped_line(const std::string& key, const TunedConductivity& found)
{
    std::string text = text_of(found);
    std::replace(text.begin(), text.end(), '\n', ' ');
    text.pop_back();
    return sum_of(key) + " " + text;
}

void forget_tunings()
{
    const std::lock_guard hold(mutex);
    in_memory.clear();
    failures.clear();
}

} // namespace tawara::simulation
