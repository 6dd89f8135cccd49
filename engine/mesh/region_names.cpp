// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/region_names.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>

namespace tawara::mesh {
namespace {

constexpr double agrees = 0.95; // share of a label's volume

const Field* on_tetrahedra(const TetMesh& m, const char* name)
{
    for (const auto& f : m.fields)
        if (f.name == name && f.on == Field::On::tetrahedra && f.components == 1 &&
            f.values.size() == m.tetrahedron_count())
            return &f;
    return nullptr;
}

/// The whole number that a field has on nearly all of each label's volume.
std::map<std::int32_t, int> common(const TetMesh& m, const Field* f,
                                   const std::vector<double>& volume,
                                   const std::map<std::int32_t, RegionName>& labels)
{
    std::map<std::int32_t, int> out;
    if (f == nullptr)
        return out;
    std::map<std::int32_t, std::map<int, double>> sums;
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t)
        if (std::isfinite(f->values[t]))
            sums[m.region[t]][static_cast<int>(std::lround(f->values[t]))] += volume[t];
    for (const auto& [label, shares] : sums)
        for (const auto& [value, sum] : shares)
            if (sum >= agrees * labels.at(label).volume_mm3)
                out[label] = value;
    return out;
}

constexpr int left = 1, right = 2, septum = 3, endocardial = 0; // of the fields

/// Which ventricle's endocardial layer a label's own goes over into: `left`, `right`, or nothing
/// where it is neither's by far. The fields tell the septum's two faces not apart.
std::map<std::int32_t, int> septal_sides(const TetMesh& m,
                                         const std::map<std::int32_t, int>& ventricle,
                                         const std::map<std::int32_t, int>& layer)
{
    constexpr std::int64_t by_far = 4;
    const auto endocardium_of = [&](std::int32_t label, int part) {
        const auto v = ventricle.find(label), l = layer.find(label);
        return v != ventricle.end() && l != layer.end() && v->second == part &&
               l->second == endocardial;
    };
    std::map<std::int32_t, int> out;
    std::map<std::int32_t, int> part_of; // labels of endocardial layers
    for (const auto& [label, value] : ventricle)
        for (const int part : {left, right, septum})
            if (endocardium_of(label, part))
                part_of[label] = part;
    const auto two = std::count_if(part_of.begin(), part_of.end(),
                                   [](const auto& p) { return p.second == septum; });
    if (two < 2) // the one is both sides
        return out;
    std::vector<char> touches(m.vertex_count(), 0); // bits: left, right
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t)
        if (const auto p = part_of.find(m.region[t]); p != part_of.end() && p->second != septum)
            for (const auto c : m.corners(t))
                touches[static_cast<std::size_t>(c)] |= static_cast<char>(p->second);
    std::map<std::int32_t, std::array<std::int64_t, 3>> shared;
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t)
        if (const auto p = part_of.find(m.region[t]); p != part_of.end() && p->second == septum)
            for (const auto c : m.corners(t))
                for (const int side : {left, right})
                    shared[m.region[t]][static_cast<std::size_t>(side)] +=
                        (touches[static_cast<std::size_t>(c)] & side) != 0;
    for (const auto& [label, with] : shared)
        if (with[left] > by_far * with[right])
            out[label] = left;
        else if (with[right] > by_far * with[left])
            out[label] = right;
    return out;
}

std::string name_of(std::optional<int> ventricle, std::optional<int> layer,
                    std::optional<int> segment, std::optional<int> side)
{
    constexpr const char* ventricles[] = {"", "left ventricle", "right ventricle", "septum"};
    constexpr const char* sides[] = {"", "left septum", "right septum"};
    constexpr const char* layers[] = {"endocardial", "mid-wall", "epicardial"};
    std::string out;
    const auto add = [&out](const std::string& word) { out += (out.empty() ? "" : ", ") + word; };
    if (segment && *segment >= 1 && *segment <= 17)
        add("AHA segment " + std::to_string(*segment));
    else if (side)
        add(sides[*side]);
    else if (ventricle && *ventricle >= 1 && *ventricle <= 3)
        add(ventricles[*ventricle]);
    if (layer && *layer >= 0 && *layer <= 2)
        add(layers[*layer]);
    return out;
}

} // namespace

std::vector<RegionName> region_names(const TetMesh& m)
{
    std::map<std::int32_t, RegionName> labels;
    std::vector<double> volume(m.tetrahedron_count());
    double whole = 0;
    for (std::size_t t = 0; t < m.tetrahedron_count(); ++t) {
        volume[t] = m.volume(t);
        whole += volume[t];
        auto& r = labels[m.region[t]];
        r.label = m.region[t];
        ++r.tetrahedra;
        r.volume_mm3 += volume[t];
    }
    const auto ventricle = common(m, on_tetrahedra(m, "ventricle"), volume, labels);
    const auto layer = common(m, on_tetrahedra(m, "layer"), volume, labels);
    const auto segment = common(m, on_tetrahedra(m, "aha_segment"), volume, labels);
    const auto side = septal_sides(m, ventricle, layer);
    const auto find = [](const std::map<std::int32_t, int>& in,
                         std::int32_t label) -> std::optional<int> {
        const auto at = in.find(label);
        return at == in.end() ? std::nullopt : std::optional<int>(at->second);
    };
    std::vector<RegionName> out;
    for (auto& [label, r] : labels) {
        r.share = whole > 0 ? r.volume_mm3 / whole : 0;
        const auto own = m.label_names.find(label);
        r.name = own != m.label_names.end() && !own->second.empty()
                     ? own->second
                     : name_of(find(ventricle, label), find(layer, label), find(segment, label),
                               find(side, label));
        out.push_back(std::move(r));
    }
    return out;
}

std::string text_of(const std::vector<RegionName>& names, const std::vector<std::int32_t>& labels)
{
    std::string one_by_one, layer, places, numbers;
    bool alike = labels.size() > 1;
    for (const auto label : labels) {
        const auto r = std::find_if(names.begin(), names.end(),
                                    [&](const auto& n) { return n.label == label; });
        const bool known = r != names.end();
        one_by_one += (one_by_one.empty() ? "" : "; ") +
                      (known ? text_of(*r) : "label " + std::to_string(label));
        numbers += (numbers.empty() ? "" : ", ") + std::to_string(label);
        const auto comma = known ? r->name.rfind(", ") : std::string::npos;
        if (comma == std::string::npos) {
            alike = false;
            continue;
        }
        const auto place = r->name.substr(0, comma), end = r->name.substr(comma + 2);
        alike = alike && (layer.empty() || layer == end);
        layer = end;
        if (("; " + places + "; ").find("; " + place + "; ") == std::string::npos)
            places += (places.empty() ? "" : "; ") + place;
    }
    if (!alike)
        return one_by_one;
    // both of its sides
    const std::string both = "left septum; right septum";
    if (const auto at = places.find(both); at != std::string::npos)
        places.replace(at, both.size(), "septum");
    for (auto at = places.find(';'); at != std::string::npos; at = places.find(';'))
        places[at] = ',';
    return layer + ": " + places + " (labels " + numbers + ")";
}

std::string short_text(const std::vector<RegionName>& names,
                       const std::vector<std::int32_t>& labels)
{
    std::string numbers = labels.size() == 1 ? "label " : "labels ", common;
    double share = 0;
    bool known = !names.empty();
    for (std::size_t k = 0; k < labels.size(); ++k) {
        numbers += (k ? ", " : "") + std::to_string(labels[k]);
        const auto r = std::find_if(names.begin(), names.end(),
                                    [&](const auto& n) { return n.label == labels[k]; });
        if (r == names.end()) {
            known = false;
            continue;
        }
        share += r->share;
        const auto comma = r->name.rfind(", ");
        const std::string name =
            labels.size() == 1 || comma == std::string::npos ? r->name : r->name.substr(comma + 2);
        common = k == 0 || common == name ? name : std::string();
    }
    if (!known)
        return numbers;
    if (!common.empty())
        return common + " (" + numbers + ")";
    char percent[32];
    std::snprintf(percent, sizeof percent, share < 0.01 ? " (%.2g %%)" : " (%.0f %%)", 100 * share);
    return numbers + percent;
}

std::string text_of(const RegionName& r)
{
    const std::string label = "label " + std::to_string(r.label);
    if (!r.name.empty())
        return r.name + " (" + label + ")";
    char share[32];
    std::snprintf(share, sizeof share, r.share < 0.01 ? "%.2g" : "%.0f", 100 * r.share);
    return label + " (" + share + " % of the volume)";
}

} // namespace tawara::mesh
