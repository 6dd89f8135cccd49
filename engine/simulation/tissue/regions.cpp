// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/tissue/regions.hpp"

#include "engine/core/error.hpp"
#include "engine/simulation/session/presets.hpp"
#include "engine/simulation/session/session_extras.hpp"
#include "engine/simulation/tissue/tissue_pieces.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace tawara::simulation {
namespace {

std::string join(const std::set<std::int32_t>& list)
{
    std::string out;
    for (auto x : list)
        out += (out.empty() ? "" : ", ") + std::to_string(x);
    return out;
}

/// Which tetrahedra a place holds.
class Places
{
  public:
    Places(const Session& s, const mesh::TetMesh& m, const WholeRegions* whole)
        : session_(s), mesh_(m), whole_(whole),
          labels_(whole != nullptr ? whole->labels
                                   : std::set<std::int32_t>(m.region.begin(), m.region.end()))
    {
    }

    std::vector<char> of(const Region& r, std::size_t index)
    {
        pointer_ = pointer_to(r, index);
        if (r.where)
            return std::visit(*this, *r.where);
        if (r.labels.empty())
            return std::vector<char>(mesh_.tetrahedron_count(), 1);
        return (*this)(Label{r.labels});
    }

    /// The mesh has the labels that a region names.
    void need_labels(const Region& r, std::size_t index)
    {
        pointer_ = pointer_to(r, index);
        if (const auto* l = r.where ? std::get_if<Label>(&*r.where) : nullptr)
            need(l->labels);
        else if (!r.where)
            need(r.labels);
    }

    std::vector<char> operator()(const Label& l) const
    {
        need(l.labels);
        const std::set<std::int32_t> wanted(l.labels.begin(), l.labels.end());
        return each([&](std::size_t t) { return wanted.count(mesh_.region[t]) > 0; });
    }
    std::vector<char> operator()(const Box& b) const
    {
        return some(each([&](std::size_t t) {
            const Vec3 x = mesh_.centroid(t);
            for (std::size_t k = 0; k < 3; ++k)
                if (x[k] < b.low[k] || x[k] > b.high[k])
                    return false;
            return true;
        }));
    }
    std::vector<char> operator()(const Sphere& s) const
    {
        return some(
            each([&](std::size_t t) { return norm(mesh_.centroid(t) - s.centre) <= s.radius; }));
    }
    std::vector<char> operator()(const Layer& l) const
    {
        const int wanted = static_cast<int>(l.kind);
        if (const auto* f = mesh_.field("layer"); f && f->on == mesh::Field::On::tetrahedra)
            return some(each([&](std::size_t t) {
                return static_cast<int>(std::lround(f->values[t])) == wanted;
            }));
        const auto* f = mesh_.field("transmural");
        if (!f || f->on != mesh::Field::On::vertices)
            fail(
                "the mesh has no layers (no field \"layer\" or \"transmural\"); use labels, a box, "
                "a sphere or tetrahedra");
        return some(each([&](std::size_t t) {
            double mean = 0;
            for (auto v : mesh_.corners(t))
                mean += 0.25 * static_cast<double>(f->values[static_cast<std::size_t>(v)]);
            return std::clamp(static_cast<int>(3 * mean), 0, 2) == wanted;
        }));
    }
    std::vector<char> operator()(const Segments& s) const
    {
        const auto* f = mesh_.field("aha_segment");
        if (!f || f->on != mesh::Field::On::tetrahedra)
            fail("the mesh has no AHA segments: neither a field \"aha_segment\", nor the walls of "
                 "both ventricles, without the right one of which nothing says where the septum "
                 "is; use labels, a box, a sphere or tetrahedra");
        const std::set<int> wanted(s.segments.begin(), s.segments.end());
        return some(each([&](std::size_t t) {
            return wanted.count(static_cast<int>(std::lround(f->values[t]))) > 0;
        }));
    }
    std::vector<char> operator()(const Tetrahedra& list) const
    {
        std::vector<char> out(mesh_.tetrahedron_count(), 0);
        const auto all =
            whole_ != nullptr ? whole_->tetrahedra : static_cast<std::int64_t>(out.size());
        for (auto t : list.tetrahedra) {
            if (t < 0 || t >= all)
                fail("there is no tetrahedron " + std::to_string(t) + "; the mesh has 0 to " +
                     std::to_string(all - 1));
            if (whole_ == nullptr) {
                out[static_cast<std::size_t>(t)] = 1;
                continue;
            }
            const auto& number = whole_->number;
            const auto at = std::lower_bound(number.begin(), number.end(), t);
            if (at != number.end() && *at == t)
                out[static_cast<std::size_t>(at - number.begin())] = 1;
        }
        return some(std::move(out));
    }

  private:
    static std::string pointer_to(const Region& r, std::size_t index)
    {
        return "/tissue/regions/" + std::to_string(index) + (r.where ? "/where" : "/label");
    }
    void need(const std::vector<std::int32_t>& labels) const
    {
        for (auto label : labels)
            if (!labels_.count(label))
                fail("the mesh has no label " + std::to_string(label) + "; it has " +
                     join(labels_));
    }
    template <class Inside>
    std::vector<char> each(Inside inside) const
    {
        std::vector<char> out(mesh_.tetrahedron_count());
        for (std::size_t t = 0; t < out.size(); ++t)
            out[t] = inside(t);
        return out;
    }
    std::vector<char> some(std::vector<char> held) const
    {
        const bool here = std::find(held.begin(), held.end(), 1) != held.end();
        if (!(whole_ != nullptr ? whole_->anywhere(here) : here))
            fail("holds no tissue of this mesh");
        return held;
    }
    [[noreturn]] void fail(const std::string& reason) const
    {
        throw InputError(session_.name, pointer_, reason);
    }

    const Session& session_;
    const mesh::TetMesh& mesh_;
    const WholeRegions* whole_; ///< null: the mesh is whole
    std::set<std::int32_t> labels_;
    std::string pointer_;
};

void set(std::vector<std::pair<std::string, double>>& list, const std::string& name, double value)
{
    for (auto& [n, v] : list)
        if (n == name) {
            v = value;
            return;
        }
    list.emplace_back(name, value);
}

/// What `over` names must be of the model that it changes.
/// @throws InputError at the name
void need_names(const Session& s, const Region& base, const Region& over, std::size_t index)
{
    using Named = std::pair<std::string, double>;
    const std::string at = "/tissue/regions/" + std::to_string(index);
    const std::span<const Named> none;
    for (const auto& [name, value] : over.parameters) {
        const auto own = parameter_name(base.model, name);
        if (own.empty() && canonical_parameter(name)) // fits several models, as factors do
            continue;
        const Named one[]{{own.empty() ? name : own, value}};
        if (const auto all = parameter_names(base.model, name); all.size() > 1) {
            std::string list;
            for (const auto& part : all)
                list += (list.empty() ? "" : ", ") + part;
            throw InputError(s.name, at + "/parameters/" + name,
                             "is several parameters of model " + base.model + " (" + list +
                                 "), which one value does not fit; give theirs, or a factor by "
                                 "\"scale\"");
        }
        cell::make_cell_type(base.model, base.variant, one, none, s.name,
                             at + "/parameters/" + name);
    }
    if (over.forced_opening_ms && !has_dyads(base))
        throw InputError(s.name, at + "/forced_opening_ms",
                         "holds RyR of stochastic dyads open, and the cells beneath are of model " +
                             base.model + "; leave it out, or lay the region on cells with dyads");
    for (const auto& pair : over.initial)
        cell::make_cell_type(base.model, base.variant, none, std::span(&pair, 1), s.name,
                             at + "/initial/" + pair.first);
}

/// A region with the conductivities that were found for it.
Region tuned(Region r, std::size_t index, const RegionMap& p)
{
    r.velocity_m_per_s.reset();
    for (const auto& t : p.tuned)
        if (t.region == index)
            r.conductivity_S_per_m = t.found.conductivity_S_per_m;
    return r;
}

/// `over` laid on a region with a model; the lower one's factors are multiplied in first.
Region laid_on(Region base, const Region& over)
{
    base.parameters = scaled_parameters(base, {});
    base.scale = over.scale;
    base.conductivity_scale = base.conductivity_scale * over.conductivity_scale;
    base.insulating = base.insulating || over.insulating;
    for (const auto& [name, value] : over.parameters) {
        const auto own = parameter_name(base.model, name);
        if (own.empty() && canonical_parameter(name))
            continue;
        set(base.parameters, own.empty() ? name : own, value);
    }
    for (const auto& [name, value] : over.initial)
        set(base.initial, name, value);
    if (over.forced_opening_ms)
        base.forced_opening_ms = over.forced_opening_ms;
    if (!over.name.empty())
        base.name = over.name;
    base.kind = over.kind;
    return base;
}

/// The regions that lie beneath one, as they come first along the tetrahedra.
std::vector<std::int32_t> in_order(std::map<std::int32_t, std::int64_t> first_of,
                                   const WholeRegions* whole)
{
    if (whole != nullptr)
        first_of = whole->first_anywhere(first_of);
    std::vector<std::int32_t> out;
    for (const auto& [beneath, first] : first_of)
        out.push_back(beneath);
    std::sort(out.begin(), out.end(),
              [&](std::int32_t a, std::int32_t b) { return first_of.at(a) < first_of.at(b); });
    return out;
}

/// Lays one region: what it lies on, and the new regions that it makes with each of these.
void lay(const Session& s, std::size_t r, const std::vector<char>& held, RegionMap& p,
         const WholeRegions* whole)
{
    const Region& region = s.regions[r];
    std::map<std::int32_t, std::int64_t> first_of; // region beneath -> its first tetrahedron
    for (std::size_t t = 0; t < held.size(); ++t) {
        if (!held[t])
            continue;
        const auto at = p.of_tetrahedron[t];
        if (region.inherits() && !region.insulating && at < 0)
            throw InputError(s.name, "/tissue/regions/" + std::to_string(r),
                             "has no model, and no region before it covers the same tissue; give "
                             "it a model");
        first_of.emplace(region.inherits() ? at : -1,
                         whole != nullptr ? whole->number[t] : static_cast<std::int64_t>(t));
    }
    std::map<std::int32_t, std::int32_t> laid; // region beneath -> with this one on it
    for (const auto beneath : in_order(std::move(first_of), whole)) {
        laid.emplace(beneath, static_cast<std::int32_t>(p.regions.size()));
        p.regions.emplace_back();
        p.origin.push_back(r);
        p.beneath.push_back(beneath);
    }
    for (std::size_t t = 0; t < held.size(); ++t)
        if (held[t])
            p.of_tetrahedron[t] = laid.at(region.inherits() ? p.of_tetrahedron[t] : -1);
}

RegionMap all_laid(const Session& s, const mesh::TetMesh& m, std::vector<TunedRegion> tuned,
                   const WholeRegions* whole)
{
    RegionMap p;
    p.tuned = std::move(tuned);
    p.of_tetrahedron.assign(m.tetrahedron_count(), -1);
    Places places(s, m, whole);
    for (std::size_t r = 0; r < s.regions.size(); ++r)
        lay(s, r, places.of(s.regions[r], r), p, whole);
    for (std::size_t t = 0; t < p.of_tetrahedron.size(); ++t)
        if (p.of_tetrahedron[t] < 0)
            throw InputError(s.name, "/tissue/regions",
                             "no region covers label " + std::to_string(m.region[t]) +
                                 " of the mesh; add one with that label or \"*\"");
    lay_again(s, p);
    return p;
}

} // namespace

RegionMap lay_regions(const Session& s, const mesh::TetMesh& m, std::vector<TunedRegion> tuned)
{
    return all_laid(s, m, std::move(tuned), nullptr);
}

RegionMap lay_regions(const Session& s, const mesh::TetMesh& m, const WholeRegions& whole)
{
    return all_laid(s, m, {}, &whole);
}

void need_labels(const Session& s, const mesh::TetMesh& m)
{
    Places places(s, m, nullptr);
    for (std::size_t r = 0; r < s.regions.size(); ++r)
        places.need_labels(s.regions[r], r);
}

void lay_again(const Session& s, RegionMap& p)
{
    for (std::size_t k = 0; k < p.regions.size(); ++k) {
        const Region& own = s.regions[p.origin[k]];
        if (p.beneath[k] < 0) {
            p.regions[k] = tuned(own, p.origin[k], p);
            continue;
        }
        const Region& base = p.regions[static_cast<std::size_t>(p.beneath[k])];
        if (base.inherits()) { // an insulator without a model stays one, whatever is laid on it
            p.regions[k] = base;
            continue;
        }
        need_names(s, base, own, p.origin[k]);
        p.regions[k] = laid_on(base, own);
    }
    for (auto& r : p.regions) {
        if (!r.inherits())
            r.parameters = scaled_parameters(r, s.drugs);
        r.scale.clear();
        auto& c = r.conductivity_S_per_m;
        c = r.conductivity_scale * c;
        r.conductivity_scale = {};
        if (r.insulating)
            c = {};
        r.insulating = c == diffusion::Conductivity{};
    }
    p.source.clear();
    for (std::size_t k = 0; k < p.regions.size(); ++k) {
        const auto& own = p.regions[k].conductivity_S_per_m;
        if (!s.source_conductivity_S_per_m) {
            p.source.push_back(own);
            continue;
        }
        ConductivityScale scale;
        for (auto i = static_cast<std::int32_t>(k); i >= 0;
             i = p.beneath[static_cast<std::size_t>(i)])
            scale = scale * s.regions[p.origin[static_cast<std::size_t>(i)]].conductivity_scale;
        const auto c = scale * *s.source_conductivity_S_per_m; // none where nothing is conducted
        p.source.push_back({own.fibre > 0 ? c.fibre : 0, own.sheet > 0 ? c.sheet : 0,
                            own.normal > 0 ? c.normal : 0});
    }
}

bool same_places(const std::vector<Region>& a, const std::vector<Region>& b)
{
    const auto place = [](const Region& r) {
        return r.where ? where_json(*r.where).dump() : std::string();
    };
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(), [&](const Region& x, const Region& y) {
               return x.labels == y.labels && x.model == y.model && x.insulating == y.insulating &&
                      place(x) == place(y);
           });
}

} // namespace tawara::simulation
