// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/observe/ecg.hpp"

#include "engine/analysis/torso_lead_field.hpp"
#include "engine/core/error.hpp"
#include "engine/core/nearest.hpp"
#include "engine/diffusion/system.hpp"
#include "engine/simulation/session/csv.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace tawara::simulation {
namespace {

/// An electrode against the mean of the limbs' three: Wilson's central terminal.
Lead against_wilson(const std::string& name, const std::string& electrode)
{
    return {name, {{electrode, 1}, {"RA", -1.0 / 3}, {"LA", -1.0 / 3}, {"LL", -1.0 / 3}}};
}

constexpr std::array standard_names{"RA", "LA", "LL", "V1", "V2", "V3", "V4", "V5", "V6"};

bool has_electrode(const std::vector<Electrode>& electrodes, const std::string& name)
{
    return std::any_of(electrodes.begin(), electrodes.end(),
                       [&](const Electrode& e) { return e.name == name; });
}

/// Standard electrodes that are not in the list.
std::vector<std::string> missing_of(const std::vector<Electrode>& electrodes)
{
    std::vector<std::string> out;
    for (const char* name : standard_names)
        if (!has_electrode(electrodes, name))
            out.emplace_back(name);
    return out;
}

/// Letters and digits of a name, in capitals; of a number no zeros before it: "v 01" is "V1".
std::string bare(const std::string& name)
{
    std::string out;
    for (char c : name) {
        const auto u = static_cast<unsigned char>(c);
        const bool digit_before =
            !out.empty() && std::isdigit(static_cast<unsigned char>(out.back()));
        if (std::isalnum(u) && (c != '0' || digit_before))
            out += static_cast<char>(std::toupper(u));
    }
    return out;
}

/// V7 to V9 of the back, V1R to V9R of the right side: electrodes of their own.
bool is_further_lead(const std::string& bare)
{
    const bool chest = bare.size() >= 2 && bare[0] == 'V' && bare[1] >= '1' && bare[1] <= '9';
    return chest && ((bare.size() == 2 && bare[1] >= '7') || (bare.size() == 3 && bare[2] == 'R'));
}

/// The one of `missing` that a name means: it differs in letter case, spaces or signs alone; or it
/// is near, in a session that gives most of the standard electrodes by their right names (else an
/// own electrode's name may be near by chance). Empty: none.
std::string meant(const std::string& name, const std::vector<std::string>& missing)
{
    const std::string letters = bare(name);
    if (std::find(missing.begin(), missing.end(), letters) != missing.end())
        return letters;
    const bool most_are_given = 2 * missing.size() < standard_names.size();
    return most_are_given && !is_further_lead(letters) ? likely(name, missing) : std::string();
}

/// @throws InputError where an electrode's name is nearly that of one that 12 leads lack
void need_known_names(const std::vector<Electrode>& electrodes, const std::string& file)
{
    const auto missing = missing_of(electrodes);
    for (std::size_t k = 0; k < electrodes.size(); ++k) {
        const std::string& name = electrodes[k].name;
        if (std::any_of(standard_names.begin(), standard_names.end(),
                        [&](const char* s) { return name == s; }))
            continue;
        if (const auto near = meant(name, missing); !near.empty())
            throw InputError(file, "/ecg/electrodes/" + std::to_string(k),
                             "electrode '" + name + "': did you mean '" + near +
                                 "'? That is its name in the 12 leads; give any other "
                                 "electrode a more distinct name");
    }
}

/// Whether any of the leads is of that electrode.
bool names_electrode(const std::vector<Lead>& leads, const std::string& electrode)
{
    return std::any_of(leads.begin(), leads.end(), [&](const Lead& lead) {
        return std::any_of(lead.weights.begin(), lead.weights.end(),
                           [&](const auto& w) { return w.first == electrode; });
    });
}

} // namespace

std::vector<Lead> twelve_leads()
{
    std::vector<Lead> out{
        {"I", {{"LA", 1}, {"RA", -1}}},
        {"II", {{"LL", 1}, {"RA", -1}}},
        {"III", {{"LL", 1}, {"LA", -1}}},
        {"aVR", {{"RA", 1}, {"LA", -0.5}, {"LL", -0.5}}},
        {"aVL", {{"LA", 1}, {"RA", -0.5}, {"LL", -0.5}}},
        {"aVF", {{"LL", 1}, {"RA", -0.5}, {"LA", -0.5}}},
    };
    for (const char* v : {"V1", "V2", "V3", "V4", "V5", "V6"})
        out.push_back(against_wilson(v, v));
    return out;
}

std::vector<Lead> leads_of(const std::vector<Electrode>& electrodes, const Leads& leads)
{
    std::vector<Lead> out;
    switch (leads.kind) {
    case Leads::Kind::list:
        return leads.list;
    case Leads::Kind::none:
        for (const auto& e : electrodes)
            out.push_back({e.name, {{e.name, 1}}});
        return out;
    case Leads::Kind::twelve_lead:
        break;
    }
    out = twelve_leads();
    const auto twelve = out;
    for (const auto& e : electrodes) {
        if (names_electrode(twelve, e.name))
            continue;
        const bool taken = std::any_of(twelve.begin(), twelve.end(),
                                       [&](const Lead& lead) { return lead.name == e.name; });
        out.push_back(against_wilson(taken ? e.name + " (electrode)" : e.name, e.name));
    }
    return out;
}

std::size_t own_leads(const std::vector<std::string>& names)
{
    const auto twelve = twelve_leads();
    const auto same = [](const Lead& lead, const std::string& name) { return lead.name == name; };
    const bool begins = names.size() > twelve.size() &&
                        std::equal(twelve.begin(), twelve.end(), names.begin(), same);
    return begins ? names.size() - twelve.size() : 0;
}

std::optional<std::size_t> EcgLayout::same_lead(std::size_t lead, const EcgLayout& other) const
{
    const auto place = [](const EcgLayout& l, const std::string& name) {
        const auto e = std::find_if(l.electrodes.begin(), l.electrodes.end(),
                                    [&](const Electrode& x) { return x.name == name; });
        return e == l.electrodes.end() ? std::optional<Vec3>() : e->position_mm;
    };
    if (torso != other.torso)
        return {};
    const auto& mine = leads[lead];
    const auto found = std::find(other.leads.begin(), other.leads.end(), mine);
    if (found == other.leads.end() ||
        !std::all_of(mine.weights.begin(), mine.weights.end(),
                     [&](const auto& w) { return place(*this, w.first) == place(other, w.first); }))
        return {};
    return static_cast<std::size_t>(found - other.leads.begin());
}

bool EcgLayout::same_leads(const EcgLayout& other) const
{
    if (leads.size() != other.leads.size())
        return false;
    for (std::size_t k = 0; k < leads.size(); ++k)
        if (same_lead(k, other) != k)
            return false;
    return true;
}

std::vector<std::string> EcgLayout::names() const
{
    std::vector<std::string> out;
    for (const auto& l : leads)
        out.push_back(l.name);
    return out;
}

std::vector<std::string> electrodes_without_lead(const std::vector<Electrode>& electrodes,
                                                 const Leads& leads)
{
    std::set<std::string> used;
    for (const auto& lead : leads_of(electrodes, leads))
        for (const auto& [name, weight] : lead.weights)
            used.insert(name);
    std::vector<std::string> out;
    for (const auto& e : electrodes)
        if (used.count(e.name) == 0)
            out.push_back(e.name);
    return out;
}

Notices placed_electrodes_notice(const std::vector<Electrode>& electrodes, const Leads& leads)
{
    const auto missing = missing_of(electrodes);
    if (leads.kind != Leads::Kind::twelve_lead || missing.empty())
        return {};
    std::string list;
    for (const auto& name : missing)
        list += (list.empty() ? "" : name == missing.back() ? " and " : ", ") + name;
    const std::string place =
        (in_torso(electrodes, leads) ? std::string("on a torso ") : std::string()) +
        (leads.frame ? "by the session's torso frame (ecg.frame)" : "around the heart");
    if (electrodes.empty())
        return {{Notice::Level::info,
                 "12-lead ECG: the program placed its electrodes, " + list + ", " + place}};
    return {
        {Notice::Level::warning, "12-lead ECG: " + list + (missing.size() > 1 ? " are" : " is") +
                                     " not among the session's electrodes; the program placed " +
                                     (missing.size() > 1 ? "them " : "it ") + place}};
}

EcgLayout ecg_layout(const Tissue& t, const std::vector<Electrode>& electrodes, const Leads& leads,
                     const std::string& file)
{
    EcgLayout out{electrodes, leads_of(electrodes, leads), {}};
    std::set<std::string> names;
    for (const auto& e : electrodes)
        if (!names.insert(e.name).second)
            throw InputError(file, "/ecg/electrodes",
                             "two electrodes are named '" + e.name +
                                 "'; give each a name of its own");
    const bool torso = in_torso(electrodes, leads);
    if (torso || leads.kind == Leads::Kind::twelve_lead) {
        auto frame = leads.frame ? *leads.frame : torso_frame(*t.mesh, *t.surface);
        if (torso)
            out.torso = frame = holding(frame, *t.mesh);
        if (leads.kind == Leads::Kind::twelve_lead)
            need_known_names(electrodes, file);
        for (const auto& e : leads.kind != Leads::Kind::twelve_lead ? std::vector<Electrode>{}
                             : torso                                ? electrodes_on_torso(frame)
                                                                    : twelve_lead_electrodes(frame))
            if (names.insert(e.name).second)
                out.electrodes.push_back(e);
    }
    if (leads.kind == Leads::Kind::list) {
        for (const auto& l : out.leads)
            for (const auto& [name, weight] : l.weights)
                if (names.count(name) == 0)
                    throw InputError(file, "/ecg/leads",
                                     "lead '" + l.name + "' names the electrode '" + name +
                                         "', which is not there");
    }
    for (const auto& e : out.electrodes)
        if (t.locator->find(e.position_mm).distance_mm < 1e-9)
            throw InputError(file, "/ecg/electrodes",
                             "electrode '" + e.name +
                                 "' lies in the tissue; place it outside of it");
    return out;
}

Notices ecg_notices(const Tissue& t, const std::vector<Electrode>& electrodes, const Leads& leads,
                    const std::string& file)
{
    auto out = placed_electrodes_notice(electrodes, leads);
    if ((electrodes.empty() && leads.kind != Leads::Kind::twelve_lead) ||
        !in_torso(electrodes, leads))
        return out;
    EcgLayout layout;
    try {
        layout = ecg_layout(t, electrodes, leads, file);
    } catch (const InputError&) {
        return out; // told by whoever needs the layout
    }
    constexpr double outside_mm = 1;
    const auto skin = torso_around(*layout.torso);
    for (const auto& e : electrodes) {
        const auto on = analysis::place_on(skin, e.position_mm);
        if (!on.inside && on.distance_mm > outside_mm)
            out.push_back({Notice::Level::warning,
                           "electrode '" + e.name + "' lies " + number_text(on.distance_mm, 3) +
                               " mm outside the torso; it shows the potential at the nearest place "
                               "on the skin (ecg.conductor)"});
    }
    const double usual = leads.frame ? leads.frame->scale : torso_frame(*t.mesh, *t.surface).scale;
    if (layout.torso->scale > 1.001 * usual)
        out.push_back({Notice::Level::warning,
                       "the torso was made " + number_text(layout.torso->scale / usual, 3) +
                           " times the size for the tissue's volume, so that the tissue fits into "
                           "the torso (ecg.frame)"});
    return out;
}

std::vector<std::array<double, 6>> source_conductivities(const mesh::TetMesh& m,
                                                         const RegionMap& patches)
{
    return diffusion::diffusivities(m, patches.of_tetrahedron, patches.source, 1, 1);
}

std::vector<std::vector<double>> lead_fields(const mesh::TetMesh& m,
                                             std::span<const analysis::ConductivityTensor> sigma,
                                             const EcgLayout& layout, double bath_S_per_m,
                                             const Progress& progress)
{
    std::vector<Vec3> places;
    for (const auto& e : layout.electrodes)
        places.push_back(e.position_mm);
    if (layout.torso)
        return analysis::torso_lead_fields(m, sigma, places,
                                           analysis::VolumeConductor(torso_around(*layout.torso)),
                                           bath_S_per_m, progress);
    std::vector<std::vector<double>> out;
    for (const Vec3& place : places)
        out.push_back(analysis::lead_field(m, sigma, place, bath_S_per_m, progress));
    return out;
}

LeadWeights::LeadWeights(const EcgLayout& layout)
{
    std::multimap<std::string_view, std::size_t> places;
    for (std::size_t e = 0; e < layout.electrodes.size(); ++e)
        places.emplace(layout.electrodes[e].name, e);
    for (const auto& lead : layout.leads) {
        std::map<std::size_t, double> row; // by electrode
        for (const auto& [name, weight] : lead.weights) {
            const auto [begin, end] = places.equal_range(name);
            for (auto at = begin; at != end; ++at)
                row[at->second] += weight;
        }
        for (const auto& [electrode, weight] : row) {
            electrode_.push_back(electrode);
            weight_.push_back(weight);
        }
        first_.push_back(electrode_.size());
    }
}

double LeadWeights::of(std::size_t lead, std::span<const double> potential_mV) const
{
    double sum = 0;
    for (auto k = first_[lead]; k < first_[lead + 1]; ++k)
        sum += weight_[k] * potential_mV[electrode_[k]];
    return sum;
}

EcgField::EcgField(const mesh::TetMesh& m, const mesh::VertexStars& stars, bool on_vertices,
                   const RegionMap& patches, EcgLayout layout, double bath_S_per_m,
                   const Progress& progress)
    : layout_(std::move(layout))
{
    if (layout_.leads.empty())
        return;
    const auto sigma = source_conductivities(m, patches);
    for (const auto& at_vertices : lead_fields(m, sigma, layout_, bath_S_per_m, progress)) {
        if (on_vertices) {
            weights_.emplace_back(at_vertices.begin(), at_vertices.end());
            continue;
        }
        // V of a vertex is the inverse-distance mean of the tetrahedra around it, as it is drawn:
        // of those that conduct.
        std::vector<double> w(m.tetrahedron_count(), 0);
        for (std::size_t v = 0; v < at_vertices.size(); ++v) {
            double sum = 0;
            const auto each = [&](auto f) {
                for (auto s = stars.first[v]; s < stars.first[v + 1]; ++s) {
                    const auto tet =
                        static_cast<std::size_t>(stars.tets[static_cast<std::size_t>(s)]);
                    if (diffusion::conducts(sigma[tet]))
                        f(tet, 1 / std::max(norm(m.centroid(tet) - m.vertex(v)), 1e-9));
                }
            };
            each([&](std::size_t, double share) { sum += share; });
            each([&](std::size_t tet, double share) { w[tet] += at_vertices[v] * share / sum; });
        }
        weights_.emplace_back(w.begin(), w.end());
    }
    mix_ = LeadWeights(layout_);
}

std::vector<float> EcgField::leads(std::span<const double> v) const
{
    // Weights sum to zero but for rounding: a common part of V is taken off so that it adds no
    // error. V of places without cells is NaN, and their weight 0.
    const auto first = std::find_if(v.begin(), v.end(), [](double x) { return !std::isnan(x); });
    const double common = first == v.end() ? 0 : *first;
    const auto term = [&](float weight, double x) {
        return weight != 0 ? static_cast<double>(weight) * (x - common) : 0.0;
    };
    std::vector<double> potential(weights_.size(), 0);
    for (std::size_t e = 0; e < weights_.size(); ++e) {
        const auto& w = weights_[e];
        std::array<double, 4> sum{};
        std::size_t u = 0;
        for (; u + 4 <= w.size(); u += 4)
            for (std::size_t k = 0; k < 4; ++k)
                sum[k] += term(w[u + k], v[u + k]);
        for (; u < w.size(); ++u)
            sum[0] += term(w[u], v[u]);
        potential[e] = sum[0] + sum[1] + sum[2] + sum[3];
    }
    std::vector<float> out;
    for (std::size_t lead = 0; lead < mix_.size(); ++lead)
        out.push_back(static_cast<float>(mix_.of(lead, potential)));
    return out;
}

} // namespace tawara::simulation
