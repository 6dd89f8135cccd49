// SPDX-License-Identifier: GPL-3.0-or-later
// Keys of regions whose cells have stochastic dyads.
#include "engine/simulation/session/session_dyads.hpp"

#include "engine/calcium/constants.hpp"
#include "engine/calcium/description.hpp"
#include "engine/calcium/paced_cell.hpp"
#include "engine/core/error.hpp"
#include "engine/simulation/session/reaction_words.hpp"

#include <algorithm>
#include <vector>

namespace tawara::simulation {
namespace {

/// Sessions know the model before any is read, and so do lists of models.
[[maybe_unused]] const bool dyads_are_known = (calcium::make_dyads_known(), true);

constexpr const char* dyads_should =
    "three whole numbers from 1, along x, y and z, e.g. [100, 10, 10], whose product is at most "
    "2^28, or one multiple of 100";

/// The numbers along x, y and z; how many there are in all.
void read_grid(const JsonNode& n, Dyads& d)
{
    std::vector<int> numbers;
    const auto add = [&](const JsonNode& x) {
        numbers.push_back(static_cast<int>(x.integer(1, Dyads::most)));
    };
    if (n.is_number()) {
        add(n);
    } else {
        for (const auto& x : n.items(dyads_should, 1))
            add(x);
    }
    if (numbers.size() != 3 && (numbers.size() != 1 || numbers[0] % 100 != 0))
        n.fail_value(dyads_should);
    const auto grid = calcium::grid_of(numbers);
    const double count = static_cast<double>(grid.nx) * grid.ny * grid.nz;
    if (count > static_cast<double>(Dyads::most))
        n.fail_value(dyads_should);
    d.nx = grid.nx;
    d.ny = grid.ny;
    d.nz = grid.nz;
}

std::vector<ForcedOpening> forced_openings(const JsonNode& n)
{
    constexpr const char* should = "a list of times [from, until] in ms, e.g. [[50, 150]]";
    std::vector<ForcedOpening> out;
    for (const auto& x : n.items(should)) {
        const auto times = x.items("two times in ms, [from, until]", 2);
        if (times.size() != 2)
            x.fail_value("two times in ms, [from, until]");
        const ForcedOpening f{times[0].not_negative("ms"), times[1].not_negative("ms")};
        if (!(f.until_ms > f.from_ms))
            x.fail_value("[from, until] with a later end than start");
        out.push_back(f);
    }
    return out;
}

} // namespace

bool has_dyads(const Region& r)
{
    return r.model == calcium::dyad_model;
}

std::string reaction_words(const Session& s)
{
    const std::string own = "the dyads' own scheme";
    const auto is_plain = [](const Region& r) {
        return !r.inherits() && !r.insulating && !has_dyads(r);
    };
    const std::string scheme(cell::name(s.reaction));
    if (std::none_of(s.regions.begin(), s.regions.end(), has_dyads))
        return scheme;
    const bool both = std::any_of(s.regions.begin(), s.regions.end(), is_plain);
    return both ? scheme + "; cells with dyads: " + own : own;
}

void read_dyads(const JsonNode& region, Region& r)
{
    const auto forced = region.find("forced_opening_ms");
    const std::string only = std::string("is for regions with \"model\": \"") +
                             calcium::dyad_model + "\"; leave it out, or take that model";
    if (!has_dyads(r))
        for (const char* key : {"dyads", "seed"})
            if (const auto at = region.find(key))
                at->fail_exclusive(only);
    if (!has_dyads(r) && !r.inherits() && forced)
        forced->fail_exclusive(only);
    if (const auto grid = region.find("dyads"))
        read_grid(*grid, r.dyads);
    if (forced)
        r.forced_opening_ms = forced_openings(*forced);
}

void write_dyads(const Region& r, Json& region)
{
    if (has_dyads(r)) {
        region["dyads"] = {r.dyads.nx, r.dyads.ny, r.dyads.nz};
        region["seed"] = r.dyads.seed;
    }
    if (!r.forced_opening_ms)
        return;
    auto& list = region["forced_opening_ms"] = Json::array();
    for (const auto& f : *r.forced_opening_ms)
        list.push_back({json_number(f.from_ms), json_number(f.until_ms)});
}

} // namespace tawara::simulation
